"""The tables that `check` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import operator_algebra
from operator_algebra.checking.suite import in_domain, mechanism, suite
from operator_algebra.markup import width

if TYPE_CHECKING:
    from operator_algebra.checking.check import Check
    from operator_algebra.checking.residual import Verdict
    from operator_algebra.models.model import Model

_NAME, _FORMULA = 38, 56
_WORDS: dict[Verdict, str] = {"holds": "hold", "inconclusive": "inconclusive", "FAILS": "fail"}


def summary(
    checks: Sequence[Check],
    model: Model | None,
    samples: int,
    seed: int,
    seconds: float,
) -> str:
    """One line for each law, the counts, and what to do next."""
    mechanisms = len({row.mechanism for check in checks for row in check.rows})
    where = model.name if model is not None else f"{mechanisms} mechanisms"
    lines = [
        f"operator_algebra {operator_algebra.__version__}   "
        f"{len(checks)} laws × {where} × {samples} samples   seed {seed}",
        "",
        " "
        + _cell("law", _NAME)
        + _cell("formula", _FORMULA)
        + f"{'holds':>7}{'inconcl.':>10}{'fails':>7}   worst / bound",
    ]
    lines += [" " + _row(check) for check in checks]
    counts = {verdict: sum(check.count(verdict) for check in checks) for verdict in _WORDS}
    extended = sum(row.precise for check in checks for row in check.rows)
    told = [f"{_thousands(counts[verdict])} {word}" for verdict, word in _WORDS.items()]
    lines += ["", f" {', '.join(told)}   {_thousands(extended)} judged in extended precision   {seconds:.0f} s"]
    lines += [f" {text}" for text in left_out(checks, model)]
    for check in checks:
        if check.verdict != "holds":
            lines += ["", *str(check).splitlines()]
    return "\n".join(lines)


def left_out(checks: Sequence[Check], model: Model | None) -> list[str]:
    """Why fewer samples were judged than laws × mechanisms × samples; nothing if all were."""
    models = [model] if model is not None else [mechanism(name) for name in suite()]
    outside = sum(not in_domain(check.law, one) for check in checks for one in models)
    pairs, judged = len(checks) * len(models), sum(len(check.rows) for check in checks)
    reasons = [
        (outside, "outside the domain of the law"),
        (pairs - judged - outside, "too large for a law without a form in vectors"),
    ]
    told = [f"{_thousands(count)} {reason}" for count, reason in reasons if count]
    return [f"left out of {_thousands(pairs)} pairs of law and mechanism: {', '.join(told)}"] if told else []


def closing(engine: str | None, report: Path | None) -> list[str]:
    """What an independent engine says, and where the report is."""
    lines = [] if engine is None else [f" {engine}"]
    if report is not None:
        lines.append(f' report {report}      next: operator-algebra show "factor inverse"')
    return lines


def _row(check: Check) -> str:
    counts = f"{check.count('holds'):>7}{check.count('inconclusive'):>10}{check.count('FAILS'):>7}"
    worst = f"{check.residual:.0e} / {check.bound:.0e}" if check.rows else "no mechanism in its domain"
    return _cell(check.law.name, _NAME) + _cell(check.law.formula(), _FORMULA) + f"{counts}   {worst}"


def _cell(text: str, columns: int) -> str:
    """A text cut or filled to a width."""
    while width(text) > columns - 2:
        text = text[:-2] + "…"
    return text + " " * (columns - width(text))


def _thousands(count: int) -> str:
    return f"{count:,}".replace(",", " ")
