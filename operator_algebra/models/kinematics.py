"""Joint quantities of a whole model at q: one vectorised call for each kind of joint, the formula being the joint's.

Bodies run along an axis of their own, behind the leading axes of q.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from operator_algebra.errors import RangeError, explain
from operator_algebra.models.arrays import JointGroup
from operator_algebra.models.joints.joint import JOINT_KINDS, Joint
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers, manifold
from operator_algebra.spatial.arrays import Array, ArrayNamespace
from operator_algebra.spatial.displacements import displacement
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


def joint_map_slopes(model: Model, q: Numbers, along: Numbers) -> list[Numbers]:
    """d/dt H along rates, for each joint, (..., nv, 6): zero for those whose maps are constant.

    >>> from operator_algebra.models.families import chain
    >>> [block.shape for block in joint_map_slopes(chain(2), np.zeros(2), np.ones(2))]
    [(1, 6), (1, 6)]
    """
    lead = np.broadcast_shapes(q.shape[:-1], along.shape[:-1])
    q, along = np.broadcast_to(q, (*lead, model.nq)), np.broadcast_to(along, (*lead, model.nv))
    found: dict[int, Numbers] = {}
    for bodies, blocks in joint_map_rate_groups(model, q, along, np):
        found |= zip(bodies.tolist(), np.moveaxis(np.swapaxes(blocks, -1, -2), -3, 0), strict=True)
    return [found.get(k, np.zeros((freedoms, 6))) for k, freedoms in enumerate(model.freedoms)]


def dependent_rates(model: Model, k: int, q: Numbers) -> str:
    """What is wrong with a joint at one configuration if columns of its joint map depend on each other; else nothing.

    >>> from operator_algebra.models.families import chain
    >>> dependent_rates(chain(2, joint="universal"), 1, np.zeros(4))
    ''
    """
    group = next(group for group in model.joint_groups if group.holds(k))
    place = int(np.searchsorted(group.bodies, k))
    here = np.real(q).astype(np.float64)[group.q]
    moving = np.broadcast_to(group.joint.motion_map(here, np), (len(group.bodies), 6, group.joint.nv))[place]
    sizes = np.sqrt((moving**2).sum(axis=0))
    least = np.linalg.svd(moving / np.where(sizes > 0.0, sizes, 1.0), compute_uv=False).min(initial=1.0)
    if least > _DEPENDENT:
        return ""
    return (
        f"in this pose its {group.joint.nv} rates do not move it in {group.joint.nv} ways (columns of its joint map "
        f"depend on each other, least singular value {least:.0e}). Keep away from such poses, or take a joint that has "
        "none, as a spherical one is."
    )


_DEPENDENT = 1e-5
"""The least singular value of columns of length one that differ by so little that half of the digits are lost twice."""


def joint_exponentials(model: Model, q: Numbers) -> tuple[Numbers, Numbers]:
    """Pose of each child now in its own frame at rest, as exponentials of the joint map at rest; R and p as above.

    exp(H* x) with x = q ⊖ rest where the map is constant, since constant rates are a constant twist; else the product
    over the columns of H*, exp(h₁ q₁) exp(h₂ q₂) ⋯. A joint of a user's own that moves otherwise is refused.
    """
    kind = q.dtype
    xp = manifold(kind)
    rotations: list[Array] = []
    positions: list[Array] = []
    for group in model.joint_groups:
        joint, here = _joint(group, q), q[..., group.q]
        rest = np.broadcast_to(group.joint.neutral(), here.shape).astype(kind)
        columns = joint.motion_map(rest, np)
        moved = joint.difference(rest, here, xp)
        if joint.has_constant_map:
            twists = [apply(columns, moved)]
        else:
            twists = [columns[..., i] * moved[..., i : i + 1] for i in range(joint.nv)]
        rotation = np.broadcast_to(np.eye(3, dtype=kind), (*here.shape[:-1], 3, 3))
        position = np.zeros((*here.shape[:-1], 3), kind)
        with np.errstate(all="ignore"):
            for twist in twists:
                turn, shift = displacement(twist, xp)
                rotation, position = rotation @ turn, position + apply(rotation, shift)
        if not (np.isfinite(rotation).all() and np.isfinite(position).all()):
            where = f'model {model.name}, a joint of kind "{joint.kind}"'
            raise RangeError(explain("the exponential of its rates leaves the range of floats", where, "Check q."))
        if joint.kind not in JOINT_KINDS:
            _check_exponentials(joint, rest, here, (rotation, position))
        rotations.append(rotation)
        positions.append(position)
    return _in_body_order(model, rotations, -3, np), _in_body_order(model, positions, -2, np)


_AGREE = 1e-6
"""What a joint of a user's own passes when it is made, it passes here."""


def _check_exponentials(joint: Joint, rest: Numbers, q: Numbers, moved: tuple[Numbers, Numbers]) -> None:
    (first, start), (R, p) = joint.transform(rest, np), joint.transform(q, np)
    defects = (first @ moved[0] - R, start + apply(first, moved[1]) - p)
    if not max(float(np.abs(defect).max(initial=0.0)) for defect in defects) <= _AGREE * (1.0 + np.abs(p).max()):
        raise joint.error(
            "its transform is no product of exponentials of its rates, in their order",
            "Take dynamics.poses, or several joints with one rate each.",
        )


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
