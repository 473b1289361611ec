"""Mechanisms in other axes: where joints turn about z or slide along it, and z is tilted about x, turns are planar.

Let S be the rotation from the new axes of a body to its own. With S' at the parent and a hinge about the axis S z,

    S'* R exp(q S z) S = S'* R S exp(q z) = Rz(a) Rx(b) Rz(g) exp(q z)

for the placement R of the child. g joins the angle of the hinge; a that of the parent, for one child of it, if the
parent has an axis too. What is left is a turn about x and one about z. A slide along S z commutes with turns about z as
well, but has no angle that g could join. What only permutes coordinates, up to signs, costs nothing and stays.

A universal joint turns about x, then about z, if its axes are at right angles: R is split up to the first, a turn of
coordinates follows, and the turn that a child leaves joins the second angle.

All forces and motions of bodies are seen in new axes, what belongs to joints stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.arrays import Indices
from operator_algebra.models.joints.cylindrical import Cylindrical
from operator_algebra.models.joints.helical import Helical
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.joints.prismatic import Prismatic
from operator_algebra.models.joints.revolute import Revolute
from operator_algebra.models.joints.universal import Universal
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers, in_parts
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.leaf_factors import BodyClass, body_classes
from operator_algebra.operators.spaces import FORCE, MOTION, Space
from operator_algebra.programs.program import Program
from operator_algebra.spatial.arrays import Array, ArrayNamespace

Flags = NDArray[np.bool_]

_PLAIN = (-1.0, 0.0, 1.0)
_ROUNDED = 8 * float(np.finfo(np.float64).eps)
"""Entries of a product of three rotations that differ by less are the same."""

_THINNEST = 1e-3
"""The least share of inertia in any direction with which a body is turned: no pivot loses more than three digits so."""


@dataclass(frozen=True, kw_only=True, repr=False)
class _Offset(Joint):
    """A joint whose angles are measured from elsewhere."""

    offset: tuple[float, ...] = ()
    """One number for each coordinate; that of a slide is zero."""

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R and p at q + offset."""
        return super().transform(q + np.asarray(self.offset), xp)


@dataclass(frozen=True, kw_only=True, repr=False)
class _Hinge(_Offset, Revolute):
    parameters: ClassVar[tuple[str, ...]] = (*Revolute.parameters, "offset")


@dataclass(frozen=True, kw_only=True, repr=False)
class _Screw(_Offset, Helical):
    parameters: ClassVar[tuple[str, ...]] = (*Helical.parameters, "offset")

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R at q + offset, p = h q a."""
        return super().transform(q, xp)[0], q * self._advance()


@dataclass(frozen=True, kw_only=True, repr=False)
class _Sleeve(_Offset, Cylindrical):
    parameters: ClassVar[tuple[str, ...]] = (*Cylindrical.parameters, "offset")


@dataclass(frozen=True, kw_only=True, repr=False)
class _Cross(_Offset, Universal):
    parameters: ClassVar[tuple[str, ...]] = (*Universal.parameters, "offset")

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H* at q + offset."""
        return super().motion_map(q + np.asarray(self.offset), xp)

    def motion_map_rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        """d/dt H* at q + offset."""
        return super().motion_map_rate(q + np.asarray(self.offset), v, xp)


_TURNING: dict[type[Joint], type[_Offset]] = {
    Revolute: _Hinge,
    Helical: _Screw,
    Cylindrical: _Sleeve,
    Universal: _Cross,
}
_WITH_AXES = (*_TURNING, Prismatic)
_AXES = {"axis": (0.0, 0.0, 1.0), "axis1": (1.0, 0.0, 0.0), "axis2": (0.0, 0.0, 1.0)}
"""What axes of joints are called, and where they point in new axes."""
_X_IS_FIRST = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Takes z to the first axis of a universal joint, which is x in new axes."""


@dataclass(frozen=True, eq=False)
class Framed:
    """The bodies of a model by the kind of their joint, in some axes."""

    classes: tuple[BodyClass, ...]
    axes: Numbers | None
    """The rotation from these axes of each body to its own, the base last; None where they are the same."""


def in_body_axes(model: Model) -> Framed:
    """Bodies in their own axes."""
    return Framed(body_classes(model), None)


def framed(model: Model) -> Framed:
    """Bodies in axes that make rotations planar where they are not plain."""
    classes = body_classes(model)
    several = [of for of in classes if type(of.joint) in _WITH_AXES]
    if all(_plain(array).all() for of in several for array in (of.rotation, *_axes(of))):
        return Framed(classes, None)
    framer = _Framer(model, several)
    if not framer.turned.any():
        return Framed(classes, None)
    return Framed(tuple(map(framer.turned_class, classes)), framer.axes)


def of_bodies(space: Space) -> bool:
    """Whether blocks of a space are seen in axes of bodies."""
    return any(part.attached and part.sizes == MOTION.sizes for part in (space, *space.parts))


def bound_to_axes(program: Program) -> bool:
    """Whether a step mixes axes, as what is seen from the base does, or depends on them, as Cholesky factors do."""
    leaves = {step.value.leaf for step in program.given}
    if any(symbol is not None and symbol.leaf is not None and _mixes(symbol.leaf) for symbol in leaves):
        return True
    types = {step.type for step in program.computed.values()}
    sides = {side for type_ in types for side in (type_.domain, type_.codomain)}
    return any(of_bodies(part) and part not in (MOTION, FORCE) for side in sides for part in side.summands)


def _mixes(leaf: Leaf) -> bool:
    """Whether rows that are motions or forces of bodies do not stand in their axes."""
    return of_bodies(leaf.type.codomain) and not leaf.rows_turn


class _Framer:
    def __init__(self, model: Model, several: Sequence[BodyClass]) -> None:
        self.parent = np.asarray(model.parent)
        free = np.concatenate([_may_turn(of) for of in several])
        k = np.concatenate([of.bodies for of in several])[free]
        above, n = self.parent[k], model.n + 1  # the last one is the base
        crossed, turning = _of_each(several, Universal)[free], _of_each(several, *_TURNING)[free]
        self.free, upright = np.zeros(n, dtype=bool), _units(n)
        self.free[k] = True
        upright[k] = np.concatenate(list(map(_upright, several)))[free]
        a, tilt, g = (np.empty((len(k), 3, 3)) for _ in range(3))
        for part in in_parts(len(k)):
            between = upright[above[part]].swapaxes(-1, -2) @ model.arrays.rotation[k[part]] @ upright[k[part]]
            between[crossed[part]] = between[crossed[part]] @ _X_IS_FIRST
            a[part], tilt[part], g[part] = _in_turns(_tidy(between))
        self.turned = np.zeros(n, dtype=bool)
        self.turned[k] = ~(_permutes(a) & _permutes(tilt) & _permutes(g) & _permutes(upright[k]))
        inner = self.free[above] & ~_permutes(a)
        carried = np.full(n, -1)
        carried[above[inner]] = k[inner]  # of several children the last one stays
        taken = carried[above] == k
        self.turned[above[taken]] = True
        lead = _units(n)
        """Of each body the turn a of one child that it carries."""
        lead[above[taken]] = a[taken]
        a = lead[above].swapaxes(-1, -2) @ a
        a[taken] = np.eye(3)
        self.angle = np.zeros((n, 2))  # of the first turn, and of the second about an axis that this carries along
        self.angle[k[crossed], 1] = _angle(lead[k[crossed]])
        g[~crossed] = g[~crossed] @ lead[k[~crossed]]
        moved = turning & ~_permutes(g)
        self.angle[k[moved], 0] = _angle(g[moved])
        g[moved] = np.eye(3)
        rotation = a @ tilt
        del a, tilt
        rotation = rotation @ g
        rotation[crossed] = rotation[crossed] @ _X_IS_FIRST.T
        within, own = ~self.turned[above], ~self.turned[k]  # the bodies that stay in their own axes
        rotation[within] = upright[above[within]] @ rotation[within]
        rotation[own] = rotation[own] @ upright[k[own]].swapaxes(-1, -2)
        self.rotation = _units(n)
        self.rotation[k] = rotation + 0.0
        self.axes = upright @ lead
        self.axes[~self.turned] = np.eye(3)

    def turned_class(self, of: BodyClass) -> BodyClass:
        """The same bodies in the new axes."""
        rotation, translation, com, inertia = map(
            np.empty_like, (of.rotation, of.translation, of.com, of.inertia_at_com)
        )
        for part in in_parts(len(of.bodies)):
            k = of.bodies[part]
            above, own = self.axes[self.parent[k]].swapaxes(-1, -2), self.axes[k]
            back = own.swapaxes(-1, -2)
            rotation[part] = np.where(self.free[k][:, None, None], self.rotation[k], above @ of.rotation[part])
            translation[part] = _applied(above, of.translation[part])
            com[part] = _applied(back, of.com[part])
            inertia[part] = back @ of.inertia_at_com[part] @ own
        joint = self._measured(of) if self.turned[of.bodies].any() else of.joint
        return replace(of, joint=joint, rotation=rotation, translation=translation, com=com, inertia_at_com=inertia)

    def _measured(self, of: BodyClass) -> Joint:
        cls = _TURNING.get(type(of.joint), type(of.joint))
        joint: Joint = object.__new__(cls)  # of stacked numbers, which no joint is made of
        turned = self.turned[of.bodies][:, None]
        own = zip((name for name in _AXES if name in of.joint.parameters), _axes(of), strict=True)
        axes = {name: np.where(turned, _AXES[name], axis) for name, axis in own}
        if turned.all():
            axes = {name: np.broadcast_to(_AXES[name], axis.shape) for name, axis in axes.items()}
        joint.__dict__.update(vars(of.joint), offset=self.angle[of.bodies][:, : of.joint.nq].copy(), **axes)
        return joint


def _of_each(several: Sequence[BodyClass], *kinds: type[Joint]) -> Flags:
    """For each body whether its joint is of some kinds."""
    return np.concatenate([np.full(len(of.bodies), type(of.joint) in kinds) for of in several])


def _axes(of: BodyClass) -> list[Numbers]:
    """The axes of the joints of bodies, (m, 3) each."""
    return [np.asarray(getattr(of.joint, name)) for name in _AXES if name in of.joint.parameters]


def _may_turn(of: BodyClass) -> Flags:
    """The bodies that lose few digits in other axes, and have one axis, or two at right angles.

    With J about the mass centre at c, what rounding moves in V* M V is at most eps (tr J + m |c|²) / λ of it, where the
    smallest λ of J is at least 4 det J / (tr J)². Nobody else bounds that.
    """
    J: Numbers = of.inertia_at_com
    com: Numbers = of.com
    trace, lever = np.trace(J, axis1=-2, axis2=-1), of.mass * (com**2).sum(axis=-1)
    solid: Flags = 4.0 * np.linalg.det(J) >= _THINNEST * trace**2 * (trace + lever)
    *before, axis = _axes(of)
    level: list[Flags] = [np.abs((other * axis).sum(axis=-1)) < _ROUNDED for other in before]
    safe: Flags = np.where(trace > 0.0, solid, lever == 0.0)
    return np.logical_and.reduce([safe, *level])


def _plain(array: Numbers) -> Flags:
    """Which entries are those of axes of coordinates, and of rotations that permute them."""
    return np.isin(array, _PLAIN)


def _permutes(rotation: Numbers) -> Flags:
    return np.asarray(_plain(rotation).all(axis=(-2, -1)))


def _units(count: int) -> Numbers:
    found = np.empty((count, 3, 3))
    found[:] = np.eye(3)
    return found


def _applied(rotation: Numbers, vectors: Numbers) -> Numbers:
    return (rotation @ vectors[..., None])[..., 0]


def _upright(of: BodyClass) -> Numbers:
    """Rotations that take z to the last axis of joints, x to the one before; they permute coordinates if these do."""
    *before, axis = _axes(of)
    if before:
        x = before[0] - (before[0] * axis).sum(axis=-1, keepdims=True) * axis
    else:
        beside = np.zeros_like(axis)
        least: Indices = np.argmin(np.abs(axis), axis=1)
        beside[np.arange(len(axis)), least] = 1.0
        x = np.cross(beside, axis)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return np.stack([x, np.cross(axis, x), axis], axis=-1) + 0.0


def _tidy(rotation: Numbers) -> Numbers:
    """Zeros and ones where rounding has made others of them."""
    near = np.rint(rotation)
    return np.where(np.abs(rotation - near) < _ROUNDED, near, rotation) + 0.0


def _in_turns(rotation: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """The factors Rz(a), Rx(b) and Rz(g) of rotations (m, 3, 3); of one that permutes, itself between none."""
    a = _turn(0, 1, -rotation[:, 1, 2], rotation[:, 0, 2])
    left = a.swapaxes(-1, -2) @ rotation
    b = _turn(1, 2, left[:, 2, 2], -left[:, 1, 2])
    left = _tidy(b.swapaxes(-1, -2) @ left)
    g = _turn(0, 1, left[:, 0, 0], left[:, 1, 0])
    plain = _permutes(rotation)
    a[plain] = g[plain] = np.eye(3)
    b[plain] = rotation[plain]
    return a, b, g


def _angle(turn: Numbers) -> Numbers:
    """g of Rz(g)."""
    return np.arctan2(turn[:, 1, 0], turn[:, 0, 0])


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
