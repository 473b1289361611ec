"""Inverses of block matrices: block by block, by substitution along the tree, or dense."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu, spsolve_triangular

from operator_algebra.errors import InputError, SingularError
from operator_algebra.operators.arrays import Dense, Indices, Square, Values
from operator_algebra.operators.blockdict import BlockDict, Sparse, compressed, exact
from operator_algebra.operators.blocks import BlockGroup, BlockMatrix, group_by_size
from operator_algebra.operators.factors import eps, extreme_singular_values, known_to_lapack
from operator_algebra.operators.factors import inverses as block_inverses
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import Type

_solve_triangular: Any = spsolve_triangular

EPS = float(np.finfo(np.float64).eps)

PIVOT = 64.0
"""A block is singular when its smallest singular value is below this many roundings of what it was computed from."""


AGREES = 1e-10
"""What may be left of a right-hand side where rows that follow from each other ask for the same."""


class SingularBlock(Exception):
    """Block `body` is singular: its pivot is nothing but rounding at its scale. Caught and worded by the callers."""

    def __init__(self, body: int, pivot: float, scale: float) -> None:
        super().__init__(body, pivot, scale)
        self.body = body
        self.pivot = pivot
        self.scale = scale
        self.culprit: object = None


def invert(matrix: BlockMatrix) -> BlockMatrix:
    """The inverse of a value, block by block if it is block-diagonal, else dense."""
    if not matrix.rows.matches(matrix.cols):
        raise InputError(f"{matrix!r} has no inverse: rows and columns have different block sizes.")
    rows, cols = matrix.places()
    try:
        if np.array_equal(rows, cols):
            return invert_diagonal(matrix)
    except SingularBlock as block:
        name = matrix.binding.joint_names[block.body]
        message = f'the value is singular at joint "{name}" (pivot {block.pivot:.0e}, scale {block.scale:.0e}).'
        raise SingularError(message, joints=[name]) from None
    inverse, condition = invert_dense(matrix.dense() if matrix.rows.size > 1 else matrix.data.toarray())
    if inverse is None:
        raise SingularError(f"{matrix!r} is singular to rounding (condition {condition:.0e}): it has no inverse.")
    return _as_inverse(matrix, inverse)


def _as_inverse(matrix: BlockMatrix, inverse: Dense) -> BlockMatrix:
    type_ = Type(matrix.type.codomain, matrix.type.domain)
    return BlockMatrix.from_dense(type_, matrix.cols, matrix.rows, inverse, matrix.binding)


def invert_diagonal(matrix: BlockMatrix, magnitudes: Values | None = None) -> BlockMatrix:
    """The inverse of a block-diagonal matrix; `magnitudes` are the sizes of its blocks before any cancellation."""
    type_ = Type(matrix.type.codomain, matrix.type.domain)
    k = np.arange(matrix.rows.count, dtype=np.intp)
    if matrix.exact:
        inverse = [exact_inverse(block, body) for body, block in enumerate(matrix.diagonal_blocks())]
        groups = group_by_size(matrix.cols, matrix.rows, inverse, k, k)
        return _diagonal(matrix, type_, groups)
    groups = sound_blocks(matrix, magnitudes)
    return _diagonal(matrix, type_, [group._replace(blocks=block_inverses(group.blocks)) for group in groups])


def sound_blocks(matrix: BlockMatrix, magnitudes: Values | None = None) -> list[BlockGroup]:
    """The blocks (k, k), none of which is singular to rounding; otherwise `SingularBlock`."""
    k = np.arange(matrix.rows.count, dtype=np.intp)
    groups = group_by_size(matrix.rows, matrix.cols, matrix.diagonal_blocks(), k, k)
    sound = [group for group in groups if group.blocks.shape[-1]]
    for group in sound:
        least, most = extreme_singular_values(group.blocks)
        scale = most if magnitudes is None else np.maximum(most, magnitudes[group.rows])
        check_pivots(group.rows, least, scale, eps(matrix.dtype))
    return sound


def _diagonal(matrix: BlockMatrix, type_: Type, groups: Iterable[BlockGroup]) -> BlockMatrix:
    return BlockMatrix.from_groups(type_, matrix.cols, matrix.rows, groups, matrix.binding, matrix.dtype)


def check_pivots(bodies: Indices, least: Values, scale: Values, rounding: float = EPS) -> None:
    """Raise `SingularBlock` for the outermost block whose smallest singular value is lost in rounding."""
    (bad,) = np.nonzero(~(least > PIVOT * rounding * scale))
    if len(bad):
        last = int(bad[np.argmax(bodies[bad])])
        raise SingularBlock(int(bodies[last]), float(least[last]), float(scale[last]))


def exact_inverse(block: Square, body: int = 0) -> Square:
    """The inverse of a small matrix of Python numbers, by elimination with the largest pivot."""
    n = len(block)
    work = np.concatenate([block, np.where(np.eye(n, dtype=bool), 1, 0).astype(object)], axis=1)
    for k in range(n):
        pivot = k + int(np.argmax([abs(x) for x in work[k:, k]]))
        if work[pivot, k] == 0:
            raise SingularBlock(body, 0.0, max((float(abs(x)) for x in block.flat), default=0.0))
        work[[k, pivot]] = work[[pivot, k]]
        value = work[k, k]
        work[k] = work[k] / (Fraction(value) if isinstance(value, int) else value)
        for i in range(n):
            if i != k and work[i, k] != 0:
                work[i] = work[i] - work[i, k] * work[k]
    return work[:, n:]


def invert_dense(values: Square, sizes: Square | None = None) -> tuple[Square | None, float]:
    """The inverse of a dense matrix and its condition number; no inverse if that exceeds all digits.

    `sizes` are those of the entries before any cancellation: what cancelled is known to as many roundings of them only.
    """
    if values.dtype == object:
        try:
            return exact_inverse(values), 1.0
        except SingularBlock:
            return None, float("inf")
    if not values.size:
        return values, 1.0
    try:
        inverse = block_inverses(values[None])[0]
    except np.linalg.LinAlgError:
        return None, float("inf")
    size, growth = _column_norm(values), _column_norm(inverse)
    cancelled = 0.0 if sizes is None else _column_norm(np.maximum(sizes - np.abs(values), 0.0))
    condition = float(max(size, PIVOT * cancelled) * growth)
    if not np.isfinite(condition) or condition * eps(values.dtype) > 1.0:
        return None, condition
    return inverse, float(size * growth)


def least_norm(values: Square, right: Dense, sizes: Square) -> tuple[Dense | None, bool]:
    """The smallest solution where rows follow from others, None where none does; whether `right` agrees with that.

    `sizes` are those of the entries before any cancellation.
    """
    if not (values.size and known_to_lapack(np.result_type(values, right)) and np.isfinite(values).all()):
        return None, True
    left, found, across = np.linalg.svd(values)
    scale = np.linalg.norm(np.maximum(sizes, np.abs(values)))
    kept = found > PIVOT * eps(values.dtype) * scale
    if kept.all():
        return None, True
    inverse = np.where(kept, 1.0 / np.where(kept, found, 1.0), 0.0)[:, None]
    solution: Dense = across.conj().T @ (inverse * (left.conj().T @ right))
    rest = np.linalg.norm(right - values @ solution)
    return solution, bool(rest <= AGREES * (scale * np.linalg.norm(solution) + np.linalg.norm(right)))


def _column_norm(values: Square) -> float:
    """The largest sum of sizes in a column."""
    return np.abs(values).sum(axis=0).max()


def solve_unit(matrix: BlockMatrix, right: Dense, *, inward: bool) -> Dense:
    """The solution of X Y = Z by substitution along the tree, for X with identity diagonal blocks; Z dense.

    Bodies are numbered base to tip, so an inward operator is upper triangular.
    """
    if matrix.exact:
        return _substitute_exact(matrix, right, inward=inward)
    if not right.size:
        return right
    if not known_to_lapack(np.result_type(matrix.dtype, right.dtype)):
        return _substitute_wide(matrix, right, inward=inward)
    return _solve_triangular(_half(matrix, inward=inward), right, lower=not inward, unit_diagonal=True)


def unit_solver(matrix: BlockMatrix, *, inward: bool) -> Callable[[Dense], Dense]:
    """`solve_unit` in machine numbers for many right-hand sides, one after the other."""
    half = _half(matrix, inward=inward)
    half.setdiag(1.0)
    return splu(sp.csc_array(half), permc_spec="NATURAL", diag_pivot_thresh=0.0, options={"Equil": False}).solve


def _half(matrix: BlockMatrix, *, inward: bool) -> Sparse:
    """One triangle: rounding leaves entries on the wrong side of the diagonal, inside its blocks."""
    half: Any = sp.triu if inward else sp.tril
    return compressed(half(matrix.stored))


def _substitute_exact(matrix: BlockMatrix, right: Dense, *, inward: bool) -> Dense:
    result = np.array(right)
    rows = exact(matrix.data).by_row()
    order = range(matrix.rows.count - 1, -1, -1) if inward else range(matrix.rows.count)
    for i in order:
        here = matrix.rows.part(i)
        for j, block in rows.get(i, ()):
            if j != i:
                result[here] = result[here] - block @ result[matrix.cols.part(j)]
    return result


def _substitute_wide(matrix: BlockMatrix, right: Dense, *, inward: bool) -> Dense:
    """The same block row by block row, in numbers that LAPACK and SuperLU do not know."""
    result: Dense = np.array(right, dtype=np.result_type(matrix.dtype, right.dtype))
    strict = matrix.stored - matrix.diagonal().stored
    for i in range(matrix.rows.count - 1, -1, -1) if inward else range(matrix.rows.count):
        here = matrix.rows.part(i)
        result[here] = result[here] - strict[here] @ result
    return result


def nilpotent_inverse(strict: BlockMatrix, depth: int) -> BlockMatrix:
    """(I − E)⁻¹ = (I + E)(I + E²)(I + E⁴) ⋯ for a hop E: each block is a product along one path, so nothing cancels."""
    power = strict
    result = identity_like(strict) + strict
    reach = 2
    while reach < depth:
        power = power @ power
        result = result + result @ power
        reach *= 2
    return result


def identity_like(matrix: BlockMatrix) -> BlockMatrix:
    """I in the place of a square matrix."""
    return identity(matrix.rows, matrix)


def identity(layout: Layout, like: BlockMatrix) -> BlockMatrix:
    """I on a layout, with the spaces of `like`."""
    if like.exact:
        ones = {(k, k): np.where(np.eye(size, dtype=bool), 1, 0).astype(object) for k, size in enumerate(layout.sizes)}
        return like.like(BlockDict(layout, layout, ones))
    return like.like(compressed(sp.eye_array(layout.size, dtype=like.dtype, format="csr")))
