"""What each sweep of a program in pieces reads and gives, column by column, before anything is computed.

Bodies are taken in an order in which the largest subtree of a body comes last, so that few wait for what they send or
are sent: what passes stands in few places, whatever the size of the mechanism.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from operator_algebra.backends.loops import fused
from operator_algebra.backends.loops.body import SIGNED
from operator_algebra.backends.loops.records import Cut, Load, Piece, Slot, Where, turn_of
from operator_algebra.backends.scalar.graph import Node, needed
from operator_algebra.backends.signs import random_signs
from operator_algebra.models.arrays import Indices
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.programs.program import Direction

OF_BODIES: tuple[Where, ...] = ("coordinate", "number", "sign", "input", "own", "above")
"""What a body reads that is its own, or stood at its parent before the sweep."""


@dataclass(frozen=True)
class Part:
    """A piece with the nodes that it computes, each after what it reads, and those that it loads."""

    piece: Piece
    nodes: Sequence[Node]
    loads: Mapping[int, Load]
    rough: frozenset[int]

    @classmethod
    def of(cls, cut: Cut, number: int, kind: int) -> Part:
        """The piece of a kind in a sweep; after the first sweep sines and cosines are loaded."""
        piece, places = cut.table[number][kind], cut.loads[kind]
        ends = piece.wanted(cut.read)
        loads: dict[int, Load] = {}
        standing = {node.number: i for i, node in enumerate(cut.standing[kind])}
        for node in needed(ends):
            turn = turn_of(node, places) if number else None
            if node.number in standing:
                loads[node.number] = Load("number", standing[node.number])
            elif turn is not None:
                loads[node.number] = Load("own", 0, 0, turn)
            elif node.operation == "input":
                loads[node.number] = places[int(node.value)]
        nodes = [node for node in fused.needed(ends, {}, loads) if node.number not in loads]
        read = {one.number for node in nodes for one in node.arguments} | {node.number for node in ends}
        return cls(piece, nodes, {n: load for n, load in loads.items() if n in read}, cut.rough[kind])


@dataclass(frozen=True)
class Entries:
    """Where the numbers of a result stand among what bodies give in a sweep."""

    bodies: Indices
    columns: Indices


@dataclass(frozen=True)
class Plan:
    """A sweep over bodies."""

    direction: Direction
    parts: Sequence[Part]
    """Of each kind."""
    read: Sequence[Load]
    """The columns of what bodies read, those of one source together."""
    passing: Sequence[Slot]
    """What passes between a body and its parent while the sweep runs."""
    kept: Sequence[Slot]
    """The first columns of what bodies give."""
    added: Sequence[Slot]
    """The next ones, which are summed over all bodies."""
    wide: int
    """How many columns bodies give, with those of results."""
    results: Mapping[int, Entries]

    @cached_property
    def columns(self) -> Mapping[Load, int]:
        """Where each load stands in what bodies read."""
        return {load: i for i, load in enumerate(self.read)}

    @cached_property
    def places(self) -> Mapping[Slot, int]:
        """Where each slot stands in what passes."""
        return {slot: i for i, slot in enumerate(self.passing)}


def plan(cut: Cut, number: int, starts: Sequence[Indices]) -> Plan:
    """A sweep of a program; the entries of each body in each result start somewhere."""
    direction = cut.directions[number]
    parts = [Part.of(cut, number, kind) for kind in range(len(cut.kinds))]
    made = {slot for part in parts for slot in (*part.piece.kept, *part.piece.sent) if slot in cut.read}
    loads = {load for part in parts for load in part.loads.values()}
    if direction == "inward":
        passing = sorted(slot for slot in made if slot[0] == "sent")
    else:
        passing = sorted({load.slot for load in loads if load.where == "above" and load.slot in made})
    several = [load for load in loads if load.where in OF_BODIES and load.slot not in passing]
    kept = sorted(slot for slot in made if slot in cut.slots)
    added = sorted({slot for part in parts for slot in part.piece.added if slot in cut.whole})
    first = len(kept) + len(added)
    results = {of: _entries(cut, parts, of, starts[of], first) for part in parts for of, _, _ in part.piece.results}
    return Plan(
        direction,
        parts,
        sorted(several, key=lambda load: (OF_BODIES.index(load.where), load.of, load.place, load.slot or ())),
        passing,
        kept,
        added,
        first + max(len(part.piece.results) for part in parts),
        results,
    )


def _entries(cut: Cut, parts: Sequence[Part], of: int, starts: Indices, first: int) -> Entries:
    """The entries of a result, in their order."""
    bodies, columns = np.zeros(int(starts[-1]), dtype=np.intp), np.zeros(int(starts[-1]), dtype=np.intp)
    for kind, part in zip(cut.kinds, parts, strict=True):
        for column, (result, i, _) in enumerate(part.piece.results, first):
            if result == of:
                bodies[starts[kind.bodies] + i], columns[starts[kind.bodies] + i] = kind.bodies, column
    return Entries(bodies, columns)


@dataclass(frozen=True)
class Order:
    """The bodies as sweeps take them, base to tip, each with a place for what it has to pass on."""

    bodies: Indices
    here: Indices
    """The place of each of them."""
    above: Indices
    """That of its parent; its own, if it has none."""
    size: int
    """How many places there are: at most 1 + log₂ n, since a parent's is free when its largest subtree is entered."""

    @classmethod
    def of(cls, model: Model) -> Order:
        """The largest subtree of each body last, whose root takes the place of its parent."""
        parent = model.parent
        bodies = _largest_last(parent)
        last = dict(zip([parent[k] for k in bodies], bodies, strict=True))
        place, free, size = dict[int, int](), list[int](), 0
        for k in bodies:
            if parent[k] >= 0 and last[parent[k]] == k:
                free.append(place[parent[k]])
            if not free:
                free.append(size)
                size += 1
            place[k] = free.pop()
            if k not in last:
                free.append(place[k])
        above = [place[parent[k]] if parent[k] >= 0 else place[k] for k in bodies]
        return cls(np.array(bodies), np.array([place[k] for k in bodies]), np.array(above), size)


def _largest_last(parent: Sequence[int]) -> list[int]:
    """Each body before those that it carries, subtree by subtree."""
    size = [1] * len(parent)
    children: dict[int, list[int]] = {}
    for k in reversed(range(len(parent))):
        children.setdefault(parent[k], []).append(k)
        if parent[k] >= 0:
            size[parent[k]] += size[k]
    found: list[int] = []
    left = sorted(children[-1], key=lambda k: -size[k])
    while left:
        k = left.pop()
        found.append(k)
        left += sorted(children.get(k, ()), key=lambda k: -size[k])
    return found


def signs(cut: Cut, n: int) -> list[Numbers]:
    """The signs of rounding of each block, (bodies, numbers); after so many bodies they start anew."""
    rows = np.arange(n) % SIGNED
    return [random_signs(SIGNED, sign.entries, sign.salt).reshape(SIGNED, -1)[rows] for sign in cut.signs]
