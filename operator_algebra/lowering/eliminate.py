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
from operator_algebra.expressions.words import Word
from operator_algebra.lowering import refuse
from operator_algebra.lowering.components import Component, components, local_cycle
from operator_algebra.lowering.graph import RING, Form, Graph, alone, as_terms
from operator_algebra.lowering.localsystem import Coefficients, LocalSystem, local_system
from operator_algebra.lowering.relations import has_no_local_term, relate
from operator_algebra.lowering.values import Unknown, Value
from operator_algebra.operators.spaces import Space, Type, direct_sum
from operator_algebra.programs.instructions import Invert, Linear, Part, Shift, Stack
from operator_algebra.programs.records import Ref

UNIT = Fraction(1)
COUPLED = 1024
"""Unknowns that one body solves for at once: the pivot has the square of as many blocks."""


def eliminate(graph: Graph) -> None:
    """Replace every coupled component by recurrences that run one way; refuse what has no such form.

    The orthogonal method eliminates by relations, which need no local pivots.
    """
    eliminated(graph, keep_unknowns=False)


def eliminated(graph: Graph, *, keep_unknowns: bool) -> tuple[Ref, ...]:
    """Eliminate, and tell the pivots; `keep_unknowns` is for determinants."""
    pivots: list[Ref] = []
    order = list(components(graph))
    graph.coupled = tuple("".join(sorted(component.labels)) for component in order if not component.trivial)
    for component in order:
        for number in component.members:
            origin = graph[number].origin
            if isinstance(graph[number].definition, Unknown) and origin is not None:
                graph.eliminated[origin] = None
        if component.trivial and not isinstance(graph[component.members[0]].definition, Unknown):
            continue
        pivots += _eliminate_component(graph, component, keep_unknowns)
    return tuple(pivots)


def _eliminate_component(graph: Graph, component: Component, keep_unknowns: bool) -> list[Ref]:
    members = component.members
    vectors = [n for n in members if graph[n].is_vector]
    has_unknown = any(isinstance(graph[n].definition, Unknown) for n in members)
    both = {"U", "D"} <= component.labels
    cycle = local_cycle(graph, members)
    if len(vectors) != len(members):
        name = _name(graph, (n for n in members if not graph[n].is_vector))
        if vectors:
            raise NotLowerable(refuse.nonlinear(name))
        if cycle:
            raise NotLowerable(refuse.same_body(_name(graph, cycle)))
        if both:
            raise NotLowerable(refuse.both_ways(name))
        return []
    if "R" in component.labels or any(not graph[n].attached for n in members):
        raise NotLowerable(refuse.reduced_loop(_name(graph, members)))
    if (has_unknown or both or cycle) and (graph.method == "orthogonal" or has_no_local_term(graph, members)):
        return [relate(graph, members)]
    if has_unknown or both or cycle:
        system = local_system(graph, members, keep_unknowns=keep_unknowns)
        elimination = Elimination(graph, system)
        elimination.run()
        return [*system.leaves, *([] if elimination.pivot is None else [elimination.pivot])]
    return []


def _name(graph: Graph, members: Iterable[int]) -> str:
    """What the user calls some values: the name of the first that has one, else the formula of the first."""
    values = [graph[number] for number in members]
    return next((value for value in values if value.names), values[0]).called


@dataclass
class _Affine:
    """v = Σ coefficient[key] key + constant, over tears and outward shifts."""

    coefficients: Coefficients = field(default_factory=Coefficients)
    constant: Form = field(default_factory=dict[Word[int, Ref], Fraction])


class Elimination:
    """The local elimination of one system; `inputs` are further vectors kept as parameters, for queries."""

    def __init__(self, graph: Graph, system: LocalSystem, inputs: Iterable[int] = ()) -> None:
        self.graph = graph
        self.system = system
        self.columns = graph[next(iter(system.members))].type.domain
        self.keys = tuple(system.pulls if system.mixed else ()) + tuple(inputs)
        self.known: dict[int, _Affine] = {}
        self.arriving: dict[int, Ref] = {}
        self.epsilon: int | None = None
        self.inverse: Ref | None = None
        self.pivot: Ref | None = None

    def run(self) -> None:
        """Replace the component by recurrences that run one way."""
        system, graph = self.system, self.graph
        finals = {n: self.final(n) for n in system.order} if system.mixed else {}
        nu = self.solve()
        self.put_tears(nu)
        if system.mixed:
            self.messages()
            for number, definition in finals.items():
                graph.put(number, replace(graph[number], definition=definition))
            return
        for number in system.order:
            if isinstance(graph[number].definition, Unknown):
                graph.put(number, replace(graph[number], definition=self.final(number)))

    def space(self, number: int) -> Space:
        """Where a vector lives."""
        return self.graph[number].type.codomain

    def block(self, form: Form, type_: Type) -> Form:
        """A block coefficient with at most one factor: longer products and sums get a value."""
        if not form or (len(form) == 1 and all(len(factors) <= 1 for _, factors in form)):
            return form
        return RING.of(Ref(self.graph.sum(type_, form)))

    def affine(self, number: int) -> _Affine:
        """A vector in terms of tears and parameters."""
        if number in self.keys or number in self.system.tears:
            return _Affine({number: RING.of()})
        return self.known.get(number) or _Affine(constant=RING.of(Ref(number)))

    def combine(self, equation: Coefficients, space: Space) -> _Affine:
        """Substitute the known members into an equation."""
        found: dict[int, list[Form]] = {}
        constant: list[Form] = []
        for source, raw in equation.items():
            prefix = self.prefix(source, raw, space)
            inner = self.affine(source)
            for key, form in inner.coefficients.items():
                found.setdefault(key, []).append(RING.product((prefix, form)))
            constant.append(RING.product((prefix, inner.constant)))
        return _Affine(
            {key: self.block(RING.sum(parts), Type(self.space(key), space)) for key, parts in found.items()},
            RING.sum(constant),
        )

    def prefix(self, source: int, form: Form, space: Space) -> Form:
        """What stands in front of a vector in an equation, as one product."""
        return self.block(form, Type(self.space(source), space)) if len(form) > 1 else form

    def solve(self) -> Form:
        """Express every member by the tears, then the tears by the parameters; returns what the tears are."""
        system, graph = self.system, self.graph
        for i, j in system.X:
            type_ = Type(self.space(system.source(j)), self.space(i))
            graph.put(system.X[i, j], Value(type_, Linear(())))
        for number in system.order:
            affine = self.combine(system.equations[number], self.space(number))
            if affine.constant:
                constant = graph.sum(Type(self.columns, self.space(number)), affine.constant)
                affine.constant = RING.of(Ref(constant))
            self.known[number] = affine
        return self.solve_tears() if system.tears else {}

    def final(self, number: int) -> Linear:
        """What a member is once the tears and the parent are known: its own equation, coefficients collected."""
        inside: list[Form] = []
        outside: list[Form] = []
        own = {*self.system.members, *self.system.z.values()}
        for source, raw in self.system.equations[number].items():
            product = RING.product((self.prefix(source, raw, self.space(number)), RING.of(Ref(source))))
            (inside if source in own else outside).append(product)
        known = RING.sum(outside)
        if len(known) > 1:
            known = RING.of(Ref(self.graph.sum(Type(self.columns, self.space(number)), known)))
        return Linear(as_terms(RING.sum((*inside, known))))

    @property
    def tear_space(self) -> Space:
        """The space of all tears, stacked."""
        return direct_sum(self.space(t) for t in self.system.tears)

    def solve_tears(self) -> Form:
        """Pivot D, its inverse, ε and the R_j; y = D⁻¹ ε − Σ D⁻¹ R_j β_j."""
        system, graph, tears = self.system, self.graph, self.system.tears
        if len(tears) > COUPLED:
            raise NotLowerable(refuse.too_coupled(len(tears), COUPLED, system.residuals[0][0].called))
        self.pair_residuals()
        rows = [self.row_space(k) for k in range(len(tears))]
        residuals = [self.combine(equation, space) for (_, equation), space in zip(system.residuals, rows, strict=True)]
        row_space = direct_sum(rows)
        grid = [[affine.coefficients.get(t, {}) for t in tears] for affine in residuals]
        self.pivot = self.stack(grid, Type(self.tear_space, row_space), rows, [self.space(t) for t in tears])
        if self.pivot is None or graph[self.pivot.value].definition == Linear(()):
            raise NotLowerable(refuse.no_pivot(system.residuals[0][0].called))
        origin = graph[tears[0]].origin
        self.inverse = Ref(graph.new(Type(row_space, self.tear_space), Invert(self.pivot), origin=origin))
        negative = [RING.scaled(-UNIT, affine.constant) for affine in residuals]
        self.epsilon = self.stack_vector(negative, rows, row_space)
        parts: list[Form] = []
        if self.epsilon is not None:
            nu = graph.sum(Type(self.columns, self.tear_space), RING.of(self.inverse, Ref(self.epsilon)))
            parts.append(RING.of(Ref(nu)))
        for i in system.gathers if system.mixed else ():
            self.gain(system.source(i))
        for key in self.keys:
            column = [[affine.coefficients.get(key, {})] for affine in residuals]
            R_j = self.stack(column, Type(self.space(key), row_space), rows, [self.space(key)])
            if R_j is not None:
                self.arriving[key] = R_j
                F_j = graph.sum(Type(self.space(key), self.tear_space), RING.of(self.inverse, R_j))
                parts.append(RING.scaled(-UNIT, RING.of(Ref(F_j), Ref(key))))
        return RING.sum(parts)

    def gain(self, number: int) -> Ref | None:
        """G = v[T] D⁻¹ of a member; None if it does not depend on the tears."""
        tears, space = self.system.tears, self.space(number)
        if not tears or self.inverse is None:
            return None
        row = [[self.affine(number).coefficients.get(t, {}) for t in tears]]
        through = self.stack(row, Type(self.tear_space, space), [space], [self.space(t) for t in tears])
        if through is None:
            return None
        row_space = self.graph.type_of(self.inverse).domain
        return Ref(self.graph.sum(Type(row_space, space), RING.of(through, self.inverse)))

    def response(self, number: int, key: int) -> Form:
        """How a member answers to a parameter once the tears are eliminated: v[key] − v[T] D⁻¹ R_key."""
        own = self.affine(number).coefficients.get(key, {})
        gain = self.gain(number)
        if gain is None or key not in self.arriving:
            return own
        return RING.minus(own, RING.of(gain, self.arriving[key]))

    def pair_residuals(self) -> None:
        """Order the residuals so that each stands in the row of a tear of its size."""
        # Diagonal blocks are inverted one after the other, so each has to be square. In another order the blocks could
        # be rectangular although the whole is square.
        left = [(self.row_space(k), residual) for k, residual in enumerate(self.system.residuals)]
        paired: list[tuple[Value, Coefficients]] = []
        for tear in self.system.tears:
            sizes = self.space(tear).sizes
            chosen = next((entry for entry in left if entry[0].sizes == sizes), left[0])
            left.remove(chosen)
            paired.append(chosen[1])
        self.system.residuals[:] = paired

    def row_space(self, k: int) -> Space:
        """The space of the k-th residual, from any of its terms."""
        _, equation = self.system.residuals[k]
        for source, form in equation.items():
            for _, factors in form:
                return self.graph.type_of(factors[0]).codomain if factors else self.space(source)
        raise NotLowerable(refuse.no_pivot(self.system.residuals[k][0].called))

    def put_tears(self, solved: Form) -> None:
        """Define the tears by what was solved for."""
        graph, tears, terms = self.graph, self.system.tears, as_terms(solved)
        if len(tears) == 1:
            graph.put(tears[0], replace(graph[tears[0]], definition=Linear(terms)))
        elif tears:
            stacked = graph.new(Type(self.columns, self.tear_space), Linear(terms))
            for index, tear in enumerate(tears):
                graph.put(tear, replace(graph[tear], definition=Part(Ref(stacked), index)))

    def stack(self, grid: list[list[Form]], type_: Type, rows: list[Space], columns: list[Space]) -> Ref | None:
        """A block matrix of coefficients as one value; None if all are zero."""
        if len(rows) == len(columns) == 1 and (bare := alone(grid[0][0])) is not None:
            return bare
        cells = tuple(
            tuple(
                Ref(self.graph.sum(Type(column, space), form)) if form else None
                for form, column in zip(row, columns, strict=True)
            )
            for row, space in zip(grid, rows, strict=True)
        )
        if all(cell is None for row in cells for cell in row):
            return None
        return cells[0][0] if len(rows) == len(columns) == 1 else Ref(self.graph.new(type_, Stack(cells)))

    def stack_vector(self, rows: list[Form], spaces: list[Space], total: Space) -> int | None:
        """Vectors on top of each other; None if all are zero."""
        numbers = [
            self.graph.sum(Type(self.columns, space), form) if form else None
            for form, space in zip(rows, spaces, strict=True)
        ]
        if all(number is None for number in numbers):
            return None
        if len(numbers) == 1:
            return numbers[0]
        cells = tuple((None if number is None else Ref(number),) for number in numbers)
        return self.graph.new(Type(self.columns, total), Stack(cells))

    def carry(self, i: int, j: int) -> None:
        """X_ij = Σ_c U_i Π_ij D_j, with the response Π_ij that body k sends to its parent."""
        graph, source = self.graph, self.system.source(i)
        Pi = graph.sum(Type(self.space(j), self.space(source)), self.response(source, j))
        number = self.system.X[i, j]
        graph.put(number, replace(graph[number], definition=Shift(self.system.hop(i), Ref(Pi), self.system.hop(j))))

    def messages(self) -> None:
        """The responses Π_ij and the constants ζ_i."""
        system, graph = self.system, self.graph
        for i in system.gathers:
            source = system.source(i)
            constant = self.affine(source).constant
            gain = self.gain(source)
            if gain is not None and self.epsilon is not None:
                constant = RING.sum((constant, RING.of(gain, Ref(self.epsilon))))
            zeta = graph.sum(Type(self.columns, self.space(source)), constant)
            graph.put(system.z[i], Value(graph[i].type, Shift(system.hop(i), Ref(zeta))))
        for i, j in system.X:
            self.carry(i, j)
