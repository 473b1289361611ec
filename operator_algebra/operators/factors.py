"""Inverses, Cholesky factors and determinants of stacks of matrices, in any machine precision, real or complex.

LAPACK knows doubles; what is wider is eliminated here. Adjoints are transposes, also of complex matrices, so that
every result is an analytic function of the entries.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from operator_algebra.models.numeric import Kind
from operator_algebra.operators.arrays import Blocks, Flags, Number, Square, Squares, Values

_linalg: Any = np.linalg


@cache
def eps(dtype: Kind | type[float]) -> float:
    """The rounding of one operation in this kind of number."""
    return float(np.finfo(dtype).eps)


def known_to_lapack(kind: Kind) -> bool:
    """Whether LAPACK, and SuperLU, compute with this kind of number."""
    return kind in (np.dtype(np.float64), np.dtype(np.complex128))


def inverses(stack: Squares) -> Squares:
    """The inverse of each matrix of a stack (m, r, r); `LinAlgError` if one has a pivot of zero."""
    if known_to_lapack(stack.dtype):
        return _linalg.inv(stack)
    unit = np.broadcast_to(np.eye(stack.shape[-1], dtype=stack.dtype), stack.shape)
    work = np.concatenate([stack, unit], axis=-1)
    for k in range(stack.shape[-1]):
        pivot = _pivoted(work, k)[0]
        work[:, k] /= pivot[:, None]
        column = np.array(work[:, :, k])
        column[:, k] = 0
        work -= column[:, :, None] * work[:, None, k]
    return work[..., stack.shape[-1] :]


def _pivoted(work: Blocks, k: int) -> tuple[Values, Flags]:
    """Bring the largest entry of column k into row k of each matrix: the pivots, and which rows changed places."""
    each = np.arange(len(work))
    best = k + np.argmax(np.abs(work[:, k:, k]), axis=1)
    rows = work[each, best]
    work[each, best] = work[:, k]
    work[:, k] = rows
    if (work[:, k, k] == 0).any():
        raise np.linalg.LinAlgError("a pivot is zero")
    return np.array(work[:, k, k]), best != k


def extreme_singular_values(stack: Squares) -> tuple[Values, Values]:
    """The smallest and the largest singular value of each matrix (m, r, r); for what is wider than doubles, bounds."""
    if stack.shape[-1] == 1:
        size = np.abs(stack[..., 0, 0])
        return size, size
    if known_to_lapack(stack.dtype):
        # LAPACK complains on the terminal of what is not finite.
        finite = _finite(stack)
        values = _linalg.svd(np.where(finite[..., None, None], stack, 0.0), compute_uv=False)
        return np.where(finite, values[..., -1], np.nan), np.where(finite, values[..., 0], np.nan)
    try:
        least = 1 / _norms(inverses(stack))
    except np.linalg.LinAlgError:
        values = _linalg.svd(_doubles(stack), compute_uv=False)
        least = np.where(values[..., -1] > eps(np.float64) * values[..., 0], values[..., -1], 0.0)
    return least, _norms(stack)


def _finite(stack: Squares) -> Flags:
    """Which matrices have neither infinite entries nor NaN."""
    return np.asarray(np.isfinite(stack).all(axis=(-2, -1)))


def _norms(stack: Squares) -> Values:
    return np.sqrt((np.abs(stack) ** 2).sum(axis=(-2, -1)))


def _doubles(stack: Squares) -> Squares:
    return stack.astype(np.complex128 if np.iscomplexobj(stack) else np.float64)


def least_eigenvalues(stack: Squares) -> Values:
    """The smallest eigenvalue of each symmetric matrix, of the real part if it is complex, to double precision."""
    finite = _finite(stack)
    return _linalg.eigvalsh(np.where(finite[..., None, None], np.real(stack), 0.0).astype(np.float64))[..., 0]


def cholesky(stack: Squares) -> Squares:
    """Lower L with L L* = B for each B of a stack; `LinAlgError` where (the real part of) B is not definite."""
    if stack.dtype == np.float64:
        return _linalg.cholesky(stack)
    result = np.zeros_like(stack)
    for k in range(stack.shape[-1]):
        row = result[:, k, :k]
        pivot = stack[:, k, k] - (row * row).sum(axis=-1)
        if not (pivot.real > 0).all():
            raise np.linalg.LinAlgError("a pivot is not positive")
        result[:, k, k] = np.sqrt(pivot)
        below = stack[:, k + 1 :, k] - (result[:, k + 1 :, :k] * row[:, None, :]).sum(axis=-1)
        result[:, k + 1 :, k] = below / result[:, k, k, None]
    return result


def determinant(matrix: Square) -> tuple[Number, Number]:
    """The determinant of a matrix as a number of size one and the logarithm of its size."""
    if known_to_lapack(matrix.dtype):
        return _linalg.slogdet(matrix)
    work = np.array(matrix)[None]
    sign: Number = matrix.dtype.type(1)
    size: Number = np.log(np.abs(sign))
    try:
        for k in range(len(matrix)):
            pivot, swapped = _pivoted(work, k)
            sign = sign * pivot[0] / np.abs(pivot[0]) * (-1 if swapped[0] else 1)
            size = size + np.log(np.abs(pivot[0]))
            work[:, k + 1 :] -= work[:, k + 1 :, k, None] / pivot[:, None, None] * work[:, None, k]
    except np.linalg.LinAlgError:
        return 0 * sign, np.log(np.zeros_like(size))
    return sign, size
