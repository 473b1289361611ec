"""Mechanisms under way: numbers of bodies without names or parents, a block of them at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from operator_algebra.models.arrays import Floats, Indices
from operator_algebra.models.columns import numbered
from operator_algebra.models.joints.joint import Joint, Options, joint_class, make_joint
from operator_algebra.models.model import Model
from operator_algebra.models.topology import depth_first
from operator_algebra.spatial.stacked import moved_boxes, turned, unit_vectors

BLOCK = 4096
"""So many bodies are drawn at once: their numbers stay in the cache."""


class Bodies(NamedTuple):
    """Numbers of some bodies, or of one that stands for all of them."""

    rotation: Floats  # (n, 3, 3)
    translation: Floats  # (n, 3)
    mass: Floats  # (n,)
    com: Floats  # (n, 3)
    inertia_at_com: Floats  # (n, 3, 3)


_SHAPES = ((3, 3), (3,), (), (3,), (3, 3))


@dataclass
class _Kind:
    """The joints of one kind so far: the first of them, whose each is, their parameters."""

    joint: Joint
    bodies: list[Indices] = field(default_factory=list[Indices])
    parameters: list[Mapping[str, Floats]] = field(default_factory=list[Mapping[str, Floats]])


class Seedlings:
    """Bodies and joints in the order in which they are drawn."""

    def __init__(self, n: int) -> None:
        self._count = 0
        self._bodies = Bodies(*(np.empty((n, *shape)) for shape in _SHAPES))
        self._kinds: dict[str, _Kind] = {}

    def add(self, kinds: Sequence[str], options: Sequence[Options], bodies: Bodies) -> None:
        """Bodies on joints of these kinds, made from these options."""
        place = slice(self._count, self._count + len(kinds))
        for whole, part in zip(self._bodies, bodies, strict=True):
            whole[place] = part
        places: dict[str, list[int]] = {}
        for k, kind in enumerate(kinds):
            places.setdefault(kind, []).append(k)
        for kind, several in places.items():
            given = [options[k] for k in several]
            if kind not in self._kinds:
                self._kinds[kind] = _Kind(make_joint(kind, **given[0]))
            self._kinds[kind].bodies.append(np.array(several) + self._count)
            self._kinds[kind].parameters.append(joint_class(kind).kept_options(given))
        self._count = place.stop

    def draw(self, kinds: Sequence[str], rng: np.random.Generator, mass_spread: float) -> None:
        """Random bodies on random joints of these kinds: boxes, their masses over ± so many powers of ten."""
        options: list[Options] = []
        drawn: list[float] = []
        normal, uniform = rng.standard_normal, rng.random
        for kind in kinds:
            drawn += normal(3).tolist()
            drawn += uniform(5).tolist()
            options.append(joint_class(kind).random_options(rng))
            drawn += uniform(4).tolist()
            drawn += normal(3).tolist()
            drawn += uniform(4).tolist()
        columns = np.array(drawn).reshape(-1, 19)
        axis, angle, place, power, mass, size, box_axis, box_angle, box_place = np.split(
            columns, (3, 4, 7, 8, 9, 12, 15, 16), axis=1
        )
        scale = np.array([10.0**exponent for exponent in between(power[:, 0], -mass_spread, mass_spread).tolist()])
        masses = scale * between(mass[:, 0], 0.5, 2.0)
        within = turned(directions(box_axis), between(box_angle[:, 0], -math.pi, math.pi))
        found = Bodies(
            rotation=turned(directions(axis), between(angle[:, 0], -math.pi, math.pi)),
            translation=between(place, -0.5, 0.5),
            mass=masses,
            com=between(box_place, -0.3, 0.3),
            inertia_at_com=moved_boxes(masses, between(size, 0.1, 0.6), within),
        )
        self.add(kinds, options, found)

    def grown(self, name: str, parents: Sequence[int]) -> Model:
        """The model in which they hang on these parents, −1 for the ground."""
        order, parent = depth_first(parents)
        rows: slice | Indices = slice(None) if parent == list(parents) else np.array(order)  # what is in order stays
        arrays = {part: whole[rows] for part, whole in self._bodies._asdict().items()}
        return Model.from_columns(name, numbered(order, parent, self._ordered(np.array(order)), **arrays))

    def _ordered(self, order: Indices) -> Iterator[tuple[Joint, Indices, Mapping[str, Floats]]]:
        """Joints by kind, their bodies by the places that the order gives them."""
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        for kind in self._kinds.values():
            bodies = place[np.concatenate(kind.bodies)]
            sorting = np.argsort(bodies)
            columns = {
                field: np.concatenate([some[field] for some in kind.parameters])[sorting]
                for field in kind.joint.parameters
            }
            yield kind.joint, bodies[sorting], columns


def between(uniform: Floats, low: float, high: float) -> Floats:
    """What `Generator.uniform` makes of numbers from 0 to 1."""
    return low + (high - low) * uniform


def directions(normal: Floats) -> Floats:
    """Unit vectors along vectors of normally distributed numbers, (n, 3)."""
    lengths = np.array(list(map(math.hypot, *normal.T.tolist())))
    return unit_vectors(normal / lengths[:, None])
