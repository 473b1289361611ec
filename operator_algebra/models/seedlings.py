"""Mechanisms under way: numbers of bodies without names or parents, a block of them at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from typing import NamedTuple, Protocol

import numpy as np

from operator_algebra.models.arrays import Floats, Indices
from operator_algebra.models.columns import numbered
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


class _Draw(Protocol):
    def __call__(self, *, out: Floats) -> object: ...


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
        normal, uniform = rng.standard_normal, rng.random
        axis, placed, solid, box_axis, boxed = (np.empty((len(kinds), size)) for size in (3, 5, 4, 3, 4))
        drawn = {kind: _numbers(kind, len(several)) for kind, several in _places(kinds).items()}
        own = {kind: _calls((normal, uniform), numbers) for kind, numbers in drawn.items()}
        for kind, a, b, c, d, e in zip(kinds, axis, placed, solid, box_axis, boxed, strict=True):
            normal(out=a)
            uniform(out=b)
            for draw, numbers in next(own[kind], ()):
                draw(out=numbers)
            uniform(out=c)
            normal(out=d)
            uniform(out=e)
        exponents: list[float] = between(placed[:, 4], -mass_spread, mass_spread).tolist()
        mass = np.array([10.0**exponent for exponent in exponents]) * between(solid[:, 0], 0.5, 2.0)
        turn = turned(directions(box_axis), between(boxed[:, 0], -math.pi, math.pi))
        found = Bodies(
            rotation=turned(directions(axis), between(placed[:, 0], -math.pi, math.pi)),
            translation=between(placed[:, 1:4], -0.5, 0.5),
            mass=mass,
            com=between(boxed[:, 1:], -0.3, 0.3),
            inertia_at_com=moved_boxes(mass, between(solid[:, 1:], 0.1, 0.6), turn),
        )
        self.add(kinds, {kind: joint_class(kind).random_columns(*numbers) for kind, numbers in drawn.items()}, found)

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


def _numbers(kind: str, count: int) -> list[Floats]:
    """Room for the normal and the uniform numbers of so many joints."""
    return [np.empty((count, size)) for size in joint_class(kind).draws]


def _calls(draws: Iterable[_Draw], numbers: Iterable[Floats]) -> Iterator[tuple[tuple[_Draw, Floats], ...]]:
    """For each joint the calls that draw its numbers, with the row where they go."""
    several = [zip(repeat(draw), rows) for draw, rows in zip(draws, numbers, strict=True) if rows.size]
    return zip(*several, strict=True)
