"""Rewrites of sums: each leaves what it computes as it is, and saves what it is for."""

from __future__ import annotations

from fractions import Fraction

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import operator, vector
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.simplify import (
    drop_identities,
    drop_zeros,
    factor_sums,
    inline_single_use,
    merge_recurrences,
    resolve_aliases,
    separate_constants,
    simplify,
)
from operator_algebra.lowering.values import Unknown, Value
from operator_algebra.operators.spaces import FORCE, MOTION, ONE
from operator_algebra.programs.instructions import Hop, Linear, Shift
from operator_algebra.programs.records import Ref
from tests.lowering.meant import given, kept_by, term

COLUMN, BLOCK = ONE >> FORCE, MOTION >> FORCE
IN = Hop(s.E_phi, star=False, inward=True)
x, y = vector("x", MOTION), vector("y", MOTION)
f, g = vector("f", FORCE), vector("g", FORCE)
A = operator("A", MOTION >> FORCE, structure="diagonal")


def recurrence(graph: Graph, source: int) -> int:
    """z = E z + source."""
    number = graph.reserve()
    shifted = graph.new(COLUMN, Shift(IN, Ref(number)))
    graph.put(number, Value(COLUMN, Linear((term(shifted), term(source)))))
    return number


def shifts(graph: Graph) -> int:
    return sum(isinstance(value.definition, Shift) for value in graph.values.values())


def test_an_alias_is_read_through_and_hands_its_name_on() -> None:
    graph = Graph()
    total = graph.linear(COLUMN, [term(given(graph, f)), term(given(graph, g))])
    alias = graph.new(COLUMN, Linear((term(total),)), name="sum")
    second = graph.new(COLUMN, Linear((term(alias),)))
    reader = graph.linear(COLUMN, [term(second, times=3)])
    assert kept_by(resolve_aliases, graph, reader, second) == (Ref(reader), Ref(total))
    assert graph[total].names == ("sum",)
    assert not {alias, second} & graph.values.keys()


def test_aliases_in_a_circle_end() -> None:
    graph = Graph()
    one, other = graph.reserve(), graph.reserve()
    graph.put(one, Value(COLUMN, Linear((term(other),))))
    graph.put(other, Value(COLUMN, Linear((term(one),))))
    resolve_aliases(graph)


def test_an_anonymous_sum_that_is_read_once_is_written_where_it_is_read() -> None:
    graph = Graph()
    inner = graph.linear(COLUMN, [term(given(graph, f)), term(given(graph, g), times=-2)])
    outer = graph.linear(COLUMN, [term(inner, times=3), term(given(graph, g))])
    kept_by(inline_single_use, graph, outer)
    assert inner not in graph.values
    assert graph[outer].definition == Linear((term(given(graph, f), times=3), term(given(graph, g), times=-5)))


def test_what_is_named_wanted_or_read_twice_keeps_its_line() -> None:
    def made(case: str) -> tuple[Graph, int, list[int]]:
        graph = Graph()
        inner = graph.linear(COLUMN, [term(given(graph, f)), term(given(graph, g), times=-2)])
        wanted = [graph.linear(COLUMN, [term(inner, times=3), term(given(graph, g))])]
        if case == "named":
            graph.name(inner, "w")
        wanted += [inner] if case == "wanted" else []
        wanted += [graph.linear(COLUMN, [term(inner, times=5), term(given(graph, f))])] if case == "twice" else []
        return graph, inner, wanted

    for case in ("named", "wanted", "twice"):
        graph, inner, wanted = made(case)
        kept_by(inline_single_use, graph, *wanted)
        assert inner in graph.values


def test_a_common_factor_is_taken_out() -> None:
    graph = Graph()
    a, m = given(graph, A), given(graph, s.M)
    parts = [term(a, given(graph, x)), term(a, given(graph, y), times=-2), term(m, given(graph, x))]
    total = graph.linear(COLUMN, parts)
    kept_by(factor_sums, graph, total)
    definition = graph[total].definition
    assert isinstance(definition, Linear)
    assert sorted(one.factors[0].value for one in definition.terms) == sorted((a, m))


def test_shifts_along_one_hop_are_one_shift() -> None:
    graph = Graph()
    shifted = [graph.new(COLUMN, Shift(IN, Ref(given(graph, one)))) for one in (f, g)]
    total = graph.linear(COLUMN, [term(shifted[0]), term(shifted[1], times=Fraction(1, 2))])
    kept_by(simplify, graph, total)
    assert shifts(graph) == 1


def test_recurrences_that_are_only_added_are_one() -> None:
    graph = Graph()
    first, second = (recurrence(graph, given(graph, one)) for one in (f, g))
    total = graph.linear(COLUMN, [term(first, times=2), term(second, times=-1)])
    assert shifts(graph) == 2
    kept_by(simplify, graph, total)
    assert shifts(graph) == 1


def test_a_recurrence_that_is_wanted_is_not_merged() -> None:
    graph = Graph()
    first, second = (recurrence(graph, given(graph, one)) for one in (f, g))
    total = graph.linear(COLUMN, [term(first), term(second)])
    graph.hold(Ref(total), Ref(first))
    assert not merge_recurrences(graph)


def test_what_vanishes_takes_along_what_it_multiplies() -> None:
    graph = Graph()
    zero = graph.new(BLOCK, Linear(()))
    nothing = graph.linear(COLUMN, [term(zero, given(graph, x))])
    shifted = graph.new(COLUMN, Shift(IN, Ref(nothing)))
    total = graph.linear(COLUMN, [term(shifted), term(given(graph, f), times=2)])
    kept_by(drop_zeros, graph, total, shifted)
    assert graph[total].definition == Linear((term(given(graph, f), times=2),))
    assert graph[shifted].definition == Linear(())


def test_identities_leave_products_but_not_alone() -> None:
    graph = Graph()
    one = graph.new(FORCE >> FORCE, Linear((term(),)))
    m = given(graph, s.M)
    product = graph.linear(BLOCK, [term(one, one, m, times=2)])
    alone = graph.linear(FORCE >> FORCE, [term(one, one, times=3)])
    kept_by(drop_identities, graph, product, alone)
    assert graph[product].definition == Linear((term(m, times=2),))
    assert graph[alone].definition == Linear((term(one, times=3),))


@pytest.mark.parametrize("known", [True, False])
def test_what_is_known_leaves_a_component_that_runs_both_ways(known: bool) -> None:
    """0 = E M (α − s) + …: M α and M s part, if s is known."""
    graph = Graph()
    m, alpha, force = given(graph, s.M), graph.reserve(), graph.reserve()
    out = graph.new(ONE >> MOTION, Shift(IN.T, Ref(alpha)))
    graph.put(alpha, Value(ONE >> MOTION, Linear((term(out), term(m, force), term(given(graph, x))))))
    moved = given(graph, y) if known else alpha
    relative = graph.new(ONE >> MOTION, Linear((term(alpha), term(moved, times=-2))))
    shifted = graph.new(COLUMN, Shift(IN, Ref(force)))
    graph.put(force, Value(COLUMN, Unknown((term(shifted), term(m, relative)), FORCE)))
    graph.hold(Ref(force))
    separate_constants(graph)
    definition = graph[force].definition
    assert isinstance(definition, Unknown)
    assert (len(definition.terms) == 3) == known
