"""Joint quantities of a whole model at q: one vectorised call for each kind of joint, the formula being the joint's.

Bodies run along an axis of their own, behind the leading axes of q.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.arrays import JointGroup
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Model
from operator_algebra.spatial.arrays import Array, ArrayNamespace
from operator_algebra.spatial.inertia import spatial_inertia
from operator_algebra.spatial.vectors import apply


class GroupBlocks(NamedTuple):
    """Blocks of the joints of one kind: those of `bodies`, (..., m, rows, columns)."""

    bodies: NDArray[np.intp]
    blocks: Array


def joint_transforms(model: Model, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
    """Pose of each child's frame in its joint's frame: R (..., n, 3, 3), p (..., n, 3).

    >>> from operator_algebra.models.families import chain
    >>> arm = chain(3)
    >>> joint_transforms(arm, arm.neutral(), np)[0].shape
    (3, 3, 3)
    """
    poses = [_joint(group, q).transform(q[..., group.q], xp) for group in model.joint_groups]
    rotations = _in_body_order(model, [rotation for rotation, _ in poses], -3, xp)
    return rotations, _in_body_order(model, [position for _, position in poses], -2, xp)


def body_transforms(model: Model, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
    """Pose of each body in its parent body, placement and joint together: R (..., n, 3, 3), l (..., n, 3)."""
    rotation, position = joint_transforms(model, q, xp)
    placed = model.arrays.rotation
    return placed @ rotation, model.arrays.translation + apply(placed, position)


def joint_map_groups(model: Model, q: Array, xp: ArrayNamespace) -> list[GroupBlocks]:
    """H* by kind of joint: blocks (..., m, 6, nv)."""
    return [GroupBlocks(group.bodies, _joint(group, q).motion_map(q[..., group.q], xp)) for group in model.joint_groups]


def joint_map_rate_groups(model: Model, q: Array, v: Array, xp: ArrayNamespace) -> list[GroupBlocks]:
    """d/dt H* by kind of joint, only for the kinds whose map depends on q: blocks (..., m, 6, nv)."""
    return [
        GroupBlocks(group.bodies, _joint(group, q).motion_map_rate(q[..., group.q], v[..., group.v], xp))
        for group in model.joint_groups
        if not group.joint.has_constant_map
    ]


def inertia_blocks(model: Model, kind: Any = np.float64) -> NDArray[Any]:
    """M of each body, about its origin in its axes: (n, 6, 6), computed in a kind of real number.

    Numbers that are exact, those of closed forms, stay what they are.
    """
    arrays = model.arrays
    stored = (arrays.mass, arrays.com, arrays.inertia_at_com)
    mass, com, inertia = (part if part.dtype == object else part.astype(kind) for part in stored)
    return spatial_inertia(mass, com, inertia, np)


def _joint(group: JointGroup, q: Array) -> Joint:
    """The joint of a group, its parameters as wide as the coordinates; symbols in arrays take it as it is."""
    kind: Any = getattr(q, "dtype", None)
    return group.wide_joint(kind) if getattr(kind, "kind", "") in ("f", "c") else group.joint


def _in_body_order(model: Model, parts: list[Array], axis: int, xp: ArrayNamespace) -> Array:
    if len(parts) == 1:
        return parts[0]
    place = np.argsort(np.concatenate([group.bodies for group in model.joint_groups]))
    together = xp.concatenate(parts, axis=axis)
    return together[..., place, :, :] if axis == -3 else together[..., place, :]
