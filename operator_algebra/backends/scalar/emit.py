"""What emitters share: how often a node is read, and which place its result takes while it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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


def placed(
    nodes: Sequence[Node], reads: Callable[[Node], Iterable[Node]], kept: Iterable[Node], *, own: bool = True
) -> Iterator[Placed]:
    """Places for the results of nodes, in order; one is free again after its last reader, unless it is kept.

    With `own` a result may take the place of what it is computed from.
    """
    last = {read.number: at for at, node in enumerate(nodes) for read in reads(node)}
    last |= {node.number: len(nodes) for node in kept}
    place: dict[int, int] = {}
    free: list[int] = []
    count = 0
    for at, node in enumerate(nodes):
        done = [place[n] for n in {read.number for read in reads(node)} if n in place and last[n] == at]
        if own:
            free += done
        if free:
            taken = free.pop()
        else:
            taken, count = count, count + 1
        if not own:
            free += done
        place[node.number] = taken
        if last.get(node.number, at) == at:
            free.append(taken)
        yield Placed(node, taken)
