"""Value numbering modulo sign: a vector that is another one's opposite is read as it with a minus.

The values are compared over fractions, before and after.
"""

from __future__ import annotations

from operator_algebra.expressions.build import operator
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.share import share, share_opposites
from operator_algebra.lowering.simplify import resolve_aliases
from operator_algebra.operators.spaces import FORCE, MOTION, ONE
from operator_algebra.programs.instructions import Call, Invert, Linear, Shift
from operator_algebra.programs.records import Ref
from tests.lowering.meant import kept_by, term
from tests.lowering.small_graphs import (
    INWARD,
    LOCAL,
    LOOPS,
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
    total,
)

STIFF = operator("stiff", LOOPS >> LOOPS.dual)


def shared(graph: Graph, *numbers: int) -> list[int]:
    """Share opposites and see that all stays; the vectors that shifts carry afterwards."""

    def change(graph: Graph) -> None:
        share_opposites(graph)
        resolve_aliases(graph)

    kept_by(change, graph, *numbers)
    graph.prune()
    return [value.definition.source.value for value in graph.values.values() if isinstance(value.definition, Shift)]


def opposites(graph: Graph) -> tuple[int, int]:
    """A recurrence, and one that is driven by the opposite."""
    F, Q = read(graph, f, TURN)
    one = recurrence(graph, INWARD, term(F), term(Q, F, times=2))
    other = recurrence(graph, INWARD, term(F, times=-1), term(Q, F, times=-2))
    return one, other


def test_opposite_recurrences_are_one() -> None:
    graph = Graph()
    one, other = opposites(graph)
    assert len(shared(graph, one, other)) == 1


def test_without_signs_they_are_two() -> None:
    graph = Graph()
    one, other = opposites(graph)
    kept_by(share, graph, one, other)
    assert sum(isinstance(value.definition, Shift) for value in graph.values.values()) == 2


def test_sums_columns_hops_and_parts_of_opposites_keep_their_numbers() -> None:
    graph = Graph()
    one, other = opposites(graph)
    A, B, K, G = read(graph, a, b, LOCAL, g)
    both, turned = stacked(graph, one, other, A), stacked(graph, other, one, B)
    mixed = column(graph, FORCE, term(part(graph, both, 1)), term(K, A), term(other, times=3))
    hop = graph.new(ONE >> FORCE, Shift(INWARD, Ref(other)))
    wanted = (
        both,
        turned,
        part(graph, turned, 0),
        mixed,
        hop,
        total(graph, term(Ref(A, star=True), other)),
        total(graph, term(Ref(other, star=True), A), term(Ref(A, star=True), G)),
    )
    # Those of the recurrence, of its opposite above and the one hop more are the same.
    assert len(shared(graph, *wanted)) == 1


def test_two_minus_signs_are_none() -> None:
    """Σ y* K* y' with both opposite, and a product of a vector, its opposite and a number."""
    graph = Graph()
    one, other = opposites(graph)
    A, K = read(graph, a, LOCAL)
    square = total(graph, term(Ref(other, star=True), Ref(A), Ref(A, star=True), other))
    plain = total(graph, term(Ref(one, star=True), Ref(A), Ref(A, star=True), one))
    half = total(graph, term(Ref(one, star=True), Ref(A), Ref(A, star=True), other))
    outer = column(graph, FORCE, term(other, Ref(A, star=True), other), term(K, A))
    refs = [square, plain, half, outer]
    assert len(shared(graph, *refs)) == 1
    assert graph.held[0] == graph.held[1]


def test_matrices_of_no_body_have_opposites_and_so_have_their_inverses() -> None:
    graph = Graph()
    (W,) = read(graph, STIFF)
    type_ = LOOPS >> LOOPS.dual
    once = graph.new(type_, Linear((term(W, times=3),)))
    less = graph.new(type_, Linear((term(W, times=-3),)))
    inverses = [graph.new(LOOPS.dual >> LOOPS, Invert(Ref(n))) for n in (once, less)]
    shared(graph, *inverses)
    assert sum(isinstance(value.definition, Invert) for value in graph.values.values()) == 1


def test_adjoints_of_matrices_of_no_body_are_told_apart() -> None:
    """Σ B* K* B and its adjoint, minus its adjoint, and their sum."""
    graph = Graph()
    B, K = read(graph, PICK, LOCAL)
    type_ = LOOPS.dual >> LOOPS
    one = total(graph, term(Ref(B, star=True), Ref(K, star=True), B), domain=LOOPS.dual, rows=LOOPS)
    other = graph.new(type_, Linear((term(Ref(one, star=True)),)))
    less = graph.new(type_, Linear((term(Ref(one, star=True), times=-1),)))
    shared(graph, one, other, less, graph.new(type_, Linear((term(one), term(less)))))


def test_a_local_function_of_the_opposite_is_another() -> None:
    graph = Graph()
    A, B = read(graph, a, b)
    less = column(graph, MOTION, term(A, times=-1))
    turns = [graph.new(MOTION >> MOTION, Call("cross", (Ref(n),))) for n in (A, less)]
    moved = [column(graph, MOTION, term(n, B)) for n in turns]
    shared(graph, *moved)
    assert sum(isinstance(value.definition, Call) for value in graph.values.values()) == 2


def test_what_is_its_own_opposite_is_nothing() -> None:
    """A recurrence that nothing drives, and the sum of a vector and its opposite."""
    graph = Graph()
    idle = recurrence(graph, INWARD)
    one, other = opposites(graph)
    A = read(graph, a)[0]
    none = column(graph, FORCE, term(one), term(other))
    shared(graph, idle, none, total(graph, term(Ref(A, star=True), none), term(Ref(A, star=True), idle)))


def test_of_three_in_a_chain_of_signs_one_is_left() -> None:
    graph = Graph()
    F, G, Q = read(graph, f, g, TURN)
    one = column(graph, FORCE, term(F), term(G, times=-1))
    other = column(graph, FORCE, term(G), term(F, times=-1))
    first = recurrence(graph, INWARD, term(Q, one))
    second = recurrence(graph, INWARD, term(Q, other))
    third = recurrence(graph, INWARD, term(Q, other, times=-1))
    assert len(shared(graph, first, second, third)) == 1
