"""Transposition of block recurrences: Σ tr A X with X = L X R + S is Σ tr Y S with Y = R Y L + A, the other way.

A trace reads a block of every body, and what a block is made of may run outward (the blocks of an inverse do). Its
trace needs only what they are multiplied by, summed where they begin: tr ℳ⁻¹ B = Σ tr D⁻¹ (B + H S H*) with an inward
recurrence S, which is Σ tr D⁻¹ Ḋ as one derives it by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from operator_algebra.lowering.components import Component, components
from operator_algebra.lowering.graph import Graph, as_form, collect
from operator_algebra.lowering.schedule import earliest
from operator_algebra.lowering.transpose import transposed
from operator_algebra.lowering.values import Definition, Value
from operator_algebra.operators.spaces import ONE, Type
from operator_algebra.programs.instructions import Linear, Reduce, Shift, Total
from operator_algebra.programs.products import expand_products
from operator_algebra.programs.records import Ref, Term, references, terms_of

UNIT = Fraction(1)


def transposable(graph: Graph) -> list[int]:
    """The sums over the mechanism, and the traces."""
    return [
        number
        for number, value in graph.values.items()
        if isinstance(value.definition, Reduce) or _trace_of(graph, value.definition) is not None
    ]


def transposed_sum(graph: Graph, number: int) -> bool:
    """Take a sum or a trace where recurrences begin instead of where they end; whether that could be done."""
    source = _trace_of(graph, graph[number].definition)
    return transposed(graph, number) if source is None else _traced(graph, number, source)


def _trace_of(graph: Graph, definition: Definition) -> int | None:
    """The block of every body whose trace a value is."""
    if isinstance(definition, Total) and definition.kind == "trace" and graph[definition.source.value].attached:
        return definition.source.value
    return None


def _traced(graph: Graph, number: int, source: int) -> bool:
    terms, carried = terms_of(graph[source].definition), _carried(graph, source)
    if not terms or not carried or not graph[source].type.square:
        # From a space to its dual, as ℳ⁻¹ alone goes, factors do not take turns: its trace depends on coordinates.
        return False
    kept = [term for term in terms if _place(term, carried) is None]
    adjoint = _Adjoint(graph, carried, graph[source].type)
    for term in terms:
        place = _place(term, carried)
        if place is not None:
            adjoint.seed(term, place)
    found = {graph[source].type: kept}
    for type_, term in adjoint.sources():
        found.setdefault(type_, []).append(term)
    totals = [
        Term(UNIT, (Ref(graph.new(ONE >> ONE, Total("trace", Ref(graph.sum(type_, as_form(one)))))),))
        for type_, one in found.items()
        if one
    ]
    graph.put(number, replace(graph[number], definition=Linear(collect(totals))))
    return True


def _carried(graph: Graph, source: int) -> frozenset[int]:
    """The blocks through which the block of a trace depends on its last recurrence; empty if not linearly."""
    reached, at = graph.live([source]), earliest(graph)
    recurring = [c for c in components(graph) if _recurs(graph, c) and not reached.isdisjoint(c.members)]
    last = max((at[c.members[0]] for c in recurring), default=0)
    growing = {n for c in recurring for n in c.members if at[n] == last}
    if not growing or at[source] < last or source in growing:
        return frozenset()
    carried = set[int]()
    while growing:
        carried |= growing
        inside = (
            n for n in reached - carried if any(ref.value in carried for ref, _ in references(graph[n].definition))
        )
        growing = set(inside)
    if not all(_linear(graph, n, carried) for n in carried):
        return frozenset()
    ways = {label for c in components(graph) if carried.issuperset(c.members) for label in c.labels & {"U", "D"}}
    return frozenset(carried - {source}) if len(ways) == 1 else frozenset()


def _recurs(graph: Graph, component: Component) -> bool:
    return not component.trivial and all(graph[n].attached and not graph[n].is_vector for n in component.members)


def _linear(graph: Graph, number: int, carried: set[int]) -> bool:
    """Whether a block is a linear function of the carried ones, with coefficients that are none."""
    definition = graph[number].definition
    if graph[number].is_vector or not graph[number].attached:
        return False
    if isinstance(definition, Shift):
        return definition.closing is not None
    if not isinstance(definition, Linear):
        return False
    inside = ([ref.value in carried for ref in term.factors] for term in definition.terms)
    return all(sum(found) <= 1 for found in inside)


def _place(term: Term, carried: Mapping[int, object] | frozenset[int]) -> int | None:
    """Where a product has its carried factor."""
    return next((i for i, ref in enumerate(term.factors) if ref.value in carried), None)


class _Adjoint:
    """The blocks Y of the adjoint recurrence, one for each carried block."""

    def __init__(self, graph: Graph, carried: frozenset[int], wanted: Type) -> None:
        self.graph = graph
        self.wanted = wanted
        self.Y = {n: graph.reserve() for n in sorted(carried)}
        self.terms: dict[int, list[Term]] = {n: [] for n in self.Y}

    def seed(self, term: Term, place: int) -> None:
        """A product L X R of the block whose trace is taken: tr L X R = tr (R L) X."""
        self._add(term.factors[place], (*term.factors[place + 1 :], *term.factors[:place]), term)

    def sources(self) -> list[tuple[Type, Term]]:
        """Define the blocks, and give the products that drive the carried ones, each with its adjoint block."""
        found = [one for n in self.Y for one in self._driven(n)]
        for n, number in self.Y.items():
            self.graph.put(number, Value(self._type(n), Linear(collect(self.terms[n]))))
        return found

    def _type(self, n: int) -> Type:
        type_ = self.graph[n].type
        return Type(type_.codomain, type_.domain)

    def _add(self, carried: Ref, factors: tuple[Ref, ...], like: Term) -> None:
        """A product that is multiplied with a carried block, or with its adjoint: tr Z X* = tr Z* X."""
        if carried.star:
            factors = tuple(ref.T for ref in reversed(factors))
        self.terms[carried.value].append(replace(like, factors=factors))

    def _driven(self, n: int) -> Iterator[tuple[Type, Term]]:
        own = Ref(self.Y[n])
        definition = self.graph[n].definition
        match definition:
            case Linear(terms=terms):
                for term in terms:
                    place = _place(term, self.Y)
                    if place is None:
                        yield self._turned((own, *expand_products(self.graph.values, term.factors)), term)
                    else:
                        around = (*term.factors[place + 1 :], own, *term.factors[:place])
                        self._add(term.factors[place], around, term)
            case Shift(hop=hop, source=source, closing=closing) if closing is not None:
                type_ = Type(hop.type.domain, closing.type.codomain)
                shift = Ref(self.graph.new(type_, Shift(closing, own, hop)))
                self._add(source, (shift,), Term(UNIT, ()))
            case _:
                raise AssertionError(definition)

    def _turned(self, factors: tuple[Ref, ...], like: Term) -> tuple[Type, Term]:
        """A product with its factors in turn, so that its block is as that of the trace, if one turn makes it so."""
        turns = [(*factors[i:], *factors[:i]) for i in range(len(factors))]
        types = [Type(self._of(turn[-1]).domain, self._of(turn[0]).codomain) for turn in turns]
        best = types.index(self.wanted) if self.wanted in types else 0
        return types[best], replace(like, factors=turns[best])

    def _of(self, ref: Ref) -> Type:
        number = next((n for n, own in self.Y.items() if own == ref.value), None)
        type_ = self.graph[ref.value].type if number is None else self._type(number)
        return type_.T if ref.star else type_
