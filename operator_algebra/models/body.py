"""The parts of a mechanism: bodies with their joints, and named frames."""

from __future__ import annotations

from dataclasses import dataclass, field

from operator_algebra.models.joints.joint import Joint
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement

_NO_PLACEMENT = Placement()
_NO_INERTIA = Inertia()


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body and the joint that carries it.

    `placement` is the pose of the joint's frame in the parent body; `parent` is a name, a place in the list of bodies
    that a `Model` is made from, or None for the ground. `inertia` is in the body's own frame.
    """

    name: str
    parent: str | int | None
    joint: Joint
    placement: Placement = field(default=_NO_PLACEMENT)
    inertia: Inertia = field(default=_NO_INERTIA)


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame fixed to a body (None: to the ground)."""

    body: str | None
    placement: Placement = field(default=_NO_PLACEMENT)
