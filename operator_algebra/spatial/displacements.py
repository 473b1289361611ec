"""Rigid displacements and twists, generic over the array library; motions are [angular; linear]."""

from __future__ import annotations

from operator_algebra.spatial.arrays import Array, ArrayNamespace, ManifoldNamespace
from operator_algebra.spatial.rotations import (
    left_jacobian,
    left_jacobian_inverse,
    matrix_quaternion,
    quaternion_exp,
    quaternion_log,
    quaternion_matrix,
)
from operator_algebra.spatial.vectors import apply, block_matrix, skew


def displacement(twist: Array, xp: ManifoldNamespace) -> tuple[Array, Array]:
    """R and p of the displacement by a constant twist in unit time, R = exp(ω̃), p = V(ω) v; (..., 6).

    V is `left_jacobian`.        [geometric treatment (3)]
    """
    turn, shift = twist[..., :3], twist[..., 3:]
    return quaternion_matrix(quaternion_exp(turn, xp), xp), apply(left_jacobian(turn, xp), shift)


def displacement_twist(rotation: Array, translation: Array, xp: ManifoldNamespace) -> Array:
    """The constant twist that turns by at most π and leads to R, p in unit time; inverse of `displacement`."""
    turn = quaternion_log(matrix_quaternion(rotation, xp), xp)
    return xp.concatenate([turn, apply(left_jacobian_inverse(turn, xp), translation)], axis=-1)


def homogeneous(rotation: Array, translation: Array, xp: ArrayNamespace) -> Array:
    """The matrix [[R, p], [0, 1]] of a pose."""
    top = xp.concatenate([rotation, translation[..., None]], axis=-1)
    last = xp.zeros_like(top[..., :1, :]) + xp.eye(4)[3:]
    return xp.concatenate([top, last], axis=-2)


def motion_block(rotation: Array, translation: Array, xp: ArrayNamespace) -> Array:
    """Ad = [[R, 0], [p̃ R, R]], which takes motions from the axes and origin of a frame to those that it is given in.

    It is φ⁻*, φ being the same for forces.
    """
    zero = xp.zeros_like(rotation)
    return block_matrix(((rotation, zero), (skew(translation, xp) @ rotation, rotation)), xp)
