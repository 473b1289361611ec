"""What stands in the tables of bodies: their numbers, and what follows from these alone, computed once."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

import numpy as np

from operator_algebra.backends.loops.records import Cut, Load
from operator_algebra.backends.scalar.graph import Node, needed
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.models.arrays import Indices
from operator_algebra.models.numeric import Numbers

_DOUBLE = np.dtype(np.float64)


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


def table(cut: Cut, n: int, number: np.dtype[np.floating] = _DOUBLE) -> Numbers:
    """These numbers of all bodies, (bodies, columns); a kind that has fewer than others has zeros behind them."""
    found = np.zeros((n, max(map(len, cut.standing[: len(cut.kinds)]))), dtype=number)
    for kind in range(len(cut.kinds)):
        for bodies, own in _of_kind(cut, kind):
            found[bodies, : own.shape[1]] = own
    return found


def _of_kind(cut: Cut, kind: int) -> Iterator[tuple[Indices, Numbers]]:
    """These numbers of the bodies of a kind, of some after the others: (bodies,), (bodies, columns)."""
    loads, several, bodies = cut.loads[kind], cut.standing[kind], cut.kinds[kind].bodies
    made = [i for i, node in enumerate(several) if node.operation != "input"]
    read = [int(node.value) for node in needed([several[i] for i in made]) if node.operation == "input"]
    width = max(read, default=-1) + 1
    tape = Tape.of(Traced((), tuple(several[i] for i in made), (), ()), width)
    for part in cut.kinds[kind].parts:
        given = cut.numbers(kind, part)
        found = np.empty((len(given), len(several)))
        for i, node in enumerate(several):
            if node.operation == "input":
                found[:, i] = given[:, loads[int(node.value)].place]
        if made:
            rows = np.zeros((width, len(given)))
            for place in read:
                rows[place] = given[:, loads[place].place]
            found[:, made] = tape.batch(rows)[1].T
        yield bodies[part], found
