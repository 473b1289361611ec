"""Components of a graph: what reaches each other stands together, what is read comes first."""

from __future__ import annotations

from hypothesis import given as drawn
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.lowering.components import Component, components, local_cycle, strongly_connected
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.values import Value
from operator_algebra.operators.spaces import FORCE, ONE
from operator_algebra.programs.instructions import Hop, Linear, Shift
from operator_algebra.programs.records import Ref
from tests.lowering.meant import given, term

COLUMN = ONE >> FORCE
E = Hop(s.E_phi, star=False, inward=True)

Edges = dict[int, list[int]]


def edges() -> st.SearchStrategy[Edges]:
    """What each of up to eight nodes reads."""
    return st.integers(1, 8).flatmap(
        lambda n: st.fixed_dictionaries({k: st.lists(st.integers(0, n - 1), max_size=3) for k in range(n)})
    )


def reached(start: int, reads: Edges) -> set[int]:
    """All that a node reads, directly or by way of others."""
    found: set[int] = set()
    pending = list(reads[start])
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += reads[node]
    return found


@drawn(edges())
def test_they_are_the_classes_of_mutual_reach_in_order(reads: Edges) -> None:
    found = list(strongly_connected(reads, reads.__getitem__))
    assert sorted(node for members in found for node in members) == sorted(reads)
    behind = {node: reached(node, reads) for node in reads}
    for members in found:
        for node in members:
            assert set(members) == {node} | {other for other in behind[node] if node in behind[other]}
    place = {node: i for i, members in enumerate(found) for node in members}
    assert all(place[read] <= place[node] for node, listed in reads.items() for read in listed)


def test_thousands_in_a_row_need_no_call_stack() -> None:
    n = 20_000
    assert len(list(strongly_connected(range(n), lambda k: [k + 1] if k + 1 < n else []))) == n
    assert len(list(strongly_connected(range(n), lambda k: [(k + 1) % n]))) == 1


def recurrence() -> tuple[Graph, int, int, int]:
    """z = E z + f."""
    graph = Graph()
    f, z = given(graph, s.f_ext), graph.reserve()
    shifted = graph.new(COLUMN, Shift(E, Ref(z)))
    graph.put(z, Value(COLUMN, Linear((term(shifted), term(f)))))
    return graph, f, z, shifted


def test_a_recurrence_is_one_component_with_the_labels_of_its_reads() -> None:
    graph, f, z, shifted = recurrence()
    first, second = components(graph)
    assert first == Component((f,), frozenset())
    assert first.trivial
    assert second == Component(tuple(sorted((z, shifted))), frozenset("LU"))
    assert not second.trivial


def test_a_cycle_at_the_same_body_passes_no_shift() -> None:
    graph, _, z, shifted = recurrence()
    assert local_cycle(graph, (z, shifted)) == ()
    a, b = graph.reserve(), graph.reserve()
    graph.put(a, Value(COLUMN, Linear((term(b),))))
    graph.put(b, Value(COLUMN, Linear((term(a, times=2), term(z)))))
    assert set(local_cycle(graph, (a, b, z, shifted))) == {a, b}
    own = graph.reserve()
    graph.put(own, Value(COLUMN, Linear((term(own, times=2),))))
    assert local_cycle(graph, (own,)) == (own,)
