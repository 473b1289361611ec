"""Small dense algebra on blocks with leading axes: products with solves, symmetric updates, pivot sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, overload

import numpy as np

from operator_algebra.backends.numpy.arrays import Block, Flags, Scalars
from operator_algebra.backends.numpy.levels import Indices

lapack_solve: Callable[[Block, Block], Block] = np.linalg.solve
lapack_cholesky: Callable[[Block], Block] = np.linalg.cholesky

Where = TypeVar("Where")

SMALLEST = 1e-12
"""A singular value so much smaller than the largest is one of dependent rows."""
PART = 1e-6
"""What takes less part in a dependence takes none."""

ROOT_EPS = float(np.finfo(np.float64).eps) ** 0.5


class Factors:
    """An inverse that is not formed: products with it are solves."""

    __slots__ = ("matrix",)

    def __init__(self, matrix: Block) -> None:
        self.matrix = matrix

    @property
    def shape(self) -> tuple[int, ...]:
        return self.matrix.shape

    @property
    def T(self) -> Factors:
        """The inverse of the adjoint."""
        return Factors(np.swapaxes(self.matrix, -1, -2))

    def before(self, x: Block) -> Block:
        """D⁻¹ x."""
        return solve(self.matrix, x)

    def after(self, x: Block) -> Block:
        """X D⁻¹."""
        return np.swapaxes(self.T.before(np.swapaxes(x, -1, -2)), -1, -2)

    def explicit(self) -> Block:
        """The inverse as a block."""
        return self.before(np.eye(self.matrix.shape[-1]))

    @property
    def everywhere(self) -> Factors:
        """The same with an axis for the bodies, all of which read it."""
        return Factors(self.matrix[None])


def solve(matrix: Block, x: Block) -> Block:
    """matrix⁻¹ x; a singular matrix gives values that are not finite, and is reported by its pivot."""
    n = matrix.shape[-1]
    if n == 1:
        return _divide(x, matrix)
    if n == 0:
        return np.zeros((*np.broadcast_shapes(matrix.shape[:-2], x.shape[:-2]), 0, x.shape[-1]))
    try:
        return lapack_solve(matrix, x)
    except np.linalg.LinAlgError:
        finite = _finite(matrix)
        matrix = np.where(finite[..., None, None], matrix, 0.0)
        bad = ~(np.linalg.cond(matrix) < 1 / np.finfo(np.float64).eps)
        safe: Block = np.where(bad[..., None, None], np.eye(n), matrix)
        return np.where(bad[..., None, None], np.nan, np.asarray(lapack_solve(safe, x)))


def _divide(x: Block, pivot: Block) -> Block:
    return x / pivot


Operand = Block | Factors
"""A factor of a product: blocks, or an inverse that is not formed."""


@overload
def adjoint(block: Block) -> Block: ...
@overload
def adjoint(block: Operand) -> Operand: ...
def adjoint(block: Operand) -> Operand:
    """The transpose of a block."""
    return block.T if isinstance(block, Factors) else np.swapaxes(block, -1, -2)


def multiply_out(factors: Sequence[Operand]) -> Block:
    """A product of blocks, vectors last; inverses become solves."""
    stop = len(factors) - 1
    result = factors[stop]
    if isinstance(result, Factors):
        inverses = [result]
        while stop > 0 and isinstance(earlier := factors[stop - 1], Factors):
            inverses.append(earlier)
            stop -= 1
        if stop == 0:
            result = result.explicit()
            stop = len(factors) - 1
        else:
            stop -= 1
            result = factors[stop]
            assert not isinstance(result, Factors)
            for inverse in reversed(inverses):
                result = inverse.after(result)
    for factor in reversed(factors[:stop]):
        result = factor.before(result) if isinstance(factor, Factors) else factor @ result
    return result


def added(total: Block, inside: slice | Indices, part: Block) -> Block:
    """The sum with a part at some places; the total may still be an array of somebody else."""
    result = np.array(total, order="C")
    result[inside] += part
    return result


def symmetrised(kernel: Callable[[Where], Block]) -> Callable[[Where], Block]:
    """Make a block exactly self-adjoint, as every use of its symmetry assumes.

    Without this the Riccati sweep doubles skew rounding errors at every joint of several degrees of freedom.
    """

    def symmetric(where: Where) -> Block:
        block = kernel(where)
        if block.shape[-1] == 1:
            return block
        return 0.5 * (block + np.swapaxes(block, -1, -2))

    return symmetric


def joseph(P: Block, gain: Block, A_star: Block, J: Block | None) -> Block:
    """(I − gain A*) P (I − gain A*)* + gain J gain*: a sum of squares, so rounding cannot make it indefinite."""
    left = np.eye(P.shape[-1]) - gain @ A_star
    result = left @ P @ np.swapaxes(left, -1, -2)
    return result if J is None else result + gain @ J @ np.swapaxes(gain, -1, -2)


def cholesky(block: Block) -> Block:
    """The Cholesky factor; not a number where the block is not positive definite."""
    if block.shape[-1] == 0:
        return block
    if block.shape[-1] == 1:
        return block**0.5
    try:
        return lapack_cholesky(block)
    except np.linalg.LinAlgError:
        flat = block.reshape(-1, *block.shape[-2:])
        return np.stack([_cholesky_or_nan(one) for one in flat]).reshape(block.shape)


def _cholesky_or_nan(block: Block) -> Block:
    """Of one block: an eigenvalue that is positive but for rounding does not tell whether there is a factor."""
    try:
        return lapack_cholesky(block)
    except np.linalg.LinAlgError:
        return np.full(block.shape, np.nan)


def total_of(kind: str, block: Operand) -> Block:
    """The trace or the logarithm of the determinant of a block, as a 1 × 1 block; complex where that is negative."""
    block = multiply_out((block,))
    if kind == "trace":
        return np.trace(block, axis1=-2, axis2=-1)[..., None, None]
    sign, size = np.linalg.slogdet(block)
    return (size + 1j * np.pi * (sign < 0) if (sign < 0).any() else size)[..., None, None]


def norms(block: Operand) -> Scalars:
    """The Frobenius norm of a block."""
    if isinstance(block, Factors):
        block = block.explicit()
    return np.sqrt(np.sum(np.abs(block) ** 2, axis=(-2, -1)))


def _finite(blocks: Block) -> Flags:
    return np.logical_and.reduce(np.isfinite(blocks), axis=(-2, -1))


def definiteness(blocks: Block) -> Scalars:
    """The least eigenvalue of each block over the largest; below zero where the block has no Cholesky factor."""
    if blocks.shape[-1] == 0:
        return np.ones(blocks.shape[:-2])
    finite = _finite(blocks)
    values = np.linalg.eigvalsh(np.where(finite[..., None, None], blocks, 0.0))
    size = np.abs(values).max(axis=-1)
    return np.where(finite, np.where(size > 0, values[..., 0] / np.where(size > 0, size, 1.0), 0.0), np.nan)


def bounded_measure(pivots: Block, left: Block, right: Block) -> Scalars:
    """1 / (1 + |right* D⁻¹ left|) for the rounding that reaches each pivot D; zero where D has no inverse.

    It is not a number where a pivot further out has already failed.
    """
    finite = _finite(pivots)
    safe = np.where(finite[..., None, None], pivots, 1.0)
    reached = np.abs(np.sum(right * solve(safe, left), axis=-2)).mean(axis=-1)
    return np.where(finite, 1.0 / (1.0 + np.where(np.isnan(reached), np.inf, reached)), np.nan)


def rounded_measure(pivots: Block) -> Scalars:
    """1 / (1 + Σ |D(i, j)| |D⁻¹(j, i)| / n): what each n × n pivot D keeps if its entries are rounded one by one."""
    finite = _finite(pivots)
    safe = np.where(finite[..., None, None], pivots, 1.0)
    inverse = solve(safe, np.broadcast_to(np.eye(safe.shape[-1]), safe.shape))
    lost = (np.abs(safe) * np.abs(adjoint(inverse))).sum(axis=(-2, -1)) / safe.shape[-1]
    return np.where(finite, 1.0 / (1.0 + np.where(np.isnan(lost), np.inf, lost)), np.nan)


def pivot_measure(pivots: Block, scale: Scalars) -> Scalars:
    """The smallest singular value of each pivot over the size of its terms; 1 where there is no pivot.

    It is not a number where a pivot further out has already failed.
    """
    if pivots.shape[-1] == 0:
        return np.ones(pivots.shape[:-2])
    finite = _finite(pivots)
    least = np.linalg.svd(np.where(finite[..., None, None], pivots, 0.0), compute_uv=False)[..., -1]
    relative = np.where(scale > 0, least / np.where(scale > 0, scale, 1.0), 0.0)
    return np.where(finite, relative, np.nan)


def dependent_rows(blocks: Block, singular: Flags) -> tuple[int, ...]:
    """The rows that follow from each other in the first singular block: those that its left null space mixes."""
    if not np.any(singular):
        return ()
    first = np.broadcast_to(blocks, (*singular.shape, *blocks.shape[-2:]))[singular][0]
    if not np.isfinite(first).all():
        return ()
    left, values, _ = np.linalg.svd(first)
    null = np.abs(left[:, values <= SMALLEST * values[:1]])
    return tuple(np.nonzero(null.max(axis=1, initial=0.0) > PART)[0].tolist())
