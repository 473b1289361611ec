"""Traces of blocks that recur outward are traces of blocks that recur inward, and the other way.

The numbers are compared over fractions, before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from operator_algebra.compiler import compile as compile_program
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.query import logdet, trace
from operator_algebra.lowering.components import components
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.traces import transposable, transposed_sum
from operator_algebra.lowering.values import Value
from operator_algebra.models.families import random_tree
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE, Type
from operator_algebra.programs.instructions import Hop, Linear, Shift, Total
from operator_algebra.programs.records import Ref, Term
from tests.expression_grammar import h
from tests.lowering.meant import kept_by, term
from tests.lowering.rational_expressions import MASS
from tests.lowering.small_graphs import INWARD, LOCAL, OUTWARD, TURN, read, sweeps
from tests.rounding import apart, condition, differencing, rounding

BACK = operator("back", FORCE >> MOTION, structure="diagonal")
MORE = operator("more_of_motion", MOTION >> FORCE, structure="diagonal")


def blocks(graph: Graph, hop: Hop, *driven: Term) -> int:
    """X = E X E* + what drives it, along a hop."""
    type_ = Type(hop.T.type.domain, hop.type.codomain)
    number = graph.reserve()
    arriving = graph.new(type_, Shift(hop, Ref(number), hop.T))
    graph.put(number, Value(type_, Linear((*driven, term(arriving)))))
    return number


def trace_of(graph: Graph, *terms: Term) -> int:
    """The trace of a sum of products."""
    first, last = terms[0].factors[0], terms[0].factors[-1]
    block = graph.new(Type(graph.type_of(last).domain, graph.type_of(first).codomain), Linear(terms))
    return graph.new(ONE >> ONE, Total("trace", Ref(block)))


def done(graph: Graph, number: int) -> Graph:
    """Transpose a trace and see that it stays."""

    def change(graph: Graph) -> None:
        assert transposed_sum(graph, graph.held[0].value)
        graph.prune()

    kept_by(change, graph, number)
    return graph


def ways(graph: Graph) -> set[str]:
    """Which ways blocks recur."""
    return {label for c in components(graph) for label in c.labels & {"U", "D"}}


@pytest.mark.parametrize("inward", [True, False])
def test_what_ran_one_way_runs_the_other(inward: bool) -> None:
    graph = Graph()
    m, n = read(graph, LOCAL, BACK)
    hop, source, end = (INWARD, m, n) if inward else (OUTWARD, n, m)
    assert ways(done(graph, trace_of(graph, term(end, blocks(graph, hop, term(source)))))) == {"D" if inward else "U"}


def test_a_form_with_two_sweeps_takes_one() -> None:
    """tr M X with X outward from N Z N, Z inward."""
    graph = Graph()
    m, n, more = read(graph, LOCAL, BACK, MORE)
    Z = blocks(graph, INWARD, term(m))
    X = blocks(graph, OUTWARD, term(n, Z, n))
    number = trace_of(graph, term(more, X))
    graph.hold(Ref(number))
    assert sweeps(graph) == ["inward", "outward"]
    graph.wanted = ()
    assert sweeps(done(graph, number)) == ["inward"]


def test_what_is_turned_is_turned_back() -> None:
    """tr M X* and a recurrence that reads its own adjoint, with factors on both sides."""
    graph = Graph()
    m, n, turn = read(graph, LOCAL, BACK, TURN)
    type_ = MOTION >> FORCE
    number = graph.reserve()
    arriving = graph.new(type_, Shift(INWARD, Ref(number), OUTWARD))
    sent = term(turn, Ref(arriving, star=True), times=Fraction(1, 3))
    graph.put(number, Value(type_, Linear((term(m), sent))))
    assert ways(done(graph, trace_of(graph, term(n, Ref(number, star=True)), term(n, number, n, m)))) == {"D"}


def test_coefficients_are_kept() -> None:
    """Numbers in front of what drives, of what recurs, and of the products of the trace."""
    graph = Graph()
    m, n, turn, front = read(graph, LOCAL, BACK, TURN, h)
    X = graph.reserve()
    arriving = graph.new(MOTION >> FORCE, Shift(INWARD, Ref(X), OUTWARD))
    terms = (term(m, times=-2, by=(front,)), term(turn, arriving, times=Fraction(1, 2), by=(front,)))
    graph.put(X, Value(MOTION >> FORCE, Linear(terms)))
    done(graph, trace_of(graph, term(n, X, times=-3, by=(front,)), term(n, m, times=5)))


def no_recurrence(graph: Graph) -> int:
    m, n = read(graph, LOCAL, BACK)
    return trace_of(graph, term(n, m))


def a_product_of_two(graph: Graph) -> int:
    m, n = read(graph, LOCAL, BACK)
    X = blocks(graph, INWARD, term(m))
    return trace_of(graph, term(n, X, n, X))


def a_recurrence_itself(graph: Graph) -> int:
    (m,) = read(graph, LOCAL)
    return graph.new(ONE >> ONE, Total("trace", Ref(blocks(graph, INWARD, term(m)))))


def from_a_space_to_its_dual(graph: Graph) -> int:
    m, turn = read(graph, LOCAL, TURN)
    return trace_of(graph, term(turn, blocks(graph, INWARD, term(m))))


@pytest.mark.parametrize("made", [no_recurrence, a_product_of_two, a_recurrence_itself, from_a_space_to_its_dual])
def test_what_is_no_linear_function_or_has_no_turns_stays(made: Callable[[Graph], int]) -> None:
    graph = Graph()
    number = made(graph)
    before = dict(graph.values)
    assert transposable(graph) == [number]
    assert not transposed_sum(graph, number)
    assert graph.values == before


def test_the_trace_of_an_inverse_is_the_derivative_of_its_determinant() -> None:
    """tr ℳ⁻¹ B = Σ tr D⁻¹ (B + H S H*), S inward: what differentiating log |ℳ + t B| by hand gives."""
    B = operator("B", RATE >> TORQUE, structure="diagonal symmetric")
    model = random_tree(7, joints=("revolute", "spherical", "universal"), branching=0.6, seed=2)
    rng = np.random.default_rng(2)
    sizes = [part.stop - part.start for part in model.v_slices]
    given = [(block + block.T) / 100 for block in (rng.standard_normal((n, n)) for n in sizes)]
    run = compile_program(trace(inv(MASS) @ B), model)
    assert [sweep.direction for sweep in run.program.sweeps] == ["inward"]
    q, _ = model.random(2)
    mass = evaluate(MASS, model, q=q).dense()
    dense = sum(np.trace(np.linalg.inv(mass)[part, part] @ b) for part, b in zip(model.v_slices, given, strict=True))
    assert apart(run(q=q, B=given), dense) <= rounding(len(mass), condition=condition(mass))
    det, step = compile_program(logdet(MASS + h * B), model), 1e-4
    ends = [det(q=q, B=given, h=t) for t in (step, -step)]
    assert apart((ends[0] - ends[1]) / (2 * step), dense) <= differencing(abs(ends[0]), step, rate=abs(dense))
