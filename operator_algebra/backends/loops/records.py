"""What a program in pieces is: loads, slots, and what each kind of body does in each sweep."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from operator_algebra.backends.loops.classes import Kind
from operator_algebra.backends.scalar.graph import Node, Untraceable, operations
from operator_algebra.models.numeric import Numbers
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.program import Direction

Kept = Literal["value", "sent", "turn", "whole"]
Slot = tuple[Kept, int, int, int]
"""A number that a body keeps: an entry of a value or of what its children have sent, the sine or cosine of an angle.

What belongs to no body is kept once.
"""
Running = Literal["everywhere", "needed", "never"]
"""Where columns of rounding run."""
Where = Literal["coordinate", "number", "sign", "input", "common", "own", "above", "whole"]
Pattern = tuple[tuple[float | None, ...], ...]
"""The entries of a block that are numbers wherever it is read; None for others."""
Patterns = dict[int, Pattern]


class Load(NamedTuple):
    """What a piece reads.

    A coordinate, a number or a sign of the body, an entry of an input at the body or of one that belongs to none, or a
    slot, of the body or of its parent. `of` is the input or the pair of columns of signs.
    """

    where: Where
    place: int
    of: int = 0
    slot: Slot | None = None


class Sign(NamedTuple):
    """The signs of rounding of a block: of how many entries, by which salt."""

    entries: int
    salt: int


@dataclass(frozen=True)
class Columns:
    """What carries rounding along at a body, where it has to be: see `weights`."""

    limits: tuple[Node, ...]
    """At most one where nothing starts at the body."""
    left: Node
    """At most one where nothing goes on to the parent."""
    sent: Mapping[Slot, Node]
    positive: tuple[Node, ...]

    def wanted(self, slots: Container[Slot]) -> list[Node]:
        """What is computed where they run and some slots are read."""
        return [self.left, *(node for slot, node in self.sent.items() if slot in slots), *self.positive]


@dataclass
class Piece:
    """What a body of a kind does in a sweep: nodes by the slot that they fill, its own or one of its parent's."""

    kept: dict[Slot, Node] = field(default_factory=dict[Slot, Node])
    sent: dict[Slot, Node] = field(default_factory=dict[Slot, Node])
    added: dict[Slot, Node] = field(default_factory=dict[Slot, Node])
    """To sums over all bodies."""
    results: list[tuple[int, int, Node]] = field(default_factory=list[tuple[int, int, Node]])
    """Entries of results: of which, and where among those of the body."""
    positive: list[Node] = field(default_factory=list[Node])
    columns: Columns | None = None

    @property
    def filled(self) -> set[Slot]:
        """The slots of bodies that it fills, with those that its columns fill."""
        own: Mapping[Slot, Node] = self.columns.sent if self.columns is not None else {}
        return {*self.kept, *self.sent, *own}

    def wanted(self, slots: Container[Slot]) -> list[Node]:
        """What is computed where some slots are read."""
        filled = [node for slot, node in (self.kept | self.sent | self.added).items() if slot in slots]
        limits = self.columns.limits if self.columns is not None else ()
        return [*filled, *(node for _, _, node in self.results), *self.positive, *limits]

    def wanted_at_most(self, slots: Container[Slot]) -> list[Node]:
        """The same where columns run, too."""
        return [*self.wanted(slots), *(self.columns.wanted(slots) if self.columns is not None else ())]

    def everything(self) -> list[Node]:
        """What is computed where all slots are read."""
        own: Mapping[Slot, Node] = self.columns.sent if self.columns is not None else {}
        return self.wanted_at_most({**self.kept, **self.sent, **self.added, **own})


@dataclass(frozen=True)
class Cut:
    """The pieces of a program, for each sweep one for each kind, and one of what belongs to no body."""

    kinds: tuple[Kind, ...]
    directions: tuple[Direction, ...]
    table: tuple[tuple[Piece, ...], ...]
    loads: tuple[Mapping[int, Load], ...]
    """Of each kind, and of what belongs to no body, by the places of inputs of its graph."""
    rough: tuple[frozenset[int], ...]
    """As for loads, the numbers of roots of what is rounded, which may be a little too large."""
    weights: tuple[Numbers, ...]
    """Numbers of bodies beside those that are fixed of them, (bodies, columns)."""
    standing: tuple[tuple[Node, ...], ...]
    """As for loads, what stands in the table of a kind: see `standing`."""
    signs: tuple[Sign, ...]
    slots: Mapping[Slot, int]
    """Those that anybody loads, by their place."""
    passing: Mapping[Slot, int]
    """Those that are read in the sweep that fills them, at the parent or by the children alone."""
    whole: Mapping[Slot, int]
    """Those that belong to no body."""
    axial: bool = False
    """Whether bodies resist little about axes, so that numbers along these may tell what columns would: see `thin`."""

    @cached_property
    def read(self) -> Mapping[Slot, int]:
        """The slots that anybody loads."""
        return {**self.slots, **self.passing, **self.whole}

    def length(self) -> int:
        """How many operations all bodies take."""
        times = [*(len(kind.bodies) for kind in self.kinds), 1]
        return sum(
            count * sum(operations(piece.wanted(self.read)).values())
            for row in self.table
            for count, piece in zip(times, row, strict=True)
        )

    def numbers(self, kind: int, part: slice) -> Numbers:
        """What differs from body to body of a kind, at a part of these, (bodies, columns)."""
        return np.concatenate([self.kinds[kind].numbers(part), self.weights[kind][part]], axis=1)


def turn_of(node: Node, loads: Mapping[int, Load]) -> Slot | None:
    """The slot of the sine or cosine of a coordinate, or of one that is measured from elsewhere."""
    if node.operation not in ("sin", "cos"):
        return None
    angle = node.a
    added = angle.arguments if angle.operation in ("add", "subtract") else (angle,)
    found = [None if one.operation != "input" else loads[int(one.value)] for one in added]
    places = [load.place for load in found if load is not None and load.where == "coordinate"]
    fixed = [one.known or (load is not None and load.where == "number") for one, load in zip(added, found, strict=True)]
    if len(places) != 1 or sum(fixed) != len(added) - 1:
        return None
    return ("turn", places[0], int(node.operation == "cos"), len(added) - 1)


def joined(known: Pattern | None, block: Matrix, *, numbers: bool) -> Pattern:
    """What is a number in a block, and was the same in all before it; of what is added up only zeros are."""
    found = tuple(
        tuple(x.value if x.known and (numbers or x.value == 0.0) else None for x in row) for row in block.rows
    )
    if known is None:
        return found
    if [len(row) for row in known] != [len(row) for row in found]:
        raise Untraceable("bodies hand on blocks of different sizes")
    pairs = (zip(a, b, strict=True) for a, b in zip(known, found, strict=True))
    return tuple(tuple(x if x == y else None for x, y in row) for row in pairs)
