"""Mechanisms made from another one: siblings turned round, a body taken out, parts made plain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement

_PLAIN_INERTIA = Inertia(1.0, (0.5, 0.0, 0.0), (0.1, 0.1, 0.1))
_PLAIN_PLACEMENT = Placement(translation=(1.0, 0.0, 0.0))


def remade(model: Model, bodies: list[Body]) -> Model:
    """The model with other bodies, under the same name and gravity."""
    return Model(name=model.name, bodies=bodies, gravity=model.gravity, strict=True)


def mirrored(model: Model) -> tuple[Model, NDArray[np.intp]]:
    """The same mechanism with siblings and roots in the opposite order, and where each of its bodies stood before.

    >>> from operator_algebra.models.families import random_tree
    >>> mirrored(random_tree(4, branching=1.0, seed=2))[1].tolist()
    [0, 2, 3, 1]
    """
    other = remade(model, list(reversed(model.bodies)))
    return other, np.array([model.body_index(body.name) for body in other.bodies], dtype=np.intp)


def carried(model: Model, order: NDArray[np.intp], vector: NDArray[np.float64], *, rates: bool) -> NDArray[np.float64]:
    """Coordinates (or rates) of a model, for the same bodies in another order."""
    parts = model.v_slices if rates else model.q_slices
    return np.concatenate([vector[parts[k]] for k in order]) if len(order) else vector


def without(model: Model, k: int) -> Model:
    """The mechanism without body k; what it carried hangs on its parent."""
    gone = model.bodies[k]
    bodies = [
        replace(body, parent=gone.parent) if body.parent == gone.name else body
        for body in model.bodies
        if body is not gone
    ]
    return remade(model, bodies)


def beginning(model: Model, count: int) -> Model:
    """The mechanism of the first so many bodies."""
    return remade(model, list(model.bodies[:count]))


def smaller(model: Model) -> Iterator[Model]:
    """Mechanisms with one body less, tips first."""
    if model.n > 1:
        yield from (without(model, k) for k in range(model.n - 1, -1, -1))


def plainer(model: Model) -> Iterator[Model]:
    """Mechanisms with one thing simpler: a joint with one degree of freedom, a plain placement or inertia."""
    for k, body in enumerate(model.bodies):
        for changed in _plainer_bodies(body):
            yield remade(model, [changed if i == k else other for i, other in enumerate(model.bodies)])


def _plainer_bodies(body: Body) -> Iterator[Body]:
    joint = body.joint
    plain = [Joint.revolute(axis, name=joint.name) for axis in ((0, 0, 1), (0, 1, 0))]
    for better, candidate in enumerate(plain):
        if joint not in plain[: better + 1]:
            yield replace(body, joint=candidate)
    place = _PLAIN_PLACEMENT if body.parent is not None else Placement()
    if body.placement != place:
        yield replace(body, placement=place)
    if body.inertia != _PLAIN_INERTIA:
        yield replace(body, inertia=_PLAIN_INERTIA)


def with_armature(model: Model, rng: np.random.Generator, name: str) -> Model:
    """The mechanism with a random rotor inertia on each degree of freedom."""
    bodies = [
        replace(body, joint=replace(body.joint, armature=tuple(rng.uniform(0.05, 0.5, body.joint.nv).tolist())))
        for body in model.bodies
    ]
    return Model(name=name, bodies=bodies, gravity=model.gravity)
