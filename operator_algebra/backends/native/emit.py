"""A tape as LLVM IR: the same operations in the same order, on vectors with one sample in each lane."""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Sequence
from contextlib import contextmanager
from functools import cache, partial

from operator_algebra.backends.native import tiles
from operator_algebra.backends.native.operations import computed, turned
from operator_algebra.backends.native.stages import BESIDE, Stage, places, ready, stages
from operator_algebra.backends.native.text import Block, Vector, counted
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.backends.scalar.tape import Entry, Tape

_SUMS = 4
"""So many sums tell whether all is finite: each addition to one waits for the last."""
TOGETHER = 4
"""So many angles are turned at a time: their polynomials are chains, each of whose operations waits for the last."""

# What registers spill is a cache line wide: in a frame that starts with one, none is read or written in two halves.
_HEAD = """\
declare {reals} @llvm.sqrt.{suffix}({reals})
declare {reals} @llvm.fabs.{suffix}({reals})
declare {reals} @llvm.masked.load.{suffix}.p0(ptr, i32, {truths}, {reals})
declare void @llvm.masked.store.{suffix}.p0({reals}, ptr, i32, {truths})

define i64 @kernel(i64 %first, i64 %stop, i64 %last, ptr %table) "stackrealign" {{
entry:
  {head}
"""
_FUNCTION = """\
  br label %block
block:
  %sample = phi i64 [%first, %entry], [%next, %block]
  %trusted = phi i{lanes} [-1, %entry], [%all, %block]
  {body}
  %all = and i{lanes} %trusted, %good
  %next = add i64 %sample, {lanes}
  %more = icmp slt i64 %next, %stop
  br i1 %more, label %block, label %done
done:
  %whole = icmp eq i{lanes} %all, -1
  %result = zext i1 %whole to i64
  ret i64 %result
}}
"""
_STAGES = """\
  %memory = alloca [{room} x {reals}], align {size}
  %goods = alloca i{lanes}
  store i{lanes} -1, ptr %goods
  br label %block
block:
  %before = phi i64 [%first, %entry], [%next, %last.stage]
  %next = add i64 %before, {together}
  %left = sub i64 %stop, %before
  %rounded = add i64 %left, {rest}
  %vectors = udiv i64 %rounded, {lanes}
  %fewer = icmp slt i64 %vectors, {beside}
  %several = select i1 %fewer, i64 %vectors, i64 {beside}
  {body}
  br label %last.stage
last.stage:
  %more = icmp slt i64 %next, %stop
  br i1 %more, label %block, label %done
done:
  %all = load i{lanes}, ptr %goods
  %whole = icmp eq i{lanes} %all, -1
  %result = zext i1 %whole to i64
  ret i64 %result
}}
"""


def native_text(
    tape: Tape, given: Sequence[int], results: Sequence[int], lanes: int, precision: Precision = DOUBLE
) -> str:
    """The module with the function `kernel(first, stop, last, table)`, which tells whether all may be trusted.

    It computes samples from `first` to `stop`, a vector of them at a time; lanes behind `last` do that one once more.
    The table has for each array that is given the address and the bytes from row to row, for each result the
    address, and that of the flags, behind which there is room.
    """
    return _Emitter(tape, given, results, Block(lanes, precision=precision)).text()


def staged_text(
    tape: Tape, given: Sequence[int], results: Sequence[int], lanes: int, precision: Precision = DOUBLE
) -> str | None:
    """The same for some vectors stage by stage; None where there are no stages."""
    several = stages(tape, lanes * precision.bytes, ready(tape, results, lanes))
    return _Staged(tape, given, results, Block(lanes, precision=precision), several).text() if several else None


class _Emitter:
    """One vector of samples after the other."""

    def __init__(self, tape: Tape, given: Sequence[int], results: Sequence[int], block: Block) -> None:
        self.tape = tape
        self.given = given
        self.outputs = results
        self.block = block
        start = len(tape.constants) + tape.arguments
        self.values: dict[int, Vector] = {place: self.block.constant(x) for place, x in enumerate(tape.constants)}
        self.turns = {start + 2 * i + half: i for i in range(len(tape.turned)) for half in (0, 1)}
        self.ready = ready(tape, results, block.lanes)
        self.sums: list[Vector] = []
        """Of the results that were given, whose places on the tape are these."""
        self.summed: set[int] = set()

    def text(self) -> str:
        """The module."""
        rows = self._rows("%sample")
        columns = self._take(rows)
        self._compute(range(len(self.tape.entries)), lambda: rows)
        self._flags("%sample", [*columns, *self.sums])
        return self._module(_FUNCTION)

    def _compute(self, several: range, rows: Callable[[], Sequence[Sequence[str]]], kept: Container[int] = ()) -> None:
        """The operations from one to another, and the tiles of results that are ready after them."""
        if several.start == 0:
            self._give(-1, rows)
        for i in several:
            entry = self.tape.entries[i]
            self.values[entry.place] = self._value(entry)
            if i in kept:
                self.keep(entry.place, self.values[entry.place])
            self._give(i, rows)

    def _give(self, after: int, rows: Callable[[], Sequence[Sequence[str]]]) -> None:
        """The tiles that are ready after an operation."""
        for tile in self.ready.get(after, ()):
            columns = [self.read(place) for place in tile.places]
            tiles.store(self.block, rows()[len(self.given) + tile.array], tile.start, columns)
            for place, column in zip(tile.places, columns, strict=True):
                self._add(place, column)

    def _add(self, place: int, result: Vector) -> None:
        """A result to the sums, once; constants are finite."""
        if place >= len(self.tape.constants) and place not in self.summed:
            self.summed.add(place)
            self.sums.append(result if len(self.sums) < _SUMS else self.sums.pop(0) + result)

    def _module(self, function: str, **numbers: int) -> str:
        block = self.block
        names = {"reals": block.reals, "truths": block.truths, "lanes": block.lanes, "suffix": block.suffix}
        body = "\n  ".join(block.lines)
        return _HEAD.format(head=self._head(), **names) + function.format(body=body, **names, **numbers)

    # -- samples ---------------------------------------------------------------------------------------------------

    def _head(self) -> str:
        """Addresses and distances from the table."""
        lines: list[str] = []
        slots: list[tuple[str, str]] = []
        for place in range(len(self.given)):
            slots += [(f"array{place}", "ptr"), (f"step{place}", "i64")]
        slots += [(f"array{len(self.given) + place}", "ptr") for place in range(len(self.outputs) + 1)]
        for i, (name, kind) in enumerate(slots):
            lines += [f"%slot{i} = getelementptr i64, ptr %table, i64 {i}", f"%{name} = load {kind}, ptr %slot{i}"]
        return "\n  ".join(lines)

    def _rows(self, first: str) -> list[list[str]]:
        """For each array the addresses of the rows of the lanes, from the first one on."""
        block = self.block
        samples: list[str] = []
        for lane in range(block.lanes):
            plain = block.named(f"add i64 {first}, {lane}")
            inside = block.named(f"icmp slt i64 {plain}, %last")
            samples.append(block.named(f"select i1 {inside}, i64 {plain}, i64 %last"))
        rows: list[list[str]] = []
        width = block.precision.bytes
        steps = [*(f"%step{place}" for place in range(len(self.given))), *(str(width * n) for n in self.outputs)]
        for place, step in enumerate(steps):
            offsets = [block.named(f"mul i64 {sample}, {step}") for sample in samples]
            rows.append([block.named(f"getelementptr i8, ptr %array{place}, i64 {offset}") for offset in offsets])
        return rows

    def _take(self, rows: Sequence[Sequence[str]]) -> list[Vector]:
        """The arguments."""
        columns: list[Vector] = []
        for row, size in zip(rows, self.given, strict=False):
            columns += tiles.loaded(self.block, row, size)
        self.values |= dict(enumerate(columns, len(self.tape.constants)))
        return columns

    def _flags(self, first: str, several: Sequence[Vector]) -> None:
        """Whether the numbers of each lane may be trusted, as the tape tells it; several must be finite."""
        block = self.block
        total = _sum(block, several)
        lost = block.constant(0.0)
        for place in self.tape.lost:
            lost = lost + self.read(place)
        conditions = [
            block.compared("oeq", total - total, block.constant(0.0)),
            block.compared("olt", lost, block.constant(1.0)),
            *(block.compared("ogt", self.read(place), block.constant(0.0)) for place in self.tape.positive),
        ]
        good = block.both(conditions)
        flags = f"<{block.lanes} x i8>"
        told = block.named(f"zext {block.truths} {good} to {flags}")
        place = block.named(f"getelementptr i8, ptr %array{len(self.given) + len(self.outputs)}, i64 {first}")
        block.lines.append(f"store {flags} {told}, ptr {place}, align 1")
        block.lines.append(f"%good = bitcast {block.truths} {good} to i{block.lanes}")

    # -- operations ------------------------------------------------------------------------------------------------

    def read(self, place: int) -> Vector:
        """What stands at a place of the tape."""
        if place in self.turns and place not in self.values:
            self._turn_next(self.turns[place])
        return self.values[place]

    def keep(self, place: int, value: Vector) -> None:
        """For what comes later, at a place of the tape."""
        del place, value

    def _value(self, entry: Entry) -> Vector:
        a = self.read(entry.a)
        return computed(self.block, entry.operation, a, self.read(entry.b) if entry.b >= 0 else a)

    def _turn_next(self, first: int) -> None:
        """Sines and cosines of an argument, and of some that follow it."""
        start = len(self.tape.constants)
        chosen = [
            i for i in range(first, len(self.tape.turned)) if start + self.tape.arguments + 2 * i not in self.values
        ]
        chosen = chosen[:TOGETHER]
        angles = [self.values[start + self.tape.turned[i]] for i in chosen]
        for i, (sine, cosine) in zip(chosen, turned(self.block, angles), strict=True):
            place = start + self.tape.arguments + 2 * i
            self.values[place], self.values[place + 1] = sine, cosine


class _Staged(_Emitter):
    """Some vectors of samples stage by stage."""

    def __init__(
        self, tape: Tape, given: Sequence[int], results: Sequence[int], block: Block, several: Sequence[Stage]
    ) -> None:
        super().__init__(tape, given, results, block)
        self.stages = several
        self.size = block.lanes * block.precision.bytes
        self._fixed = dict(self.values)
        self.total = len(tape.constants) + places(tape) - 1
        self._memory = ""

    def text(self) -> str:
        """The module."""
        block, tape = self.block, self.tape
        with self._vectors("given") as first:
            columns = self._take(self._rows(first))
            for place, column in enumerate(columns, len(tape.constants)):
                self.keep(place, column)
            for place in self.turns:
                self.keep(place, super().read(place))
            self.keep(self.total, block.constant(0.0))
        for number, stage in enumerate(self.stages):
            with self._vectors(f"stage{number}") as first:
                rows = cache(partial(self._rows, first))
                self._compute(range(stage.start, stage.stop), rows, stage.kept)
                if self.sums:
                    self.keep(self.total, _sum(block, [self.read(self.total), *self.sums]))
        with self._vectors("found") as first:
            arguments = range(len(tape.constants), len(tape.constants) + tape.arguments)
            self._flags(first, [self.read(self.total), *map(self.read, arguments)])
            before = block.named(f"load i{block.lanes}, ptr %goods")
            both = block.named(f"and i{block.lanes} {before}, %good")
            block.lines.append(f"store i{block.lanes} {both}, ptr %goods")
        room, together = BESIDE * places(tape), BESIDE * block.lanes
        numbers = {"size": self.size, "rest": block.lanes - 1, "beside": BESIDE, "room": room, "together": together}
        return self._module(_STAGES, **numbers)

    @contextmanager
    def _vectors(self, name: str) -> Generator[str]:
        """Lines for each vector; its first sample."""
        block = self.block
        with counted(block, name, "0", "%several", 1) as vector:
            offset = block.named(f"mul i64 {vector}, {self.size * places(self.tape)}")
            self._memory = block.named(f"getelementptr i8, ptr %memory, i64 {offset}")
            self.values, self.sums = dict(self._fixed), []
            samples = block.named(f"mul i64 {vector}, {block.lanes}")
            yield block.named(f"add i64 %before, {samples}")

    def _at(self, place: int) -> str:
        offset = self.size * (place - len(self.tape.constants))
        return self.block.named(f"getelementptr i8, ptr {self._memory}, i64 {offset}")

    def keep(self, place: int, value: Vector) -> None:
        """A value in memory, for later stages."""
        self.block.lines.append(f"store {self.block.reals} {value.name}, ptr {self._at(place)}, align {self.size}")

    def read(self, place: int) -> Vector:
        """What stands at a place of the tape, or of memory."""
        if place not in self.values:
            where = self._at(place)
            self.values[place] = self.block.vector(f"load {self.block.reals}, ptr {where}, align {self.size}")
        return self.values[place]


def _sum(block: Block, several: Sequence[Vector]) -> Vector:
    """A sum in which no term waits for many others."""
    while len(several) > 1:
        pairs = zip(several[::2], several[1::2], strict=False)
        several = [*(a + b for a, b in pairs), *(several[-1:] if len(several) % 2 else [])]
    return several[0] if several else block.constant(0.0)
