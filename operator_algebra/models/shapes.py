"""All shapes of forests: unlabelled, so that no two differ by the order of siblings alone."""

from __future__ import annotations

from functools import cache

Shape = tuple["Shape", ...]
"""A forest as the tuple of its trees, each the forest below its root."""


@cache
def _forests(n: int, largest: Shape | None) -> tuple[Shape, ...]:
    """Forests of n bodies whose trees are in falling order, none above `largest`."""
    if n == 0:
        return ((),)
    found: list[Shape] = []
    for size in range(n, 0, -1):
        for tree in _forests(size - 1, None):
            if largest is None or _key(tree) <= _key(largest):
                found += [(tree, *rest) for rest in _forests(n - size, tree)]
    return tuple(found)


def _key(tree: Shape) -> tuple[int, str]:
    return _count(tree), repr(tree)


def _count(tree: Shape) -> int:
    return 1 + sum(map(_count, tree))


def forest_shapes(n: int) -> list[tuple[int, ...]]:
    """The parents of every forest of n bodies, base to tip.

    >>> forest_shapes(2)
    [(-1, 0), (-1, -1)]
    >>> [len(forest_shapes(n)) for n in range(1, 6)]
    [1, 2, 4, 9, 20]
    """
    return [tuple(_parents(shape, -1, [])) for shape in _forests(n, None)]


def _parents(trees: Shape, parent: int, found: list[int]) -> list[int]:
    for tree in trees:
        here = len(found)
        found.append(parent)
        _parents(tree, here, found)
    return found
