"""All blocks of the inverse of a definite operator that joins a body with what carries it and what it carries, alone.

Eliminated from the tips on, its matrix fills nowhere in: A = L* D L, where L has no entry but those of A, and so has
W = L⁻¹. Hence A⁻¹ = W D⁻¹ W*, whose entry of two freedoms is a sum over what carries both. D are the pivots of the
sweeps. For a robot these are fewer operations than a walk for each body; for a long chain more of them, and less exact.

What is lost: an entry of A is rounded by ε √(S(i) S(j)), where S(i) is the size of what the entry A(i, i) is summed
from. A column y of W has y* A y = D, so D is moved by ε Σ S(i) y(i)², and all pivots together lose Σ S(i) A⁻¹(i, i).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.scalar.algebra import Product, Turned
from operator_algebra.backends.scalar.graph import Graph, Node
from operator_algebra.expressions.nodes import Expr, Inverse
from operator_algebra.expressions.query import body_of
from operator_algebra.lowering.bounds import Elimination, elimination
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.program import Output, Pivot, Program

_SAME = 1e-9
"""What is negative by less, beside the largest, is so by rounding."""


@dataclass(frozen=True)
class Inverted:
    """The matrix A⁻¹, one triangle twice, what has to be positive, and what is lost."""

    matrix: Matrix
    positive: tuple[Node, ...]
    lost: tuple[Node, ...]


def inverted_by_trees(output: Output) -> Expr | None:
    """A, if all blocks of the inverse of such an operator are asked for."""
    asked = body_of(output.formula)
    if output.kind != "dense" or not isinstance(asked, Inverse):
        return None
    structure = asked.body.structure
    return asked.body if structure.definite and structure.flow == "related" else None


def pivot_of(program: Program, A: Expr) -> Pivot | None:
    """The one pivot of a program in which A is inverted."""
    found = [pivot for pivot in program.pivots if pivot.inverted == A]
    return found[0] if len(found) == 1 else None


def tree_inverse(run: Interpreter, pivot: Pivot, A: Matrix, graph: Graph) -> Inverted | None:
    """A⁻¹ from A and a run of the sweeps that invert it; None where A has more blocks, or its sizes are not known."""
    parts = elimination(run.program, pivot)
    sizes = None if parts is None else _sizes(run, parts, graph)
    if sizes is None or len(sizes) != A.height:
        return None
    above = _carrying(run.mechanism.parent, [run.blocks[pivot.value][k].height for k in run.mechanism.bodies])
    if any(A.rows[i][j] is not graph.zero for i in range(A.height) for j in range(i) if j not in above[i]):
        return None
    lower, pivots = _factored(graph, A, above)
    columns = _unit_inverse(graph, lower, above)
    matrix = _squared(graph, columns, [graph.reciprocal(pivot) for pivot in pivots])
    lost = [graph.multiply(graph.multiply(graph.of(SMALL), size), matrix.rows[i][i]) for i, size in enumerate(sizes)]
    return Inverted(matrix, tuple(pivots), tuple(lost))


def _carrying(parent: Sequence[int], freedoms: Sequence[int]) -> list[list[int]]:
    """For each freedom those of the bodies that carry it, and of its own joint those before it, base first."""
    found: list[list[int]] = []
    last: list[list[int]] = []  # for each body what its children are carried by
    for above, count in zip(parent, freedoms, strict=True):
        way = list(last[above]) if above >= 0 else []
        for _ in range(count):
            found.append(list(way))
            way.append(len(found) - 1)
        last.append(way)
    return found


def _factored(graph: Graph, A: Matrix, above: Sequence[Sequence[int]]) -> tuple[list[dict[int, Node]], list[Node]]:
    """The rows of L left of its ones, and D."""
    rest = [{j: A.rows[i][j] for j in (*way, i)} for i, way in enumerate(above)]
    lower: list[dict[int, Node]] = []
    for k in reversed(range(len(above))):
        row, scale = rest[k], graph.reciprocal(rest[k][k])
        scaled = {i: graph.multiply(row[i], scale) for i in above[k]}
        for i in above[k]:
            for j in (*above[i], i):
                rest[i][j] = graph.subtract(rest[i][j], graph.multiply(scaled[i], row[j]))
        lower.append(scaled)
    return lower[::-1], [row[i] for i, row in enumerate(rest)]


def _unit_inverse(
    graph: Graph, lower: Sequence[Mapping[int, Node]], above: Sequence[Sequence[int]]
) -> list[dict[int, Node]]:
    """The rows of W = L⁻¹, ones included."""
    found: list[dict[int, Node]] = []
    for k, way in enumerate(above):
        row: dict[int, Node] = {k: graph.one}
        for i in way:
            total = lower[k][i]
            for m in way:
                if i in found[m] and m != i:
                    total = graph.add(total, graph.multiply(lower[k][m], found[m][i]))
            row[i] = graph.negative(total)
        found.append(row)
    return found


def _squared(graph: Graph, rows: Sequence[Mapping[int, Node]], scales: Sequence[Node]) -> Matrix:
    """W D⁻¹ W*."""
    scaled = [{c: graph.multiply(x, scales[c]) for c, x in row.items()} for row in rows]
    entries = [[graph.zero] * len(rows) for _ in rows]
    for i, row in enumerate(rows):
        for j in range(i + 1):
            total = graph.zero
            for c in sorted(row.keys() & scaled[j].keys()):
                total = graph.add(total, graph.multiply(row[c], scaled[j][c]))
            entries[i][j] = entries[j][i] = total
    return Matrix(entries, len(rows))


# -- how large the terms are -------------------------------------------------------------------------------------------


def _sizes(run: Interpreter, parts: Elimination, graph: Graph) -> list[Node] | None:
    """S(i): what a body carries, as if nothing cancelled, seen in its joint; None where that has no such bound.

    Of what is carried two numbers are kept, the roots of the norms of its angular and of its linear quarter; a hop F
    takes a definite X to one whose quarters have roots no larger than Σ |F(half, other)| times those of X.
    """
    bodies, parent = run.mechanism.bodies, run.mechanism.parent
    carried = [[graph.zero] * len(_HALVES) for _ in bodies]
    found: list[list[Node]] = []
    for k in reversed(bodies):
        own = _own(run, parts, k)
        if own is None:
            return None
        whole = [graph.add(graph.of(size), above) for size, above in zip(own, carried[k], strict=True)]
        roots = [graph.root(size) for size in whole]
        H = run.numbers.product(*(run.get(ref, k) for ref in parts.H))
        rests = [run.term(term, H.height, k) for term in parts.rest]
        joint: list[Node] = []
        for i, row in enumerate(H.rows):
            axis = Matrix([row], H.width)
            size = _squared_sum(graph, [_norm(graph, axis, range(1), half) for half in _HALVES], roots)
            for rest in rests:
                for x in rest.rows[i]:
                    size = graph.add(size, graph.absolute(x))
            joint.append(size)
        found.append(joint)
        if parent[k] >= 0:
            for half, size in enumerate(_passed(graph, run.hop(parts.hop, k), roots)):
                carried[parent[k]][half] = graph.add(carried[parent[k]][half], size)
    return [size for joint in reversed(found) for size in joint]


_HALVES = (range(3), range(3, 6))


def _own(run: Interpreter, parts: Elimination, k: int) -> list[float] | None:
    """The norms of both quarters of what a body itself has, which must be numbers, and definite."""
    blocks = [run.term(term, 6, k) for term in parts.own]
    own = run.numbers.sum(blocks, 6, 6)
    if own.height != 6 or not all(x.known for row in own.rows for x in row):
        return None
    numbers = np.array([[x.value for x in row] for row in own.rows])
    values = np.linalg.eigvalsh(numbers)
    if values[0] < -_SAME * values[-1]:
        return None
    return [float(np.linalg.norm(numbers[np.ix_(half, half)], 2)) for half in _HALVES]


def _passed(graph: Graph, hop: Matrix, roots: Sequence[Node]) -> list[Node]:
    """What comes out of a hop: a turn changes no norm."""
    for factor in reversed(hop.factors if isinstance(hop, Product) else (hop,)):
        if not isinstance(factor, Turned):
            sizes = [[_norm(graph, factor, *cell) for cell in product([half], _HALVES)] for half in _HALVES]
            roots = [graph.root(_squared_sum(graph, row, roots)) for row in sizes]
    return [graph.multiply(root, root) for root in roots]


def _squared_sum(graph: Graph, sizes: Sequence[Node], roots: Sequence[Node]) -> Node:
    """(Σ size · root)²."""
    total = graph.zero
    for size, root in zip(sizes, roots, strict=True):
        total = graph.add(total, graph.multiply(size, root))
    return graph.multiply(total, total)


def _norm(graph: Graph, block: Matrix, rows: Sequence[int], columns: Sequence[int]) -> Node:
    """A bound of the norm of a part: its own where it is known, else the root of the sum of its squares."""
    entries = [[block.rows[i][j] for j in columns] for i in rows]
    if all(x.known for row in entries for x in row):
        return graph.of(float(np.linalg.norm([[x.value for x in row] for row in entries], 2)))
    total = graph.zero
    for x in (x for row in entries for x in row):
        total = graph.add(total, graph.multiply(x, x))
    return graph.root(total)
