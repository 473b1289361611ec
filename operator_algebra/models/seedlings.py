"""Mechanisms under way: numbers of bodies without names or parents, a block of them at a time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np

from operator_algebra.models.arrays import Floats, Indices
from operator_algebra.models.columns import numbered
from operator_algebra.models.draws import Flags, drawn
from operator_algebra.models.joints.joint import Joint, joint_class, make_joint, row_of
from operator_algebra.models.model import Model
from operator_algebra.models.topology import depth_first
from operator_algebra.spatial.stacked import between, directions, moved_boxes, turned

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
# Numbers for a body: a direction, an angle, a place and the exponent of its mass; mass and edges of a box; a direction,
# an angle and a place of that. Those of its joint come before the box.
_AXIS, _PLACED, _SOLID, _BOXED = 3, 5, 4, 4


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

    def add(self, kinds: Sequence[str], options: Mapping[str, Mapping[str, Floats]], bodies: Bodies) -> None:
        """Bodies on joints of these kinds; of each kind the options of its joints, one after the other."""
        place = slice(self._count, self._count + len(kinds))
        for whole, part in zip(self._bodies, bodies, strict=True):
            whole[place] = part
        for kind, several in _places(kinds).items():
            if kind not in self._kinds:
                self._kinds[kind] = _Kind(make_joint(kind, **row_of(options[kind], 0)))
            self._kinds[kind].bodies.append(np.array(several) + self._count)
            self._kinds[kind].parameters.append(joint_class(kind).kept_columns(options[kind]))
        self._count = place.stop

    def draw(self, kinds: Sequence[str], rng: np.random.Generator, mass_spread: float) -> None:
        """Random bodies on random joints of these kinds: boxes, their masses over ± so many powers of ten."""
        places, lengths = _places(kinds), np.empty(len(kinds), dtype=np.intp)
        for kind, several in places.items():
            lengths[several] = len(_flags(kind))
        if len(places) == 1:
            flags = np.tile(_flags(kinds[0]), len(kinds))
        else:
            flags = np.concatenate([_flags(kind) for kind in kinds])
        numbers, starts = drawn(rng, flags), np.cumsum(lengths) - lengths

        def of(first: Indices, count: int) -> Floats:
            return numbers[first[:, None] + np.arange(count)]

        axis, placed = of(starts, _AXIS), of(starts + _AXIS, _PLACED)
        ends = starts + lengths
        boxed, box_axis = of(ends - _BOXED, _BOXED), of(ends - _BOXED - _AXIS, _AXIS)
        solid = of(ends - _BOXED - _AXIS - _SOLID, _SOLID)
        own: dict[str, Mapping[str, Floats]] = {}
        for kind, several in places.items():
            first = starts[several] + _AXIS + _PLACED
            normal, uniform = joint_class(kind).draws
            own[kind] = joint_class(kind).random_columns(of(first, normal), of(first + normal, uniform))
        mass = between(solid[:, 0], 0.5, 2.0)
        if mass_spread:
            exponents: list[float] = between(placed[:, 4], -mass_spread, mass_spread).tolist()
            mass = np.array([10.0**exponent for exponent in exponents]) * mass
        turn = turned(directions(box_axis), between(boxed[:, 0], -math.pi, math.pi))
        found = Bodies(
            rotation=turned(directions(axis), between(placed[:, 0], -math.pi, math.pi)),
            translation=between(placed[:, 1:4], -0.5, 0.5),
            mass=mass,
            com=between(boxed[:, 1:], -0.3, 0.3),
            inertia_at_com=moved_boxes(mass, between(solid[:, 1:], 0.1, 0.6), turn),
        )
        self.add(kinds, own, found)

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
            columns = {
                field: np.concatenate([some[field] for some in kind.parameters]) for field in kind.joint.parameters
            }
            if (bodies[1:] < bodies[:-1]).any():
                sorting = np.argsort(bodies)
                bodies, columns = bodies[sorting], {field: whole[sorting] for field, whole in columns.items()}
            yield kind.joint, bodies, columns


def _places(kinds: Sequence[str]) -> dict[str, list[int]]:
    """Where the joints of each kind stand."""
    found: dict[str, list[int]] = {kind: [] for kind in kinds}
    if len(found) == 1:
        return {kinds[0]: list(range(len(kinds)))}
    for k, kind in enumerate(kinds):
        found[kind].append(k)
    return found


@cache
def _flags(kind: str) -> Flags:
    """Which of the numbers that are drawn for a body on such a joint are normally distributed, in their order."""
    normal, uniform = joint_class(kind).draws
    counts = (_AXIS, _PLACED, normal, uniform + _SOLID, _AXIS, _BOXED)
    return np.repeat([True, False, True, False, True, False], counts)
