"""A model's data as arrays, one row per body, and its joints grouped by kind, for vectorised evaluation."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.body import Body
from operator_algebra.models.joints.joint import JOINT_KINDS, Joint

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ModelArrays:
    """Read-only arrays of a model: bodies run along the first axis."""

    rotation: Floats  # (n, 3, 3) of the placements: joint axes to the axes of the parent body
    translation: Floats  # (n, 3)
    mass: Floats  # (n,)
    com: Floats  # (n, 3)
    inertia_at_com: Floats  # (n, 3, 3)
    armature: Floats  # (nv,)
    stiffness: Floats  # (nv,)
    damping: Floats  # (nv,)


@dataclass(frozen=True, eq=False, repr=False)
class JointGroup:
    """Joints of one kind: `joint` carries their stacked parameters; `q` and `v` say where their coordinates stand."""

    kind_class: type[Joint]
    bodies: Indices  # (m,)
    joint: Joint
    q: Indices  # (m, nq)
    v: Indices  # (m, nv)

    def wide_joint(self, kind: np.dtype[Any]) -> Joint:
        """The joint for coordinates of this kind: beyond doubles its parameters are as wide, so that formulas are."""
        wide = np.finfo(kind).dtype
        if wide == np.float64 or self.joint.kind not in JOINT_KINDS:
            return self.joint
        one = copy.copy(self.joint)
        for field in one.parameters:
            object.__setattr__(one, field, np.asarray(getattr(one, field)).astype(wide))
        return one


def model_arrays(bodies: Sequence[Body]) -> ModelArrays:
    """The data of the bodies, stacked."""
    count = len(bodies)

    def per_dof(field: str) -> Floats:
        return np.array([value for body in bodies for value in getattr(body.joint, field)], dtype=np.float64)

    arrays = ModelArrays(
        rotation=np.array([body.placement.rotation for body in bodies], dtype=np.float64).reshape(count, 3, 3),
        translation=np.array([body.placement.translation for body in bodies], dtype=np.float64).reshape(count, 3),
        mass=np.array([body.inertia.mass for body in bodies], dtype=np.float64),
        com=np.array([body.inertia.com for body in bodies], dtype=np.float64).reshape(count, 3),
        inertia_at_com=np.array([body.inertia.inertia_at_com for body in bodies], dtype=np.float64).reshape(-1, 3, 3),
        armature=per_dof("armature"),
        stiffness=per_dof("stiffness"),
        damping=per_dof("damping"),
    )
    for array in vars(arrays).values():
        array.setflags(write=False)
    return arrays


def joint_groups(bodies: Sequence[Body], q_start: Indices, v_start: Indices) -> tuple[JointGroup, ...]:
    """One group for each kind of the package; a user's joints stand alone."""
    members: dict[object, list[int]] = {}
    for k, body in enumerate(bodies):
        kind = body.joint.kind
        members.setdefault(kind if kind in JOINT_KINDS else k, []).append(k)
    groups: list[JointGroup] = []
    for key, indices in members.items():
        joints = [bodies[k].joint for k in indices]
        first = joints[0]
        where = np.array(indices, dtype=np.intp)
        q = q_start[where][:, None] + np.arange(first.nq)
        v = v_start[where][:, None] + np.arange(first.nv)
        joint = first.stacked(joints) if isinstance(key, str) else first
        groups.append(JointGroup(type(first), where, joint, q, v))
    return tuple(groups)
