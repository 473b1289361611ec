"""Superposition: v = N v + s + B λ with λ known late is v₀ + V λ, with v₀ = N v₀ + s and V = N V + B known early.

A number that sums over the mechanism give (a multiplier, an impulse) need not be waited for: recurrences run for unit
numbers beside the others, and what comes later reads their superposition. A sum Σ a* v over the mechanism is then
Σ a* v₀ + (Σ a* V) λ, whose sums need not wait for λ either.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

from operator_algebra.lowering.components import Component, components
from operator_algebra.lowering.graph import Graph, collect
from operator_algebra.lowering.schedule import BEFORE, earliest
from operator_algebra.lowering.transpose import adjoints, ends, reread
from operator_algebra.lowering.values import Value
from operator_algebra.operators.spaces import Type
from operator_algebra.programs.instructions import Linear, Part, Reduce, Shift, Stack, Total
from operator_algebra.programs.records import Ref, Term, references, terms_of

UNIT = Fraction(1)


def superposed(graph: Graph) -> bool:
    """Split what could run no later than the numbers that drive it are known; whether anything was."""
    late = _late(graph)
    split = _Split(graph, late, earliest(graph), earliest(graph, known=late))
    for component in components(graph):
        split.look(component)
    split.define()
    return bool(split.drives or split.sums)


def _late(graph: Graph) -> frozenset[int]:
    """The columns of no body that wait for a sum over the mechanism."""
    waiting: set[int] = set()
    for component in components(graph):
        for number in component.members:
            definition = graph[number].definition
            reads = (ref.value for ref, _ in references(definition))
            if isinstance(definition, Reduce | Total) or (
                not graph[number].attached and any(value in waiting for value in reads)
            ):
                waiting.add(number)
    return frozenset(waiting)


@dataclass
class _Split:
    """Vectors that are sums of a part that knows nothing of late numbers and of their responses to them."""

    graph: Graph
    late: frozenset[int]
    actual: Mapping[int, int]
    free: Mapping[int, int]
    """When a value would be known if the late numbers were at once."""
    drives: dict[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    """The late numbers on which a vector that is split depends."""
    rest: dict[int, int] = field(default_factory=dict[int, int])
    response: dict[tuple[int, int], int] = field(default_factory=dict[tuple[int, int], int])
    sums: dict[int, Reduce] = field(default_factory=dict[int, Reduce])
    """The sums that are known before their late numbers are."""

    @cached_property
    def named(self) -> Mapping[Ref, Ref]:
        """Adjoints of rows that are values already."""
        return dict(adjoints(self.graph))

    def look(self, component: Component) -> None:
        """Take the members in if all of them can be split."""
        (number, *others) = component.members
        definition = self.graph[number].definition
        if isinstance(definition, Reduce) and not others:
            if self._early(number, definition):
                self.sums[number] = definition
            return
        found: dict[int, None] = {}
        for number in component.members:
            drives = self._driven(number, frozenset(component.members))
            if drives is None:
                return
            found.update(dict.fromkeys(drives))
        if found and all(self.free[n] <= self.actual[late] for n in component.members for late in found):
            self.drives.update(dict.fromkeys(component.members, tuple(found)))

    def _driven(self, number: int, inside: frozenset[int]) -> list[int] | None:
        """The late numbers that a vector depends on linearly; None where it is no such function of them."""
        value = self.graph[number]
        if not (value.is_vector and value.attached):
            return None
        terms, last = terms_of(value.definition), ends(value.definition)
        inner = [ref.value for term in terms for ref in term.factors[:-1]]
        if last is None or self.late.intersection((*inner, *(s for term in terms for s in term.scalars))):
            return None
        if any(n in inside or n in self.drives for n in inner):
            return None
        found: list[int] = []
        for ref in last:
            if ref.value in self.late:
                if ref.star:
                    return None
                found.append(ref.value)
            elif ref.value in self.drives:
                found.extend(self.drives[ref.value])
        return found

    def _early(self, number: int, definition: Reduce) -> bool:
        """Whether a sum is known sooner if the late numbers at the ends of its products stand outside."""
        known = BEFORE
        for term in definition.terms:
            _, summed, _ = self._apart(term.factors)
            first, *inner, last = summed
            if any(ref.value in self.late or ref.value in self.drives for ref in inner):
                return False
            if (first.value in self.drives and not first.star) or (last.value in self.drives and last.star):
                return False
            known = max(known, *(self._known(ref.value) for ref in summed))
        return known < self.actual[number]

    def _known(self, number: int) -> int:
        """When a value is known, or its parts are."""
        return (self.free if number in self.drives else self.actual).get(number, BEFORE)

    def define(self) -> None:
        """The parts of each vector and sum, and each as what its parts make up."""
        for number, drives in self.drives.items():
            self.rest[number] = self.graph.reserve()
            self.response.update({(number, late): self.graph.reserve() for late in drives})
        for number, drives in self.drives.items():
            value = self.graph[number]
            space = value.type.codomain
            self._put(self.rest[number], value.type, self._part(value, None))
            for late in drives:
                type_ = Type(self.graph[late].type.codomain, space)
                self._put(self.response[number, late], type_, self._part(value, late))
        for number, drives in self.drives.items():
            responses = [Term(UNIT, (Ref(self.response[number, late]), Ref(late))) for late in drives]
            terms = (Term(UNIT, (Ref(self.rest[number]),)), *responses)
            self.graph.put(number, replace(self.graph[number], definition=Linear(terms)))
        for number, definition in self.sums.items():
            self.graph.put(number, replace(self.graph[number], definition=Linear(self._taken_out(definition))))

    def _taken_out(self, definition: Reduce) -> tuple[Term, ...]:
        """A sum with the late numbers outside: Σ (v₀ + V λ)* a is Σ v₀* a + λ* Σ V* a."""
        inside: dict[tuple[tuple[Ref, ...], tuple[Ref, ...], tuple[int, ...]], list[Term]] = {}
        for term in definition.terms:
            before, (first, *inner, last), after = self._apart(term.factors)
            late = tuple(n for n in term.scalars if n in self.late)
            scalars = tuple(n for n in term.scalars if n not in self.late)
            for left, a in self._ends(first):
                for right, b in self._ends(last):
                    part = Term(term.coefficient, (a, *inner, b), scalars)
                    inside.setdefault(((*before, *left), (*right, *after), late), []).append(part)
        found: list[Term] = []
        for (left, right, late), terms in inside.items():
            factors = terms[0].factors
            type_ = Type(self.graph.type_of(factors[-1]).domain, self.graph.type_of(factors[0]).codomain)
            total = self.graph.reserve()
            self._put(total, type_, Reduce(collect(terms)))
            found.append(Term(UNIT, (*left, Ref(total), *right), late))
        return tuple(found)

    def _ends(self, ref: Ref) -> Iterator[tuple[tuple[Ref, ...], Ref]]:
        """The parts of the end of a product: late numbers, and what is summed."""
        yield (), Ref(self.rest.get(ref.value, ref.value), ref.star)
        for late in self.drives.get(ref.value, ()):
            yield (Ref(late, ref.star),), Ref(self.response[ref.value, late], ref.star)

    def _apart(self, factors: tuple[Ref, ...]) -> tuple[tuple[Ref, ...], tuple[Ref, ...], tuple[Ref, ...]]:
        """What stands in front of a product over the bodies, the product, and what stands behind it."""
        places = [i for i, ref in enumerate(factors) if self.graph[ref.value].attached]
        start, stop = places[0], places[-1] + 1
        return factors[:start], factors[start:stop], factors[stop:]

    def _put(self, number: int, type_: Type, definition: Linear | Shift | Part | Stack | Reduce) -> None:
        self.graph.put(number, Value(type_, definition))

    def _part(self, value: Value, late: int | None) -> Linear | Shift | Part | Stack:
        """A definition over the rests, or over the responses to a late number."""
        definition = value.definition
        match definition:
            case Linear(terms=terms):
                parts = (self._term(term, late) for term in terms)
                return Linear(collect(reread(found, self.named) for found in parts if found is not None))
            case Shift(source=source) | Part(source=source):
                found = self._of(source, late)
                return Linear(()) if found is None else replace(definition, source=found)
            case Stack(rows=rows):
                return Stack(tuple((None if ref is None else self._of(ref, late),) for (ref,) in rows))
            case _:
                raise AssertionError(definition)

    def _term(self, term: Term, late: int | None) -> Term | None:
        last = term.factors[-1]
        if last.value in self.late:
            return Term(term.coefficient, term.factors[:-1], term.scalars) if last.value == late else None
        found = self._of(last, late)
        return None if found is None else Term(term.coefficient, (*term.factors[:-1], found), term.scalars)

    def _of(self, ref: Ref, late: int | None) -> Ref | None:
        """The part of what is read; None if it vanishes."""
        if late is None:
            return Ref(self.rest.get(ref.value, ref.value), ref.star)
        found = self.response.get((ref.value, late))
        return None if found is None else Ref(found, ref.star)
