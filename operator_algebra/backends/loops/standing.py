"""What stands in the tables of bodies: their numbers, and what follows from these alone, computed once."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

import numpy as np

from operator_algebra.backends.loops.records import Cut, Load
from operator_algebra.backends.scalar.graph import Node, needed
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.models.numeric import Numbers


def standing(ends: Iterable[Node], loads: Mapping[int, Load], rough: Container[int]) -> tuple[Node, ...]:
    """The nodes of a kind of bodies that follow from their numbers alone, and are wanted or read by what does not.

    Rough roots do not: they are nothing where no columns of rounding start.
    """
    wanted = list(ends)
    several = needed(wanted)
    fixed: set[int] = set()
    for node in several:
        if node.operation == "input":
            alone = loads[int(node.value)].where == "number"
        else:
            alone = all(one.known or one.number in fixed for one in node.arguments) and not node.known
        if alone and node.number not in rough:
            fixed.add(node.number)
    read = {node.number for node in wanted}
    read |= {one.number for node in several if node.number not in fixed for one in node.arguments}
    return tuple(node for node in several if node.number in fixed & read)


def table(cut: Cut, kind: int) -> Numbers:
    """These numbers of the bodies of a kind, (bodies, columns)."""
    loads, several, given = cut.loads[kind], cut.standing[kind], cut.numbers(kind)
    found = np.empty((len(given), len(several)))
    made = [i for i, node in enumerate(several) if node.operation != "input"]
    for i, node in enumerate(several):
        if node.operation == "input":
            found[:, i] = given[:, loads[int(node.value)].place]
    if made:
        inner = needed([several[i] for i in made])
        read = [int(node.value) for node in inner if node.operation == "input"]
        rows = np.zeros((max(read, default=-1) + 1, len(given)))
        for place in read:
            rows[place] = given[:, loads[place].place]
        _, columns = Tape.of(Traced((), tuple(several[i] for i in made), (), ()), len(rows)).batch(rows)
        found[:, made] = columns.T
    return found
