"""What emitters share: how often a node is read, and which place its result takes while it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from operator_algebra.backends.scalar.graph import Node


class Placed(NamedTuple):
    """A node that is computed next, and the place of its result."""

    node: Node
    place: int


def uses(nodes: Iterable[Node], wanted: Iterable[Node]) -> dict[int, int]:
    """How often each node is read, by its number; what is wanted is read once more."""
    counted: dict[int, int] = {}
    for node in nodes:
        for argument in node.arguments:
            counted[argument.number] = counted.get(argument.number, 0) + 1
    for node in wanted:
        counted[node.number] = counted.get(node.number, 0) + 1
    return counted


def placed(nodes: Sequence[Node], reads: Iterable[Sequence[int]], kept: Iterable[Node]) -> Iterator[Placed]:
    """Places for the results of nodes, in order, with the numbers that each reads; one is free after its last reader.

    What is kept has a place of its own for good. A result may take the place of what it is computed from.
    """
    listed = list(reads)
    last = {number: at for at, numbers in enumerate(listed) for number in numbers}
    last |= {node.number: len(nodes) for node in kept}
    place: dict[int, int] = {}
    free: list[int] = []
    count = 0
    for at, (node, numbers) in enumerate(zip(nodes, listed, strict=True)):
        for number in numbers:
            if last[number] == at and number in place:
                free.append(place.pop(number))
        if free:
            taken = free.pop()
        else:
            taken, count = count, count + 1
        if node.number in last:
            place[node.number] = taken
        else:
            free.append(taken)
        yield Placed(node, taken)
