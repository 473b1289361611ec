"""Leaves as products of elementary factors: what a kernel needs of each without 6 × 6 arrays, in body axes.

A `BodyClass` holds what is fixed of bodies with joints of one kind, one row for each body; or, for tracing, of one body
in numbers of any kind. Formulas broadcast over leading axes, and those of the joints call the functions of `xp`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import assert_never, cast

import numpy as np

from operator_algebra.models.arrays import JointGroup
from operator_algebra.models.configurations import rest
from operator_algebra.models.joints.joint import JOINT_KINDS, Joint, with_fields
from operator_algebra.models.model import Model
from operator_algebra.operators.arrays import (
    AnyBlock,
    AnyEntries,
    AnyMatrix,
    AnyScalar,
    AnyTwists,
    AnyVector,
    CoordinatesOfJoint,
    Gravity,
    Indices,
    JointCoordinates,
    JointRates,
    OfJoint,
)
from operator_algebra.operators.leaf import (
    GroundAcceleration,
    JointDiagonal,
    JointMap,
    JointMapRate,
    Leaf,
    RigidInertia,
    RigidShift,
    SpringForce,
)
from operator_algebra.spatial.arrays import Array, ArrayNamespace, ManifoldNamespace
from operator_algebra.spatial.inertia import about_origin, inertia_block
from operator_algebra.spatial.transforms import phi_block


@dataclass(frozen=True, eq=False)
class Shift:
    """φ(R, l), or its adjoint where `star`: rotation R (..., 3, 3), position l (..., 3)."""

    rotation: AnyMatrix
    position: AnyVector
    star: bool = False

    def block(self, xp: ArrayNamespace) -> AnyBlock:
        """The block, (..., 6, 6)."""
        block = phi_block(self.rotation, self.position, xp)
        return block.swapaxes(-1, -2) if self.star else block


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a joint map, given as the columns of its adjoint: motion (..., 6, nv)."""

    motion: AnyTwists

    def block(self, xp: ArrayNamespace) -> AnyBlock:
        """The block, (..., nv, 6)."""
        del xp
        return self.motion.swapaxes(-1, -2)


@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass (...), first moment m com (..., 3) and rotational inertia about the origin (..., 3, 3)."""

    mass: AnyScalar
    moment: AnyVector
    inertia: AnyMatrix

    def block(self, xp: ArrayNamespace) -> AnyBlock:
        """The block, (..., 6, 6)."""
        return inertia_block(self.mass, self.moment, self.inertia, xp)


@dataclass(frozen=True, eq=False)
class Diagonal:
    """The entries of a diagonal block, (..., nv)."""

    entries: AnyEntries

    def block(self, xp: ArrayNamespace) -> AnyBlock:
        """The block, (..., nv, nv)."""
        return self.entries[..., None] * xp.eye(self.entries.shape[-1])


@dataclass(frozen=True, eq=False)
class Column:
    """A column, (..., rows)."""

    entries: AnyEntries

    def block(self, xp: ArrayNamespace) -> AnyBlock:
        """The block, (..., rows, 1)."""
        del xp
        return self.entries[..., None]


Factor = Shift | Rows | Inertia | Diagonal | Column

_CONSTANTS = ("rotation", "translation", "mass", "com", "inertia_at_com", "armature", "damping", "stiffness", "rest")


@dataclass(frozen=True, eq=False)
class BodyClass:
    """Bodies with joints of one kind: their numbers, where their coordinates stand, and what is fixed of them."""

    bodies: Indices
    q: JointCoordinates
    v: JointRates
    joint: Joint
    """Its parameters are stacked."""
    rotation: AnyMatrix
    """Of the placement."""
    translation: AnyVector
    mass: AnyScalar
    com: AnyVector
    inertia_at_com: AnyMatrix
    armature: OfJoint
    damping: OfJoint
    stiffness: OfJoint
    rest: CoordinatesOfJoint
    gravity: Gravity

    def record(self) -> dict[str, Array]:
        """Everything that is fixed of each body, by name; parameters of the joint are called "joint.axis"."""
        found = {field.name: getattr(self, field.name) for field in fields(self) if field.name in _CONSTANTS}
        return found | {f"joint.{name}": np.asarray(getattr(self.joint, name)) for name in self.joint.parameters}

    def with_record(self, record: Mapping[str, Array]) -> BodyClass:
        """The class with other numbers in the place of its record: loads or constants of a kernel."""
        joint = with_fields(self.joint, {name: record[f"joint.{name}"] for name in self.joint.parameters})
        return replace(self, joint=joint, **{name: record[name] for name in _CONSTANTS})

    def alone(self, i: int) -> BodyClass:
        """One body of the class; where its coordinates stand is (nq,) and (nv,)."""
        joint = self.joint
        if joint.kind in JOINT_KINDS:  # those of others are not stacked
            joint = with_fields(joint, {name: np.asarray(getattr(joint, name))[i] for name in joint.parameters})
        fixed = {name: getattr(self, name)[i] for name in _CONSTANTS}
        return replace(self, bodies=self.bodies[i : i + 1], q=self.q[i], v=self.v[i], joint=joint, **fixed)


def body_classes(model: Model) -> tuple[BodyClass, ...]:
    """The bodies of a model by the kind of their joint; a user's joint is a class of its own.

    >>> from operator_algebra.models.gallery import load
    >>> [(len(found.bodies), found.joint.kind) for found in body_classes(load("quadruped"))]
    [(1, 'floating'), (12, 'revolute')]
    """
    arrays, resting = model.arrays, rest(model)

    def own(array: Array, group: JointGroup) -> Array:
        every = len(group.bodies) == model.n and not (group.bodies != np.arange(model.n)).any()
        return array if every else array[group.bodies]  # of all bodies no copy

    return tuple(
        BodyClass(
            bodies=group.bodies,
            q=group.q,
            v=group.v,
            joint=group.joint,
            rotation=own(arrays.rotation, group),
            translation=own(arrays.translation, group),
            mass=own(arrays.mass, group),
            com=own(arrays.com, group),
            inertia_at_com=own(arrays.inertia_at_com, group),
            armature=arrays.armature[group.v],
            damping=arrays.damping[group.v],
            stiffness=arrays.stiffness[group.v],
            rest=resting[group.q],
            gravity=np.asarray(model.gravity),
        )
        for group in model.joint_groups
    )


def factors(
    leaf: Leaf,
    of: BodyClass,
    q: CoordinatesOfJoint,
    v: OfJoint | None,
    xp: ArrayNamespace,
    above: tuple[Shift, ...] = (),
) -> tuple[Factor, ...]:
    """The factors of a leaf's blocks, the leftmost first; q (..., nq) and v (..., nv) are those of the joints.

    `above` are the factors of the shift from the parent to the base, empty at roots. A spring needs the branches of a
    `ManifoldNamespace` too where its joint turns freely.
    """
    match leaf.form:
        case RigidShift("parent"):
            return _to_parent(of, q, xp)
        case RigidShift("base"):
            return (*above, *_to_parent(of, q, xp))
        case RigidShift():
            return (Shift(xp.broadcast_to(xp.eye(3), (*of.com.shape[:-1], 3, 3)), -of.com),)
        case JointMap():
            return (Rows(of.joint.motion_map(q, xp)),)
        case JointMapRate():
            return (Rows(of.joint.motion_map_rate(q, v, xp)),)
        case RigidInertia():
            return (Inertia(of.mass, *about_origin(of.mass, of.com, of.inertia_at_com, xp)),)
        case JointDiagonal("armature"):
            return (Diagonal(of.armature),)
        case JointDiagonal():
            return (Diagonal(of.damping),)
        case SpringForce():
            return (Column(of.stiffness * of.joint.difference(of.rest, q, cast(ManifoldNamespace, xp))),)
        case GroundAcceleration():
            placement, motion = _to_parent(of, q, xp)
            back = (replace(motion, star=True), replace(placement, star=True))
            return (*back, Column(np.concatenate([np.zeros(3), -of.gravity])))
        case _:
            assert_never(leaf.form)


def _to_parent(of: BodyClass, q: CoordinatesOfJoint, xp: ArrayNamespace) -> tuple[Shift, Shift]:
    """Placement · joint motion."""
    return Shift(of.rotation, of.translation), Shift(*of.joint.transform(q, xp))
