"""The tree of a mechanism as a drawing: branches, rows, and a place for every body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from operator_algebra.models.model import Model

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


def spread(model: Model) -> tuple[tuple[Spot, ...], Spot]:
    """Bodies from left to right by level, every tip on a line of its own, lines from the top; and the ground's place.

    >>> from operator_algebra.models.families import chain
    >>> spread(chain(2))
    ((Spot(x=1.0, y=0.0), Spot(x=2.0, y=0.0)), Spot(x=0.0, y=0.0))
    """
    line = [0.0] * model.n
    tips = sum(1 for children in model.children if not children)
    next_line = 0.0
    for k in reversed(range(model.n)):  # children stand behind their parent, so they are placed first
        if model.children[k]:
            line[k] = sum(line[c] for c in model.children[k]) / len(model.children[k])
        else:
            line[k] = next_line - (tips - 1)
            next_line += 1.0
    ground = sum(line[k] for k in model.roots) / len(model.roots)
    return tuple(Spot(model.level[k] + 1.0, line[k]) for k in range(model.n)), Spot(0.0, ground)
