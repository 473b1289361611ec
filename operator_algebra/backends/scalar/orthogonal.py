"""Inverse and determinant of a block whose rows nobody has to choose: its columns are made orthogonal one by one.

[A I] = Q [R C] by modified Gram-Schmidt, A⁻¹ = R⁻¹ C. The identity is turned along with A, so that the result is as
accurate as that of reflections (Björck 1967), and no step asks which of two numbers is larger. Where A is singular Q is
not orthogonal, and A⁻¹ may look harmless: how large it is, R⁻¹ tells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

from operator_algebra.backends.scalar.graph import Graph, Node

Line = Sequence[Node]
Dot = Callable[[Line, Line], Node]


def orthogonal_inverse(
    a: Sequence[Line], identity: Sequence[Line], dot: Dot
) -> tuple[list[list[Node]], list[list[Node]]]:
    """The rows of A⁻¹ and of R⁻¹."""
    n = len(a)
    sizes, upper = _triangular([*zip(*a, strict=True), *identity], n, dot)
    solved: list[list[Node]] = []
    for j in reversed(range(n)):
        right, turned = upper[j][: n - 1 - j], upper[j][n - 1 - j :]
        below = list(zip(*solved, strict=True)) or [()] * (2 * n)
        sides = [*turned, *identity[j]]
        solved.insert(0, [(c - dot(right, x)) / sizes[j] for c, x in zip(sides, below, strict=True)])
    return [row[:n] for row in solved], [row[n:] for row in solved]


def sized_determinant(a: Sequence[Line], graph: Graph, dot: Dot) -> tuple[Node, Node]:
    """|det A|, and what is positive only if det A is: elimination without a choice of rows finds most of that, too."""
    sizes, _ = _triangular(list(zip(*a, strict=True)), len(a), dot)
    size = reduce(graph.multiply, sizes, graph.one)
    return size, _eliminated(a, graph) - 0.5 * size


def _triangular(columns: Sequence[Line], n: int, dot: Dot) -> tuple[list[Node], list[list[Node]]]:
    """The lengths of n columns, each without what it has of those before it, and what all later columns have of it."""
    left = [list(column) for column in columns]
    sizes: list[Node] = []
    shares: list[list[Node]] = []
    for j in range(n):
        size = dot(left[j], left[j]).sqrt()
        unit = [x / size for x in left[j]]
        row = [dot(unit, column) for column in left[j + 1 :]]
        for k, share in enumerate(row, start=j + 1):
            left[k] = [x - share * one for x, one in zip(left[k], unit, strict=True)]
        sizes.append(size)
        shares.append(row)
    return sizes, shares


def _eliminated(a: Sequence[Line], graph: Graph) -> Node:
    """The product of the pivots of rows in their order."""
    rows, found = [list(row) for row in a], graph.one
    while rows:
        first = rows.pop(0)
        found = found * first[0]
        rows = [[x - row[0] / first[0] * y for x, y in zip(row[1:], first[1:], strict=True)] for row in rows]
    return found
