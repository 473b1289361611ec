"""A model's data as arrays, one row per body, and its joints grouped by kind, for vectorised evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.body import Body
from operator_algebra.models.joints.joint import JOINT_KINDS, Joint, with_fields

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

_OBLIQUE = 0.5
"""The cosine of an angle between columns of a joint map that are not nearly the same."""


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

    def __post_init__(self) -> None:
        for array in vars(self).values():
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Floats]) -> None:
        vars(self).update(state)
        self.__post_init__()  # what is read from a file may be written to

    def same(self, other: ModelArrays) -> bool:
        """Whether all numbers are equal."""
        return all(np.array_equal(array, getattr(other, name)) for name, array in vars(self).items())


@dataclass(frozen=True, eq=False, repr=False)
class JointGroup:
    """Joints of one kind: `joint` carries their stacked parameters; `q` and `v` say where their coordinates stand."""

    kind_class: type[Joint]
    bodies: Indices  # (m,)
    joint: Joint
    q: Indices  # (m, nq)
    v: Indices  # (m, nv)

    @property
    def stacked(self) -> bool:
        """Whether the parameters of `joint` are columns; a user's joint stands alone."""
        return self.joint.kind in JOINT_KINDS

    @property
    def oblique(self) -> Indices:
        """The bodies that rates may move in fewer ways than there are rates: columns of H* nearly follow from others.

        Of the package's kinds no angle between columns depends on q; of a user's map that does nothing is known.
        """
        joint = self.joint
        if joint.nv < 2:
            return self.bodies[:0]
        if not (self.stacked or joint.has_constant_map):
            return self.bodies
        moving = np.broadcast_to(
            joint.motion_map(np.broadcast_to(joint.neutral(), self.q.shape), np), (len(self.bodies), 6, joint.nv)
        )
        sizes = np.sqrt((moving**2).sum(axis=-2))
        with np.errstate(invalid="ignore"):
            angles = (np.swapaxes(moving, -1, -2) @ moving) / (sizes[:, :, None] * sizes[:, None, :])
        return self.bodies[~(np.abs(angles - np.eye(joint.nv)) <= _OBLIQUE).all(axis=(-2, -1))]

    def holds(self, body: int) -> bool:
        """Whether a body is one of them."""
        place = int(np.searchsorted(self.bodies, body))
        return place < len(self.bodies) and int(self.bodies[place]) == body

    def same(self, other: JointGroup) -> bool:
        """Whether these are the same bodies, on joints with the same parameters; a user's joints are compared whole."""
        if self.kind_class is not other.kind_class or not np.array_equal(self.bodies, other.bodies):
            return False
        if not self.stacked:
            return self.joint == other.joint
        one, two = self.joint, other.joint
        return all(np.array_equal(getattr(one, field), getattr(two, field)) for field in one.parameters)

    def content(self) -> bytes:
        """What a digest of the model is made from."""
        told = repr((self.kind_class.__qualname__, None if self.stacked else self.joint)).encode()
        parts = [np.asarray(getattr(self.joint, field)) for field in self.joint.parameters if self.stacked]
        return b"".join([told, self.bodies.tobytes(), *(part.tobytes() for part in parts)])

    def wide_joint(self, kind: np.dtype[Any]) -> Joint:
        """The joint for coordinates of this kind: beyond doubles its parameters are as wide, so that formulas are."""
        wide = np.finfo(kind).dtype
        if wide == np.float64 or not self.stacked:
            return self.joint
        return with_fields(
            self.joint, {field: np.asarray(getattr(self.joint, field)).astype(wide) for field in self.joint.parameters}
        )


def model_arrays(bodies: Sequence[Body]) -> ModelArrays:
    """The data of the bodies, stacked."""
    count = len(bodies)

    def per_dof(field: str) -> Floats:
        return np.array([value for body in bodies for value in getattr(body.joint, field)], dtype=np.float64)

    return ModelArrays(
        rotation=np.array([body.placement.rotation for body in bodies], dtype=np.float64).reshape(count, 3, 3),
        translation=np.array([body.placement.translation for body in bodies], dtype=np.float64).reshape(count, 3),
        mass=np.array([body.inertia.mass for body in bodies], dtype=np.float64),
        com=np.array([body.inertia.com for body in bodies], dtype=np.float64).reshape(count, 3),
        inertia_at_com=np.array([body.inertia.inertia_at_com for body in bodies], dtype=np.float64).reshape(-1, 3, 3),
        armature=per_dof("armature"),
        stiffness=per_dof("stiffness"),
        damping=per_dof("damping"),
    )


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
