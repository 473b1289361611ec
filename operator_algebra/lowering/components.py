"""Strongly connected components of a value graph, in order of dependence, with the labels of their inner reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from operator_algebra.lowering.graph import Graph
from operator_algebra.programs.records import references


@dataclass(frozen=True, slots=True)
class Component:
    """Values that depend on each other; `labels` are those of the reads among them ("L", "U", "D", "R")."""

    members: tuple[int, ...]
    labels: frozenset[str]

    @property
    def trivial(self) -> bool:
        """A single value that does not read itself."""
        return not self.labels


def strongly_connected(nodes: Iterable[int], reads: Callable[[int], Iterable[int]]) -> Iterator[list[int]]:
    """Components in order of dependence: what is read comes first (Tarjan, iterative)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    on_stack: set[int] = set()
    stack: list[int] = []
    for start in nodes:
        if start in index:
            continue
        work: list[tuple[int, Iterator[int]]] = [(start, iter(reads(start)))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, pending = work[-1]
            advanced = False
            for other in pending:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(reads(other))))
                    advanced = True
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            if advanced:
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                members: list[int] = []
                while True:
                    member = stack.pop()
                    on_stack.discard(member)
                    members.append(member)
                    if member == node:
                        break
                yield sorted(members)


def components(graph: Graph) -> Iterator[Component]:
    """The components of a graph in order of dependence."""

    def reads(number: int) -> list[int]:
        return [ref.value for ref, _ in references(graph[number].definition)]

    for members in strongly_connected(sorted(graph.values), reads):
        inside = set(members)
        labels = frozenset(
            label for member in members for ref, label in references(graph[member].definition) if ref.value in inside
        )
        yield Component(tuple(members), labels)


def local_cycle(graph: Graph, members: Iterable[int]) -> tuple[int, ...]:
    """Members that depend on each other at the same body; empty if every cycle passes a shift."""
    inside = set(members)

    def reads(number: int) -> list[int]:
        return [
            ref.value for ref, label in references(graph[number].definition) if label == "L" and ref.value in inside
        ]

    for found in strongly_connected(sorted(inside), reads):
        if len(found) > 1 or found[0] in reads(found[0]):
            return tuple(found)
    return ()
