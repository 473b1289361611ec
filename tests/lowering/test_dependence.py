"""Vectors that are equal because recurrences add up: what only such a copy needs is dropped, and nothing else changes.

The numbers are compared over fractions, before and after.
"""

from __future__ import annotations

from operator_algebra.lowering.dependence import merge_dependent
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lower import lower
from operator_algebra.lowering.simplify import resolve_aliases
from operator_algebra.lowering.values import Value
from operator_algebra.operators.spaces import FORCE, ONE
from operator_algebra.programs.instructions import Linear, Shift
from operator_algebra.programs.records import Ref, Term
from tests.lowering.meant import kept_by, term
from tests.lowering.small_graphs import INWARD, OUTWARD, TURN, column, f, g, read, recurrence
from tests.lowering.test_fewest import FORMULAS

BOTH = ONE >> FORCE


def filtered(graph: Graph, turn: int, *driven: Term, left: tuple[Term, ...] = ()) -> tuple[int, int]:
    """z = Σ z⁺ + what drives it, e = left + turn z, z⁺ = z − e: the numbers of z and e."""
    z, passed = graph.reserve(), graph.reserve()
    arriving = graph.new(BOTH, Shift(INWARD, Ref(passed)))
    graph.put(z, Value(BOTH, Linear((*driven, term(arriving)))))
    e = column(graph, FORCE, *left, term(turn, z))
    graph.put(passed, Value(BOTH, Linear((term(z), term(e, times=-1)))))
    return z, e


def hops(graph: Graph) -> int:
    """How many vectors a graph carries along the tree."""
    return sum(isinstance(value.definition, Shift) for value in graph.values.values())


def merged(graph: Graph, *wanted: int) -> Graph:
    """Merge, and see that what is wanted stays."""

    def change(graph: Graph) -> None:
        assert merge_dependent(graph)
        resolve_aliases(graph)

    kept_by(change, graph, *wanted)
    return graph


def test_a_filter_of_a_sum_is_one_that_is_driven_directly() -> None:
    """y = Σ y + f, and a filter that subtracts y again, is the filter of f: z = y + w."""
    graph = Graph()
    F, G, turn = read(graph, f, g, TURN)
    _, direct = filtered(graph, turn, term(F))
    y = recurrence(graph, INWARD, term(F))
    _, around = filtered(graph, turn, left=(term(turn, y),))
    other = column(graph, FORCE, term(G), term(around))
    assert hops(graph) == 3
    assert hops(merged(graph, direct, other)) == 1


def test_what_is_a_multiple_is_read_as_one() -> None:
    """Driven by −2 f, all of it is −2 times as much."""
    graph = Graph()
    F, turn = read(graph, f, TURN)
    _, direct = filtered(graph, turn, term(F))
    y = recurrence(graph, INWARD, term(F, times=-2))
    _, around = filtered(graph, turn, left=(term(turn, y),))
    assert hops(merged(graph, direct, around)) == 1


def test_of_two_the_one_that_needs_less_stays() -> None:
    """Whichever was there first."""
    graph = Graph()
    F, turn = read(graph, f, TURN)
    y = recurrence(graph, INWARD, term(F))
    _, around = filtered(graph, turn, left=(term(turn, y),))
    _, direct = filtered(graph, turn, term(F))
    assert hops(merged(graph, around, direct)) == 1


def untouched(graph: Graph, *wanted: int) -> bool:
    graph.hold(*map(Ref, wanted))
    before = dict(graph.values)
    return not merge_dependent(graph) and graph.values == before


def test_what_is_needed_anyway_stays() -> None:
    """The sum itself is wanted: nothing would be saved."""
    graph = Graph()
    F, turn = read(graph, f, TURN)
    y = recurrence(graph, INWARD, term(F))
    w, around = filtered(graph, turn, left=(term(turn, y),))
    z, _ = filtered(graph, turn, term(F))
    assert untouched(graph, y, w, around, z)


def test_another_filter_another_drive_or_another_way_is_not_the_same() -> None:
    graph = Graph()
    F, G, turn = read(graph, f, g, TURN)
    _, direct = filtered(graph, turn, term(F))
    y, elsewhere = recurrence(graph, INWARD, term(G)), recurrence(graph, OUTWARD.T, term(turn, F))
    _, around = filtered(graph, turn, left=(term(turn, y), term(elsewhere)))
    assert untouched(graph, direct, around)


def test_soft_and_hard_loops_have_a_column_for_each_row_and_one_for_the_torque() -> None:
    """What the torque of the hard rows passed on the way, as written a recurrence of its own and a filter of it."""
    program = lower(FORMULAS["soft and hard loops"].formula)
    (inward,) = [stage for stage in program.sweeps if stage.direction == "inward"]
    vectors = [step.definition for step in inward.steps if step.value.is_vector]
    assert sum(isinstance(definition, Shift) for definition in vectors) == 3
