"""What a program in pieces is: loads, slots, and what each kind of body does in each sweep."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from operator_algebra.backends.loops.classes import Kind
from operator_algebra.backends.scalar.graph import Node
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


@dataclass
class Piece:
    """What a body of a kind does in a sweep: nodes by the slot that they fill, its own or one of its parent's."""

    kept: dict[Slot, Node] = field(default_factory=dict[Slot, Node])
    sent: dict[Slot, Node] = field(default_factory=dict[Slot, Node])
    results: list[tuple[int, int, Node]] = field(default_factory=list[tuple[int, int, Node]])
    """Entries of results: of which, and where among those of the body."""
    positive: list[Node] = field(default_factory=list[Node])

    def wanted(self, slots: Container[Slot]) -> list[Node]:
        """What is computed where some slots are read."""
        filled = [node for slot, node in (*self.kept.items(), *self.sent.items()) if slot in slots]
        return [*filled, *(node for _, _, node in self.results), *self.positive]

    def everything(self) -> list[Node]:
        """What is computed where all slots are read."""
        return self.wanted({**self.kept, **self.sent})


@dataclass(frozen=True)
class Cut:
    """The pieces of a program, for each sweep one for each kind."""

    kinds: tuple[Kind, ...]
    directions: tuple[Direction, ...]
    table: tuple[tuple[Piece, ...], ...]
    loads: tuple[Mapping[int, Load], ...]
    """Of each kind, by the places of inputs of its graph."""
    signs: tuple[Sign, ...]
    slots: Mapping[Slot, int]
    """Those that anybody loads, by their place."""
    passing: Mapping[Slot, int]
    """Those that are read in the sweep that fills them, at the parent or by the children alone."""

    def is_read(self, slot: Slot) -> bool:
        """Whether anybody loads a slot."""
        return slot in self.slots or slot in self.passing


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
