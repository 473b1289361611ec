"""Components of recurrences are placed in the shortest word of inward and outward sweeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from operator_algebra.lowering.components import Component, components
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.values import Value
from operator_algebra.programs.program import Direction
from operator_algebra.programs.records import references


@dataclass(frozen=True, slots=True)
class Stage:
    """Values computed together: in one sweep over the bodies, or once between sweeps."""

    direction: Direction
    values: tuple[int, ...]


BEFORE = -1
"""Where values of no body stand that need no sweep."""

_DIRECTIONS: Mapping[str, Direction] = {"U": "inward", "D": "outward"}


class _Placed:
    """What is computed after some sweeps, each as early as it can be."""

    def __init__(self, graph: Graph, order: Sequence[Component], known: frozenset[int] = frozenset()) -> None:
        self.graph = graph
        self.known = known
        self.word: tuple[Direction, ...] = ()
        self.done: dict[int, int] = {}
        self.waiting: list[Component] = []
        for component in order:
            if all(self._at_once(n) for n in component.members):
                self.done.update(dict.fromkeys(component.members, BEFORE))
            elif not all(self._given(n) for n in component.members):
                self.waiting.append(component)

    def _at_once(self, number: int) -> bool:
        """Whether a value of no body follows from what is given, before any sweep."""
        value = self.graph[number]
        reads = [ref.value for ref, _ in references(value.definition)]
        return not (value.attached or self._given(number)) and all(self._given(n) or n in self.done for n in reads)

    def _given(self, number: int) -> bool:
        return number in self.known or self.graph[number].given

    def then(self, direction: Direction) -> _Placed:
        """One more sweep, with all that it can compute."""
        after = _Placed(self.graph, (), self.known)
        after.word, after.done = (*self.word, direction), dict(self.done)
        for component in self.waiting:
            if after._fits(component, direction):
                after.done.update(dict.fromkeys(component.members, len(self.word)))
            else:
                after.waiting.append(component)
        return after

    def _fits(self, component: Component, direction: Direction) -> bool:
        """Whether a component can be computed in the last sweep."""
        if not component.trivial:
            ways = {_DIRECTIONS[label] for label in component.labels if label in _DIRECTIONS}
            assert len(ways) == 1, component
            if ways != {direction}:
                return False
        inside = set(component.members)
        return all(
            self._known(self.graph[number], ref.value, label, direction)
            for number in component.members
            for ref, label in references(self.graph[number].definition)
            if ref.value not in inside
        )

    def _known(self, reader: Value, source: int, label: str, direction: Direction) -> bool:
        """Whether a value can be read in the last sweep, where it is read."""
        if self._given(source):
            return True
        at = self.done.get(source)
        if at is None or at < len(self.word) - 1:
            return at is not None
        # What this sweep computes can be read along with it; sums over all bodies are known when it is over. A shift
        # of what an earlier sweep has finished is a look at a neighbour, which either direction may take.
        if not self.graph[source].attached:
            return not reader.attached
        return label in "LR" or _DIRECTIONS[label] == direction

    @property
    def sweeps(self) -> int:
        return len(self.word)


def earliest(graph: Graph, known: frozenset[int] = frozenset()) -> Mapping[int, int]:
    """The sweep in which each value is computed, if some are known from the start."""
    return _shortest(graph, list(components(graph)), known).done


def _shortest(graph: Graph, order: Sequence[Component], known: frozenset[int] = frozenset()) -> _Placed:
    """The shortest word of directions in which everything is computed.

    For one word the earliest places are the best; words that compute the same so far, or less, need not go on.
    """
    states = [_Placed(graph, order, known)]
    while True:
        complete = next((state for state in states if not state.waiting), None)
        if complete is not None:
            return complete
        grown: list[_Placed] = []
        for after in (state.then(direction) for state in states for direction in ("inward", "outward")):
            if not any(after.done.keys() <= other.done.keys() for other in grown):
                grown = [other for other in grown if not other.done.keys() <= after.done.keys()] + [after]
        assert max(len(one.done) for one in grown) > max(len(one.done) for one in states), grown[0].waiting
        states = grown


def schedule(graph: Graph) -> tuple[Stage, ...]:
    """The stages of a graph of one-way recurrences, in order."""
    order = list(components(graph))
    plan = _shortest(graph, order)
    position = {number: i for i, c in enumerate(order) for number in _inner_order(graph, c)}
    inner = {n: k for c in order for k, n in enumerate(_inner_order(graph, c))}
    ranked = sorted(plan.done, key=lambda n: (position[n], inner[n]))
    places = _settled(graph, plan)
    stages: list[Stage] = []
    for sweep in range(BEFORE, plan.sweeps):
        numbers = [n for n in ranked if places[n] == sweep]
        attached = tuple(n for n in numbers if graph[n].attached)
        small = tuple(n for n in numbers if not graph[n].attached)
        if attached:
            shifting = any(label in "UD" for n in attached for _, label in references(graph[n].definition))
            stages.append(Stage(plan.word[sweep] if shifting else "local", attached))
        if small:
            stages.append(Stage("once", small))
    return tuple(stages)


def _settled(graph: Graph, plan: _Placed) -> Mapping[int, int]:
    """Where values are computed: what needs no sweep and is not read in the first one stands behind it."""
    first = [n for n, sweep in plan.done.items() if sweep == 0 and graph[n].attached]
    read = graph.live(first)
    return {n: 0 if sweep == BEFORE and plan.word and n not in read else sweep for n, sweep in plan.done.items()}


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
