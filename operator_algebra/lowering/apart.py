"""Known motions apart from unknown ones: what is known leaves elimination altogether.

In v = φ* v(parent) + s + c, with s solved for and c known, v is v₁ + v₀,

    v₁ = φ* v₁(parent) + s,        v₀ = φ* v₀(parent) + c,

and M v + b, of which z = φ z⁺ + P c + b is made, is M v₁ + (M v₀ + b): then z is φ z⁺ + (M v₀ + b), no P meets c, and
nothing is added to φ* v₁(parent) on the way back. This is a change of variables, not of values. It has one recurrence
more, so that it depends on the mechanism which of the two takes fewer operations.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from operator_algebra.lowering.components import components
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.values import Value
from operator_algebra.programs.instructions import Hop, Linear, Shift, shift_of, summed
from operator_algebra.programs.records import Ref, Term, terms_of, with_terms

UNIT = Fraction(1)
Terms = tuple[Term, ...]


def known_apart(graph: Graph) -> bool:
    """Split outward recurrences that something known drives beside what is solved for; whether there was any."""
    done = False
    for component in list(components(graph)):
        if {"U", "D"} <= component.labels:
            inside = set(component.members)
            read = {reader for number in component.members for reader in _split(graph, number, inside)}
            for reader in sorted(read):
                _join_known(graph, reader, inside)
            done = done or bool(read)
    graph.prune()
    return done


def _split(graph: Graph, number: int, inside: set[int]) -> list[int]:
    """Let the sums of a component read v₁ + v₀ in the place of v; those that do."""
    value = graph[number]
    terms = summed(value.definition) or ()
    hops = {term: hop for term in terms if (hop := _outward(graph, term, number))}
    known, unknown = _parted((term for term in terms if term not in hops), inside)
    if len(hops) != 1 or not known or not unknown:
        return []
    (hop,) = hops.values()
    first, second = (_driven(graph, value, hop, part) for part in (unknown, known))
    both = (Term(UNIT, (Ref(first),)), Term(UNIT, (Ref(second),)))
    graph.put(number, replace(value, definition=Linear(both)))
    read = [reader for reader in inside - {number} if graph.reread(reader, number, both)]
    inside.add(first)
    return read


def _outward(graph: Graph, term: Term, number: int) -> Hop | None:
    """The hop over which a term hands a vector on from the parent."""
    shift = None if term.bare is None or term.bare.star else shift_of(graph[term.bare.value].definition)
    if shift is None or shift.source != Ref(number) or shift.closing is not None or shift.hop.inward:
        return None
    return shift.hop


def _driven(graph: Graph, value: Value, hop: Hop, terms: Terms) -> int:
    """The recurrence that some of the terms drive."""
    part, shift = graph.reserve(), graph.reserve()
    graph.put(part, replace(value, definition=Linear((Term(UNIT, (Ref(shift),)), *terms)), names=()))
    graph.put(shift, Value(value.type, Shift(hop, Ref(part))))
    return part


def _parted(terms: Iterable[Term], inside: set[int]) -> tuple[Terms, Terms]:
    """The terms that are known before a component is, and the others."""
    several = tuple(terms)
    known = tuple(term for term in several if term.factors and term.factors[-1].value not in inside)
    return known, tuple(term for term in several if term not in known)


def _join_known(graph: Graph, number: int, inside: set[int]) -> None:
    """All that is known in a sum as one value, which is there before elimination begins."""
    value = graph[number]
    known, rest = _parted(terms_of(value.definition), inside)
    if len(known) > 1:
        rows = graph.type_of(known[0].factors[0]).codomain
        joined = Term(UNIT, (Ref(graph.linear(replace(value.type, codomain=rows), known)),))
        graph.put(number, replace(value, definition=with_terms(value.definition, (*rest, joined))))
