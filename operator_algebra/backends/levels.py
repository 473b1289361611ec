"""The order in which a sweep visits the bodies: level by level, bodies of one level and one shape together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout

Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False, slots=True)
class Group:
    """Bodies of one shape: `where` in the arrays of that shape; `root` if all of them hang on the ground."""

    shape: int
    where: slice
    root: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Link:
    """Bodies at the other end of the edges of a group: their shape, their places there, and whose they are.

    `inside` are places within the group that asks (None: all of it, in order); `repeated` if one stands there twice.
    """

    shape: int
    there: Any
    inside: Any
    repeated: bool = False


@dataclass(frozen=True, eq=False)
class Levels:
    """The bodies of a model by shape, ordered by depth within each shape."""

    shapes: tuple[Indices, ...]
    """For each shape its bodies, base first."""
    shape_of: Indices
    place_of: Indices
    groups: tuple[tuple[Group, ...], ...]
    """For each depth the groups of that level."""
    links_to_children: dict[tuple[int, int], list[Link]] = field(repr=False)
    links_to_parents: dict[tuple[int, int], list[Link]] = field(repr=False)

    def whole(self) -> tuple[Group, ...]:
        """Each shape as one group."""
        return tuple(Group(shape, slice(0, len(bodies))) for shape, bodies in enumerate(self.shapes))

    def to_children(self, group: Group) -> list[Link]:
        """The children of a group, whose sums go to `inside`."""
        return self.links_to_children.get((group.shape, group.where.start), [])

    def to_parents(self, group: Group) -> list[Link]:
        """The parents of a group, found for the bodies `inside`."""
        return self.links_to_parents.get((group.shape, group.where.start), [])


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
    found: list[list[Group]] = [[] for _ in range(int(depth.max(initial=-1)) + 1)]
    starts_at: dict[tuple[int, int], int] = {}
    for shape, bodies in enumerate(shapes):
        depths = depth[bodies]
        cuts = [0, *(np.nonzero(np.diff(depths))[0] + 1).tolist(), len(bodies)]
        for first, last in pairwise(cuts):
            level = int(depths[first])
            found[level].append(Group(shape, slice(first, last), root=level == 0))
            starts_at[shape, level] = first
    children: dict[tuple[int, int], list[Link]] = {}
    parents: dict[tuple[int, int], list[Link]] = {}
    for level, groups in enumerate(found[1:], start=1):
        for group in groups:
            bodies = shapes[group.shape][group.where]
            above = parent[bodies]
            above_shapes = shape_of[above]
            for shape in np.unique(above_shapes).tolist() if len(bodies) > 1 else [int(above_shapes[0])]:
                mine = np.nonzero(above_shapes == shape)[0]
                whole = len(mine) == len(bodies)
                places = place_of[above[mine]]
                own = _compact(group.where.start + mine)
                parents.setdefault((group.shape, group.where.start), []).append(
                    Link(shape, _compact(places), None if whole else mine)
                )
                start = starts_at[shape, level - 1]
                inside = places - start
                children.setdefault((shape, start), []).append(
                    Link(group.shape, own, _compact(inside), repeated=len(np.unique(inside)) < len(inside))
                )
    return Levels(shapes, shape_of, place_of, tuple(tuple(groups) for groups in found), children, parents)


def _compact(places: Indices) -> Any:
    """A slice where the places are consecutive."""
    if len(places) == 1 or bool((np.diff(places) == 1).all()):
        return slice(int(places[0]), int(places[-1]) + 1)
    return places
