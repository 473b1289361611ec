"""The choice of the form with the fewest sweeps: what is summed over the mechanism may be transposed or superposed.

Forms whose operations exceed those of the untouched program by more than DEARER are refused; of those with equally few
sweeps the one with the fewest operations stays. Operations are counted on a small tree of hinges, columns of a user's
space as six.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

from operator_algebra.lowering.finish import sketched
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.share import share_opposites
from operator_algebra.lowering.simplify import drop_zeros, resolve_aliases
from operator_algebra.lowering.superpose import superposed
from operator_algebra.lowering.transpose import Directions, transposed
from operator_algebra.programs.cost import cost
from operator_algebra.programs.instructions import Call, Reduce
from operator_algebra.programs.program import Output
from operator_algebra.programs.records import references

DEARER = 1.25
"""By how much operations may grow to save a sweep."""
SINGLY = 3
"""Up to so many sums are transposed in every choice; of more, all or none."""


class _Hinge:
    nv: ClassVar[int] = 1


class _Link:
    joint = _Hinge()


@dataclass(frozen=True)
class _Tree:
    """What operations are counted on before there is a mechanism."""

    parent: tuple[int, ...] = (-1, 0, 1, 2, 3, 1, 5, 6)
    bodies: tuple[_Link, ...] = 8 * (_Link(),)

    @property
    def n(self) -> int:
        return len(self.parent)


@dataclass(frozen=True)
class _Form:
    """A form of the graph, how it was made, and what it takes."""

    graph: Graph
    how: str
    sweeps: int
    operations: int


def fewest_sweeps(graph: Graph, after: Sequence[Callable[[Graph], None]]) -> None:
    """Give a graph the form with the fewest sweeps, as counted when the passes `after` are done, too."""
    sums = [number for number, value in graph.values.items() if isinstance(value.definition, Reduce)]
    if not sums:
        return
    untouched = _measured(graph, "as written", after)
    bound = least_sweeps(graph)
    best, told = untouched, list[str]()
    for form in _forms(graph, sums, after):
        share = form.operations / max(1, untouched.operations)
        dearer = share > DEARER
        if not dearer and (form.sweeps, form.operations) < (best.sweeps, best.operations):
            best = form
        if form.sweeps < untouched.sweeps or not dearer:
            refused = ", refused" if dearer else ""
            told.append(f"{form.how}: {_count(form.sweeps)}, {share:.2f} of the operations{refused}")
        if best.sweeps <= bound:
            break
    graph.become(best.graph)
    optimal = f"{best.how}: {_count(best.sweeps)}" + (", no form has fewer" if best.sweeps <= bound else "")
    graph.choices = (optimal, f"{untouched.how}: {_count(untouched.sweeps)}", *told)


def least_sweeps(graph: Graph) -> int:
    """What no form can beat: a sweep for numbers, two where what is known at tips and base is needed at both.

    Where that is a function of velocities, it is not known at the tips before another sweep.
    """
    directions = Directions(graph)
    return max((_least(graph, directions, one) for one in graph.wanted if isinstance(one, Output)), default=0)


def _least(graph: Graph, directions: Directions, output: Output) -> int:
    if not output.rows.attached or output.ref is None:
        return 1
    ways: set[str] = set()
    moving = False
    pending, seen = [output.ref.value], {output.ref.value}
    while pending:
        number = pending.pop()
        ways.update(directions.of.get(number, ""))
        definition = graph[number].definition
        if isinstance(definition, Call):
            moving |= any(directions.cone(ref.value)[0] == "D" for ref in definition.arguments)
            continue
        fresh = {ref.value for ref, _ in references(definition)} - seen
        seen |= fresh
        pending.extend(fresh)
    return max(1, len(ways)) + (moving and len(ways) == 2)


def _forms(graph: Graph, sums: Sequence[int], after: Sequence[Callable[[Graph], None]]) -> Iterator[_Form]:
    for chosen in _subsets(sums):
        form = graph.copy()
        done = [transposed(form, number) for number in chosen]
        if chosen and not any(done):
            continue
        _tidied(form)
        how = {0: "", 1: "one sum transposed"}.get(len(chosen), f"{len(chosen)} sums transposed")
        if chosen:
            yield _measured(form, how, after)
        split = form.copy()
        if superposed(split):
            _tidied(split)
            yield _measured(split, f"{how}, superposed".removeprefix(", "), after)


def _subsets(sums: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All, then fewer, then none."""
    sizes = range(len(sums), -1, -1) if len(sums) <= SINGLY else (len(sums), 0)
    for size in sizes:
        yield from combinations(sums, size)


def _tidied(graph: Graph) -> None:
    """What vanishes goes, what is equal or opposite becomes one, as long as this finds anything."""
    graph.prune()
    before = 0
    while before != len(graph.values):
        before = len(graph.values)
        resolve_aliases(graph)
        drop_zeros(graph)
        share_opposites(graph)
        resolve_aliases(graph)
        graph.prune()


def _measured(graph: Graph, how: str, after: Sequence[Callable[[Graph], None]]) -> _Form:
    last = graph.copy()
    for one in after:
        one(last)
    program = sketched(last)
    return _Form(graph, how, len(program.sweeps), cost(program, _Tree()).total)


def _count(sweeps: int) -> str:
    return "1 sweep" if sweeps == 1 else f"{sweeps} sweeps"
