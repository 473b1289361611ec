"""Mechanisms in other axes: where a hinge turns about z, and its child's axis is tilted about x, rotations are planar.

Let S be the rotation from the new axes of a body to its own. With S' at the parent and a hinge about the axis S z,

    S'* R exp(q S z) S = S'* R S exp(q z) = Rz(a) Rx(b) Rz(g) exp(q z)

for the placement R of the child. g joins the angle of the hinge; a joins that of the parent if that is a hinge too, for
one child of it. What is left is a turn about x and one about z. All forces and motions of bodies are seen in new axes,
what belongs to joints stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from operator_algebra.backends.scalar.tape import AT_ONCE
from operator_algebra.models.arrays import Indices
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.joints.revolute import Revolute
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.leaf_factors import BodyClass, body_classes
from operator_algebra.spatial.arrays import Array, ArrayNamespace

_PLAIN = (-1.0, 0.0, 1.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class _Hinge(Revolute):
    """A hinge whose angle is measured from elsewhere."""

    parameters: ClassVar[tuple[str, ...]] = ("axis", "offset")

    offset: float = 0.0

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R = exp((q + offset) ã), p = 0."""
        return super().transform(q + self.offset, xp)


def framed(model: Model) -> tuple[BodyClass, ...]:
    """The bodies of a model by the kind of their joint, in axes that make rotations planar where they are not plain."""
    classes = body_classes(model)
    hinges = next((of for of in classes if type(of.joint) is Revolute), None)
    if hinges is None or _plain(model.arrays.rotation, np.asarray(hinges.record()["joint.axis"])):
        return classes
    return _Framed(model, classes, hinges).classes()


def _plain(*arrays: Numbers) -> bool:
    """Whether axes are those of coordinates, and placements permute them."""
    return all(bool(np.isin(array, _PLAIN).all()) for array in arrays)


class _Framed:
    def __init__(self, model: Model, classes: Sequence[BodyClass], hinges: BodyClass) -> None:
        self.several = classes
        self.hinges = hinges
        self.parent = np.asarray(model.parent)
        turns = np.zeros(model.n + 1, dtype=bool)  # the last one is the base
        turns[hinges.bodies] = True
        self.axes = _units(model.n + 1)
        self.axes[hinges.bodies] = _towards(np.asarray(hinges.record()["joint.axis"]))
        k, above = hinges.bodies, self.parent[hinges.bodies]
        between = self.axes[above].swapaxes(-1, -2) @ hinges.rotation @ self.axes[k]
        a, self.tilt, g = _in_turns(between)
        self.lead = _units(model.n + 1)
        """Of each hinge the turn a of one hinge that it carries."""
        whole = np.zeros(model.n + 1)
        inner = turns[above]
        whole[above[inner]] = np.arctan2(a[inner, 1, 0], a[inner, 0, 0])  # of several children the last one stays
        self.lead[above[inner]] = a[inner]
        self.axes = self.axes @ self.lead
        self.offset = np.arctan2(g[:, 1, 0], g[:, 0, 0]) + whole[k]
        kept = np.full(model.n + 1, -1)
        kept[above[inner]] = k[inner]
        self.swing = self.lead[above].swapaxes(-1, -2) @ a
        self.swing[kept[above] == k] = np.eye(3)

    def classes(self) -> tuple[BodyClass, ...]:
        """The same bodies in the new axes."""
        return tuple(self._hinges() if of is self.hinges else self._turned(of) for of in self.several)

    def _hinges(self) -> BodyClass:
        of = self.hinges
        joint: Joint = object.__new__(_Hinge)  # of stacked numbers, which no joint is made of
        z = np.broadcast_to(np.array([0.0, 0.0, 1.0]), (len(of.bodies), 3))
        joint.__dict__.update(of.joint.__dict__, axis=z, offset=self.offset[:, None])
        return replace(self._turned(of), joint=joint, rotation=self.swing @ self.tilt)

    def _turned(self, of: BodyClass) -> BodyClass:
        rotation, translation, com, inertia = map(
            np.empty_like, (of.rotation, of.translation, of.com, of.inertia_at_com)
        )
        for start in range(0, len(of.bodies), AT_ONCE):  # so many as stay in the cache with what is computed of them
            part = slice(start, start + AT_ONCE)
            bodies = of.bodies[part]
            above, own = self.axes[self.parent[bodies]].swapaxes(-1, -2), self.axes[bodies]
            back = own.swapaxes(-1, -2)
            rotation[part] = above @ of.rotation[part] @ own
            translation[part] = _applied(above, of.translation[part])
            com[part] = _applied(back, of.com[part])
            inertia[part] = back @ of.inertia_at_com[part] @ own
        return replace(of, rotation=rotation, translation=translation, com=com, inertia_at_com=inertia)


def _units(count: int) -> Numbers:
    found = np.empty((count, 3, 3))
    found[:] = np.eye(3)
    return found


def _applied(rotation: Numbers, vectors: Numbers) -> Numbers:
    return (rotation @ vectors[..., None])[..., 0]


def _towards(axis: Numbers) -> Numbers:
    """Rotations that take z to unit axes (m, 3), and permute coordinates where these do."""
    beside = np.zeros_like(axis)
    least: Indices = np.argmin(np.abs(axis), axis=1)
    beside[np.arange(len(axis)), least] = 1.0
    x = np.cross(beside, axis)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return np.stack([x, np.cross(axis, x), axis], axis=-1) + 0.0


def _in_turns(rotation: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The factors Rz(a), Rx(b) and Rz(g) of rotations (m, 3, 3)."""
    a = _turn(0, 1, -rotation[:, 1, 2], rotation[:, 0, 2])
    left = a.swapaxes(-1, -2) @ rotation
    b = _turn(1, 2, left[:, 2, 2], -left[:, 1, 2])
    left = b.swapaxes(-1, -2) @ left
    return a, b, _turn(0, 1, left[:, 0, 0], left[:, 1, 0])


def _turn(i: int, j: int, cosine: Numbers, sine: Numbers) -> Numbers:
    """Turns from axis i to axis j, of which cosine and sine are given times any factor; none of nothing."""
    size = np.hypot(cosine, sine)
    none = size == 0.0
    size = np.where(none, 1.0, size)
    c, s = np.where(none, 1.0, cosine / size), sine / size
    found = _units(len(c))
    found[:, i, i] = found[:, j, j] = c
    found[:, j, i], found[:, i, j] = s, 0.0 - s
    return found
