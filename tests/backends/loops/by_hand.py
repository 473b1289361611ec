"""Pieces carried out one operation at a time, body by body, as their records say: no LLVM, no tables."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from operator_algebra.backends.loops.places import Found, Given
from operator_algebra.backends.loops.records import Columns, Cut, Load, Piece, Slot, turn_of
from operator_algebra.backends.scalar.graph import Node, needed
from operator_algebra.backends.scalar.signature import arrays
from operator_algebra.backends.signs import random_signs
from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout
from tests.backends.scalar.calls import Call

Floats = NDArray[np.float64]


def inverted(x: float) -> float:
    return 1.0 / x


OPERATIONS: dict[str, Any] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "negative": operator.neg,
    "reciprocal": inverted,
    "sqrt": math.sqrt,
    "abs": abs,
    "max": max,
    "sin": math.sin,
    "cos": math.cos,
    "log": math.log,
}
NOBODY = -1
"""In the place of a body, for what belongs to none."""


class Placed(NamedTuple):
    """Where the entries of bodies start in an array, and how many there are."""

    offsets: Any
    size: int

    @classmethod
    def of(cls, starts: Any) -> Placed:
        return cls(starts, int(starts[-1]))


class ByHand:
    """One configuration: entries of inputs in the order of the pieces, with the layouts of inputs and results."""

    def __init__(
        self,
        cut: Cut,
        model: Model,
        q: Floats,
        inputs: Sequence[tuple[Placed | Layout, Floats]],
        results: Sequence[Placed | Layout],
    ) -> None:
        self.cut = cut
        self.model = model
        self.q = q
        self.inputs = inputs
        self.layouts = results
        self.results = [np.full(layout.size, np.nan) for layout in results]
        self.good = True
        self.slots: dict[tuple[int, Slot], float] = {}
        self.beside = {slot for row in cut.table for one in row if one.columns for slot in one.columns.sent}
        self.active: set[int] = set()
        """The bodies that have received columns of rounding."""
        self.runs = 0
        self.starting = True
        self.kind = {int(k): i for i, kind in enumerate(cut.kinds) for k in kind.bodies} | {NOBODY: len(cut.kinds)}

    @classmethod
    def of(cls, cut: Cut, call: Call) -> ByHand:
        """At the arguments of a call."""
        given = [
            (Given.of(value), value) for name, value in call.inputs.values.items() if name not in call.inputs.absent
        ]
        inputs = [
            (Placed.of(one.starts), one.joined([block.reshape(1, -1) for block in arrays(value)])[0])
            for one, value in given
        ]
        results = [Found.of(call.program, output, call.model, call.inputs.layouts) for output in call.program.outputs]
        return cls(cut, call.model, call.q, inputs, [Placed.of(one.starts) for one in results])

    def run(self) -> bool:
        """Fill the results; whether they may be trusted."""
        read = self.cut.read
        self.slots |= {(NOBODY, slot): 0.0 for slot in self.cut.whole}
        for number, (direction, row) in enumerate(zip(self.cut.directions, self.cut.table, strict=True)):
            bodies = range(self.model.n)
            if direction == "once":
                self._once(row[-1])
                continue
            for k in reversed(bodies) if direction == "inward" else bodies:
                piece = row[self.kind[k]]
                values = self._values(needed(piece.wanted(read)), k, turning=not number)
                for slot, node in piece.kept.items():
                    if slot in read:
                        self.slots[k, slot] = values[node.number]
                for slot, node in piece.sent.items():
                    if slot in read:
                        there = self.model.parent[k], slot
                        before = 0.0 if self.cut.kinds[self.kind[k]].first else self.slots[there]
                        self.slots[there] = before + values[node.number]
                for slot, node in piece.added.items():
                    if slot in read:
                        self.slots[NOBODY, slot] += values[node.number]
                for of, i, node in piece.results:
                    self.results[of][self.layouts[of].offsets[k] + i] = values[node.number]
                self.good &= all(values[node.number] > 0.0 for node in piece.positive)
                if piece.columns is not None:
                    self._carry(piece.columns, k)
        return self.good and all(np.isfinite(result).all() for result in self.results)

    def _once(self, piece: Piece) -> None:
        """What belongs to no body."""
        values = self._values(needed(piece.wanted(self.cut.read)), NOBODY, turning=False)
        self.slots.update(
            {(NOBODY, slot): values[node.number] for slot, node in piece.kept.items() if slot in self.cut.read}
        )
        for of, i, node in piece.results:
            self.results[of][i] = values[node.number]
        self.good &= all(values[node.number] > 0.0 for node in piece.positive)

    def _carry(self, columns: Columns, k: int) -> None:
        """Columns of rounding where they start, or have come from a child."""
        received = k in self.active
        self.starting = not all(one <= 1.0 for one in self.numbers_at(columns.limits, k))
        if not (self.starting or received):
            self.starting = True
            return
        self.runs += 1
        if not received:
            self.slots.update({(k, slot): 0.0 for slot in self.beside})
        self.good &= all(one > 0.0 for one in self.numbers_at(columns.positive, k))
        (left,) = self.numbers_at([columns.left], k)
        parent = self.model.parent[k]
        several = {slot: node for slot, node in columns.sent.items() if slot in self.cut.read}
        if several and not left <= 1.0:
            for slot, x in zip(several, self.numbers_at(list(several.values()), k), strict=True):
                self.slots[parent, slot] = x + (self.slots[parent, slot] if parent in self.active else 0.0)
            self.active.add(parent)
        self.starting = True

    def numbers_at(self, nodes: Sequence[Node], k: int) -> list[float]:
        """The values of nodes at a body."""
        values = self._values(needed(nodes), k, turning=False)
        return [values[node.number] for node in nodes]

    def _values(self, nodes: Sequence[Node], k: int, *, turning: bool) -> Mapping[int, float]:
        loads = self.cut.loads[self.kind[k]]
        found: dict[int, float] = {}
        for node in nodes:
            turn = turn_of(node, loads)
            if node.known:
                found[node.number] = node.value
            elif node.operation == "input":
                found[node.number] = self._loaded(loads[int(node.value)], k)
            elif turn is not None and not turning:
                found[node.number] = self.slots[k, turn]
            elif not self.starting and node.number in self.cut.rough[self.kind[k]]:
                found[node.number] = 0.0
            else:
                found[node.number] = OPERATIONS[node.operation](*(found[a.number] for a in node.arguments))
        return found

    def _loaded(self, load: Load, k: int) -> float:
        found: Any
        match load.where:
            case "coordinate":
                found = self.q[self.model.q_slices[k].start + load.place]
            case "number":
                kind = self.cut.kinds[self.kind[k]]
                at = kind.bodies.tolist().index(k)
                found = self.cut.numbers(self.kind[k], slice(at, at + 1))[0, load.place]
            case "sign":
                sign = self.cut.signs[load.of]
                found = random_signs(self.model.n, sign.entries, sign.salt)[k].ravel()[load.place]
            case "input":
                layout, entries = self.inputs[load.of]
                found = entries[layout.offsets[k] + load.place]
            case "common":
                found = self.inputs[load.of][1][load.place]
            case "whole":
                assert load.slot is not None
                found = self.slots[NOBODY, load.slot]
            case "own" | "above":
                assert load.slot is not None
                found = self.slots.get((k if load.where == "own" else self.model.parent[k], load.slot))
        assert found is not None
        return float(found)
