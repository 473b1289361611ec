"""What is wrong with the numbers of bodies: all bodies at once, one message for each that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.arrays import Floats, Indices, JointGroup
from operator_algebra.models.columns import Columns
from operator_algebra.models.joints.joint import JOINT_KINDS
from operator_algebra.models.numeric import in_parts
from operator_algebra.models.problems import SHOWN, Problem, Where
from operator_algebra.models.topology import depth_first
from operator_algebra.spatial.inertia import spatial_inertia

Flags = NDArray[np.bool_]

Part = Callable[[int, str], object]
"""What stands for a part of body k, "inertia", "placement" or "joint": parts that are one object are told once."""

# Moments of a flat or thin body, printed with four digits, break the inequalities by their last digit.
_TRIANGLE = 1e-4
_POSITIVE = 1e-6
# A body of this radius [m] is a point mass: the digits of its moments say nothing.
_POINT = 1e-8
# Second moments with pivots above this part of them are positive, whatever was rounded.
_SOLID = 1e-9
# With pivots above that part, and no smaller than this beside m |com|², no axis is without inertia.
_STOUT = 1e-2
# A scaled pivot below this is zero up to rounding of its six terms.
_PIVOT = 1e-14

LARGEST = 1e30
"""Products of a few lengths and masses of this size still are finite; nothing that moves is as large."""


def number_problems(
    columns: Columns, at: Where, part: Part, *, merged: Sequence[Problem] | None = None, rooted: bool = True
) -> Iterator[Problem]:
    """What is wrong with the numbers; `merged` if inertias were tested before merging, `rooted` if the tree is one."""
    large = list(_size_problems(columns, at, part))
    yield from large
    of = columns.arrays
    if merged is None:
        merged = [] if large else list(inertia_problems(of.mass, of.inertia_at_com, at, part))
    yield from merged
    if rooted and not large and not merged:
        yield from _pivot_problems(columns, at)


def each_its_own(k: int, part: str) -> object:
    """No part of a body is another body's."""
    return k, part


def _size_problems(columns: Columns, at: Where, part: Part) -> Iterator[Problem]:
    of = columns.arrays
    pitches = [np.abs(np.asarray(getattr(group.joint, "pitch", 0.0))) for group in columns.groups]
    if not columns.rest and all(np.vdot(array, array) <= LARGEST**2 for array in (*vars(of).values(), *pitches)):
        return
    largest = np.zeros((len(of.mass), 3))
    inertia = [of.mass[:, None], of.com, of.inertia_at_com.reshape(-1, 9)]
    largest[:, 0] = np.abs(np.concatenate(inertia, axis=1)).max(axis=1)
    largest[:, 1] = np.abs(of.translation).max(axis=1)
    for group, pitch in zip(columns.groups, pitches, strict=True):
        springs = np.concatenate([of.armature[group.v], of.stiffness[group.v], of.damping[group.v]], axis=1)
        largest[group.bodies, 2] = np.maximum(np.abs(springs).max(axis=1, initial=0.0), pitch)
    for k, rest in columns.rest.items():
        largest[k, 2] = max(largest[k, 2], *map(abs, rest))
    told: set[object] = set()
    for k, place in np.argwhere(largest > LARGEST).tolist():
        one = part(k, ("inertia", "placement", "joint")[place])
        if one not in told:
            told.add(one)
            yield Problem(f"a number is too large to compute with: {largest[k, place]:g}", at(k), "Check the units.")


def inertia_problems(masses: Floats, inertias: Floats, at: Where, part: Part = each_its_own) -> Iterator[Problem]:
    """What no rigid body has: negative mass, negative principal moments, moments against the triangle inequality."""
    doubtful = np.flatnonzero(~_solid(inertias, _SOLID) | (masses < 0.0))
    if not len(doubtful):
        return
    masses, moments = masses[doubtful], np.linalg.eigvalsh(inertias[doubtful])
    largest = np.abs(moments).max(axis=1)
    negligible = np.abs(masses) * _POINT**2
    negative = moments[:, 0] < -_POSITIVE * largest - negligible
    triangle = moments[:, 0] + moments[:, 1] < (1.0 - _TRIANGLE) * moments[:, 2] - negligible
    told: set[object] = set()
    for i in np.flatnonzero((masses < 0.0) | negative | triangle).tolist():
        k = int(doubtful[i])
        if part(k, "inertia") in told:
            continue
        told.add(part(k, "inertia"))
        if masses[i] < 0.0:
            yield Problem(f"the mass is negative: {masses[i]:g}", at(k), "Check the sign.", fatal=False)
        if negative[i]:
            yield Problem(
                f"the rotational inertia about the mass centre is not positive: a principal moment is "
                f"{moments[i, 0]:.4g}",
                at(k),
                "Check the products of inertia, and whether the moments are about the mass centre.",
                fatal=False,
            )
        elif triangle[i]:
            a, b, c = moments[i]
            yield Problem(
                "the rotational inertia violates the triangle inequality "
                f"(principal moments {c:.4g} > {b:.4g} + {a:.4g})",
                at(k),
                "Check the axes or the units.",
                fatal=False,
            )


def _solid(inertias: Floats, part: float) -> Flags:
    """Where mass is spread over all directions: pivots of second moments Σ = ½ tr(J) I − J are above a part of them.

    Then the moments of J, which are sums of two of those of Σ, are positive and keep the triangle inequality.
    """
    several = [_solid_ones(inertias[some], part) for some in in_parts(len(inertias))]
    return np.concatenate(several or [np.empty(0, np.bool_)])


def _solid_ones(inertias: Floats, part: float) -> Flags:
    xx, yy, zz = (inertias[:, i, i] for i in range(3))
    xy, xz, yz = -inertias[:, 0, 1], -inertias[:, 0, 2], -inertias[:, 1, 2]
    half = 0.5 * (xx + yy + zz)
    with np.errstate(all="ignore"):
        first = half - xx
        second = half - yy - xy * xy / first
        across = yz - xy * xz / first
        third = half - zz - xz * xz / first - across * across / second
        return np.minimum(np.minimum(first, second), third) > part * half


def _pivot_problems(columns: Columns, at: Where) -> Iterator[Problem]:
    """Joints whose articulated inertia D is singular at every pose."""
    of, parent = columns.arrays, np.array(columns.parent)
    own = of.mass != 0.0
    if not own.all():
        own |= of.inertia_at_com.any(axis=(1, 2))
    massive = own if own.all() else _carried(own, columns.parent)
    tip = np.ones(len(parent), dtype=np.bool_)
    tip[parent[parent >= 0]] = False
    loose = np.zeros(len(parent), dtype=np.bool_)
    for group in columns.groups:
        loose[group.bodies] = (of.armature[group.v] == 0.0).any(axis=1)
    remedy = "Give the tip body inertia, give the joint armature, or fix the joint."
    for k in np.flatnonzero(loose & ~massive & ((parent < 0) | massive[parent])).tolist():
        called = columns.joint_names[k] or columns.names[k]
        what = f'nothing that joint "{called}" carries has mass, so D is singular there'
        yield Problem(what, at(k), remedy, fatal=False)
    tips = tip & massive & loose
    light = tips & ~_stout(columns)
    several = [_singular(columns, group, (light if group.stacked else tips)[group.bodies]) for group in columns.groups]
    found: list[int] = sorted(int(k) for places in several for k in places)
    for k in found if np.count_nonzero(tips) < SHOWN else _distinct(columns, found):
        called = columns.joint_names[k] or columns.names[k]
        what = f'the body has no inertia about an axis of its joint "{called}": D is singular'
        yield Problem(what, at(k), remedy, fatal=False)


def _stout(columns: Columns) -> Flags:
    """Bodies with inertia about and along every axis: those of the package's joints have it, too."""
    of = columns.arrays
    spread = 0.5 * np.trace(of.inertia_at_com, axis1=-2, axis2=-1)
    return (spread > _STOUT * of.mass * (of.com**2).sum(axis=1)) & (of.mass > 0.0) & _solid(of.inertia_at_com, _STOUT)


def _singular(columns: Columns, group: JointGroup, chosen: Flags) -> Indices:
    """The chosen bodies of a group that have no inertia about an axis of their joint."""
    bodies, of, joint = group.bodies[chosen], columns.arrays, group.joint
    if not len(bodies) or not joint.has_constant_map:
        return bodies[:0]
    moving = joint.motion_map(np.broadcast_to(joint.neutral(), group.q.shape) if group.stacked else joint.neutral(), np)
    moving = np.broadcast_to(moving, (*group.bodies.shape, *moving.shape[-2:]))[chosen]
    inertia = spatial_inertia(of.mass[bodies], of.com[bodies], of.inertia_at_com[bodies], np)
    armature = of.armature[group.v[chosen]]
    pivot = np.swapaxes(moving, -1, -2) @ inertia @ moving + armature[..., None] * np.eye(joint.nv)
    size = np.sqrt(np.abs(np.diagonal(pivot, axis1=-2, axis2=-1)))
    none = ~size.all(axis=-1)
    size[none] = 1.0
    least = np.linalg.eigvalsh(pivot / (size[..., :, None] * size[..., None, :]))[..., 0]
    return bodies[none | (least <= _PIVOT)]


def _distinct(columns: Columns, bodies: Sequence[int]) -> list[int]:
    """The first of bodies whose joint and inertia are alike."""
    seen: dict[object, int] = {}
    for k in bodies:
        body = columns.body(k)
        joint = body.joint
        geometry = tuple(getattr(joint, field) for field in joint.parameters) if joint.kind in JOINT_KINDS else k
        seen.setdefault((joint.kind, geometry, joint.armature, body.inertia), k)
    return list(seen.values())


def _carried(own: Flags, parent: Sequence[int]) -> Flags:
    """Which bodies have something true of themselves, or of a body that they carry."""
    found = own.tolist()
    for k in reversed(depth_first(parent)[0]):
        if parent[k] >= 0 and found[k]:
            found[parent[k]] = True
    return np.array(found)
