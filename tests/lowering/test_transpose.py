"""Transposition: a sum over what a recurrence gives is a sum over what drives it, through the adjoint recurrence.

The numbers are compared over fractions, before and after.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from operator_algebra.expressions.build import scalar
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.transpose import Directions, ends, transposed
from operator_algebra.lowering.values import Value
from operator_algebra.operators.spaces import FORCE, MOTION, ONE
from operator_algebra.programs.instructions import Call, Linear, Part, Reduce, Shift, Stack
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
    ways,
)


def done(graph: Graph, number: int) -> int:
    """Transpose a sum and see that it stays; tells where it stands."""

    def change(graph: Graph) -> None:
        assert transposed(graph, graph.held[0].value)
        graph.prune()

    (ref,) = kept_by(change, graph, number)
    assert not ref.star
    return ref.value


def left(graph: Graph, number: int) -> bool:
    """Whether a sum cannot be transposed, and nothing is changed."""
    before = dict(graph.values)
    return not transposed(graph, number) and graph.values == before


@pytest.mark.parametrize("inward", [True, False])
def test_what_ran_one_way_runs_the_other(inward: bool) -> None:
    graph = Graph()
    F, A = read(graph, f, a)
    hop, source, end = (INWARD, F, A) if inward else (OUTWARD, A, F)
    y = recurrence(graph, hop, term(source))
    assert ways(_wanted(graph, total(graph, term(Ref(end, star=True), y)))) == "DU"[inward]
    done(graph, graph.held[0].value)
    assert ways(graph) == "UD"[inward]


def _wanted(graph: Graph, number: int) -> Graph:
    graph.hold(Ref(number))
    return graph


def test_a_form_with_two_sweeps_takes_one() -> None:
    """Σ f* y with y outward from M z, z inward: the sum over y is one over z."""
    graph = Graph()
    F, G, K = read(graph, f, g, LOCAL)
    z = recurrence(graph, INWARD, term(F))
    y = recurrence(graph, OUTWARD, term(Ref(K, star=True), z))
    number = total(graph, term(Ref(G, star=True), y))
    assert sweeps(_wanted(graph, number)) == ["inward", "outward"]
    done(graph, number)
    assert sweeps(graph) == ["inward"]


def test_twice_is_nothing() -> None:
    graph = Graph()
    F, A = read(graph, f, a)
    number = total(graph, term(Ref(A, star=True), recurrence(graph, INWARD, term(F, times=3))))
    again = done(graph, done(graph, number))
    assert ways(graph) == "U"
    definition = graph[again].definition
    assert isinstance(definition, Reduce)
    assert len(definition.terms) == 1


def test_coefficients_scalars_and_local_operators_go_along() -> None:
    graph = Graph()
    F, G, A, Q, K, h = read(graph, f, g, a, TURN, LOCAL, scalar("h"))
    turned = column(graph, FORCE, term(Q, F, times=Fraction(-2, 3), by=(h,)), term(G))
    y = recurrence(graph, INWARD, term(turned))
    after = column(graph, FORCE, term(Q, y, times=-2), term(K, A))
    number = total(graph, term(Ref(A, star=True), Q, after, times=5, by=(h,)))
    done(graph, number)
    assert ways(graph) == "D"


def test_of_several_bodies_of_a_recurrence_each_has_its_adjoint() -> None:
    """Two columns that recur together, each driving the other."""
    graph = Graph()
    F, G, A, Q = read(graph, f, g, a, TURN)
    one, two = graph.reserve(), graph.reserve()
    first = graph.new(ONE >> FORCE, Shift(INWARD, Ref(two)))
    second = graph.new(ONE >> FORCE, Shift(INWARD, Ref(one)))
    graph.put(one, Value(ONE >> FORCE, Linear((term(F), term(Q, first)))))
    graph.put(two, Value(ONE >> FORCE, Linear((term(G), term(second), term(one, times=-1)))))
    number = total(graph, term(Ref(A, star=True), one), term(Ref(A, star=True), Q, two))
    done(graph, number)
    assert ways(graph) == "D"


def test_columns_below_each_other_are_taken_apart() -> None:
    """The adjoint of a part is a column with zeros, and the other way round; a zero row drives nothing."""
    graph = Graph()
    F, A, B, K = read(graph, f, a, b, LOCAL)
    z = recurrence(graph, INWARD, term(F))
    both = stacked(graph, z, A, z)
    number = total(
        graph,
        term(Ref(A, star=True), part(graph, both, 0)),
        term(Ref(F, star=True), part(graph, both, 1)),
        term(Ref(B, star=True), part(graph, both, 2), times=-1),
        term(Ref(A, star=True), K, part(graph, both, 1)),
    )
    done(graph, number)
    assert ways(graph) == "D"


def test_a_look_at_a_neighbour_becomes_one_the_other_way() -> None:
    graph = Graph()
    F, A, B = read(graph, f, a, b)
    z = recurrence(graph, INWARD, term(F))
    above = graph.new(ONE >> MOTION, Shift(OUTWARD, Ref(B)))
    below = graph.new(ONE >> FORCE, Shift(INWARD, Ref(z)))
    number = total(graph, term(Ref(A, star=True), below), term(Ref(above, star=True), z))
    done(graph, number)
    assert ways(graph) == "D"


def test_matrices_of_columns_keep_their_sides() -> None:
    """J* y with y of two columns, and J of two others."""
    graph = Graph()
    B, Q = read(graph, PICK, TURN)
    y = recurrence(graph, INWARD, term(Q, B), domain=LOOPS.dual)
    x = recurrence(graph, OUTWARD, term(Ref(read(graph, LOCAL)[0], star=True), y), domain=LOOPS.dual)
    number = total(graph, term(Ref(B, star=True), x), domain=LOOPS.dual, rows=LOOPS)
    done(graph, number)
    assert graph[graph.held[0].value].type == LOOPS.dual >> LOOPS


def test_a_recurrence_on_the_left_is_transposed_as_well() -> None:
    graph = Graph()
    F, A = read(graph, f, a)
    y = recurrence(graph, INWARD, term(F))
    number = total(graph, term(Ref(y, star=True), A))
    done(graph, number)
    assert ways(graph) == "D"


def test_many_of_them_are_transposed_from_the_left() -> None:
    graph = Graph()
    A, B = read(graph, a, PICK)
    many = recurrence(graph, INWARD, term(B), domain=LOOPS.dual)
    done(graph, total(graph, term(Ref(many, star=True), A), rows=LOOPS))
    assert ways(graph) == "D"


def test_a_norm_is_a_sum_over_what_drives_it() -> None:
    """Σ y* K y reads y twice: one of the two is transposed, and reads the other."""
    graph = Graph()
    A, K = read(graph, a, LOCAL)
    y = recurrence(graph, OUTWARD, term(A))
    number = total(graph, term(Ref(y, star=True), K, y))
    done(graph, number)
    assert ways(graph) == "DU"


def test_sums_that_do_not_recur_stay_beside() -> None:
    graph = Graph()
    F, A, G = read(graph, f, a, g)
    y = recurrence(graph, INWARD, term(F))
    other = recurrence(graph, OUTWARD, term(A))
    number = total(
        graph, term(Ref(A, star=True), y), term(Ref(A, star=True), G, times=7), term(Ref(G, star=True), other)
    )
    done(graph, number)
    definition = graph[graph.held[0].value].definition
    assert isinstance(definition, Reduce)
    assert term(Ref(A, star=True), G, times=7) in definition.terms


def test_what_does_not_recur_is_left() -> None:
    graph = Graph()
    F, A = read(graph, f, a)
    hop = graph.new(ONE >> FORCE, Shift(INWARD, Ref(F)))
    assert left(graph, total(graph, term(Ref(A, star=True), F)))
    assert left(graph, total(graph, term(Ref(A, star=True), hop)))


def test_what_is_no_linear_function_of_its_drive_is_left() -> None:
    """y(k) = f + arriving a* arriving: its coefficient is the recurrence itself."""
    graph = Graph()
    F, A = read(graph, f, a)
    squared = graph.reserve()
    arriving = graph.new(ONE >> FORCE, Shift(INWARD, Ref(squared)))
    terms = (term(F), term(arriving, Ref(A, star=True), arriving))
    graph.put(squared, Value(ONE >> FORCE, Linear(terms)))
    assert left(graph, total(graph, term(Ref(A, star=True), squared)))


def test_a_local_function_of_a_recurrence_is_what_drives() -> None:
    """Σ f* y with y outward from cross(w) a and w outward: only y is transposed, and reads w as before."""
    graph = Graph()
    F, A, B = read(graph, f, a, b)
    w = recurrence(graph, OUTWARD, term(B))
    cross = graph.new(MOTION >> MOTION, Call("cross", (Ref(w),)))
    y = recurrence(graph, OUTWARD, term(cross, A))
    number = total(graph, term(Ref(F, star=True), y))
    assert done(graph, number)
    assert ways(graph) == "DU"


def test_directions_are_those_of_recurrences() -> None:
    graph = Graph()
    F, A, K = read(graph, f, a, LOCAL)
    z = recurrence(graph, INWARD, term(F))
    y = recurrence(graph, OUTWARD, term(Ref(K, star=True), z), term(A))
    found = Directions(graph)
    assert (found.of[z], found.of[y]) == ("U", "D")
    assert F not in found.of
    way, cone = found.cone(y)
    assert way == "D"
    assert y in cone
    assert z not in cone
    assert found.cone(A) == ("", frozenset())


def test_a_column_is_linear_in_the_ends_of_what_defines_it() -> None:
    assert ends(Linear((term(1, 2), term(3)))) == (Ref(2), Ref(3))
    assert ends(Shift(INWARD, Ref(4))) == ends(Part(Ref(4), 1)) == (Ref(4),)
    assert ends(Stack(((Ref(5),), (None,)))) == (Ref(5),)
    # A congruence, a block matrix and a local function are none.
    for other in (Shift(INWARD, Ref(4), OUTWARD), Stack(((Ref(5), None),)), Call("cross", (Ref(6),))):
        assert ends(other) is None
