"""The equations of one coupled component at one body: what couples what, which unknowns to tear, and in what order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from operator_algebra.errors import NotLowerable
from operator_algebra.expressions.build import inv
from operator_algebra.lowering import refuse
from operator_algebra.lowering.components import strongly_connected
from operator_algebra.lowering.graph import RING, Form, Graph, alone, as_form
from operator_algebra.lowering.values import Unknown, Value
from operator_algebra.operators.spaces import Type
from operator_algebra.programs.instructions import Given, Hop, Invert, Linear, Shift
from operator_algebra.programs.records import Ref, Term

Coefficients = dict[int, Form]
"""For each vector read, the block coefficient in front of it."""
UNIT = Fraction(1)


@dataclass
class LocalSystem:
    """One component at one body.

    `equations` gives every explicit member as coefficients of vectors; `residuals` are the equations 0 = … of the
    tears, each with the value that it comes from. In a component that runs both ways an inward shift is
    Σ_j X_ij d_j + z_i, with X and z coming from the children, and an outward shift β_j is a parameter; otherwise shifts
    are known vectors.
    """

    graph: Graph
    members: frozenset[int]
    gathers: tuple[int, ...] = ()
    pulls: tuple[int, ...] = ()
    equations: dict[int, Coefficients] = field(default_factory=dict[int, Coefficients])
    residuals: list[tuple[Value, Coefficients]] = field(default_factory=list[tuple[Value, Coefficients]])
    tears: list[int] = field(default_factory=list[int])
    leaves: list[Ref] = field(default_factory=list[Ref])
    """The definite leaves by which unknowns were solved for."""
    order: list[int] = field(default_factory=list[int])
    X: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    z: dict[int, int] = field(default_factory=dict[int, int])
    mixed: bool = False
    shifts: dict[int, Shift] = field(default_factory=dict[int, Shift])

    def source(self, shift: int) -> int:
        """What a shift carries."""
        return self.shifts[shift].source.value

    def hop(self, shift: int) -> Hop:
        """The leaf that a shift passes."""
        return self.shifts[shift].hop

    def coefficients(self, terms: tuple[Term, ...]) -> Coefficients:
        """Collect the terms of a sum by the vector that they end in."""
        found: dict[int, list[Term]] = {}
        for term in terms:
            if not term.factors:
                raise NotLowerable(refuse.nonlinear(self.graph[next(iter(self.members))].formula))
            found.setdefault(term.factors[-1].value, []).append(Term(term.coefficient, term.factors[:-1], term.scalars))
        return {source: as_form(prefixes) for source, prefixes in found.items()}


def local_system(
    graph: Graph, members: tuple[int, ...], *, always: bool = False, keep_unknowns: bool = False
) -> LocalSystem:
    """Set up, tear and order the equations of a component.

    `always` treats it as one that runs both ways; `keep_unknowns` solves no equation beforehand, so that the pivots
    make up the determinant with its sign.
    """
    definitions = ((n, graph[n].definition) for n in members)
    # Kept, because elimination replaces a shift that is torn.
    shifts = {n: definition for n, definition in definitions if isinstance(definition, Shift)}
    system = LocalSystem(
        graph,
        frozenset(members),
        tuple(n for n, shift in shifts.items() if shift.hop.inward),
        tuple(n for n, shift in shifts.items() if not shift.hop.inward),
        shifts=shifts,
    )
    system.mixed = always or bool(system.gathers and system.pulls)
    unknowns: list[int] = []
    implicit: list[tuple[Value, Coefficients]] = []
    for number in members:
        definition = graph[number].definition
        if isinstance(definition, Unknown):
            unknowns.append(number)
            implicit.append((graph[number], system.coefficients(definition.terms)))
        elif isinstance(definition, Linear):
            system.equations[number] = system.coefficients(definition.terms)
        elif not isinstance(definition, Shift):
            raise NotLowerable(refuse.reduced_loop(_origin(graph, members)))
    if keep_unknowns:
        system.residuals.extend(implicit)
    else:
        _solve_trivial(system, unknowns, implicit)
    if system.mixed:
        _substitute_gathers(system, unknowns)
    feedback = _feedback(system, set(unknowns))
    if feedback:
        _solve_definite(system, unknowns, feedback)
    system.tears = unknowns + feedback
    for tear in system.tears[len(unknowns) :]:
        equation = {source: RING.scaled(-UNIT, form) for source, form in system.equations[tear].items()}
        _add(equation, tear, RING.of())
        system.residuals.append((graph[tear], equation))
    system.order = _order(system, set(system.tears))
    return system


def _add(equation: Coefficients, source: int, form: Form) -> None:
    """Add to the coefficient of a vector."""
    known = equation.get(source)
    equation[source] = form if known is None else RING.sum((known, form))


def _origin(graph: Graph, members: tuple[int, ...]) -> str:
    inverses = [graph[n].formula for n in members if isinstance(graph[n].definition, Unknown)]
    return inverses[0] if inverses else "the formula"


def _solve_trivial(system: LocalSystem, unknowns: list[int], implicit: list[tuple[Value, Coefficients]]) -> None:
    """An equation that contains ± an unknown by itself defines it; the others become residuals."""
    for origin, equation in implicit:
        chosen = next((u for u in unknowns if _unit_coefficient(equation.get(u)) is not None), None)
        if chosen is None:
            system.residuals.append((origin, equation))
            continue
        factor = _unit_coefficient(equation[chosen])
        assert factor is not None
        unknowns.remove(chosen)
        system.equations[chosen] = {
            source: RING.scaled(-1 / factor, form) for source, form in equation.items() if source != chosen
        }


def _unit_coefficient(form: Form | None) -> Fraction | None:
    return next((sign for sign in (UNIT, -UNIT) if form == RING.scaled(sign, RING.of())), None)


def _solve_definite(system: LocalSystem, unknowns: list[int], feedback: Sequence[int]) -> None:
    """Where members are torn anyway, solve for each unknown behind a definite leaf that needs no further tear then."""
    for residual in tuple(system.residuals):
        _, equation = residual
        for chosen in tuple(unknowns):
            leaf = _definite_leaf(system.graph, equation.get(chosen))
            if leaf is None:
                continue
            solved = RING.scaled(-UNIT, RING.of(_inverse(system.graph, leaf)))
            system.equations[chosen] = {
                source: RING.product((solved, form)) for source, form in equation.items() if source != chosen
            }
            if not _feedback(system, {*unknowns, *feedback} - {chosen}):
                system.residuals.remove(residual)
                system.leaves.append(leaf)
                unknowns.remove(chosen)
                _substitute(system, chosen)
                break
            del system.equations[chosen]


def _definite_leaf(graph: Graph, form: Form | None) -> Ref | None:
    """A leaf that is declared to be definite, if a coefficient is that alone."""
    leaf = None if form is None else alone(form)
    definition = None if leaf is None else graph[leaf.value].definition
    known = isinstance(definition, Given) and definition.symbol is not None and definition.symbol.structure.definite
    return leaf if known else None


def _inverse(graph: Graph, leaf: Ref) -> Ref:
    definition, type_ = graph[leaf.value].definition, graph.type_of(leaf)
    assert isinstance(definition, Given) and definition.symbol is not None
    return Ref(graph.new(Type(type_.codomain, type_.domain), Invert(leaf), origin=inv(definition.symbol)))


def _substitute_gathers(system: LocalSystem, unknowns: list[int]) -> None:
    """Replace inward shifts by Σ_j X_ij d_j + z_i where a response of the subtree can be non-zero."""
    graph = system.graph
    responds = _responses(system, unknowns)
    for i in system.gathers:
        system.z[i] = graph.reserve()
        graph.put(system.z[i], graph[i])
        equation: Coefficients = {system.z[i]: RING.of()}
        for j in system.pulls:
            if (i, j) in responds:
                number = graph.reserve()
                system.X[i, j] = number
                _add(equation, system.source(j), RING.of(Ref(number)))
        system.equations[i] = equation
    for i in system.gathers:
        _substitute(system, i)


def _substitute(system: LocalSystem, member: int) -> None:
    """Put what a member is into all equations that read it."""
    own = system.equations[member]
    for equation in [*system.equations.values(), *(equation for _, equation in system.residuals)]:
        if member in equation and equation is not own:
            prefix = equation.pop(member)
            for source, form in own.items():
                _add(equation, source, RING.product((prefix, form)))


def _responses(system: LocalSystem, unknowns: list[int]) -> set[tuple[int, int]]:
    """The pairs (inward shift i, outward shift j) for which what arrives at j can come back through i."""
    # A response of the children is itself a way from j to i, so the pairs are found as a least fixed point, grown from
    # none: from all downwards, pairs that are zero would justify each other, and each costs a matrix recurrence.
    known: set[tuple[int, int]] = set()
    while True:
        edges: dict[int, set[int]] = {}
        for number, equation in system.equations.items():
            for source in equation:
                edges.setdefault(source, set()).add(number)
        for _, equation in system.residuals:
            for source in equation:
                edges.setdefault(source, set()).update(unknowns)
        for i, j in known:
            edges.setdefault(system.source(j), set()).add(i)
        found: set[tuple[int, int]] = set()
        for j in system.pulls:
            reached = {j}
            pending = [j]
            while pending:
                for target in edges.get(pending.pop(), ()):
                    if target not in reached:
                        reached.add(target)
                        pending.append(target)
            found |= {(i, j) for i in system.gathers if system.source(i) in reached}
        if found == known:
            return known
        known = found


_SIZE_RANK = {"one": 0, "joint": 1, "spatial": 3}


def _feedback(system: LocalSystem, torn: set[int]) -> list[int]:
    """Explicit members to tear so that the rest can be computed in order; small spaces first."""
    # What is torn becomes a row and a column of the matrix that is inverted at every body. Any choice that breaks all
    # cycles is right; small spaces first means that D, as wide as the joint, is inverted, and not a matrix of 6 x 6.
    reads = {number: _local_reads(system, number, torn) for number in system.equations}

    def rank(number: int) -> tuple[int, int]:
        return _SIZE_RANK.get(system.graph[number].type.codomain.sizes, 2), number

    chosen: list[int] = []
    for members in strongly_connected(sorted(system.equations), reads.__getitem__):
        if len(members) > 1 or members[0] in reads[members[0]]:
            chosen += _Cycles(members, reads).torn(sorted(members, key=rank))
    return chosen


class _Cycles:
    """What is left of a component while members are torn: those that may still lie on a cycle."""

    def __init__(self, members: Iterable[int], reads: Mapping[int, Sequence[int]]) -> None:
        self.left = set(members)
        self.reads = {n: [m for m in reads[n] if m in self.left] for n in self.left}
        self.readers: dict[int, list[int]] = {n: [] for n in self.left}
        for n, sources in self.reads.items():
            for m in sources:
                self.readers[m].append(n)
        self.open = {n: [len(self.reads[n]), len(self.readers[n])] for n in self.left}

    def torn(self, candidates: Iterable[int]) -> list[int]:
        """Of the candidates in their order, those that lie on a cycle when their turn comes; then none is left."""
        chosen: list[int] = []
        for n in candidates:
            if n in self.left:
                if self._returns(n):
                    chosen.append(n)
                self._remove(n)
        return chosen

    def _returns(self, start: int) -> bool:
        """Whether a member reads itself by way of others; the nearest are looked at first, for cycles are short."""
        seen: set[int] = set()
        level = [start]
        while level:
            found = {m for n in level for m in self.reads[n] if m in self.left}
            if start in found:
                return True
            level = sorted(found - seen)
            seen |= found
        return False

    def _remove(self, number: int) -> None:
        """Take away a member, and all that then reads nothing, or is read by nothing."""
        pending = [number]
        while pending:
            n = pending.pop()
            if n not in self.left:
                continue
            self.left.discard(n)
            for side, others in ((0, self.readers[n]), (1, self.reads[n])):
                for m in others:
                    self.open[m][side] -= 1
                    if self.open[m][side] == 0:
                        pending.append(m)


def _local_reads(system: LocalSystem, number: int, torn: set[int]) -> list[int]:
    if number in torn:
        return []
    return [source for source in system.equations.get(number, {}) if source in system.equations and source not in torn]


def _order(system: LocalSystem, torn: set[int]) -> list[int]:
    found = strongly_connected(sorted(system.equations), lambda n: _local_reads(system, n, torn))
    return [members[0] for members in found if members[0] not in torn]
