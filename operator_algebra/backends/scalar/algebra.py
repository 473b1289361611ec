"""Blocks of nodes as the interpreter wants them: one triangle of what is symmetric, solves, products factor by factor.

Three facts make programs short, all of them found by comparing nodes: D⁻¹ D = 1 for columns and rows of what a pivot
meets; the mirrored entry of a symmetric block is the same node; and what is zero or one in a leaf is so for good.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from typing import NamedTuple

from operator_algebra.backends.scalar.graph import Graph, Node, Untraceable
from operator_algebra.backends.scalar.orthogonal import orthogonal_inverse, sized_determinant
from operator_algebra.programs.matrices import Matrix, Numbers, Rows

Line = Sequence[Node]


class Turn(NamedTuple):
    """A turn in the plane of two axes: cosine and sine stand at (i, i), (j, j) and (j, i), −sine at (i, j)."""

    i: int
    j: int
    cosine: Node
    sine: Node


@dataclass(frozen=True, slots=True)
class Turned(Matrix):
    """A rotation of both halves of a motion or force, six by six; `turn` if it leaves one axis where it is."""

    turn: Turn | None

    @property
    def T(self) -> Turned:
        """The rotation back."""
        turn = None if self.turn is None else self.turn._replace(sine=-self.turn.sine)
        return Turned(list(zip(*self.rows, strict=True)), self.width, turn)


@dataclass(frozen=True, slots=True)
class Moved(Matrix):
    """A lever, six by six, by which a force is taken about another point; or its adjoint."""

    lever: tuple[Node, Node, Node]

    @property
    def T(self) -> Moved:
        """The adjoint."""
        return Moved(list(zip(*self.rows, strict=True)), self.width, self.lever)


@dataclass(frozen=True, slots=True)
class Product(Matrix):
    """A block that is applied factor by factor."""

    factors: tuple[Matrix, ...]

    @property
    def T(self) -> Product:
        """The adjoint, factor by factor."""
        return Product(list(zip(*self.rows, strict=True)), self.height, tuple(one.T for one in reversed(self.factors)))


@dataclass(frozen=True, slots=True)
class Inverted(Matrix):
    """The inverse of a symmetric block D = L diag(d) L*, which stays known; `lower` has the rows of L below ones."""

    of: Rows
    lower: Rows
    scales: Line
    """1 / d."""

    @property
    def T(self) -> Inverted:
        """Itself."""
        return self


@dataclass(frozen=True, slots=True)
class Solved(Matrix):
    """The inverse of any block; `triangle` are the rows of a matrix as large."""

    triangle: Rows


@dataclass(frozen=True, kw_only=True)
class NodeNumbers(Numbers):
    """What blocks of nodes can do; conditions that their values have to meet are collected on the way."""

    graph: Graph
    positive: list[Node]
    """What must be greater than zero."""

    @classmethod
    def over(cls, graph: Graph) -> NodeNumbers:
        """The numbers of a graph."""

        def logarithm(factors: Sequence[Node]) -> Node:
            total = graph.zero
            for factor in factors:
                total = graph.add(total, graph.logarithm(factor))
            return total

        return cls(of=graph.of, sqrt=graph.root, log=logarithm, graph=graph, positive=[])

    # -- products --------------------------------------------------------------------------------------------------

    def dot(self, a: Iterable[Node], b: Iterable[Node]) -> Node:
        """Σ a b, without what is zero."""
        graph = self.graph
        zero, total = graph.zero, graph.zero
        for x, y in zip(a, b, strict=True):
            if x is not zero and y is not zero:
                total = graph.add(total, graph.multiply(x, y))
        return total

    def largest(self, row: Iterable[Node]) -> Node:
        """The size of the largest of some nodes."""
        return self.graph.largest(map(self.graph.absolute, row))

    def product(self, *factors: Matrix) -> Matrix:
        """A product from the right; an inverse is solved for, and D⁻¹ D = 1 column by column."""
        parts = list(chain.from_iterable(f.factors if isinstance(f, Product) else (f,) for f in factors))
        result = parts.pop()
        while parts:
            result = self._one(parts.pop(), result)
        return result

    def _one(self, a: Matrix, b: Matrix) -> Matrix:
        if isinstance(a, Inverted):
            return self._solved(a, b.T.rows).T
        if isinstance(b, Inverted):
            return self._solved(b, a.rows)
        return self._times(a, b)

    def _solved(self, inverse: Inverted, sides: Rows) -> Matrix:
        """D⁻¹ b for each b, as rows."""
        unit = self.identity(inverse.height).rows
        known = {tuple(map(id, row)): unit[i] for i, row in enumerate(inverse.of)}
        found = [known.get(tuple(map(id, side))) or self._substituted(inverse, side) for side in sides]
        return Matrix(found, inverse.height)

    def _substituted(self, inverse: Inverted, side: Line) -> Line:
        n, graph = len(inverse.scales), self.graph
        work: list[Node] = []
        for i in range(n):
            work.append(graph.subtract(side[i], self.dot(inverse.lower[i], work)))
        work = [graph.multiply(x, scale) for x, scale in zip(work, inverse.scales, strict=True)]
        for i in reversed(range(n)):
            below = [inverse.lower[j][i] for j in range(i + 1, n)]
            work[i] = graph.subtract(work[i], self.dot(below, work[i + 1 :]))
        return work

    def sum(self, parts: Sequence[Matrix], height: int, width: int) -> Matrix:
        """A sum, entry by entry."""
        if len(parts) < 2:
            return parts[0] if parts else self.zeros(height, width)
        add, first = self.graph.add, parts[0].rows
        for part in parts[1:]:
            first = [[add(x, y) for x, y in zip(*rows, strict=True)] for rows in zip(first, part.rows, strict=True)]
        return Matrix(first, width)

    def less(self, a: Matrix, left: Matrix, right: Matrix) -> Matrix:
        """A − left right."""
        made = self.product(left, right).rows
        subtract = self.graph.subtract
        lines = zip(a.rows, made, strict=True)
        return Matrix([[subtract(x, y) for x, y in zip(*rows, strict=True)] for rows in lines], a.width)

    def averaged(self, a: Matrix) -> Matrix:
        """One triangle, twice: of two entries the one that is a number, else the upper one."""
        rows = [list(row) for row in a.rows]
        for i, row in enumerate(rows):
            for j in range(i):
                row[j] = rows[j][i] = row[j] if row[j].known else rows[j][i]
        return Matrix(rows, a.width)

    def congruence(self, outer: Matrix, a: Matrix, *, symmetric: bool) -> Matrix:
        """outer a outer*, factor by factor."""
        for factor in reversed(outer.factors if isinstance(outer, Product) else (outer,)):
            turn = factor.turn if isinstance(factor, Turned) else None
            a = self.product(factor, a, factor.T) if turn is None else self._about(turn, a, symmetric=symmetric)
            a = self.averaged(a) if symmetric else a
        return a

    def _about(self, turn: Turn, a: Matrix, *, symmetric: bool) -> Matrix:
        """Each quarter turned."""

        def quarter(i: int, j: int) -> Rows:
            part = [row[j : j + 3] for row in a.rows[i : i + 3]]
            return self._turned(turn, part, symmetric=symmetric and i == j)

        first, second, last = quarter(0, 0), quarter(0, 3), quarter(3, 3)
        third = list(zip(*second, strict=True)) if symmetric else quarter(3, 0)
        halves = ((first, second), (third, last))
        return Matrix([[*left, *right] for half in halves for left, right in zip(*half, strict=True)], 6)

    def _turned(self, turn: Turn, block: Rows, *, symmetric: bool) -> list[list[Node]]:
        """R B R* for a turn R and a block of three rows: the trace of its plane stays, and s² + c² = 1."""
        i, j, c, s = turn
        add, subtract, multiply = self.graph.add, self.graph.subtract, self.graph.multiply
        rows = [list(row) for row in block]
        k = 3 - i - j
        square, mixed = multiply(s, s), multiply(s, c)
        e, b = subtract(rows[i][i], rows[j][j]), add(rows[i][j], rows[j][i])
        t = add(multiply(square, e), multiply(mixed, b))
        g = subtract(multiply(mixed, e), multiply(square, b))
        rows[i][i], rows[j][j] = subtract(rows[i][i], t), add(rows[j][j], t)
        rows[i][j], rows[j][i] = add(rows[i][j], g), add(rows[j][i], g)
        rows[i][k], rows[j][k] = self._rotated(turn, rows[i][k], rows[j][k])
        beside = (rows[i][k], rows[j][k]) if symmetric else self._rotated(turn, rows[k][i], rows[k][j])
        rows[k][i], rows[k][j] = beside
        return rows

    def _rotated(self, turn: Turn, x: Node, y: Node) -> tuple[Node, Node]:
        graph, c, s = self.graph, turn.cosine, turn.sine
        first = graph.subtract(graph.multiply(c, x), graph.multiply(s, y))
        return first, graph.add(graph.multiply(s, x), graph.multiply(c, y))

    # -- pivots ----------------------------------------------------------------------------------------------------

    def inverse(self, a: Matrix) -> Matrix:
        """The inverse of a block: of a root, of one with two equal triangles, its factors kept, or of any."""
        below, above = self._is_lower(a), self._is_lower(a.T)
        if below != above:
            return self._lower_inverse(a) if below else self._lower_inverse(a.T).T
        if not self._is_mirrored(a):
            inverse, triangle = orthogonal_inverse(a.rows, self.identity(a.height).rows, self.dot)
            return Solved(inverse, a.width, triangle)
        lower, pivots = self.factored(a)
        factors = Inverted((), a.width, a.rows, lower, [self.graph.reciprocal(pivot) for pivot in pivots])
        unit = self.identity(a.height).rows
        explicit = self.averaged(Matrix([self._substituted(factors, row) for row in unit], a.width))
        return replace(factors, rows=explicit.rows)

    def _is_mirrored(self, a: Matrix) -> bool:
        return all(a.rows[i][j] is a.rows[j][i] for i in range(a.height) for j in range(i))

    def _is_lower(self, a: Matrix) -> bool:
        zero = self.graph.zero
        return a.height > 1 and all(x is zero for i, row in enumerate(a.rows) for x in row[i + 1 :])

    def _lower_inverse(self, a: Matrix) -> Matrix:
        """Row by row from the top; the diagonal is that of a root."""
        graph, found = self.graph, list[Line]()
        for i, row in enumerate(a.rows):
            scale = graph.reciprocal(row[i])
            before = [
                graph.multiply(graph.subtract(graph.zero, self.dot(row[j:i], [above[j] for above in found[j:]])), scale)
                for j in range(i)
            ]
            found.append([*before, scale, *[graph.zero] * (a.height - 1 - i)])
        return Matrix(found, a.width)

    def factored(self, a: Matrix) -> tuple[list[list[Node]], list[Node]]:
        """The rows of L left of its ones, and d, of a = L diag(d) L*.

        That all d have one sign is a condition: then no pivot is small beside what is eliminated with it.
        """
        graph = self.graph
        if not self._is_mirrored(a):
            raise Untraceable("a block that is not symmetric has no triangular factors L diag(d) L*")
        lower: list[list[Node]] = []
        pivots: list[Node] = []
        for row in a.rows:
            scaled: list[Node] = []  # l d
            for x, above in zip(row, lower, strict=False):
                scaled.append(graph.subtract(x, self.dot(scaled, above)))
            own = [graph.divide(x, pivot) for x, pivot in zip(scaled, pivots, strict=True)]
            pivots.append(graph.subtract(row[len(own)], self.dot(scaled, own)))
            lower.append(own)
        self.positive.extend(graph.multiply(pivots[0], pivot) for pivot in pivots[1:])
        return lower, pivots

    def determinant(self, a: Matrix) -> Node:
        """The determinant, which has to be positive."""
        if not self._is_mirrored(a):
            size, condition = sized_determinant(a.rows, self.graph, self.dot)
            self.positive.append(condition)
            return size
        found = reduce(self.graph.multiply, self.factored(a)[1], self.one)
        self.positive.append(found)
        return found

    def root(self, a: Matrix) -> Matrix:
        """The Cholesky factor; all d have to be positive."""
        lower, pivots = self.factored(a)
        self.positive.extend(pivots)
        sizes = [self.graph.root(pivot) for pivot in pivots]
        rows = [
            [self.graph.multiply(x, size) for x, size in zip((*below, self.one), sizes, strict=False)]
            + [self.zero] * (a.height - 1 - i)
            for i, below in enumerate(lower)
        ]
        return Matrix(rows, a.width)

    def norm(self, a: Matrix) -> Node:
        """The root of the sum of squares."""
        entries = [x for row in (a.triangle if isinstance(a, Solved) else a.rows) for x in row]
        return self.graph.root(self.dot(entries, entries))
