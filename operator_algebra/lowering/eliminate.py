"""Elimination tips first: a component that runs both ways becomes an inward and an outward recurrence.

At body k the children answer u_i = Σ_j Π_ij β_j + ζ_i to what arrives from the parent. Solving the local equations
for the torn unknowns, with pivot D, gives the answer of k:
    G_i = s_i[T] D⁻¹,   F_j = D⁻¹ R_j,   Π_ij = s_i[β_j] − G_i R_j,   ζ_i = s_i[1] + G_i ε,   y = D⁻¹ ε − Σ F_j β_j.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering import refuse
from operator_algebra.lowering.components import Component, components, local_cycle
from operator_algebra.lowering.localsystem import Coefficients, LocalSystem, local_system
from operator_algebra.lowering.values import (
    Graph,
    Invert,
    Linear,
    Part,
    Ref,
    Shift,
    Stack,
    Term,
    Unknown,
    Value,
)
from operator_algebra.operators.spaces import Space, Type

UNIT = Fraction(1)
IDENTITY = [Term(UNIT, ())]


def eliminate(graph: Graph) -> tuple[Expr, ...]:
    """Replace every coupled component by recurrences that run one way; returns the inverses that were eliminated."""
    found: dict[Expr, None] = {}
    for component in list(components(graph)):
        for number in component.members:
            origin = graph[number].origin
            if isinstance(graph[number].definition, Unknown) and origin is not None:
                found[origin] = None
        if component.trivial and not isinstance(graph[component.members[0]].definition, Unknown):
            continue
        _eliminate_component(graph, component)
    return tuple(found)


def _eliminate_component(graph: Graph, component: Component) -> None:
    members = component.members
    vectors = [n for n in members if graph[n].is_vector]
    has_unknown = any(isinstance(graph[n].definition, Unknown) for n in members)
    both = {"U", "D"} <= component.labels
    cycle = local_cycle(graph, members)
    if len(vectors) != len(members):
        name = _name(graph, next(n for n in members if not graph[n].is_vector))
        if vectors:
            raise NotLowerable(refuse.nonlinear(name))
        if cycle:
            raise NotLowerable(refuse.same_body(_name(graph, cycle[0])))
        if both:
            raise NotLowerable(refuse.both_ways(name))
        return
    if "R" in component.labels or any(not graph[n].attached for n in members):
        raise NotLowerable(refuse.reduced_loop(_name(graph, members[0])))
    if has_unknown or both or cycle:
        _Elimination(graph, local_system(graph, members)).run()


def _name(graph: Graph, number: int) -> str:
    value = graph[number]
    return value.names[0] if value.names else str(value.origin)


def direct_sum(spaces: Iterable[Space]) -> Space:
    """The space of stacked blocks."""
    listed = tuple(spaces)
    if len(listed) == 1:
        return listed[0]
    return Space(
        " ⊕ ".join(space.name for space in listed),
        " ⊕ ".join(space.dual_name for space in listed),
        "+".join(space.sizes for space in listed),
    )


@dataclass
class _Affine:
    """v = Σ coefficient[key] key + constant, over tears and outward shifts."""

    coefficients: Coefficients = field(default_factory=Coefficients)
    constant: list[Term] = field(default_factory=list[Term])


class _Elimination:
    def __init__(self, graph: Graph, system: LocalSystem) -> None:
        self.graph = graph
        self.system = system
        self.columns = graph[next(iter(system.members))].type.domain
        self.parameters = set(system.tears) | (set(system.pulls) if system.mixed else set[int]())
        self.known: dict[int, _Affine] = {}

    def space(self, number: int) -> Space:
        return self.graph[number].type.codomain

    def block(self, terms: list[Term], type_: Type) -> list[Term]:
        """A block coefficient with at most one factor: longer products and sums get a value."""
        if not terms or (len(terms) == 1 and len(terms[0].factors) <= 1):
            return terms
        return [Term(UNIT, (Ref(self.graph.linear(type_, terms)),))]

    def affine(self, number: int) -> _Affine:
        if number in self.parameters:
            return _Affine({number: IDENTITY})
        return self.known.get(number) or _Affine(constant=[Term(UNIT, (Ref(number),))])

    def combine(self, equation: Coefficients, space: Space) -> _Affine:
        """Substitute the known members into an equation."""
        result = _Affine()
        for source, raw in equation.items():
            prefix = self.block(raw, Type(self.space(source), space)) if len(raw) > 1 else raw
            inner = self.affine(source)
            for key, terms in inner.coefficients.items():
                result.coefficients.setdefault(key, []).extend(_compose(prefix, terms))
            result.constant.extend(_compose(prefix, inner.constant))
        for key, terms in result.coefficients.items():
            result.coefficients[key] = self.block(terms, Type(self.space(key), space))
        return result

    def constant(self, terms: list[Term], space: Space) -> list[Term]:
        """A constant part with one term: longer sums get a value."""
        if not terms:
            return terms
        number = self.graph.linear(Type(self.columns, space), terms)
        return [Term(UNIT, (Ref(number),))]

    def run(self) -> None:
        system, graph = self.system, self.graph
        for i, j in system.X:
            type_ = Type(self.space(system.source(j)), self.space(i))
            graph.put(system.X[i, j], Value(type_, Linear(())))
        finals = {n: self.final(n) for n in system.order if system.mixed or n not in system.members}
        for number in system.order:
            affine = self.combine(system.equations[number], self.space(number))
            affine.constant = self.constant(affine.constant, self.space(number))
            self.known[number] = affine
        gains = self.solve_tears() if system.tears else {}
        if system.mixed:
            self.messages(gains)
            for number, definition in finals.items():
                graph.put(number, replace(graph[number], definition=definition))
        else:
            for number in system.order:
                if isinstance(graph[number].definition, Unknown):
                    graph.put(number, replace(graph[number], definition=self.final(number)))

    def final(self, number: int) -> Linear:
        """What a member is once the tears and the parent are known: its own equation, coefficients collected."""
        terms: list[Term] = []
        for source, raw in self.system.equations[number].items():
            prefix = self.block(raw, Type(self.space(source), self.space(number))) if len(raw) > 1 else raw
            terms.extend(_compose(prefix, [Term(UNIT, (Ref(source),))]))
        return Linear(tuple(terms))

    def solve_tears(self) -> dict[str, object]:
        system, graph = self.system, self.graph
        tears = system.tears
        rows = [self.row_space(k) for k in range(len(tears))]
        residuals = [self.combine(equation, space) for (_, equation), space in zip(system.residuals, rows, strict=True)]
        tear_space, row_space = direct_sum(self.space(t) for t in tears), direct_sum(rows)
        pivot = self.stack(
            [[affine.coefficients.get(t, []) for t in tears] for affine in residuals],
            Type(tear_space, row_space),
            rows,
            [self.space(t) for t in tears],
        )
        if pivot is None:
            raise NotLowerable(refuse.no_pivot(system.residuals[0][0]))
        inverse = Ref(graph.new(Type(row_space, tear_space), Invert(pivot), origin=graph[tears[0]].origin))
        negative = [[t.scaled(Fraction(-1)) for t in affine.constant] for affine in residuals]
        epsilon = self.stack_vector(negative, rows, row_space)
        terms: list[Term] = []
        if epsilon is not None:
            nu = graph.linear(Type(self.columns, tear_space), [Term(UNIT, (inverse, Ref(epsilon)))])
            terms.append(Term(UNIT, (Ref(nu),)))
        gains: dict[int, Ref] = {}
        for i in system.gathers if system.mixed else ():
            message = self.affine(system.source(i))
            row = [[message.coefficients.get(t, []) for t in tears]]
            space = self.space(system.source(i))
            through = self.stack(row, Type(tear_space, space), [space], [self.space(t) for t in tears])
            if through is not None:
                gains[i] = Ref(graph.linear(Type(row_space, space), [Term(UNIT, (through, inverse))]))
        arriving: dict[int, Ref] = {}
        for j in system.pulls if system.mixed else ():
            column = [[affine.coefficients.get(j, [])] for affine in residuals]
            R_j = self.stack(column, Type(self.space(j), row_space), rows, [self.space(j)])
            if R_j is not None:
                arriving[j] = R_j
                F_j = graph.linear(Type(self.space(j), tear_space), [Term(UNIT, (inverse, R_j))])
                terms.append(Term(Fraction(-1), (Ref(F_j), Ref(j))))
        self.put_tears(tuple(terms), tear_space)
        return {"gains": gains, "arriving": arriving, "epsilon": epsilon}

    def row_space(self, k: int) -> Space:
        """The space of the k-th residual, from any of its terms."""
        _, equation = self.system.residuals[k]
        for source, terms in equation.items():
            first = terms[0].factors
            return self.graph.type_of(first[0]).codomain if first else self.space(source)
        raise NotLowerable(refuse.no_pivot(self.system.residuals[k][0]))

    def put_tears(self, terms: tuple[Term, ...], space: Space) -> None:
        graph, tears = self.graph, self.system.tears
        if len(tears) == 1:
            graph.put(tears[0], replace(graph[tears[0]], definition=Linear(terms)))
            return
        stacked = graph.new(Type(self.columns, space), Linear(terms))
        for index, tear in enumerate(tears):
            graph.put(tear, replace(graph[tear], definition=Part(Ref(stacked), index)))

    def stack(self, grid: list[list[list[Term]]], type_: Type, rows: list[Space], columns: list[Space]) -> Ref | None:
        """A block matrix of coefficients as one value; None if all are zero."""
        cells: list[tuple[Ref | None, ...]] = []
        for row, row_space in zip(grid, rows, strict=True):
            cells.append(
                tuple(
                    Ref(self.graph.linear(Type(column, row_space), terms)) if terms else None
                    for terms, column in zip(row, columns, strict=True)
                )
            )
        if all(cell is None for row in cells for cell in row):
            return None
        if len(cells) == 1 and len(cells[0]) == 1:
            terms = grid[0][0]
            bare = terms[0].bare if len(terms) == 1 else None
            return bare if bare is not None else cells[0][0]
        return Ref(self.graph.new(type_, Stack(tuple(cells))))

    def stack_vector(self, rows: list[list[Term]], spaces: list[Space], total: Space) -> int | None:
        numbers = [
            self.graph.linear(Type(self.columns, space), terms) if terms else None
            for terms, space in zip(rows, spaces, strict=True)
        ]
        if all(number is None for number in numbers):
            return None
        if len(numbers) == 1:
            return numbers[0]
        cells = tuple((None if number is None else Ref(number),) for number in numbers)
        return self.graph.new(Type(self.columns, total), Stack(cells))

    def messages(self, solved: dict[str, object]) -> None:
        """The response Π_ij and the constant ζ_i that body k sends to its parent."""
        system, graph = self.system, self.graph
        gains: dict[int, Ref] = solved.get("gains", {})  # pyright: ignore[reportAssignmentType]
        arriving: dict[int, Ref] = solved.get("arriving", {})  # pyright: ignore[reportAssignmentType]
        epsilon = solved.get("epsilon")
        for i in system.gathers:
            source = system.source(i)
            message, space = self.affine(source), self.space(source)
            hop = graph[i].definition
            assert isinstance(hop, Shift)
            constant = list(message.constant)
            if i in gains and isinstance(epsilon, int):
                constant.append(Term(UNIT, (gains[i], Ref(epsilon))))
            zeta = graph.linear(Type(self.columns, space), constant)
            graph.put(system.z[i], Value(graph[i].type, Shift(hop.hop, Ref(zeta))))
            for j in system.pulls:
                if (i, j) not in system.X:
                    continue
                terms = list(message.coefficients.get(j, []))
                if i in gains and j in arriving:
                    terms.append(Term(Fraction(-1), (gains[i], arriving[j])))
                Pi = graph.linear(Type(self.space(j), space), terms)
                pull = graph[j].definition
                assert isinstance(pull, Shift)
                number = system.X[i, j]
                graph.put(number, replace(graph[number], definition=Shift(hop.hop, Ref(Pi), pull.hop)))


def _compose(prefix: list[Term], terms: list[Term]) -> list[Term]:
    return [
        Term(p.coefficient * t.coefficient, p.factors + t.factors, tuple(sorted(p.scalars + t.scalars)))
        for p in prefix
        for t in terms
    ]
