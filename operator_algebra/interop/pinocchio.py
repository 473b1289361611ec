"""Mechanisms in Pinocchio: [linear; angular] vectors, quaternions x y z w, joints depth-first."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.errors import ModelError
from operator_algebra.installing import missing
from operator_algebra.models.model import Body, Model

Floats = NDArray[np.float64]

KINDS = ("revolute", "prismatic", "spherical", "translation", "floating", "helical")
"""The kinds of joint that both have, with the same rates but for their order."""


def engine() -> Any:
    """The package pinocchio, or an error that says how to install it."""
    try:
        return import_module("pinocchio")
    except ImportError:
        raise missing("the comparison with Pinocchio", "pin") from None


@dataclass(frozen=True)
class Twin:
    """A Pinocchio model, its data, and the module."""

    pin: Any
    model: Any
    data: Any
    origin: Model

    def q(self, q: Floats) -> Floats:
        """Coordinates in Pinocchio's order."""
        parts = [
            _coordinates(body, q[part]) for body, part in zip(self.origin.bodies, self.origin.q_slices, strict=True)
        ]
        return np.concatenate(parts)

    def v(self, v: Floats) -> Floats:
        """Rates, accelerations or joint forces in Pinocchio's order, and back: the map is its own inverse."""
        parts = [_turned(body, v[part]) for body, part in zip(self.origin.bodies, self.origin.v_slices, strict=True)]
        return np.concatenate(parts)

    def matrix(self, values: Floats) -> Floats:
        """A matrix over rates, rows and columns in our order."""
        return np.array([self.v(row) for row in np.array([self.v(row) for row in values]).T]).T


def twin(model: Model) -> Twin:
    """The Pinocchio model of a mechanism, whose bodies stand depth-first, as Pinocchio assumes."""
    pin = engine()
    _refuse_breadth_first(model)
    made = pin.Model()
    made.gravity.linear = np.array(model.gravity)
    for k, body in enumerate(model.bodies):
        parent = model.parent[k] + 1
        place = pin.SE3(np.array(body.placement.rotation), np.array(body.placement.translation))
        index = made.addJoint(parent, _joint(pin, body), place, f"joint{k}")
        inertia = pin.Inertia(body.inertia.mass, np.array(body.inertia.com), np.array(body.inertia.inertia_at_com))
        made.appendBodyToJoint(index, inertia, pin.SE3.Identity())
    armature = [_turned(body, np.array(body.joint.armature, dtype=float)) for body in model.bodies]
    made.armature = np.concatenate(armature)
    return Twin(pin, made, made.createData(), model)


def _refuse_breadth_first(model: Model) -> None:
    """Where bodies of two branches alternate, its mass matrix is wrong without a word."""
    way: list[int] = []
    for k, parent in enumerate(model.parent):
        while way and way[-1] != parent:
            way.pop()
        if parent >= 0 and not way:
            raise ModelError(
                f'{model.name}: body "{model.bodies[k].name}" is listed after another branch has begun, '
                "and Pinocchio reckons with bodies depth-first. List each branch to its tips."
            )
        way.append(k)


_ALONG = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}


def _joint(pin: Any, body: Body) -> Any:
    """As fast as it has them: joints along an axis of coordinates are kinds of their own."""
    joint: Any = body.joint
    match joint.kind:
        case "revolute" if joint.axis in _ALONG:
            return getattr(pin, f"JointModelR{_ALONG[joint.axis]}")()
        case "prismatic" if joint.axis in _ALONG:
            return getattr(pin, f"JointModelP{_ALONG[joint.axis]}")()
        case "revolute":
            return pin.JointModelRevoluteUnaligned(np.array(joint.axis))
        case "prismatic":
            return pin.JointModelPrismaticUnaligned(np.array(joint.axis))
        case "helical":
            return pin.JointModelHelicalUnaligned(np.array(joint.axis), joint.pitch)
        case "spherical":
            return pin.JointModelSpherical()
        case "translation":
            return pin.JointModelTranslation()
        case "floating":
            return pin.JointModelFreeFlyer()
        case kind:
            raise ModelError(f'body "{body.name}": Pinocchio has no joint of kind {kind!r} here. It has {_LISTED}.')


_LISTED = ", ".join(KINDS)


def _coordinates(body: Body, q: Floats) -> Floats:
    quaternion = body.joint.quaternion
    if quaternion is None:
        return q
    w, x, y, z = q[quaternion]
    return np.concatenate([q[: quaternion.start], [x, y, z, w]])


def _turned(body: Body, v: Floats) -> Floats:
    return np.concatenate([v[3:], v[:3]]) if body.joint.kind == "floating" else v
