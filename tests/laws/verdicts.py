"""What the tests of laws ask again and again: which of several mechanisms refute a claim."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from operator_algebra.checking.suite import in_domain, mechanism, trials
from operator_algebra.checking.trial import Trial
from operator_algebra.checking.verdict import Precise, Verdict, decide
from operator_algebra.identities.identity import Law
from operator_algebra.models.model import Model

# A chain, trees with all kinds of joints, a free base: small ones, on which any slip shows.
SMALL = ("chain6", "forest4.1", "forest5.7", "forest5.12", "tree4", "revolute-outboard", "free1", "floating-alone")

FORMAL = frozenset(
    {
        "mass matrix along a direction",
        "mass matrix along a direction, single joints",
        "gradient of the determinant of the mass matrix",
        "gradient of kinetic energy",
        "gradient of kinetic energy, single joints",
        "gradient of kinetic energy by sums",
        "gradient of kinetic energy by articulated inertia",
    }
)
"""Laws of a derivative that leaves Ḣ out: the formulas agree everywhere, and say what they mean where Ḣ = 0."""


@cache
def _batches(name: str) -> list[tuple[Trial, Precise]]:
    return [(trial, {}) for trial, _ in trials(mechanism(name), 2, seed=3)]


def verdicts(law: Law, name: str) -> list[Verdict]:
    """The verdict of each sample on a mechanism of the suite; none outside the domain."""
    if not in_domain(law, mechanism(name)):
        return []
    return [one.verdict for trial, kept in _batches(name) for one in decide(trial, law, precise=kept)]


def refuted(law: Law, names: Iterable[str] = SMALL) -> bool:
    """Whether a mechanism refutes a claim, confirmed with hundreds of bits."""
    return any("FAILS" in verdicts(law, name) for name in names)


def fresh(law: Law, model: Model, seed: int) -> list[Verdict]:
    """The verdicts on a mechanism that is not of the suite."""
    if not in_domain(law, model):
        return []
    return [one.verdict for trial, _ in trials(model, 1, seed) for one in decide(trial, law)]
