"""The same mechanism told differently: other order, other base, other units, a body in two pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement, rotate

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reordered:
    """A model whose bodies were given in another order: the new q is `q[take_q]`, the new v is `v[take_v]`."""

    model: Model
    take_q: NDArray[np.intp]
    take_v: NDArray[np.intp]


def reordered(model: Model, order: Sequence[int]) -> Reordered:
    """The mechanism with its bodies listed in this order."""
    other = Model(name=model.name, bodies=[model.bodies[k] for k in order], gravity=model.gravity)
    places = [model.body_index(name) for name in other.body_names]

    def take(slices: Sequence[slice]) -> NDArray[np.intp]:
        return np.array([i for k in places for i in range(slices[k].start, slices[k].stop)], dtype=np.intp)

    return Reordered(other, take(model.q_slices), take(model.v_slices))


def split(model: Model, k: int, place: Placement, share: float) -> Model:
    """Body k in two pieces joined rigidly: the outer one, at `place`, has a share of the inertia and all children."""
    whole = model.bodies[k]
    inner, outer = _scaled(whole.inertia, 1.0 - share), _scaled(whole.inertia, share).moved(place.inverse())
    piece = Body(f"{whole.name}_outer", whole.name, Joint.fixed(), place, outer)
    bodies: list[Body] = []
    for body in model.bodies:
        if body is whole:
            bodies += [replace(body, inertia=inner), piece]
        elif body.parent == whole.name:
            bodies.append(replace(body, parent=piece.name, placement=place.inverse() @ body.placement))
        else:
            bodies.append(body)
    return Model(name=model.name, bodies=bodies, gravity=model.gravity)


def rebased(model: Model, place: Placement) -> Model:
    """The mechanism and gravity carried to another place and direction."""
    bodies = [replace(body, placement=place @ body.placement) if body.parent is None else body for body in model.bodies]
    return Model(name=model.name, bodies=bodies, gravity=rotate(place.rotation, model.gravity))


@dataclass(frozen=True)
class Rescaled:
    """A model in other units: the new q is `q * q_units`; rates and forces scale by powers of `v_units` and time."""

    model: Model
    q_units: Floats
    v_units: Floats


def rescaled(model: Model, *, length: float, mass: float, time: float) -> Rescaled:
    """The mechanism with every length, mass and time multiplied."""
    bodies = [_in_units(body, length, mass) for body in model.bodies]
    gravity = [x * length / time**2 for x in model.gravity]
    q_units, v_units = np.ones(model.nq), np.ones(model.nv)
    for body, q, v in zip(model.bodies, model.q_slices, model.v_slices, strict=True):
        q_units[q][_coordinates_that_are_lengths(body.joint)] = length
        v_units[v][_rates_that_are_lengths(body.joint)] = length
    return Rescaled(Model(name=model.name, bodies=bodies, gravity=gravity), q_units, v_units)


def _in_units(body: Body, length: float, mass: float) -> Body:
    place = Placement(body.placement.rotation, [x * length for x in body.placement.translation])
    given = body.inertia
    moments = [[x * mass * length**2 for x in row] for row in given.inertia_at_com]
    inertia = Inertia(given.mass * mass, [x * length for x in given.com], moments)
    units = np.where(_rates_that_are_lengths(body.joint), length, 1.0).tolist()
    armature = [a * mass * length**2 / unit**2 for a, unit in zip(body.joint.armature, units, strict=True)]
    changed = {name: getattr(body.joint, name) * length for name in body.joint.lengths}
    joint = replace(body.joint, armature=tuple(armature), **changed)
    return Body(body.name, body.parent, joint, place, inertia)


def _coordinates_that_are_lengths(joint: Joint) -> NDArray[np.bool_]:
    """Those that do not turn the child; the others are angles or parts of a quaternion."""
    q = joint.random(np.random.default_rng(0))
    turns = [joint.transform(q + 0.1 * step, np)[0] - joint.transform(q, np)[0] for step in np.eye(joint.nq)]
    return np.array([not np.any(turn) for turn in turns], dtype=bool)


def _rates_that_are_lengths(joint: Joint) -> NDArray[np.bool_]:
    """Those whose column of the joint map has no angular part."""
    return ~np.any(joint.motion_map(joint.random(np.random.default_rng(0)), np)[:3], axis=0)


def _scaled(inertia: Inertia, share: float) -> Inertia:
    moments = [[x * share for x in row] for row in inertia.inertia_at_com]
    return Inertia(inertia.mass * share, inertia.com, moments)
