"""The tables that `check` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import operator_algebra
from operator_algebra.checking.suite import in_domain, mechanism, suite
from operator_algebra.cli.terminal.output import columns
from operator_algebra.markup import width

if TYPE_CHECKING:
    from operator_algebra.checking.check import Check
    from operator_algebra.checking.verdict import Verdict
    from operator_algebra.models.model import Model
    from operator_algebra.proofs.proof import Proof

# A formula gets a column of its own where so much of it fits.
_FORMULA = 40
_COUNTS, _WORST, _PROOF = 23, 15, 16
_INDENT = 4
_WORDS: dict[Verdict, str] = {"holds": "hold", "inconclusive": "inconclusive", "FAILS": "fail"}


def summary(
    checks: Sequence[Check],
    model: Model | None,
    samples: int,
    seed: int,
    seconds: float,
    room: int | None = None,
    proofs: Sequence[Proof] = (),
) -> str:
    """One line for each law, or two where the window is narrow, the counts, and what to do next."""
    mechanisms = len({row.mechanism for check in checks for row in check.rows})
    where = model.name if model is not None else f"{mechanisms} mechanisms"
    head = f"operator_algebra {operator_algebra.__version__}   "
    lines = [f"{head}{len(checks)} laws × {where} × {samples} samples   seed {seed}", ""]
    room = columns() if room is None else room
    lines += _table(checks, room, proofs)
    counts = {verdict: sum(check.count(verdict) for check in checks) for verdict in _WORDS}
    extended = sum(row.precise for check in checks for row in check.rows)
    told = [f"{_thousands(counts[verdict])} {word}" for verdict, word in _WORDS.items()]
    lines += ["", f" {', '.join(told)}   {_thousands(extended)} judged in extended precision   {seconds:.0f} s"]
    if proofs:
        lines.append(f" {sum(map(bool, proofs))} of {len(proofs)} laws proved for every tree in their domains")
    lines += [f" {line}" for text in left_out(checks, model) for line in wrapped(text, room - 1)]
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
    lines = [] if engine is None else [f" {line}" for line in wrapped(engine, columns() - 1)]
    if report is not None:
        lines.append(f' report {report}      next: operator-algebra show "factor inverse"')
    return lines


def _table(checks: Sequence[Check], room: int, proofs: Sequence[Proof]) -> list[str]:
    """Name, formula and numbers in one line; in a narrower window the formula has a line of its own below the name.

    Nothing is cut: a long formula goes on in the next line, broken between words.
    """
    name = max([3, *(width(check.law.name) for check in checks)]) + 1
    formula = max([7, *(width(check.law.formula()) for check in checks)]) + 2
    judged = _COUNTS + _WORST + (_PROOF if proofs else 0)
    whole = 1 + name + judged + _FORMULA <= room
    formula = min(formula, room - 1 - name - judged) if whole else 0
    beside = whole or 1 + name + judged <= room
    verdicts = [f"  {proof.verdict.lower()}" for proof in proofs] or [""] * len(checks)
    numbers = _counts("holds", "inconcl.", "fails") + "  worst / bound" + ("  proof" if proofs else "")
    lines = [_line(("law", name), ("formula", formula), numbers, beside=beside)]
    for check, verdict in zip(checks, verdicts, strict=True):
        numbers = _counts(check.count("holds"), check.count("inconclusive"), check.count("FAILS"))
        numbers += f"  {check.residual:.0e} / {check.bound:.0e}" if check.rows else f"{'  left out':<15}"
        numbers = f"{numbers}{verdict}".rstrip()
        first, *more = wrapped(check.law.formula(), formula - 2 if whole else room - _INDENT - 1)
        lines.append(_line((check.law.name, name), (first, formula), numbers, beside=beside))
        below = 1 + name if whole else _INDENT
        lines += [" " * below + text for text in (more if whole else [first, *more])]
    return [line for text in lines for line in text.split("\n")]


def _line(name: tuple[str, int], formula: tuple[str, int], numbers: str, *, beside: bool) -> str:
    """Name and numbers, with the formula between them if it has a column; one below the other if nothing else fits."""
    start = " " + _cell(*name)
    if not beside:
        return f"{start.rstrip()}\n{' ' * _INDENT}{numbers.strip()}"
    return start + (_cell(*formula) if formula[1] else "") + numbers


def _counts(holds: object, inconclusive: object, fails: object) -> str:
    return f"{holds:>6}{inconclusive:>10}{fails:>7}"


def wrapped(text: str, columns: int) -> list[str]:
    """A text in lines of at most so many columns, broken at blanks; a word alone may be wider.

    >>> wrapped("H φ M φ* H* = D", 8)
    ['H φ M φ*', 'H* = D']
    """
    lines: list[str] = []
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines else ""
        if joined and width(joined) <= columns:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines or [""]


def _cell(text: str, columns: int) -> str:
    """A text filled to a width."""
    return text + " " * (columns - width(text))


def _thousands(count: int) -> str:
    return f"{count:,}".replace(",", " ")
