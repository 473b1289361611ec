"""The order in which a sweep visits the bodies: level by level, bodies of one level and one shape together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False, slots=True)
class Link:
    """Bodies at the other end of the edges of a group: their shape, their places there, and whose they are.

    `inside` are places within the group that asks (None: all of it, in order); `repeated` if one stands there twice.
    """

    shape: int
    there: slice | Indices
    inside: slice | Indices | None
    repeated: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Bodies of one shape: `where` in the arrays of that shape; `root` if all of them hang on the ground."""

    shape: int
    where: slice
    root: bool = False
    children: tuple[Link, ...] = ()
    parents: tuple[Link, ...] = ()

    @property
    def count(self) -> int:
        """How many bodies there are."""
        return self.where.stop - self.where.start


ANY = Group(0, slice(0, 1))
"""A group for what belongs to no body."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The bodies of a model by shape, ordered by depth within each shape."""

    shapes: tuple[Indices, ...]
    """For each shape its bodies, base first."""
    shape_of: Indices
    place_of: Indices
    groups: tuple[Group, ...]
    """The groups of all levels, from the base to the tips."""

    def whole(self) -> tuple[Group, ...]:
        """Each shape as one group."""
        return tuple(Group(shape, slice(0, len(bodies))) for shape, bodies in enumerate(self.shapes))


def levels(model: Model, layouts: Mapping[str, Layout], *, by_parent: bool = False) -> Levels:
    """Sort the bodies of a model by the block sizes of all spaces and by depth.

    `by_parent` also tells bodies apart by the sizes of their parents, for blocks of edges between joint spaces.
    """
    n = model.n
    attached = [layout.sizes for layout in layouts.values() if layout.attached]
    table = np.stack(attached, axis=1) if attached else np.zeros((n, 1), dtype=np.intp)
    if by_parent:
        above = np.asarray(model.parent, dtype=np.intp)
        table = np.concatenate([table, np.where(above[:, None] >= 0, table[above], -1)], axis=1)
    _, shape_of = np.unique(table, axis=0, return_inverse=True)
    shape_of = np.asarray(shape_of, dtype=np.intp).reshape(-1)
    depth = np.asarray(model.level, dtype=np.intp)
    order = np.lexsort((np.arange(n), depth, shape_of))
    starts = np.searchsorted(shape_of[order], np.arange(int(shape_of.max(initial=-1)) + 2))
    place_of = np.empty(n, dtype=np.intp)
    place_of[order] = np.arange(n) - starts[shape_of[order]]
    shapes = tuple(order[starts[s] : starts[s + 1]] for s in range(len(starts) - 1))
    parent = np.asarray(model.parent, dtype=np.intp)
    where: list[dict[int, slice]] = [{} for _ in range(int(depth.max(initial=-1)) + 1)]
    for shape, bodies in enumerate(shapes):
        depths = depth[bodies]
        cuts = [0, *(np.nonzero(np.diff(depths))[0] + 1).tolist(), len(bodies)]
        for first, last in pairwise(cuts):
            where[int(depths[first])][shape] = slice(first, last)
    children: dict[int, list[Link]] = {}
    groups: list[Group] = []
    # From the tips on, so that the links of a level's parents are there when their group is made.
    for level in range(len(where) - 1, -1, -1):
        upward: dict[int, list[Link]] = {}
        for shape, own in where[level].items():
            links: list[Link] = []
            if level > 0:
                above = parent[shapes[shape][own]]
                links = _join(shape, own, above, where[level - 1], shape_of, place_of, upward)
            below = tuple(children.get(shape, ()))
            groups.append(Group(shape, own, level == 0, below, tuple(links)))
        children = upward
    return Levels(shapes, shape_of, place_of, tuple(reversed(groups)))


def _join(
    shape: int,
    own: slice,
    above: Indices,
    parents: dict[int, slice],
    shape_of: Indices,
    place_of: Indices,
    upward: dict[int, list[Link]],
) -> list[Link]:
    """Link a group to its parents, and its parents to it."""
    links: list[Link] = []
    above_shapes = shape_of[above]
    for parent_shape in np.unique(above_shapes).tolist() if len(above) > 1 else [int(above_shapes[0])]:
        mine = np.nonzero(above_shapes == parent_shape)[0]
        whole = len(mine) == len(above)
        places = place_of[above[mine]]
        theirs = parents[parent_shape]
        inside = _compact(places - theirs.start)
        all_in_order = isinstance(inside, slice) and inside == slice(0, theirs.stop - theirs.start)
        links.append(Link(parent_shape, theirs if all_in_order else _compact(places), None if whole else mine))
        repeated = len(np.unique(places)) < len(places)
        there = own if whole else _compact(own.start + mine)
        upward.setdefault(parent_shape, []).append(Link(shape, there, None if all_in_order else inside, repeated))
    return links


def _compact(places: Indices) -> slice | Indices:
    """A slice where the places are consecutive."""
    if len(places) == 1 or bool((np.diff(places) == 1).all()):
        return slice(int(places[0]), int(places[-1]) + 1)
    return places
