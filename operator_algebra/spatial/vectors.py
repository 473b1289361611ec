"""Vectors with any leading axes: cross products, blocks, products with matrices."""

from __future__ import annotations

from operator_algebra.spatial.arrays import Array, ArrayNamespace


def skew(a: Array, xp: ArrayNamespace) -> Array:
    """Matrix of the cross product, ã b = a × b; shape (..., 3) → (..., 3, 3).

    >>> import numpy as np
    >>> skew(np.array([0.0, 0.0, 2.0]), np) @ np.array([1.0, 0.0, 0.0])
    array([0., 2., 0.])
    """
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    zero = xp.zeros_like(x)
    rows = ((zero, -z, y), (z, zero, -x), (-y, x, zero))
    return xp.stack([xp.stack(row, axis=-1) for row in rows], axis=-2)


def block_matrix(rows: tuple[tuple[Array, Array], tuple[Array, Array]], xp: ArrayNamespace) -> Array:
    """The matrix made of 2 × 2 blocks of equal size."""
    return xp.concatenate([xp.concatenate(row, axis=-1) for row in rows], axis=-2)


def apply(matrix: Array, vector: Array) -> Array:
    """Matrix times vector, (..., r, c) and (..., c) → (..., r)."""
    return (matrix @ vector[..., None])[..., 0]
