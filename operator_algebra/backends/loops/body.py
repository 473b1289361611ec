"""What a kind of body does in a sweep, as LLVM IR: loads, operations, stores, for a body whose number is known late."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from operator_algebra.backends.loops.fused import Fused, fused, needed
from operator_algebra.backends.loops.logarithm import logarithm
from operator_algebra.backends.loops.records import Columns, Cut, Load, Piece, Slot, turn_of
from operator_algebra.backends.native.operations import computed, turned
from operator_algebra.backends.native.text import Block, Vector
from operator_algebra.backends.scalar.graph import Node

SIGNED = 64
"""So many bodies have signs of their own: they start anew, so that they stay in the cache."""
_HALVES_OF_ONE = {64: 1023 << 51, 32: 127 << 22}
"""Half of the bits of 1."""


@dataclass(frozen=True)
class Setting:
    """What the lines of all bodies have in common."""

    cut: Cut
    block: Block
    inputs: int
    fuses: bool

    @property
    def marked(self) -> int:
        """Bits of what says in which lanes columns run."""
        return max(8, self.block.lanes)

    @cached_property
    def carried(self) -> frozenset[Slot]:
        """Those of columns of rounding that run where they have to."""
        columns = [piece.columns for row in self.cut.table for piece in row]
        return frozenset(slot for one in columns if one is not None for slot in one.sent)

    @cached_property
    def wide(self) -> int:
        """Numbers of a body in their table."""
        return max(map(len, self.cut.standing))

    @cached_property
    def sign_starts(self) -> Sequence[int]:
        """Where the columns of each pair of signs stand in their table."""
        counts = [2 * sign.entries for sign in self.cut.signs]
        return [sum(counts[:i]) for i in range(len(counts) + 1)]


def rough_root(x: Vector) -> Vector:
    """√x or up to 6 % more, for the time of an addition: half of the exponent, half of the digits behind it."""
    block = x.block
    width = block.precision.bits
    bits = block.named(f"bitcast {block.reals} {x.name} to {block.integers}")
    half = block.named(f"lshr {block.integers} {bits}, splat (i{width} 1)")
    moved = block.named(f"add {block.integers} {half}, splat (i{width} {_HALVES_OF_ONE[width]})")
    return block.vector(f"bitcast {block.integers} {moved} to {block.reals}")


class Body:
    """The lines of a piece, for the body whose number stands in a register."""

    def __init__(self, setting: Setting, kind: int, k: str, of: str) -> None:
        self.setting = setting
        self.block = setting.block
        self.cut = setting.cut
        self.kind = kind
        self.k = k
        self.of = of
        """What names end with that belong to a vector of samples."""
        self.loads: Mapping[int, Load] = self.cut.loads[kind]
        self.standing = {node.number: place for place, node in enumerate(self.cut.standing[kind])}
        self._bases: dict[str, str] = {}
        self._values: dict[int, Vector] = {}
        self._parent = ""
        self._starting = ""
        """The lanes in which columns of rounding start, where they do not in all."""
        self._received = ""
        """Whether any lane has received some."""

    def write(self, piece: Piece, *, turning: bool = False) -> None:
        """Load, compute, store; sines and cosines are made in the piece in which all are turned."""
        slots, block = self.cut.read, self.block
        self._compute(piece.wanted(slots))
        turns = self._turn(piece) if turning else {}
        self._values |= turns
        for slot, node in piece.kept.items():
            if slot in slots:
                self._store(self.read(node), self._slot("own", slot))
        for slot, node in piece.sent.items():
            if slot in slots:
                address, value = self._slot("above", slot), self.read(node)
                if not self.cut.kinds[self.kind].first:
                    value = block.vector(f"load {block.reals}, ptr {address}, {self.block.aligned}") + value
                self._store(value, address)
        for slot, node in piece.added.items():
            if slot in slots:
                address = self._slot("whole", slot)
                self._store(self._vector(address) + self.read(node), address)
        conditions = [self._positive(node) for node in piece.positive]
        for of, i, node in piece.results:
            value = self.read(node)
            self._store(value, self._entry(1 + self.setting.inputs + of, i))
            conditions.append(block.compared("oeq", value - value, block.constant(0.0)))
        if conditions:
            self._judge(block.both(conditions))
        if turning:
            # The next piece computes its own anew: which products are not rounded depends on what reads them.
            self._values = turns

    def _compute(self, ends: Sequence[Node]) -> None:
        joined = fused(ends, self.standing) if self.setting.fuses else {}
        for node in needed(ends, joined, {**self.standing, **self._values}):
            turn = turn_of(node, self.loads)
            if node.known or node.operation == "input":
                continue
            if turn is not None and turn in self.cut.read:
                continue
            self._values[node.number] = self._fused(joined[node.number]) if node.number in joined else self._one(node)

    def write_columns(self, columns: Columns, here: str, after: str) -> None:
        """What carries rounding along, if it has to in any lane.

        Memory has a bit for each lane in which children have sent some; else what stands there is nothing.
        """
        block, one, mask = self.block, self.block.constant(1.0), f"i{self.block.lanes}"
        marks = f"i{self.setting.marked}"
        within = [block.compared("ole", self.read(node), one) for node in columns.limits]
        inside = block.named(f"bitcast {block.truths} {block.both(within)} to {mask}")
        starting = block.named(f"xor {mask} {inside}, -1")
        place = self._active(self.k)
        before = block.named(f"load {marks}, ptr {place}")
        block.lines.append(f"store {marks} 0, ptr {place}")
        wide = starting if mask == marks else block.named(f"zext {mask} {starting} to {marks}")
        running = block.named(f"or {marks} {wide}, {before}")
        needless = block.named(f"icmp eq {marks} {running}, 0")
        block.lines += [f"br i1 {needless}, label %{after}, label %{here}", f"{here}:"]
        self._values = {}  # what is needed here is computed again, seldom, so that nothing is held for it in all bodies
        count = block.named("load i64, ptr %runs")
        block.lines.append(f"store i64 {block.named(f'add i64 {count}, 1')}, ptr %runs")
        self._starting = block.named(f"bitcast {mask} {starting} to {block.truths}")
        self._received = block.named(f"icmp ne {marks} {before}, 0")
        self._compute(columns.wanted(self.cut.read))
        self._judge(block.both([self._positive(node) for node in columns.positive]))
        sent = {slot: node for slot, node in columns.sent.items() if slot in self.cut.read}
        if not sent:
            return
        going = block.compared("ugt", self.read(columns.left), one)
        bits = block.named(f"bitcast {block.truths} {going} to {mask}")
        wide = bits if mask == marks else block.named(f"zext {mask} {bits} to {marks}")
        place = self._active(self._above())
        there = block.named(f"load {marks}, ptr {place}")
        block.lines.append(f"store {marks} {block.named(f'or {marks} {there}, {wide}')}, ptr {place}")
        others = block.named(f"icmp ne {marks} {there}, 0")
        none = block.constant(0.0)
        for slot, node in sent.items():
            address = self._slot("above", slot)
            value = block.vector(f"load {block.reals}, ptr {address}, {self.block.aligned}")
            value = block.vector(f"select i1 {others}, {block.reals} {value.name}, {block.reals} zeroinitializer")
            self._store(value + block.chosen(going, self.read(node), none), address)

    def _active(self, k: str) -> str:
        place = self.block.named(f"and i64 {k}, %mask")
        return self.block.named(f"getelementptr i{self.setting.marked}, ptr %active{self.of}, i64 {place}")

    def _one(self, node: Node) -> Vector:
        a = self.read(node.a)
        if node.operation == "log":
            return logarithm(a)
        if node.number in self.cut.rough[self.kind]:
            root, none = rough_root(a), self.block.constant(0.0)
            return self.block.chosen(self._starting, root, none) if self._starting else root
        return computed(self.block, node.operation, a, a if node.b is node else self.read(node.b))

    def _fused(self, joined: Fused) -> Vector:
        a, b, c = map(self.read, (joined.a, joined.b, joined.c))
        return self.block.fused(-a if joined.product < 0 else a, b, -c if joined.rest < 0 else c)

    def _positive(self, node: Node) -> str:
        return self.block.compared("ogt", self.read(node), self.block.constant(0.0))

    def _judge(self, good: str) -> None:
        block, mask = self.block, f"i{self.block.lanes}"
        before = block.named(f"load {mask}, ptr %trusted{self.of}")
        here = block.named(f"bitcast {block.truths} {good} to {mask}")
        both = block.named(f"and {mask} {before}, {here}")
        block.lines.append(f"store {mask} {both}, ptr %trusted{self.of}")

    def _turn(self, piece: Piece) -> dict[int, Vector]:
        """Sines and cosines of the coordinates by the numbers of their nodes, those of one body together."""
        angles = {node.a.number: node.a for slot, node in piece.kept.items() if slot in self.cut.slots}
        read, fuses = [self.read(angle) for angle in angles.values()], self.setting.fuses
        pairs = turned(self.block, read, fuses=fuses) if angles else []
        found = dict(zip(angles, pairs, strict=True))
        kept = ((slot, node) for slot, node in piece.kept.items() if slot in self.cut.slots)
        return {node.number: found[node.a.number][slot[2]] for slot, node in kept}

    # -- values ----------------------------------------------------------------------------------------------------

    def read(self, node: Node) -> Vector:
        """A value, loaded where it is first read."""
        if node.known:
            return self.block.constant(node.value)
        if node.number not in self._values:
            self._values[node.number] = self._loaded(node)
        return self._values[node.number]

    def _loaded(self, node: Node) -> Vector:
        if node.number in self.standing:
            return self._spread("numbers", self.setting.wide, self.standing[node.number])
        turn = turn_of(node, self.loads)
        if turn is not None:
            return self._vector(self._slot("own", turn))
        load = self.loads[int(node.value)]
        match load.where:
            case "coordinate":
                return self._vector(self._entry(0, load.place))
            case "input":
                return self._vector(self._entry(1 + load.of, load.place))
            case "common":
                return self._vector(self._fixed(1 + load.of, load.place))
            case "number":
                raise ValueError("a number that does not stand in the table")
            case "sign":
                starts = self.setting.sign_starts
                return self._spread("signs", starts[-1], starts[load.of] + load.place)
            case "own" | "above" | "whole":
                assert load.slot is not None
                found = self._vector(self._slot(load.where, load.slot))
                if not self._starting or load.slot not in self.setting.carried:
                    return found
                chosen = f"{self.block.reals} {found.name}, {self.block.reals} zeroinitializer"
                return self.block.vector(f"select i1 {self._received}, {chosen}")

    def _vector(self, address: str) -> Vector:
        return self.block.vector(f"load {self.block.reals}, ptr {address}, {self.block.aligned}")

    def _store(self, value: Vector, address: str) -> None:
        self.block.lines.append(f"store {self.block.reals} {value.name}, ptr {address}, {self.block.aligned}")

    def _spread(self, table: str, width: int, place: int) -> Vector:
        """A number of the body, the same in all lanes."""
        block = self.block
        k = self.block.named(f"and i64 {self.k}, {SIGNED - 1}") if table == "signs" else self.k
        size = block.precision.bytes
        base = self._base(table, k, table, size * width)
        address = block.named(f"getelementptr i8, ptr {base}, i64 {size * place}")
        number = block.named(f"load {block.real}, ptr {address}")
        one = block.named(f"insertelement {block.reals} poison, {block.real} {number}, i64 0")
        zeros = f"<{block.lanes} x i32> zeroinitializer"
        return block.vector(f"shufflevector {block.reals} {one}, {block.reals} poison, {zeros}")

    # -- addresses -------------------------------------------------------------------------------------------------

    def _base(self, name: str, k: str, table: str, size: int) -> str:
        """The address of what belongs to a body in a table."""
        if name not in self._bases:
            offset = self.block.named(f"mul i64 {k}, {size}")
            self._bases[name] = self.block.named(f"getelementptr i8, ptr %{table}, i64 {offset}")
        return self._bases[name]

    def _slot(self, where: str, slot: Slot) -> str:
        """The address of a slot of the body or of its parent."""
        block, k = self.block, self.k
        if slot[0] == "whole":
            place = self.block.bytes * self.cut.whole[slot]
            return block.named(f"getelementptr i8, ptr %whole{self.of}, i64 {place}")
        if where == "above":
            k = self._above()
        passes = slot in self.cut.passing
        table, places = ("passing", self.cut.passing) if passes else ("kept", self.cut.slots)
        name = f"{where} {table}"
        if passes and name not in self._bases:
            k = block.named(f"and i64 {k}, %mask")
        base = self._base(name, k, table + self.of, self.block.bytes * len(places))
        return block.named(f"getelementptr i8, ptr {base}, i64 {self.block.bytes * places[slot]}")

    def _fixed(self, array: int, i: int) -> str:
        """The same of what belongs to no body."""
        return self.block.named(f"getelementptr i8, ptr %base{array}{self.of}, i64 {self.block.bytes * i}")

    def _above(self) -> str:
        """The number of the parent."""
        if not self._parent:
            address = self.block.named(f"getelementptr i64, ptr %parents, i64 {self.k}")
            self._parent = self.block.named(f"load i64, ptr {address}")
        return self._parent

    def _entry(self, array: int, i: int) -> str:
        """The address of an entry of the body in an array."""
        if self.kind == len(self.cut.kinds):
            return self._fixed(array, i)
        name, block = f"array{array}", self.block
        if name not in self._bases:
            place = block.named(f"getelementptr i64, ptr %start{array}, i64 {self.k}")
            start = block.named(f"load i64, ptr {place}")
            offset = block.named(f"mul i64 {start}, {self.block.bytes}")
            self._bases[name] = block.named(f"getelementptr i8, ptr %base{array}{self.of}, i64 {offset}")
        return block.named(f"getelementptr i8, ptr {self._bases[name]}, i64 {self.block.bytes * i}")
