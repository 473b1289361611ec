"""Sums that are their own adjoints: told by multiplying out, and not told where that is too long."""

from __future__ import annotations

from dataclasses import replace

from operator_algebra import symbols as s
from operator_algebra.lowering.graph import Graph
from operator_algebra.operators.spaces import MOTION, RATE, TORQUE
from operator_algebra.programs.mirrored import mirrored
from operator_algebra.programs.records import Ref
from tests.lowering.meant import given, term


def leaves() -> tuple[Graph, int, Ref]:
    graph = Graph()
    m, h = given(graph, s.M), Ref(given(graph, s.H))
    graph.put(m, replace(graph[m], symmetric=True))
    return graph, m, h


def test_a_congruence_is_mirrored_and_half_of_it_is_not() -> None:
    graph, m, h = leaves()
    assert mirrored(graph.values, [term(h, m, h.T)])
    assert not mirrored(graph.values, [term(h, m, given(graph, s.X_abs), h.T)])


def test_a_star_is_only_dropped_of_what_is_symmetric() -> None:
    graph, m, _ = leaves()
    assert mirrored(graph.values, [term(Ref(m, star=True))])
    graph.put(m, replace(graph[m], symmetric=False))
    assert not mirrored(graph.values, [term(m)])
    assert mirrored(graph.values, [term(m), term(Ref(m, star=True))])


def test_named_parts_are_written_out() -> None:
    graph, m, h = leaves()
    crossed = graph.linear(RATE >> MOTION.dual, [term(m, h.T)])
    assert mirrored(graph.values, [term(h, crossed)])
    assert mirrored(graph.values, [term(Ref(crossed, star=True), h.T)])


def test_what_is_too_long_is_left_open() -> None:
    graph, m, h = leaves()
    doubled = graph.linear(RATE >> TORQUE, [term(h, m, h.T), term(h, m, m, h.T)])
    for _ in range(5):
        doubled = graph.linear(RATE >> TORQUE, [term(doubled, doubled), term(doubled, doubled, doubled)])
    assert mirrored(graph.values, [term(doubled)]) is None
