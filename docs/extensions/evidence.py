"""The evidence of the catalogue: `python docs/extensions/evidence.py` checks every law and writes evidence.json.

It is committed, so that building the documentation takes no minutes; a test compares it with the records.
"""

import json
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from operator_algebra.checking.check import Check, check, check_all
from operator_algebra.checking.suite import TRAITS, mechanism
from operator_algebra.checking.workers import workers
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Law
from operator_algebra.identities.themes.noise import J
from operator_algebra.identities.variants import with_noise

_OTHERS = ("tree4", "universal-outboard")
"""A tree that is no chain, without a free base, with joints of several kinds; and one with a universal joint."""

Evidence = dict[str, dict[str, Any]]

PATH = Path(__file__).parents[1] / "evidence.json"


def read_evidence() -> Evidence:
    """What was committed."""
    return json.loads(PATH.read_text(encoding="utf-8")) if PATH.is_file() else {}


def _outside(law: Law) -> list[str]:
    """The smallest counter-example outside the domain of a law."""
    if "J = 0" in law.domain:
        names = ["free1"] if "free base" in law.domain else ["chain6", "tree4"]
        return _first(_counterexample(check(with_noise(law, J), mechanism(name))) for name in names)
    narrow = [word for word in law.domain if word in TRAITS]
    if not narrow:
        return []
    wide = replace(law, domain=tuple(word for word in law.domain if word not in narrow))
    return _first(_counterexample(check(wide, mechanism(name))) for name in _OTHERS)


def _first(found: Iterable[list[str]]) -> list[str]:
    """The first that says something."""
    for lines in found:
        if lines:
            return lines
    return []


def _counterexample(found: Check) -> list[str]:
    return [] if found.counterexample is None else found.counterexample.describe().splitlines()


def gather() -> Evidence:
    """Check everything."""
    laws = list(catalogue().values())
    with workers(2) as pool:
        checks = check_all(laws, executor=pool, progress=True)
    evidence: Evidence = {}
    for law, found in zip(laws, checks, strict=True):
        worst = found.worst
        assert found.holds
        assert worst is not None
        facts: dict[str, Any] = {
            "formula": law.formula("ascii"),
            "samples": found.samples,
            "mechanisms": len(found.rows),
            "nearest": worst.mechanism,
            "residual": float(f"{worst.residual:.0e}"),
            "bound": float(f"{worst.bound:.0e}"),
        }
        outside = _outside(law)
        evidence[law.name] = facts | ({"outside": outside} if outside else {})
    return evidence


if __name__ == "__main__":
    PATH.write_text(json.dumps(gather(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.stdout.write(f"wrote {PATH.name}\n")
