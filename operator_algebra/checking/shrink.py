"""From a mechanism that refutes a claim to the smallest one that still does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from operator_algebra.checking.arithmetic import Array, FixedPoint
from operator_algebra.checking.scene import Sample
from operator_algebra.checking.suite import in_domain
from operator_algebra.checking.trial import Trial
from operator_algebra.checking.verdict import PRECISE_LIMIT, decide, fixed_bits, matrix_residual, residual
from operator_algebra.errors import OperatorAlgebraError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.identity import Law
from operator_algebra.models.changes import beginning, plainer, smaller
from operator_algebra.models.model import Model
from operator_algebra.models.summary import joint_kinds

_ROUNDS = 60
_SHOWN = 12
# Up to so many bodies both sides are formed, to show the block at which they differ.
_FORMED = 60


@dataclass(frozen=True, eq=False)
class Counterexample:
    """The smallest mechanism found that refutes a claim, confirmed with hundreds of bits unless it has many bodies.

    `block` is the first pair of bodies (or None, for what has no block per body) at which both sides differ, with the
    `difference` there and both values; `elsewhere` counts the other blocks that differ.
    """

    model: Model
    sample: Sample
    reading: str
    block: tuple[int, int] | None
    left: Array
    right: Array
    difference: Array
    """Left side minus right side at the block, subtracted before both were rounded to floats."""
    elsewhere: int

    def describe(self) -> str:
        """Two lines: the mechanism, and where the sides differ."""
        kinds = _some(list(joint_kinds(self.model)), "–")
        bodies = "1 body" if self.model.n == 1 else f"{self.model.n} bodies"
        parents = _some(str(list(self.model.parent))[1:-1].split(", "), ", ")
        shape = "" if self.model.n < 3 else f", parents [{parents}]"
        q = _some([f"{x:.3g}" for x in np.asarray(self.sample.q)], ", ")
        head = f"smallest counter-example: {bodies}, {kinds}{shape}, q = ({q})"
        place = "" if self.block is None else f" in block ({self.block[0]}, {self.block[1]})"
        rest = "equal everywhere else" if not self.elsewhere else f"{self.elsewhere} more blocks differ"
        left, right = _short(self.left), _short(self.right)
        both = f"left {left}, right {right}"
        if left == right:
            both += f", apart by up to {float(np.abs(self.difference).max(initial=0.0)):.1e}"
        return f"{head}\ndifference{place}: {both}; {rest}"


def _some(words: list[str], between: str) -> str:
    """Words in a row; the middle of a long row is left out."""
    shown = words if len(words) <= _SHOWN else [*words[: _SHOWN - 4], "…", *words[-2:]]
    return between.join(shown)


def _short(values: Array) -> str:
    if values.size == 1:
        return f"{float(values.flat[0]):.4g}"
    place = np.unravel_index(np.argmax(np.abs(values)), values.shape)
    return f"{values.shape[0]}×{values.shape[1]} with largest entry {float(values[place]):.4g}"


def shrink(model: Model, sample: Sample, law: Law) -> Counterexample | None:
    """The smallest mechanism, of those that dropping bodies and simplifying joints lead to, that refutes a law.

    None where hundreds of bits don't confirm that.
    """
    best = _refuting(model, [sample], law)
    if best is None:
        return None
    best = _cut(*best, law)
    if best[0].n > PRECISE_LIMIT:
        return _located(*best, law)
    for _ in range(_ROUNDS):
        found = _first(smaller(best[0]), best[1], law) or _first(plainer(best[0]), best[1], law)
        if found is None:
            break
        best = found
    confirmed = _refuting(best[0], [*_configurations(best[0], best[1]), best[1]], law, confirm=True)
    return _located(*confirmed, law) if confirmed is not None else None


def _cut(model: Model, sample: Sample, law: Law) -> tuple[Model, Sample]:
    """A large mechanism without as many bodies from its tips as bisection finds to be idle."""
    best, too_small = (model, sample), 0
    while best[0].n > PRECISE_LIMIT and best[0].n - too_small > 1:
        count = (best[0].n + too_small) // 2
        found = _first(iter([beginning(best[0], count)]), best[1], law)
        if found is None:
            too_small = count
        else:
            best = found
    return best


def _first(candidates: Iterator[Model], sample: Sample, law: Law) -> tuple[Model, Sample] | None:
    for candidate in candidates:
        try:
            found = _refuting(candidate, _configurations(candidate, sample), law)
        except OperatorAlgebraError:
            continue
        if found is not None:
            return found
    return None


def _configurations(model: Model, sample: Sample) -> list[Sample]:
    """The neutral pose at plain rates first, then random ones."""
    rest, rates = model.neutral(), np.ones(model.nv)
    bent = model.integrate(rest, 0.5 * rates)
    plain = [Sample(sample.seed, "body", q, rates) for q in (rest, bent)]
    return [*plain, *(Sample.draw(model, sample.seed + k, "body") for k in range(2))]


def _refuting(model: Model, samples: list[Sample], law: Law, *, confirm: bool = False) -> tuple[Model, Sample] | None:
    if not in_domain(law, model):
        return None
    for sample in samples:
        told = decide(Trial(model, (sample,)), law, confirm=confirm)
        if told and told[0].verdict == "FAILS":
            return model, sample
    return None


def _located(model: Model, sample: Sample, law: Law) -> Counterexample:
    trial = Trial(model, (sample,), fixed_bits(law) if model.n <= PRECISE_LIMIT else 0)
    found = matrix_residual(trial, law) if model.n <= _FORMED else residual(trial, law)
    assert found.sides is not None
    arithmetic = trial.valuation.arithmetic
    unit = arithmetic.one() if isinstance(arithmetic, FixedPoint) else 1.0
    one, other = (side[0] for side in found.sides)
    left, right, difference = (np.asarray(array / unit, dtype=np.float64) for array in (one, other, one - other))
    sizes = _block_sizes(trial, law, left.shape)
    if sizes is None:
        return Counterexample(model, sample, law.name, None, left, right, difference, 0)
    rows, cols = sizes
    threshold = np.sqrt(arithmetic.eps) * max(1.0, float(np.abs(left).max(initial=0.0)))
    apart = np.abs(difference) > threshold
    owner_r, owner_c = np.repeat(np.arange(len(rows)), rows), np.repeat(np.arange(len(cols)), cols)
    blocks = sorted({(int(owner_r[i]), int(owner_c[j])) for i, j in np.argwhere(apart)})
    if not blocks:
        return Counterexample(model, sample, law.name, None, left, right, difference, 0)
    i, j = blocks[0]
    here = np.ix_(owner_r == i, owner_c == j)
    return Counterexample(
        model, sample, law.name, blocks[0], left[here], right[here], difference[here], len(blocks) - 1
    )


def _block_sizes(trial: Trial, law: Law, shape: tuple[int, ...]) -> tuple[Array, Array] | None:
    if not isinstance(law.lhs, Expr):
        return None
    rows, cols = (trial.valuation.scene.sizes(space) for space in (law.lhs.type.codomain, law.lhs.type.domain))
    return (rows, cols) if (int(rows.sum()), int(cols.sum())) == shape else None
