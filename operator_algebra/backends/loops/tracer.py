"""What is traced sweep by sweep, from loads: what bodies of a kind do, and what belongs to no body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from operator_algebra.backends.loops.records import (
    Kept,
    Load,
    Pattern,
    Patterns,
    Sign,
    Slot,
    Where,
    joined,
    turn_of,
)
from operator_algebra.backends.scalar.algebra import NodeNumbers
from operator_algebra.backends.scalar.graph import Graph, Node
from operator_algebra.backends.scalar.trace import Tracer
from operator_algebra.backends.sizes import block_size
from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.leaf import RigidShift
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.instructions import Shift
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.programs.program import Pivot, Step, Sweep


@dataclass
class Shared:
    """What the kinds of bodies know of each other."""

    order: Sequence[str]
    """The inputs, as they are loaded."""
    shifts: Sequence[Shift | None]
    """Those of all steps; what they send has their place as its number."""
    read_above: set[int]
    """The values that children read."""
    judged: Sequence[Sweep]
    """For each pivot the sweep after which it is known what it loses."""
    beside: frozenset[int]
    """The values that carry rounding."""
    opening: Sweep | None
    """The one that hands on poses in the base, and what is given and read at the parent."""
    first: Sweep
    """The one in which results are written that are given."""
    last: Sweep
    """The one in which results are written that belong to no body."""
    above: Patterns = field(default_factory=Patterns)
    sent: Patterns = field(default_factory=Patterns)
    whole: Patterns = field(default_factory=Patterns)
    signs: list[Sign] = field(default_factory=list[Sign])


@dataclass(frozen=True)
class Few(Mechanism):
    """Some bodies of a mechanism, or none."""

    model: Model | None = None
    layouts: Mapping[str, Layout] = field(default_factory=dict[str, Layout])

    @classmethod
    def of(cls, bodies: Sequence[int], model: Model, layouts: Mapping[str, Layout]) -> Few:
        """Each on the one before it."""
        sizes = {
            family: [int(layout.sizes[body]) for body in bodies] if layout.attached else layout.sizes.tolist()
            for family, layout in layouts.items()
        }
        return cls(tuple(range(-1, len(bodies) - 1)), sizes, (), model, layouts)

    def size(self, space: Space, k: int) -> int:
        """The block size of a space; what counts columns counts those of the whole mechanism."""
        if space.counted is not None and self.model is not None:
            return block_size(self.model, self.layouts, space, 0)
        return super().size(space, k)


def is_base(step: Step) -> bool:
    """Whether blocks of a leaf follow from all bodies that carry a body."""
    leaf = None if step.value.leaf is None else step.value.leaf.leaf
    return leaf is not None and leaf.form == RigidShift("base")


class NotYet(Exception):
    """What is read has not been made by any kind so far."""


class PieceTracer(Tracer):
    """What is traced sweep by sweep, from loads."""

    shared: Shared
    loads: dict[int, Load]
    _found: dict[Load, Node]
    _graph: Graph

    def _begin(self, shared: Shared) -> NodeNumbers:
        """Before anything is loaded."""
        self.shared = shared
        self.loads, self._found = {}, {}
        self.rough: set[int] = set()
        self._graph = Graph()
        return NodeNumbers.over(self._graph)

    def _load(self, load: Load) -> Node:
        if load not in self._found:
            place = len(self._found)
            self._found[load] = self._graph.input(place)
            self.loads[place] = load
        return self._found[load]

    def slots_of(self, node: Node, *, filling: bool) -> Iterator[tuple[Where, Slot]]:
        """Where a node is loaded from, if it is; sines and cosines are not where they are made."""
        if node.operation == "input":
            load = self.loads[int(node.value)]
            if load.slot is not None:
                yield load.where, load.slot
        elif not filling and (turn := turn_of(node, self.loads)) is not None:
            yield "own", turn

    def _loaded(self, where: Where, kept: Kept, number: int, known: Pattern, *, symmetric: bool) -> Matrix:
        """A block of loads, numbers where they are known."""
        rows = [
            [
                self._load(Load(where, 0, 0, (kept, number, i, j))) if x is None else self._graph.of(x)
                for j, x in enumerate(row)
            ]
            for i, row in enumerate(known)
        ]
        block = Matrix(rows, len(rows[0]) if rows else 0)
        return self.nodes.averaged(block) if symmetric else block

    def learn(self, number: int) -> None:
        """What belongs to no body, known by now: loads."""
        symmetric = self.program.computed[number].value.symmetric
        self.blocks[number] = [self._loaded("whole", "whole", number, self.shared.whole[number], symmetric=symmetric)]

    def told(self, patterns: Patterns, number: int, block: Matrix, *, numbers: bool) -> None:
        """Remember what is a number in a block that others read."""
        patterns[number] = joined(patterns.get(number), block, numbers=numbers)

    def _judged_at(self, pivot: Pivot, k: int, most: float) -> Node:
        """What is positive where a pivot loses less than such a part of what may be lost."""
        total = self._graph.zero
        for lost in self.lost_at(pivot, k):
            total = self._graph.add(total, lost)
        return self._graph.subtract(self._graph.of(most), total)


def entries(kept: Kept, number: int, block: Matrix) -> dict[Slot, Node]:
    """The entries of a block by their slots."""
    return {(kept, number, i, j): x for i, row in enumerate(block.rows) for j, x in enumerate(row)}
