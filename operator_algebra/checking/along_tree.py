"""Substitution along a tree by levels: all bodies of one depth at once, in blocks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from operator_algebra.operators.arrays import Blocks, Dense, Indices, OfBodies
from operator_algebra.operators.blocks import BlockMatrix

Level = tuple[Indices, Indices, Blocks, Indices]
"""Where blocks are added, where they are read, the blocks, and the first of those that are added at one place."""


def by_levels(
    matrix: BlockMatrix, parent: OfBodies, level: OfBodies, *, inward: bool
) -> Callable[[Dense], Dense] | None:
    """The solution of X Y = Z, X being I minus a hop, for many right-hand sides; None for blocks of several sizes.

    Y(p) = Z(p) − Σ X(p, k) Y(k) over the children k of p, tips first; Y(k) = Z(k) − X(k, p) Y(p), base first.
    """
    sizes = matrix.rows.sizes
    if not len(sizes) or (sizes != sizes[0]).any() or not matrix.rows.matches(matrix.cols):
        return None
    size = int(sizes[0])
    steps = [_step(matrix, parent, (level == depth).nonzero()[0], inward) for depth in range(1, int(level.max()) + 1)]
    if inward:
        steps.reverse()

    def solve(right: Dense) -> Dense:
        solution = np.array(right).reshape(len(sizes), size, -1)
        for into, out_of, blocks, first in steps:
            terms = blocks @ solution[out_of]
            solution[into] -= terms if len(first) == len(terms) else np.add.reduceat(terms, first)
        return solution.reshape(right.shape)

    return solve


def _step(matrix: BlockMatrix, parent: OfBodies, bodies: Indices, inward: bool) -> Level:
    bodies = bodies[np.argsort(parent[bodies], kind="stable")]
    above = parent[bodies]
    if not inward:
        return bodies, above, np.array(matrix.blocks_at(bodies, above)), np.arange(len(bodies), dtype=np.intp)
    into, first = np.unique(above, return_index=True)
    return into, bodies, np.array(matrix.blocks_at(above, bodies)), first
