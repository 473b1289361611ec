"""Inverses of block matrices: block by block, by substitution along the tree, or dense."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve_triangular

from operator_algebra.errors import InputError, SingularError
from operator_algebra.operators.blocks import BlockMatrix, group_by_size
from operator_algebra.operators.spaces import Type

_linalg: Any = np.linalg
_solve_triangular: Any = spsolve_triangular

EPS = float(np.finfo(np.float64).eps)

PIVOT = 64.0
"""A block is singular when its smallest singular value is below this many roundings of what it was computed from."""


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


def _as_inverse(matrix: BlockMatrix, inverse: Any) -> BlockMatrix:
    type_ = Type(matrix.type.codomain, matrix.type.domain)
    return BlockMatrix.from_dense(type_, matrix.cols, matrix.rows, inverse, matrix.binding)


def invert_diagonal(matrix: BlockMatrix, magnitudes: Any = None) -> BlockMatrix:
    """The inverse of a block-diagonal matrix; `magnitudes` are the sizes of its blocks before any cancellation."""
    type_ = Type(matrix.type.codomain, matrix.type.domain)
    k = np.arange(matrix.rows.count, dtype=np.intp)
    blocks = matrix.diagonal_blocks()
    if matrix.exact:
        exact = [exact_inverse(block, body) for body, block in enumerate(blocks)]
        groups = group_by_size(matrix.cols, matrix.rows, exact, k, k)
        return _diagonal(matrix, type_, groups)
    groups = group_by_size(matrix.rows, matrix.cols, blocks, k, k)
    inverses: list[Any] = []
    for group in groups:
        if group.blocks.shape[-1] == 0:
            continue
        least, most = extreme_singular_values(group.blocks)
        scale = most if magnitudes is None else np.maximum(most, magnitudes[group.rows])
        check_pivots(group.rows, least, scale)
        inverses.append(group._replace(blocks=np.linalg.inv(group.blocks)))
    return _diagonal(matrix, type_, inverses)


def _diagonal(matrix: BlockMatrix, type_: Type, groups: Any) -> BlockMatrix:
    return BlockMatrix.from_groups(type_, matrix.cols, matrix.rows, groups, matrix.binding, matrix.dtype)


def extreme_singular_values(blocks: Any) -> tuple[Any, Any]:
    """The smallest and the largest singular value of each block, (m, r, r)."""
    if blocks.shape[-1] == 1:
        size = np.abs(blocks[..., 0, 0])
        return size, size
    values = np.linalg.svd(blocks, compute_uv=False)
    return values[..., -1], values[..., 0]


def check_pivots(bodies: Any, least: Any, scale: Any) -> None:
    """Raise `SingularBlock` for the outermost block whose smallest singular value is lost in rounding."""
    (bad,) = np.nonzero(~(least > PIVOT * EPS * scale))
    if len(bad):
        last = int(bad[np.argmax(bodies[bad])])
        raise SingularBlock(int(bodies[last]), float(least[last]), float(scale[last]))


def exact_inverse(block: Any, body: int = 0) -> Any:
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


def invert_dense(values: Any) -> tuple[Any | None, float]:
    """The inverse of a dense matrix and its condition number; no inverse if that exceeds all digits."""
    if values.dtype == object:
        try:
            return exact_inverse(values), 1.0
        except SingularBlock:
            return None, float("inf")
    if not values.size:
        return values, 1.0
    try:
        inverse = _linalg.solve(values, np.eye(len(values)))
    except np.linalg.LinAlgError:
        return None, float("inf")
    condition = float(_linalg.norm(values, 1) * _linalg.norm(inverse, 1))
    if not np.isfinite(condition) or condition * EPS > 1.0:
        return None, condition
    return inverse, condition


def solve_unit(matrix: BlockMatrix, right: Any, *, inward: bool) -> Any:
    """The solution of X Y = Z by substitution along the tree, for X with identity diagonal blocks; Z dense.

    Bodies are numbered base to tip, so an inward operator is upper triangular.
    """
    if matrix.exact:
        return _substitute_exact(matrix, right, inward=inward)
    if not right.size:
        return right
    # Rounding leaves entries on the wrong side of the diagonal, inside its blocks; the solver would use them.
    half: Any = sp.triu if inward else sp.tril
    return _solve_triangular(sp.csr_array(half(matrix.data)), right, lower=not inward, unit_diagonal=True)


def _substitute_exact(matrix: BlockMatrix, right: Any, *, inward: bool) -> Any:
    result = np.array(right)
    rows = matrix.data.by_row()
    order = range(matrix.rows.count - 1, -1, -1) if inward else range(matrix.rows.count)
    for i in order:
        here = matrix.rows.part(i)
        for j, block in rows.get(i, ()):
            if j != i:
                result[here] = result[here] - block @ result[matrix.cols.part(j)]
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


def identity(layout: Any, like: BlockMatrix) -> BlockMatrix:
    """I on a layout, with the spaces of `like`."""
    if like.exact:
        ones = {(k, k): np.where(np.eye(size, dtype=bool), 1, 0).astype(object) for k, size in enumerate(layout.sizes)}
        return like.like(type(like.data)(layout, layout, ones))
    return like.like(sp.csr_array(sp.eye_array(layout.size, dtype=like.dtype, format="csr")))
