"""Substitution along a tree by levels: all bodies of one depth at once, in blocks."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from operator_algebra.operators.arrays import Blocks, Dense, Indices, OfBodies
from operator_algebra.operators.blocks import BlockMatrix

Places = slice | Indices
Level = tuple[slice, Places, Blocks, Indices | None]
"""The bodies of a level, where their parents stand, their blocks, and the first child of each parent with several."""


def by_levels(
    matrix: BlockMatrix, parent: OfBodies, level: OfBodies, *, inward: bool
) -> Callable[[Dense], Dense] | None:
    """The solution of X Y = Z, X being I minus a hop, for many right-hand sides; None for blocks of several sizes.

    Y(p) = Z(p) − Σ X(p, k) Y(k) over the children k of p, tips first; Y(k) = Z(k) − X(k, p) Y(p), base first.
    """
    sizes = matrix.rows.sizes
    if not len(sizes) or (sizes != sizes[0]).any() or not matrix.rows.matches(matrix.cols):
        return None
    size, order = int(sizes[0]), _beside_each_other(parent, level)
    steps = _steps(matrix, parent, level, order, inward=inward)

    def solve(right: Dense) -> Dense:
        solution = right.reshape(len(sizes), size, -1)[order]
        for own, above, blocks, first in steps:
            if not inward:
                solution[own] -= blocks @ solution[above]
                continue
            terms = blocks @ solution[own]
            solution[above] -= terms if first is None else np.add.reduceat(terms, first)
        result = np.empty_like(solution)
        result[order] = solution
        return result.reshape(right.shape)

    return solve


def _beside_each_other(parent: OfBodies, level: OfBodies) -> Indices:
    """The bodies level by level, and in each as their parents stand."""
    order: list[Indices] = []
    place = np.zeros(len(parent), dtype=np.intp)
    for depth in range(int(level.min()), int(level.max()) + 1):
        bodies = np.flatnonzero(level == depth)
        if order:
            bodies = bodies[np.argsort(place[parent[bodies]], kind="stable")]
        place[bodies] = np.arange(len(bodies))
        order.append(bodies)
    return np.concatenate(order)


def _steps(matrix: BlockMatrix, parent: OfBodies, level: OfBodies, order: Indices, *, inward: bool) -> list[Level]:
    below = order[np.flatnonzero(parent[order] >= 0)]
    if not len(below):
        return []
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    blocks = np.array(matrix.blocks_at(*((parent[below], below) if inward else (below, parent[below]))))
    above, depths = place[parent[below]], level[below]
    starts = [*np.flatnonzero(np.diff(depths, prepend=-1)).tolist(), len(below)]
    found: list[Level] = []
    for start, stop in pairwise(starts):
        bodies, parents, first = place[below[start:stop]], above[start:stop], None
        if inward:
            parents, first = np.unique(parents, return_index=True)
        several = first if first is not None and len(first) < len(bodies) else None
        found.append((_run(bodies), _together(parents), blocks[start:stop], several))
    return found[::-1] if inward else found


def _run(places: Indices) -> slice:
    """Places that follow each other."""
    return slice(int(places[0]), int(places[-1]) + 1)


def _together(places: Indices) -> Places:
    """Places, as a slice if they follow each other."""
    return _run(places) if (np.diff(places) == 1).all() else places
