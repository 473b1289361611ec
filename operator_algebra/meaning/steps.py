"""The steps of a plan: functions of the values found so far at one body, and of that body.

Blocks may have a first axis for mechanisms that stand beside each other, or none where it is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Protocol

import numpy as np

from operator_algebra.models.numeric import Kind, Scalar
from operator_algebra.operators.arrays import SampleBlock, Signs, Squares
from operator_algebra.operators.blocks import machine_number
from operator_algebra.operators.factors import eps, inverses
from operator_algebra.operators.inversion import SingularBlock, exact_inverse
from operator_algebra.operators.leaves import local_blocks
from operator_algebra.operators.local import LocalFunction
from operator_algebra.operators.root import SquareRootError, block_root

Step = Callable[[list[SampleBlock], int], SampleBlock]

"""From the values found so far at a body, blocks (r, c), and that body: the next."""

NOTHING: SampleBlock = np.empty((0, 0))
"""In the place of a block that is not found, or does not exist."""


class HasBlocks(Protocol):
    """Something with one block per body."""

    blocks: list[SampleBlock]


@dataclass(eq=False)
class Rounding:
    """How results of steps are rounded: as they come, or, once disturbed, each entry by one rounding up or down.

    What differs between the two was lost in rounding, wherever it cancelled and however far out.
    """

    signs: Signs | None = None
    taken: int = 0

    def disturb(self, seed: int) -> None:
        """Round otherwise from now on, in a way that belongs to a seed."""
        self.signs = np.random.default_rng(seed).choice((-1.0, 1.0), _SIGNS)
        self.taken = 0

    def __call__(self, block: SampleBlock) -> SampleBlock:
        """The block, rounded once more if roundings are disturbed."""
        if self.signs is None or block.dtype == object:
            return block
        return block * (1.0 + self._up_or_down(block, self.signs))

    def given(self, block: SampleBlock) -> SampleBlock:
        """The same for a block of a leaf: entries of a rotation are right to a rounding of its largest."""
        if self.signs is None or block.dtype == object or not block.size:
            return block
        size = np.abs(block)
        same_unit = np.minimum(size.max(axis=-2, keepdims=True), size.max(axis=-1, keepdims=True))
        return block + self._up_or_down(block, self.signs) * same_unit * (size > 0)

    def _up_or_down(self, block: SampleBlock, all_signs: Signs) -> SampleBlock:
        start = self.taken % _SIGNS
        self.taken += block.size
        signs = all_signs[start : start + block.size]
        return eps(block.dtype) * (
            signs.reshape(block.shape) if len(signs) == block.size else np.resize(signs, block.shape)
        )


_SIGNS = 4099


@dataclass(eq=False)
class Schedule:
    """Steps in order, all at one body, and which of them is the result."""

    rounding: Rounding
    steps: list[Step] = field(default_factory=list[Step])
    result: int | None = None

    def add(self, step: Step) -> int:
        """Append a step; its number."""
        self.steps.append(step)
        return len(self.steps) - 1

    def run(self, body: int) -> SampleBlock:
        """The result at one body."""
        values: list[SampleBlock] = []
        for step in self.steps:
            values.append(self.rounding(step(values, body)))
        assert self.result is not None
        return values[self.result]


def fetch(known: HasBlocks) -> Step:
    """The block of something found before."""
    return lambda values, k: known.blocks[k]


def nothing(rows: Sequence[int], cols: Sequence[int], zero: Scalar) -> Step:
    """A block of zeros."""
    return lambda values, k: np.full((rows[k], cols[k]), zero)


def unit(sizes: Sequence[int], zero: Scalar) -> Step:
    """The block I."""
    return lambda values, k: np.eye(sizes[k], dtype=int) + np.full((sizes[k], sizes[k]), zero)


def total(terms: Sequence[int]) -> Step:
    """A sum."""

    def step(values: list[SampleBlock], k: int) -> SampleBlock:
        result = values[terms[0]]
        for i in terms[1:]:
            result = result + values[i]
        return result

    return step


def multiplied(factors: Sequence[int]) -> Step:
    """A product, from left to right."""

    def step(values: list[SampleBlock], k: int) -> SampleBlock:
        result = values[factors[0]]
        for i in factors[1:]:
            result = result @ values[i]
        return result

    return step


def multiple(factor: Fraction, i: int, kind: Kind) -> Step:
    """A rational multiple."""
    number: Scalar = factor if kind.kind == "O" else machine_number(factor, kind)
    return lambda values, k: number * values[i]


def scaled(factor: HasBlocks, i: int) -> Step:
    """The multiple by a number that the formula computes."""
    return lambda values, k: factor.blocks[0][0, 0] * values[i]


def transposed(i: int) -> Step:
    """The adjoint of a block."""
    return lambda values, k: values[i].swapaxes(-1, -2)


def inverted(i: int, culprit: object) -> Step:
    """The inverse of a block."""

    def step(values: list[SampleBlock], k: int) -> SampleBlock:
        block = values[i]
        try:
            if block.dtype == object:
                return exact_inverse(block, k)
            if block.shape[-2:] == (1, 1) and block.all():
                return 1.0 / block
            return inverses(_stacked(block)).reshape(block.shape)
        except np.linalg.LinAlgError:
            error = SingularBlock(k, 0.0, float(np.abs(block).max()))
            error.culprit = culprit
            raise error from None
        except SingularBlock as error:
            error.culprit = culprit
            raise

    return step


def _stacked(block: SampleBlock) -> Squares:
    """One block, or those of several mechanisms, as a stack."""
    return block if block.ndim > 2 else block[None]


def rooted(i: int, culprit: object) -> Step:
    """The Cholesky factor of a block."""

    def step(values: list[SampleBlock], k: int) -> SampleBlock:
        try:
            return block_root(_stacked(values[i])).reshape(values[i].shape)
        except SquareRootError as root:
            error = SingularBlock(k, root.least, float(np.abs(values[i]).max()))
            error.culprit = culprit
            raise error from None

    return step


def local(function: LocalFunction, arguments: Sequence[int]) -> Step:
    """A local function of vectors."""
    return lambda values, k: local_blocks(function, *(values[i][..., 0] for i in arguments))


def over_children(
    edges: HasBlocks,
    inner: Schedule | None,
    back: HasBlocks | None,
    children: Sequence[Sequence[int]],
    rows: Sequence[int],
    cols: Sequence[int],
    zero: Scalar,
    rounding: Rounding,
) -> Step:
    """Σ E(k, c) X(c) E(c, k) over the children c of k; without `back`, Σ E(k, c) X(c)."""

    def step(values: list[SampleBlock], k: int) -> SampleBlock:
        result: SampleBlock | None = None
        for c in children[k]:
            term = rounding.given(edges.blocks[c])
            if inner is not None:
                term = term @ inner.run(c)
            if back is not None:
                term = term @ rounding.given(back.blocks[c])
            result = term if result is None else result + term
        if result is None:
            return np.full((rows[k], cols[k]), zero)
        return result

    return step


def from_parent(
    edges: HasBlocks,
    inner: Schedule | None,
    back: HasBlocks | None,
    parent: Sequence[int],
    rows: Sequence[int],
    cols: Sequence[int],
    zero: Scalar,
    rounding: Rounding,
) -> Step:
    """E(k, p) X(p) E(p, k) for the parent p of k, zero at roots; without `back`, E(k, p) X(p)."""

    def step(values: list[SampleBlock], k: int) -> SampleBlock:
        p = parent[k]
        if p < 0:
            return np.full((rows[k], cols[k]), zero)
        term = rounding.given(edges.blocks[k])
        if inner is not None:
            term = term @ inner.run(p)
        return term if back is None else term @ rounding.given(back.blocks[k])

    return step
