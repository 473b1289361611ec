"""The graph of values: equal definitions are one value, what is wanted stays alive and is followed."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given as drawn
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.lowering.graph import Graph, as_form, as_terms, collect
from operator_algebra.operators.spaces import FORCE, MOTION, ONE
from operator_algebra.programs.instructions import Linear
from operator_algebra.programs.records import Ref, Term
from tests.lowering.meant import given, term

BLOCK = MOTION >> FORCE


def sums() -> st.SearchStrategy[list[Term]]:
    """Sums over three values, with scalars and adjoints."""
    refs = st.builds(Ref, st.integers(1, 3), st.booleans())
    scalars = st.lists(st.integers(4, 5), max_size=2).map(lambda found: tuple(sorted(found)))
    coefficients = st.integers(-2, 2).map(Fraction)
    return st.lists(st.builds(Term, coefficients, st.lists(refs, max_size=2).map(tuple), scalars), max_size=8)


def test_equal_definitions_are_one_value() -> None:
    graph = Graph()
    M, again = given(graph, s.M), given(graph, s.M)
    assert again == M
    assert graph.new(BLOCK, Linear((term(M, times=2),))) == graph.new(BLOCK, Linear((term(M, times=2),)))
    assert graph.new(BLOCK, Linear((term(M, times=2),))) != graph.new(BLOCK, Linear((term(M, times=3),)))


def test_the_same_definition_of_another_type_is_another_value() -> None:
    graph = Graph()
    assert graph.new(BLOCK, Linear(())) != graph.new(ONE >> FORCE, Linear(()))


def test_a_dropped_value_is_made_anew() -> None:
    graph = Graph()
    first = given(graph, s.M)
    graph.prune()
    assert first not in graph.values
    assert given(graph, s.M) != first


def test_names_are_remembered_once_and_in_order() -> None:
    graph = Graph()
    M = given(graph, s.M)
    for name in ("M", "inertia", "inertia"):
        graph.name(M, name)
    assert graph[M].names == ("M", "inertia")


def test_a_sum_of_one_bare_value_is_that_value_but_not_its_adjoint() -> None:
    graph = Graph()
    M, H = given(graph, s.M), given(graph, s.H)
    assert graph.linear(BLOCK, [term(M)]) == M
    assert graph.linear(BLOCK, [term(M, times=2), term(M, times=-1)]) == M
    assert graph.linear(s.H.type.T, [term(Ref(H).T)]) != H
    assert graph.linear(BLOCK, [term(M), term(M, times=-1)]) == graph.new(BLOCK, Linear(()))


def test_what_is_wanted_keeps_what_it_reads() -> None:
    graph = Graph()
    M, H = given(graph, s.M), given(graph, s.H)
    twice = graph.linear(BLOCK, [term(M, times=2)])
    graph.hold(Ref(twice))
    graph.prune()
    assert graph.values.keys() == {M, twice}
    assert H not in graph.values
    assert graph.reads() == {M: 1}
    assert graph.live([twice]) == {M, twice}


def test_what_is_wanted_follows_with_its_star() -> None:
    graph = Graph()
    M, twice = given(graph, s.M), 0
    twice = graph.linear(BLOCK, [term(M, times=2)])
    graph.hold(Ref(twice), Ref(twice).T, Ref(M))
    graph.follow({twice: Ref(M).T})
    assert graph.held == (Ref(M).T, Ref(M), Ref(M))
    assert graph.values.keys() == {M}


def test_types_turn_with_the_star() -> None:
    graph = Graph()
    H = given(graph, s.H)
    assert graph.type_of(Ref(H)) == s.H.type
    assert graph.type_of(Ref(H).T) == s.H.type.T


@drawn(sums())
def test_collecting_adds_what_is_equal_and_nothing_else(terms: list[Term]) -> None:
    found = collect(terms)
    products = [(one.factors, one.scalars) for one in found]
    assert len(set(products)) == len(products)
    total: dict[object, Fraction] = {}
    for one in terms:
        key = one.factors, one.scalars
        total[key] = total.get(key, Fraction(0)) + one.coefficient
    assert {(one.factors, one.scalars): one.coefficient for one in found} == {k: c for k, c in total.items() if c}
    assert collect(found) == found
    assert as_terms(as_form(found)) == found
