"""Components of recurrences are placed in the fewest sweeps that alternate between inward and outward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from operator_algebra.lowering.components import Component, components
from operator_algebra.lowering.graph import Graph
from operator_algebra.programs.instructions import Given
from operator_algebra.programs.program import Direction
from operator_algebra.programs.records import references


@dataclass(frozen=True, slots=True)
class Stage:
    """Values computed together: in one sweep over the bodies, or once between sweeps."""

    direction: Direction
    values: tuple[int, ...]


_DIRECTIONS: Mapping[str, Direction] = {"U": "inward", "D": "outward"}


def _direction_of(label: str) -> Direction | None:
    return _DIRECTIONS.get(label)


class _Plan:
    """Sweep numbers for a given direction of the first sweep."""

    def __init__(self, graph: Graph, order: Sequence[Component], first: Direction) -> None:
        self.graph = graph
        self.first: Direction = first
        self.done: dict[int, int] = {}
        self.late: set[int] = set()
        for component in order:
            self._place(component)

    def direction(self, sweep: int) -> Direction:
        other: Direction = "outward" if self.first == "inward" else "inward"
        return self.first if sweep % 2 == 0 else other

    def _earliest(self, component: Component) -> int:
        inside = set(component.members)
        sweep = 0
        for number in component.members:
            for ref, label in references(self.graph[number].definition):
                source = ref.value
                if source in inside or source not in self.done:
                    continue
                at = self.done[source]
                wanted = _direction_of(label)
                same = label in "LR" or wanted == self.direction(at)
                if source in self.late:
                    same = not self.graph[number].attached
                sweep = max(sweep, at if same else at + 1)
        return sweep

    def _place(self, component: Component) -> None:
        graph = self.graph
        if all(isinstance(graph[n].definition, Given) for n in component.members):
            return
        sweep = self._earliest(component)
        wanted = {_direction_of(label) for label in component.labels} - {None}
        if len(wanted) == 1:
            (needed,) = wanted
            if self.direction(sweep) != needed:
                sweep += 1
        elif not component.trivial:
            raise AssertionError(component)
        # A shift of what an earlier sweep has finished is a look at a neighbour, which either direction may take; one
        # of what this sweep computes has to run with it. Without the difference every such look would cost a sweep.
        for number in component.members:
            label = next((label for _, label in references(graph[number].definition) if label in "UD"), None)
            needed = None if label is None else _direction_of(label)
            if needed is not None and self.direction(sweep) != needed and not self._complete(number, sweep):
                sweep += 1
        for number in component.members:
            self.done[number] = sweep
            if not graph[number].attached:
                self.late.add(number)

    def _complete(self, number: int, sweep: int) -> bool:
        """Whether all that a shift reads was finished in an earlier sweep."""
        sources = [ref.value for ref, label in references(self.graph[number].definition) if label in "UD"]
        return all(self.done.get(source, -1) < sweep for source in sources)

    @property
    def sweeps(self) -> int:
        return 1 + max(self.done.values(), default=-1)


def schedule(graph: Graph) -> tuple[Stage, ...]:
    """The stages of a graph of one-way recurrences, in order."""
    order = list(components(graph))
    plans = [_Plan(graph, order, first) for first in ("inward", "outward")]
    plan = min(plans, key=lambda p: p.sweeps)
    position = {number: i for i, c in enumerate(order) for number in _inner_order(graph, c)}
    inner = {n: k for c in order for k, n in enumerate(_inner_order(graph, c))}
    ranked = sorted(plan.done, key=lambda n: (position[n], inner[n]))
    stages: list[Stage] = []
    for sweep in range(plan.sweeps):
        numbers = [n for n in ranked if plan.done[n] == sweep]
        attached = tuple(n for n in numbers if graph[n].attached)
        small = tuple(n for n in numbers if not graph[n].attached)
        if attached:
            shifting = any(label in "UD" for n in attached for _, label in references(graph[n].definition))
            stages.append(Stage(plan.direction(sweep) if shifting else "local", attached))
        if small:
            stages.append(Stage("once", small))
    return tuple(stages)


def _inner_order(graph: Graph, component: Component) -> list[int]:
    """Members in order of their reads at the same body."""
    inside = set(component.members)
    if component.trivial:
        return list(component.members)
    placed: list[int] = []
    done: set[int] = set()
    stack = list(reversed(component.members))
    while stack:
        number = stack[-1]
        if number in done:
            stack.pop()
            continue
        pending = [
            ref.value
            for ref, label in references(graph[number].definition)
            if label == "L" and ref.value in inside and ref.value not in done
        ]
        if pending:
            stack.extend(pending)
        else:
            stack.pop()
            done.add(number)
            placed.append(number)
    return placed
