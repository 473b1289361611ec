"""Exact refutation: models by size, in residues; the first that contradicts a claim is made small, then exact.

What differs modulo a prime differs: residues disprove, they don't estimate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from time import monotonic

from operator_algebra.identities.identity import Law, Statement
from operator_algebra.proofs.counterexample import Counterexample, located
from operator_algebra.proofs.fields import SMALL, Field, Fractions, Mask, Residues
from operator_algebra.proofs.models import KNOWN_WORDS, Domain, reach
from operator_algebra.proofs.orders import is_order, order, order_broken
from operator_algebra.proofs.samples import Plan, Sample, plan_of
from operator_algebra.proofs.statements import Pair, expressions, pairs
from operator_algebra.proofs.values import Values

_PER_SIZE = 24
_PER_TREE = 4
_ROUNDS = 12


def refute(claim: Law, *, seconds: float = 2.0) -> Counterexample | None:
    """The smallest exact model found that contradicts a claim; None says nothing.

    >>> from operator_algebra.identities.identity import Identity
    >>> from operator_algebra.symbols import H, I, K, phi
    >>> U = I + H @ phi @ K
    >>> refute(Identity("a slip", U @ (I - H @ phi @ K), I))
    3 bodies, parents [-1, 0, 1]: block (0, 2) is -1 on the left, 0 on the right
    """
    until = monotonic() + seconds
    sides = expressions(claim)
    domain = Domain.of(sides, claim.domain)
    unknown = [word for word in claim.domain if word not in KNOWN_WORDS]
    if unknown:
        return None  # a mechanism that does not have it refutes nothing
    for shape in domain.shapes(reach(sides)):
        plan = plan_of(domain, shape, sides)
        samples, values = _first(plan)
        for sample in _refuting(claim, plan, samples, values, until):
            found = _exactly(claim, plan, _smallest(claim, plan, sample, until))
            if found is not None:
                return found
        if monotonic() > until:
            return None
    return None


@lru_cache(maxsize=64)
def _first(plan: Plan) -> tuple[tuple[Sample, ...], Values]:
    """The samples of a size, which all claims about the same leaves share with what they have in common."""
    trees = plan.domain.trees(plan.shape.bodies)
    count = max(_PER_TREE, _PER_SIZE // len(trees))
    samples = tuple(sample for parent in trees for sample in plan.draws(parent, count))
    return samples, plan.values(_residues(), samples)


@lru_cache(maxsize=1)
def _residues() -> Field:
    return Residues(SMALL)


def _refuting(claim: Law, plan: Plan, samples: Sequence[Sample], values: Values, until: float) -> Iterator[Sample]:
    """The samples that contradict a claim, the simplest first."""
    found = [
        sample
        for sample, differs in zip(samples, _contradicts(claim, plan, samples, until, values), strict=True)
        if differs
    ]
    yield from sorted(found, key=_weight)


def _weight(sample: Sample) -> tuple[int, int]:
    """How many numbers are not zero, and how far they are from zero and one."""
    return sum(x != 0 for x in sample.numbers), sum(int(abs(x - (x > 0))) for x in sample.numbers)


def _contradicts(
    claim: Law, plan: Plan, samples: Sequence[Sample], until: float, values: Values | None = None
) -> list[bool]:
    """Which samples contradict a claim."""
    if isinstance(claim, Statement) and is_order(claim):
        return [monotonic() < until and order_broken(claim, plan, sample) for sample in samples]
    said = pairs(claim, samples, plan.values(_residues(), samples) if values is None else values)
    broken = [False] * len(samples)
    for pair in said or ():
        broken = [known or bool(new) for known, new in zip(broken, _differ(pair, _residues()), strict=True)]
    return broken


def _differ(pair: Pair, field: Field) -> Mask:
    left, right = pair
    apart = field.settled(left.array - right.array) != 0
    return left.sound & right.sound & apart.any(axis=(1, 2))


# -- making it small ---------------------------------------------------------------------------------------------------


def _smallest(claim: Law, plan: Plan, sample: Sample, until: float) -> Sample:
    """The sample with numbers set to 0, then to 1, as long as it contradicts the claim."""
    for simple in (0, 1):
        for _ in range(_ROUNDS):
            if monotonic() > until:
                return sample
            better = _simpler(claim, plan, sample, simple, until)
            if better is None:
                break
            sample = better
    return sample


def _simpler(claim: Law, plan: Plan, sample: Sample, simple: int, until: float) -> Sample | None:
    """The sample with as many numbers set as can be: each that may be alone, then the first of these together."""
    places = [k for k, x in enumerate(sample.numbers) if _may(x, plan.signs[k], simple)]
    alone = _contradicts(claim, plan, [_set(sample, [k], simple) for k in places], until) if places else []
    places = [k for k, still in zip(places, alone, strict=True) if still]
    if not places:
        return None
    together = [_set(sample, places[: k + 1], simple) for k in range(1, len(places))]
    kept = _contradicts(claim, plan, together, until) if together else []
    return next(
        (one for one, still in zip(reversed(together), reversed(kept), strict=True) if still),
        _set(sample, places[:1], simple),
    )


def _may(x: object, sign: str, simple: int) -> bool:
    return x != simple and (simple == 1 or sign == "any") and not (simple == 1 and x == 0)


def _set(sample: Sample, places: Sequence[int], simple: int) -> Sample:
    chosen = set(places)
    return replace(sample, numbers=tuple(simple if k in chosen else x for k, x in enumerate(sample.numbers)))


# -- making it exact ---------------------------------------------------------------------------------------------------


def _exactly(claim: Law, plan: Plan, sample: Sample) -> Counterexample | None:
    """The sample in fractions; None where a root is not rational."""
    field = Fractions()
    values = plan.values(field, [sample])
    if isinstance(claim, Statement) and is_order(claim):
        said: list[Pair] | None = [order(claim, values)]
    else:
        said = pairs(claim, [sample], values)
    for pair in said or ():
        if _differ(pair, field)[0]:
            return located(claim, plan, sample, values, pair)
    return None
