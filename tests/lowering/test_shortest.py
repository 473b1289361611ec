"""The scheduler beside brute force: no shorter word of directions computes all that is wanted.

What one sweep of a word can compute is found without components or places: of all that is missing, what reads something
that is not there is struck out until nothing changes.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import product

import pytest

from operator_algebra.applications import dynamics, task_space
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.lower import lifted, named_formulas
from operator_algebra.lowering.passes import PASSES, save_sweeps
from operator_algebra.lowering.schedule import schedule
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, Space
from operator_algebra.programs.instructions import Given, Shift
from operator_algebra.programs.records import Ref, references
from tests.lowering.form_grammar import form
from tests.lowering.meant import term
from tests.lowering.small_graphs import INWARD, LOCAL, OUTWARD, a, column, f, read, recurrence, total
from tests.lowering.test_schedule import PASSES as COUNTED
from tests.lowering.test_translation_validation import FORMULAS

LONGEST = 6
"""Words up to which brute force goes."""


def swept(graph: Graph, known: set[int], label: str) -> set[int]:
    """What a sweep adds to what is known; a label that no read has stands for no sweep at all."""
    passing = {n for n, value in graph.values.items() if value.attached and n not in known} if label else set[int]()
    while missing := {n for n in passing if not _there(graph, n, known, passing, label)}:
        passing -= missing
    found = known | passing
    while numbers := {n for n in graph.values.keys() - found if _counted(graph, n, found)}:
        found |= numbers
    return found


def _there(graph: Graph, number: int, known: set[int], passing: set[int], label: str) -> bool:
    """Whether all that a value reads is known, or passes by at the same time."""
    return all(
        ref.value in known or (ref.value in passing and how in ("L", label))
        for ref, how in references(graph[number].definition)
    )


def _counted(graph: Graph, number: int, found: set[int]) -> bool:
    reads = {ref.value for ref, _ in references(graph[number].definition)}
    return not graph[number].attached and reads <= found


def suffices(graph: Graph, word: tuple[str, ...]) -> bool:
    """Whether sweeps of these directions compute everything."""
    known = swept(graph, {n for n, value in graph.values.items() if isinstance(value.definition, Given)}, "")
    for label in word:
        known = swept(graph, known, label)
    return known == graph.values.keys()


def check(graph: Graph) -> int:
    """See that the sweeps of a graph are the fewest; tells how many."""
    found = [stage.direction for stage in schedule(graph) if stage.direction != "once"]
    assert suffices(graph, tuple("D" if way == "outward" else "U" for way in found))
    if 0 < len(found) <= LONGEST + 1:
        assert not any(suffices(graph, word) for word in product("UD", repeat=len(found) - 1))
    return len(found)


def lowered(formulas: Expr | Query | Mapping[str, Expr | Query], *, saved: bool) -> Graph:
    """The graph that is scheduled."""
    graph = Graph()
    graph.wanted = lifted(Lift(graph, frozenset()), named_formulas(formulas))
    for one in PASSES:
        if saved or one is not save_sweeps:
            one(graph)
    return graph


TASKS = {name: e for name, e in vars(task_space).items() if isinstance(e, Expr) and len(name) > 1}
PROGRAMS: dict[str, Expr | Query | dict[str, Expr | Query]] = {
    **{f"counted: {name}": e for name, (e, _) in COUNTED.items()},
    **{f"validated: {name}": e for name, e in FORMULAS.items()},
    **{f"dynamics: {name}": e for name, e in vars(dynamics).items() if isinstance(e, Expr) and len(name) > 1},
    **{f"task space: {name}": e for name, e in TASKS.items() if not name.startswith("B")},
}


@pytest.mark.parametrize("saved", [True, False], ids=["saved", "as written"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_of_the_programs_of_the_tests(name: str, saved: bool) -> None:
    check(lowered(PROGRAMS[name], saved=saved))


def test_of_forms_as_written() -> None:
    found = {check(lowered(form(seed).formulas, saved=False)) for seed in range(24)}
    assert {2, 3, 4, 5} <= found


def tangle(seed: int) -> Graph:
    """Recurrences of both directions, local values, neighbours and sums that read each other at random."""
    rng = random.Random(seed)
    graph = Graph()
    forces, motions = list(read(graph, f)), list(read(graph, a))
    (K,) = read(graph, LOCAL)
    numbers: list[int] = []

    def factors(rows: Space) -> tuple[int, ...]:
        return tuple(rng.sample(numbers, min(len(numbers), rng.choice((0, 0, 1)))))

    def force() -> int:
        turned = column(graph, FORCE, term(K, rng.choice(motions), times=rng.randint(1, 9)))
        return rng.choice((*forces[-2:], rng.choice(forces), turned))

    def motion() -> int:
        turned = column(graph, MOTION, term(Ref(K, star=True), rng.choice(forces), times=rng.randint(1, 9)))
        return rng.choice((*motions[-2:], rng.choice(motions), turned))

    for _ in range(rng.randint(2, 9)):
        kind = rng.choice("UUDDLNR")
        if kind == "U":
            forces.append(recurrence(graph, INWARD, term(force(), by=factors(FORCE))))
        elif kind == "D":
            motions.append(recurrence(graph, OUTWARD, term(motion(), by=factors(MOTION))))
        elif kind == "L":
            forces.append(column(graph, FORCE, term(force()), term(K, motion(), times=2)))
        elif kind == "N":
            forces.append(graph.new(ONE >> FORCE, Shift(INWARD, Ref(force()))))
            motions.append(graph.new(ONE >> MOTION, Shift(OUTWARD, Ref(motion()))))
        else:
            numbers.append(total(graph, term(Ref(force(), star=True), motion())))
    graph.hold(*map(Ref, (*forces, *motions, *numbers)))
    return graph


def test_of_random_graphs() -> None:
    found = {check(tangle(seed)) for seed in range(400)}
    assert set(range(2, LONGEST)) <= found


def test_a_word_may_repeat_a_direction() -> None:
    """Two sums inward, the second driven by the first: nothing outward stands between them."""
    graph = Graph()
    F, A = read(graph, f, a)
    first = total(graph, term(Ref(A, star=True), recurrence(graph, INWARD, term(F))))
    second = recurrence(graph, INWARD, term(F, by=(first,)))
    graph.hold(Ref(total(graph, term(Ref(A, star=True), second))))
    graph.prune()
    assert check(graph) == 2
    assert [stage.direction for stage in schedule(graph)] == ["inward", "once", "inward", "once"]


def test_numbers_that_need_no_sweep_cost_none() -> None:
    """A sum of what is given scales what the first sweep computes."""
    graph = Graph()
    F, A = read(graph, f, a)
    given = total(graph, term(Ref(A, star=True), F))
    graph.hold(Ref(recurrence(graph, INWARD, term(F, by=(given,)))))
    assert check(graph) == 1
    assert [stage.direction for stage in schedule(graph)] == ["once", "inward"]
