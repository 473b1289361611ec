"""What a program in pieces is: loads, slots, and what each kind of body does in each sweep."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from operator_algebra.backends.loops.classes import Kind
from operator_algebra.backends.scalar.graph import Node
from operator_algebra.models.numeric import Numbers
from operator_algebra.programs.program import Direction

Kept = Literal["value", "sent", "turn"]
Slot = tuple[Kept, int, int, int]
"""A number that a body keeps: an entry of a value or of what its children have sent, the sine or cosine of an angle."""
Where = Literal["coordinate", "number", "sign", "input", "common", "own", "above"]
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
    results: list[tuple[int, int, Node]] = field(default_factory=list[tuple[int, int, Node]])
    """Entries of results: of which, and where among those of the body."""
    positive: list[Node] = field(default_factory=list[Node])
    columns: Columns | None = None

    def wanted(self, slots: Container[Slot]) -> list[Node]:
        """What is computed where some slots are read."""
        filled = [node for slot, node in (*self.kept.items(), *self.sent.items()) if slot in slots]
        limits = self.columns.limits if self.columns is not None else ()
        return [*filled, *(node for _, _, node in self.results), *self.positive, *limits]

    def wanted_at_most(self, slots: Container[Slot]) -> list[Node]:
        """The same where columns run, too."""
        return [*self.wanted(slots), *(self.columns.wanted(slots) if self.columns is not None else ())]

    def everything(self) -> list[Node]:
        """What is computed where all slots are read."""
        own: Mapping[Slot, Node] = self.columns.sent if self.columns is not None else {}
        return self.wanted_at_most({**self.kept, **self.sent, **own})


@dataclass(frozen=True)
class Cut:
    """The pieces of a program, for each sweep one for each kind."""

    kinds: tuple[Kind, ...]
    directions: tuple[Direction, ...]
    table: tuple[tuple[Piece, ...], ...]
    loads: tuple[Mapping[int, Load], ...]
    """Of each kind, by the places of inputs of its graph."""
    rough: tuple[frozenset[int], ...]
    """Of each kind, the numbers of roots of what is rounded, which may be a little too large."""
    weights: tuple[Numbers, ...]
    """Numbers of bodies beside those that are fixed of them, (bodies, columns)."""
    signs: tuple[Sign, ...]
    slots: Mapping[Slot, int]
    """Those that anybody loads, by their place."""
    passing: Mapping[Slot, int]
    """Those that are read in the sweep that fills them, at the parent or by the children alone."""

    def numbers(self, kind: int) -> Numbers:
        """What differs from body to body of a kind, (bodies, columns)."""
        return np.concatenate([self.kinds[kind].numbers(), self.weights[kind]], axis=1)


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
