"""The tree of a mechanism as a drawing: branches, rows, and a place for every body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LABELLED = 20
"""Up to so many bodies are labelled with the names of their joints."""


class Spot(NamedTuple):
    """Where something is drawn."""

    x: float
    y: float


def branches(parent: Sequence[int]) -> tuple[int, ...]:
    """The unbranched piece of the tree that each body belongs to, numbered from 0.

    >>> branches([-1, 0, 1, 1, 3])
    (0, 0, 1, 2, 2)
    """
    carried = [0] * len(parent)
    for p in parent:
        if p >= 0:
            carried[p] += 1
    found: list[int] = []
    count = 0
    for p in parent:
        if p >= 0 and carried[p] == 1:
            found.append(found[p])
        else:
            found.append(count)
            count += 1
    return tuple(found)


def spread(parent: Sequence[int]) -> tuple[tuple[Spot, ...], Spot]:
    """Bodies from left to right by level, every tip on a line of its own, lines from the top; and the ground's place.

    >>> spread([-1, 0])
    ((Spot(x=1.0, y=0.0), Spot(x=2.0, y=0.0)), Spot(x=0.0, y=0.0))
    """
    children: list[list[int]] = [[] for _ in parent]
    level: list[int] = []
    for k, p in enumerate(parent):
        level.append(level[p] + 1 if p >= 0 else 0)
        if p >= 0:
            children[p].append(k)
    line = [0.0] * len(parent)
    tips = sum(1 for carried in children if not carried)
    next_line = 0.0
    for k in reversed(range(len(parent))):  # children stand behind their parent, so they are placed first
        if children[k]:
            line[k] = sum(line[c] for c in children[k]) / len(children[k])
        else:
            line[k] = next_line - (tips - 1)
            next_line += 1.0
    roots = [line[k] for k, p in enumerate(parent) if p < 0]
    return tuple(Spot(level[k] + 1.0, line[k]) for k in range(len(parent))), Spot(0.0, sum(roots) / len(roots))
