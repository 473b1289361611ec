"""The results of a run as plain data: the same for any number of processes, without times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import operator_algebra
from operator_algebra.checking.check import Check
from operator_algebra.checking.tally import Tally

FORMAT = 1


def number(x: float) -> float | str:
    """Four digits of a number; JSON has no infinity."""
    return float(f"{x:.3e}") if abs(x) < float("inf") else "infinite"


def results(checks: Sequence[Check], *, samples: int, seed: int) -> dict[str, Any]:
    """Everything that a run found."""
    return {
        "format": FORMAT,
        "version": operator_algebra.__version__,
        "seed": seed,
        "samples": samples,
        "holds": sum(check.count("holds") for check in checks),
        "inconclusive": sum(check.count("inconclusive") for check in checks),
        "fails": sum(check.count("FAILS") for check in checks),
        "laws": [_law(check) for check in checks],
    }


def _law(check: Check) -> dict[str, Any]:
    found = check.counterexample
    return {
        "name": check.law.name,
        "formula": check.law.formula(),
        "theme": check.law.theme,
        "domain": list(check.law.domain),
        "cites": check.law.cites,
        "verdict": check.verdict,
        "worst": None if check.worst is None else _row(check.worst),
        "mechanisms": [_row(row) for row in check.rows],
        "counterexample": None if found is None else found.describe().splitlines(),
        "replay": check.replay(),
    }


def _row(row: Tally) -> dict[str, Any]:
    return {
        "mechanism": row.mechanism,
        "holds": row.holds,
        "inconclusive": row.inconclusive,
        "fails": row.fails,
        "extended": row.precise,
        "residual": number(row.residual),
        "bound": number(row.bound),
        "condition": number(row.condition),
        "culprit": row.culprit,
        "reading": row.reading,
        "sample": row.sample,
    }
