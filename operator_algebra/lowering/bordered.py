"""Inverses of a tree-local operator and terms of low rank, which pass a space of no body.

(A⁻¹ + Σ L C R)⁻¹ = A − Σ_ij A L_i B_i (S⁻¹)_ij R_j A, where S_ij = R_i A L_j B_j, with d_i on the diagonal. Definite C,
which may be large, have B = I and d = C⁻¹; others, which may be singular, B = C and d = I. One S for all terms: what
A solves for does not wait for one term after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from operator_algebra.expressions.build import add, inv, matmul, one, scale, symbol
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.graph import RING, Form, Graph
from operator_algebra.lowering.trampoline import Steps
from operator_algebra.operators.spaces import Space, Type, direct_sum
from operator_algebra.operators.structure import Structure
from operator_algebra.programs.instructions import Invert, Part, Stack
from operator_algebra.programs.records import Ref

UNIT = Fraction(1)


class Lift(Protocol):
    """What applies expressions to vectors, as values of a graph."""

    graph: Graph
    bound: dict[Expr, int]

    def apply(self, e: Expr, x: int) -> Steps[int]:
        """The vector e x, as the number of its value."""
        ...

    def identity(self, space: Space) -> int:
        """The identity of a global space."""
        ...

    def inline(self, number: int) -> Form:
        """The terms of an anonymous sum, or the value itself as one term."""
        ...

    def is_zero(self, number: int) -> bool:
        """Whether a value vanishes for every mechanism."""
        ...


@dataclass(frozen=True, slots=True)
class LowRank:
    """L C R: R goes into a space of no body, C stays there, L comes out of it."""

    L: Expr
    C: Expr
    R: Expr

    @property
    def whole(self) -> Expr:
        """The product."""
        return matmul(self.L, self.C, self.R)

    @property
    def B(self) -> Expr:
        """What makes a force of the unknown that S solves for."""
        return one(self.L.type.domain >> self.L.type.domain) if self.C.structure.definite else self.C

    @property
    def d(self) -> Expr:
        """What stands on the diagonal of S."""
        return inv(self.C) if self.C.structure.definite else one(self.C.type.domain >> self.C.type.domain)


@dataclass(frozen=True, slots=True)
class Bordered:
    """An operator as tree + Σ L C R."""

    tree: Expr
    low: tuple[LowRank, ...] = ()

    @property
    def whole(self) -> Expr:
        """The sum."""
        return add(self.tree, *(term.whole for term in self.low))


@dataclass(frozen=True, slots=True)
class Opened:
    """The parts of an inverse: A, the terms, the columns A L, the rows (R A)*, S and its inverse as symbols."""

    tree: Expr
    terms: tuple[LowRank, ...]
    columns: tuple[Expr, ...]
    rows: tuple[Expr, ...]
    S: Expr
    inverse: Expr
    origin: Expr
    """The formula of S⁻¹."""

    @property
    def determinants(self) -> tuple[Expr, ...]:
        """The small operators by whose determinants that of A⁻¹ grows."""
        return (*(term.C for term in self.terms if term.C.structure.definite), self.S)


def opened(lift: Lift, body: Bordered) -> Steps[Opened]:
    """Compute the parts of the inverse of a sum."""
    graph, tree, terms = lift.graph, inv(body.tree), body.low
    columns: list[Expr] = []
    rows: list[Expr] = []
    for term in terms:
        column = yield computed(lift, matmul(tree, term.L))
        row = yield computed(lift, matmul(term.R, tree).T)
        columns.append(column)
        rows.append(row)
    mirrored = tree.structure.symmetric and all(t.C.structure.definite and t.R == t.L.T for t in terms)
    couplings: dict[tuple[int, int], Ref] = {}
    for i, term in enumerate(terms):
        for j, other in enumerate(terms):
            if mirrored and j < i:
                couplings[i, j] = couplings[j, i].T
                continue
            response = yield computed(lift, matmul(term.R, columns[j]))
            coupling = matmul(response, other.B)
            coupling = add(term.d, coupling) if i == j else coupling
            number = yield lift.apply(coupling, lift.identity(coupling.type.domain))
            couplings[i, j] = Ref(number)
    places = range(len(terms))
    number = stacked(lift, [[couplings[i, j] for j in places] for i in places])
    type_ = graph[number].type
    first = terms[0]
    alone = add(first.d, matmul(first.R, tree, first.L, first.B))
    origin = inv(alone if len(terms) == 1 else body.whole)
    inverse = graph.new(Type(type_.codomain, type_.domain), Invert(Ref(number)), origin=origin)
    return Opened(tree, terms, tuple(columns), tuple(rows), bound(lift, number), bound(lift, inverse), origin)


@dataclass(frozen=True, slots=True)
class Solution:
    """A vector y with A⁻¹ y + Σ L B u = x and R y = d u for each term; the unknowns u, and the forces B u."""

    y: int
    unknowns: tuple[int, ...]
    forces: tuple[int, ...]


def solved(lift: Lift, parts: Opened, x: int) -> Steps[Solution]:
    """The inverse applied to a vector: S u = R A x, y = A (x − Σ L B u)."""
    motions: list[int] = []
    for term, row in zip(parts.terms, parts.rows, strict=True):
        # As a sum that A x drives it takes no sweep once it is transposed; where that is not done, rows are there.
        seen = row.T if lift.graph.refines else matmul(term.R, parts.tree)
        motion = yield lift.apply(seen, x)
        motions.append(motion)
    unknowns, forces = yield _forces(lift, parts, motions)
    for term, force in zip(parts.terms, forces, strict=True):
        load = yield lift.apply(term.L, force)
        x = lift.graph.sum(lift.graph[x].type, RING.minus(lift.inline(x), lift.inline(load)))
    y = yield lift.apply(parts.tree, x)
    return Solution(y, unknowns, forces)


def refined(lift: Lift, parts: Opened, first: Solution) -> Steps[Solution]:
    """One step of refinement: what y and u leave of R y = d u is small, however large the terms of y were.

    S δu = R y − d u, δy = −Σ A L B δu. What y leaves of its own equation needs no second step: it is what A rounds.
    """
    graph, gaps = lift.graph, list[int]()
    # Of twice y nothing is known but y: what y was solved with stands in no equation of it.
    twice = graph.sum(graph[first.y].type, RING.scaled(Fraction(2), RING.of(Ref(first.y))))
    for term, unknown in zip(parts.terms, first.unknowns, strict=True):
        motion = yield lift.apply(term.R, twice)
        given = yield lift.apply(term.d, unknown)
        left = RING.minus(RING.scaled(UNIT / 2, lift.inline(motion)), lift.inline(given))
        gaps.append(graph.sum(graph[motion].type, left))
    unknowns, forces = yield _forces(lift, parts, gaps)
    found = [RING.of(Ref(first.y))]
    for column, force in zip(parts.columns, forces, strict=True):
        response = yield lift.apply(column, force)
        found.append(RING.scaled(-UNIT, lift.inline(response)))
    return Solution(
        graph.sum(graph[first.y].type, RING.sum(found)),
        tuple(_added(lift, pair) for pair in zip(first.unknowns, unknowns, strict=True)),
        tuple(_added(lift, pair) for pair in zip(first.forces, forces, strict=True)),
    )


def _forces(lift: Lift, parts: Opened, motions: Sequence[int]) -> Steps[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The unknowns u = S⁻¹ r, term by term, and the forces B u."""
    unknown = yield lift.apply(parts.inverse, stacked(lift, [[Ref(number)] for number in motions]))
    unknowns: list[int] = []
    forces: list[int] = []
    for i, term in enumerate(parts.terms):
        own = unknown
        if len(parts.terms) > 1:
            columns = lift.graph[unknown].type.domain
            own = lift.graph.new(Type(columns, term.B.type.domain), Part(Ref(unknown), i))
        force = yield lift.apply(term.B, own)
        unknowns.append(own)
        forces.append(force)
    return tuple(unknowns), tuple(forces)


def _added(lift: Lift, numbers: tuple[int, int]) -> int:
    return lift.graph.sum(lift.graph[numbers[0]].type, RING.sum([lift.inline(number) for number in numbers]))


def closed(lift: Lift, parts: Opened) -> Steps[Bordered]:
    """The inverse as tree-local part and one term of low rank."""
    columns: list[Ref] = []
    rows: list[Ref] = []
    for term, column, row in zip(parts.terms, parts.columns, parts.rows, strict=True):
        force = yield lift.apply(matmul(column, term.B), lift.identity(term.B.type.domain))
        motion = yield lift.apply(row, lift.identity(row.type.domain))
        columns.append(Ref(force))
        rows.append(Ref(motion))
    column, row = (bound(lift, stacked(lift, [refs])) for refs in (columns, rows))
    return Bordered(parts.tree, (LowRank(column, scale(-1, parts.inverse), row.T),))


def stacked(lift: Lift, rows: Sequence[Sequence[Ref]]) -> int:
    """Blocks beside and on top of each other as one value; a block alone is itself."""
    if len(rows) == len(rows[0]) == 1:
        return rows[0][0].value
    types = [[lift.graph.type_of(ref) for ref in row] for row in rows]
    type_ = Type(direct_sum(cell.domain for cell in types[0]), direct_sum(row[0].codomain for row in types))
    return lift.graph.new(
        type_, Stack(tuple(tuple(None if lift.is_zero(ref.value) else ref for ref in row) for row in rows))
    )


def computed(lift: Lift, e: Expr) -> Steps[Expr]:
    """A symbol for the value of an expression that starts in a space of no body."""
    number = yield lift.apply(e, lift.identity(e.type.domain))
    return bound(lift, number)


def bound(lift: Lift, number: int) -> Expr:
    """A symbol that stands for a value."""
    known = symbol(f"value_{number}", lift.graph[number].type, Structure("full"), "bound")
    lift.bound[known] = number
    return known
