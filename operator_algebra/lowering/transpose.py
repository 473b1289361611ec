"""Transposition: Σ a* y with y = N y + s is Σ w* s with w = N* w + a, which runs the other way.

a* (I − N)⁻¹ s = ((I − N*)⁻¹ a)* s, and on a tree the adjoint of a sum over the children is a copy to each child. What
a sum over the mechanism reads from a recurrence may so be summed where the recurrence begins, a sweep earlier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from operator_algebra.lowering.components import components
from operator_algebra.lowering.graph import Graph, collect
from operator_algebra.lowering.schedule import BEFORE, earliest
from operator_algebra.lowering.values import Definition, Value
from operator_algebra.operators.spaces import Space, Type
from operator_algebra.programs.instructions import Linear, Part, Reduce, Shift, Stack
from operator_algebra.programs.records import Ref, Term, terms_of

UNIT = Fraction(1)


class Directions:
    """Which way the recurrences of a graph run, and what follows from them in the same sweep."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.of: dict[int, str] = {}
        """The direction of each vector that recurs: "U" inward, "D" outward."""
        for component in components(graph):
            way = component.labels & {"U", "D"}
            if len(way) == 1:
                self.of.update((n, label) for n in component.members if graph[n].is_vector for label in way)

    def cone(self, start: int) -> tuple[str, frozenset[int]]:
        """What a vector reads linearly up to where the direction changes; empty if nothing recurs in it."""
        way = ""
        order: list[int] = []
        seen = {start}
        pending = [start]
        while pending:
            number = pending.pop()
            found = self.of.get(number, way)
            if way and found != way:
                continue
            way = found
            order.append(number)
            fresh = [n for n in linear_reads(self.graph, number) if n not in seen]
            seen.update(fresh)
            pending.extend(fresh)
        return way, self._carried(way, order)

    def _carried(self, way: str, reached: list[int]) -> frozenset[int]:
        """Those of the reached that depend on a recurrence of this direction."""
        inside = {n for n in reached if self.of.get(n) == way}
        growing = True
        while growing:
            more = {n for n in reached if n not in inside and inside.intersection(linear_reads(self.graph, n))}
            inside |= more
            growing = bool(more)
        return frozenset(inside)


def ends(definition: Definition) -> tuple[Ref, ...] | None:
    """The vectors of which a column is a linear function, ends of its products; None where it is no such function."""
    match definition:
        case Linear(terms=terms):
            return tuple(term.factors[-1] for term in terms if term.factors)
        case Shift(source=source, closing=None) | Part(source=source):
            return (source,)
        case Stack(rows=rows) if all(len(row) == 1 for row in rows):
            return tuple(ref for (ref,) in rows if ref is not None)
        case _:
            return None


def linear_reads(graph: Graph, number: int) -> Iterator[int]:
    """The vectors over the bodies of which a vector is a linear function."""
    for ref in ends(graph[number].definition) or ():
        if not ref.star and graph[ref.value].is_vector and graph[ref.value].attached:
            yield ref.value


def transposed(graph: Graph, number: int) -> bool:
    """Sum where recurrences begin instead of where they end; whether that could be done."""
    value = graph[number]
    assert isinstance(value.definition, Reduce)
    directions, at = Directions(graph), earliest(graph)
    terms = value.definition.terms
    mirrored = tuple(map(_adjoint, terms))
    right, left = (max(at.get(term.factors[-1].value, BEFORE) for term in side) for side in (terms, mirrored))
    # What is known last is what to begin with; the other side where that does not recur.
    for side in (terms, mirrored) if right >= left else (mirrored, terms):
        found = _end(graph, directions, side, value.type.codomain if side is terms else value.type.domain.dual)
        if found is not None:
            found = found if side is terms else map(_adjoint, found)
            graph.put(number, replace(value, definition=Reduce(collect(found))))
            return True
    return False


def _end(graph: Graph, directions: Directions, terms: tuple[Term, ...], rows: Space) -> list[Term] | None:
    """Sums a* y with y from a recurrence, as sums over what drives it; None if no y is."""
    kept: list[Term] = []
    ends: dict[int, list[Term]] = {}
    cone: frozenset[int] = frozenset()
    way = ""
    for term in terms:
        last = term.factors[-1]
        found, inside = "", frozenset[int]()
        if not last.star and graph[last.value].is_vector and graph[last.value].attached:
            found, inside = directions.cone(last.value)
        if not inside or (way and found != way):
            kept.append(term)
            continue
        way, cone = found, cone | inside
        ends.setdefault(last.value, []).append(Term(term.coefficient, _reversed(term.factors[:-1]), term.scalars))
    if not cone or rows.parts or not all(_linear(graph, n, cone) for n in cone):
        return None
    return [*kept, *_Adjoint(graph, cone, rows).sources(ends)]


def _adjoint(term: Term) -> Term:
    return Term(term.coefficient, _reversed(term.factors), term.scalars)


def _reversed(factors: tuple[Ref, ...]) -> tuple[Ref, ...]:
    return tuple(ref.T for ref in reversed(factors))


def _linear(graph: Graph, number: int, cone: frozenset[int]) -> bool:
    """Whether a member of the cone is a linear function of others, with coefficients that are none."""
    definition = graph[number].definition
    read = [ref.value for term in terms_of(definition) for ref in term.factors[:-1]]
    return ends(definition) is not None and not cone.intersection(read)


def adjoints(graph: Graph) -> Iterator[tuple[Ref, Ref]]:
    """Adjoints of rows that are values already."""
    for number, value in graph.values.items():
        if isinstance(value.definition, Linear) and len(value.definition.terms) == 1:
            bare = value.definition.terms[0].bare
            if bare is not None and bare.star:
                yield bare, Ref(number)


def reread(term: Term, named: Mapping[Ref, Ref]) -> Term:
    """A product with the values that stand for its factors."""
    return replace(term, factors=tuple(named.get(ref, ref) for ref in term.factors))


class _Adjoint:
    """The values w of the adjoint recurrence, one for each member of the cone."""

    def __init__(self, graph: Graph, cone: frozenset[int], rows: Space) -> None:
        self.graph = graph
        self.members = sorted(cone)
        self.w = {n: graph.reserve() for n in self.members}
        self.types = {n: Type(graph[n].type.codomain, rows).T for n in self.members}

    def sources(self, ends: dict[int, list[Term]]) -> list[Term]:
        """Define the adjoint recurrence that starts from the ends, and sum what drives the members with it."""
        found: list[Term] = []
        named = dict(adjoints(self.graph))
        terms = {n: [reread(term, named) for term in ends.get(n, ())] for n in self.members}
        for n in self.members:
            for reader, term in self._driven(n, found):
                terms[reader].append(term)
        for n in self.members:
            self.graph.put(self.w[n], Value(self.types[n], Linear(collect(terms[n]))))
        return found

    def _driven(self, n: int, found: list[Term]) -> Iterator[tuple[int, Term]]:
        own = Ref(self.w[n])
        definition = self.graph[n].definition
        match definition:
            case Linear(terms=terms):
                for term in terms:
                    last = term.factors[-1].value
                    if last in self.w and not term.factors[-1].star:
                        yield last, Term(term.coefficient, (*_reversed(term.factors[:-1]), own), term.scalars)
                    else:
                        found.append(Term(term.coefficient, (own.T, *term.factors), term.scalars))
            case Shift(hop=hop, source=source):
                type_ = Type(self.types[n].domain, hop.T.type.codomain)
                yield source.value, Term(UNIT, (Ref(self.graph.new(type_, Shift(hop.T, own))),))
            case Part(source=source, index=index):
                spaces = self.graph[source.value].type.codomain.parts
                rows = tuple((own if i == index else None,) for i in range(len(spaces)))
                yield source.value, Term(UNIT, (Ref(self.graph.new(self.types[source.value], Stack(rows))),))
            case Stack(rows=rows):
                for i, (ref,) in enumerate(rows):
                    if ref is None:
                        continue
                    type_ = Type(self.types[n].domain, self.graph[ref.value].type.codomain.dual)
                    part = Ref(self.graph.new(type_, Part(own, i)))
                    if ref.value in self.w:
                        yield ref.value, Term(UNIT, (part,))
                    else:
                        found.append(Term(UNIT, (part.T, ref)))
            case _:
                raise AssertionError(definition)
