"""Superposition: what late numbers drive linearly is a rest and a response, which are known before the numbers are.

The values are compared over fractions, before and after; the sweeps are counted.
"""

from __future__ import annotations

from fractions import Fraction

from operator_algebra.expressions.build import operator, scalar
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.superpose import superposed
from operator_algebra.operators.spaces import FORCE, MOTION, ONE
from operator_algebra.programs.instructions import Call, Invert, Linear, Shift
from operator_algebra.programs.records import Ref
from tests.lowering.meant import kept_by, term
from tests.lowering.small_graphs import (
    INWARD,
    LOCAL,
    LOOPS,
    OUTWARD,
    PICK,
    TURN,
    a,
    b,
    column,
    f,
    g,
    part,
    read,
    recurrence,
    stacked,
    sweeps,
    total,
)

STIFF = operator("stiff", LOOPS >> LOOPS.dual, structure="symmetric definite")


def split(graph: Graph, *numbers: int) -> tuple[list[str], list[str]]:
    """Split and see that what is wanted stays; the sweeps before and after."""
    counted: list[list[str]] = []

    def change(graph: Graph) -> None:
        counted.append(sweeps(graph))
        assert superposed(graph)
        counted.append(sweeps(graph))

    kept_by(change, graph, *numbers)
    before, after = counted
    return before, after


def left(graph: Graph, *numbers: int) -> bool:
    """Whether nothing is split, and nothing is changed."""
    graph.hold(*map(Ref, numbers))
    graph.prune()
    before = dict(graph.values)
    return not superposed(graph) and graph.values == before


def multiplier(graph: Graph) -> tuple[int, int]:
    """A recurrence inward, and numbers λ = W Σ B* y that are known when it is over."""
    F, B, K, W = read(graph, f, PICK, LOCAL, STIFF)
    y = recurrence(graph, INWARD, term(F))
    end = recurrence(graph, INWARD, term(K, Ref(K, star=True), y))
    slip = total(graph, term(Ref(B, star=True), Ref(K, star=True), end), rows=LOOPS)
    return graph.new(ONE >> LOOPS.dual, column_of(W, slip)), y


def column_of(*factors: int) -> Linear:
    """A product."""
    return Linear((term(*factors),))


def test_what_waits_for_numbers_is_computed_beside_them() -> None:
    """v inward from f + B λ, and x outward from v: the inward sweeps of λ and v become one."""
    graph = Graph()
    late, y = multiplier(graph)
    F, B, K = read(graph, f, PICK, LOCAL)
    v = recurrence(graph, INWARD, term(B, late, times=-2), term(F), term(y))
    x = recurrence(graph, OUTWARD, term(Ref(K, star=True), v))
    assert split(graph, x) == (["inward", "inward", "outward"], ["inward", "outward"])


def test_columns_hops_and_parts_respond_as_well() -> None:
    graph = Graph()
    late, _ = multiplier(graph)
    F, A, B, Q, K = read(graph, f, a, PICK, TURN, LOCAL)
    v = recurrence(graph, INWARD, term(Q, B, late), term(F))
    both = stacked(graph, A, v)
    again = part(graph, both, 1)
    first = part(graph, both, 0)
    hop = graph.new(ONE >> FORCE, Shift(INWARD, Ref(again)))
    end = column(graph, FORCE, term(hop, times=3), term(Q, again), term(K, first))
    x = recurrence(graph, OUTWARD, term(Ref(K, star=True), recurrence(graph, INWARD, term(end))))
    before, after = split(graph, x)
    assert (before, after) == (["inward", "inward", "outward"], ["inward", "outward"])


def test_several_late_numbers_have_a_response_each() -> None:
    """The second waits for the first: λ' = λ + W Σ B* v with v driven by λ."""
    graph = Graph()
    late, _ = multiplier(graph)
    F, G, B, Q, K, W = read(graph, f, g, PICK, TURN, LOCAL, STIFF)
    v = recurrence(graph, INWARD, term(B, late), term(F))
    slip = total(graph, term(Ref(B, star=True), Ref(K, star=True), v), rows=LOOPS)
    later = graph.new(ONE >> LOOPS.dual, column_of(W, slip))
    u = recurrence(graph, INWARD, term(Q, B, later), term(v), term(B, late, times=Fraction(1, 3)), term(G))
    x = recurrence(graph, OUTWARD, term(Ref(K, star=True), u))
    before, after = split(graph, x)
    assert (before, after) == (["inward"] * 3 + ["outward"], ["inward", "outward"])


def test_matrices_of_numbers_respond_as_columns_do() -> None:
    """Λ of several columns: its response has a column for each of its rows."""
    graph = Graph()
    B, K, W, Q = read(graph, PICK, LOCAL, STIFF, TURN)
    y = recurrence(graph, INWARD, term(Q, B), domain=LOOPS.dual)
    inner = total(graph, term(Ref(B, star=True), Ref(K, star=True), y), domain=LOOPS.dual, rows=LOOPS)
    late = graph.new(LOOPS.dual >> LOOPS.dual, column_of(W, inner))
    v = recurrence(graph, INWARD, term(B, late), term(y), domain=LOOPS.dual)
    x = recurrence(graph, OUTWARD, term(Ref(K, star=True), v), domain=LOOPS.dual)
    before, after = split(graph, x)
    assert (before, after) == (["inward", "inward", "outward"], ["inward", "outward"])


def test_what_comes_later_anyhow_is_left() -> None:
    """x outward from a + C λ after an inward sweep for λ: its rest would save nothing that it reads."""
    graph = Graph()
    late, y = multiplier(graph)
    B, K = read(graph, PICK, LOCAL)
    x = recurrence(graph, OUTWARD, term(Ref(K, star=True), B, late), term(Ref(K, star=True), y))
    graph.hold(Ref(x))
    assert sweeps(graph) == ["inward", "outward"]
    superposed(graph)
    assert sweeps(graph) == ["inward", "outward"]


def test_numbers_that_wait_for_nothing_drive_as_they_are() -> None:
    graph = Graph()
    F, B, W, S = read(graph, f, PICK, STIFF, operator("slip", ONE >> LOOPS))
    early = graph.new(ONE >> LOOPS.dual, column_of(W, S))
    assert left(graph, recurrence(graph, INWARD, term(F), term(B, early)))


def test_factors_and_coefficients_that_are_late_are_left() -> None:
    """λ as a scalar in front, in the middle of a product, or through a local function, is no drive."""
    graph = Graph()
    late, _ = multiplier(graph)
    F, A, B, Q, h = read(graph, f, a, PICK, TURN, scalar("h"))
    waiting = total(graph, term(Ref(A, star=True), recurrence(graph, INWARD, term(F))))
    S, K = read(graph, operator("slip", ONE >> LOOPS), LOCAL)
    scaled = recurrence(graph, INWARD, term(F, times=2, by=(waiting,)))
    squeezed = column(graph, FORCE, term(B, late, Ref(late, star=True), S))
    between = recurrence(graph, INWARD, term(squeezed), term(Q, F, by=(h,)))
    assert left(graph, scaled, between)
    w = column(graph, MOTION, term(Ref(K, star=True), B, late))
    spin = graph.new(MOTION >> MOTION, Call("cross", (Ref(w),)))
    before, after = split(graph, recurrence(graph, OUTWARD, term(spin, A)))
    assert before == after


def test_what_reads_a_vector_that_was_split_reads_the_whole() -> None:
    """A sum of it is a sum of its parts, with the late numbers outside: its inverse does not wait for them."""
    graph = Graph()
    late, y = multiplier(graph)
    F, B, K, b_ = read(graph, f, PICK, LOCAL, b)
    v = recurrence(graph, INWARD, term(B, late), term(F), term(y))
    number = total(graph, term(Ref(b_, star=True), v), term(Ref(v, star=True), b_, times=2))
    reciprocal = graph.new(ONE >> ONE, Invert(Ref(number)))
    x = recurrence(graph, OUTWARD, term(Ref(K, star=True), v, by=(reciprocal,)))
    before, after = split(graph, x)
    assert (before, after) == (["inward", "inward", "outward"], ["inward", "outward"])


def test_numbers_of_no_body_around_a_sum_stand_outside() -> None:
    """Σ λ* B* K v v* K* B λ' with v driven by λ: all four products of its parts, λ and λ' on their sides."""
    graph = Graph()
    late, _ = multiplier(graph)
    F, B, K, W, h = read(graph, f, PICK, LOCAL, STIFF, scalar("h"))
    v = recurrence(graph, INWARD, term(B, late, times=Fraction(1, 2)), term(F))
    square = total(graph, term(Ref(v, star=True), K, Ref(K, star=True), v, times=3, by=(h,)))
    around = (Ref(late, star=True), Ref(W, star=True), Ref(B, star=True), Ref(K), Ref(K, star=True), Ref(v))
    waiting = total(graph, term(Ref(F, star=True), K, Ref(K, star=True), F))
    outside = total(graph, term(*around, times=-1, by=(waiting,)), term(Ref(F, star=True), K, Ref(K, star=True), v))
    before, after = split(graph, square, outside)
    assert (before, after) == (["inward", "inward"], ["inward"])
