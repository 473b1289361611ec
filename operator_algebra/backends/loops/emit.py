"""Pieces as LLVM IR: for each sweep a loop over the bodies, in which each kind of body has its code.

Vectors have a sample in each lane, as in code without loops. What bodies keep stands body by body in memory of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from operator_algebra.backends.loops.body import Body, Setting
from operator_algebra.backends.loops.records import Cut, Piece
from operator_algebra.backends.loops.rows import WATCHED, given_back, looked_through, taken
from operator_algebra.backends.native.text import Block

_TABLES = ("kinds", "parents", "numbers", "signs")
FIXED = (*_TABLES, "kept", "passing", "columns", "whole", "active", "runs", "flags", "mask")
"""What stands in the table before the arrays."""
EACH = ("array", "step", "size", "start")
"""What stands there of each array."""

_DECLARED = """\
declare {reals} @llvm.sqrt.v{lanes}f64({reals})
declare {reals} @llvm.fabs.v{lanes}f64({reals})
declare {reals} @llvm.fma.v{lanes}f64({reals}, {reals}, {reals})
"""


def loop_text(cut: Cut, inputs: int, results: int, lanes: int, *, fuses: bool) -> str:
    """The module with the function `kernel(first, stop, bodies, table)`, for samples from `first` to `stop`.

    The table has `FIXED`, then for coordinates, each input and each result the address of an array (samples, entries),
    the bytes from row to row, the entries, and the address of the first entries of the bodies. Where there are lanes,
    columns stand in memory meanwhile; those behind the last sample do it once more, and have flags. What passes stands
    at the number of the body with the bits of `mask`; `runs` counts bodies in which columns run. If it `fuses`, a
    product that is added to something is not rounded before.
    """
    return _Emitter(cut, inputs, results, lanes, fuses).text()


class _Emitter:
    def __init__(self, cut: Cut, inputs: int, results: int, lanes: int, fuses: bool) -> None:
        self.cut = cut
        self.block = Block(lanes)
        self.inputs = inputs
        self.arrays = 1 + inputs + results
        self._turns = False
        """Whether the first sweep has sines and cosines."""
        self.setting = Setting(cut, self.block, inputs, fuses)

    def text(self) -> str:
        """The module."""
        block = self.block
        lines = block.lines
        mask = f"i{block.lanes}"
        wide = Block(max(block.lanes, WATCHED if block.lanes == 1 else 0))
        lines += [f"%trusted = alloca {mask}", f"%watch = alloca {wide.reals}", "%end = sub i64 %stop, 1"]
        for place, name in enumerate(FIXED):
            self._from_table(place, name, "i64" if name == "mask" else "ptr")
        for array in range(self.arrays):
            for i, name in enumerate(EACH):
                kind = "i64" if name in ("step", "size") else "ptr"
                self._from_table(len(FIXED) + len(EACH) * array + i, f"{name}{array}", kind)
        lines += ["br label %block", "block:", "%sample = phi i64 [%first, %entry], [%next, %last]"]
        lines += [f"store {mask} -1, ptr %trusted", f"store {wide.reals} zeroinitializer, ptr %watch, align 8"]
        rows = self._rows()
        self._take(rows)
        for place in self.cut.whole.values():
            address = block.named(f"getelementptr i8, ptr %whole, i64 {self.setting.bytes * place}")
            lines.append(f"store {block.reals} zeroinitializer, ptr {address}, align 8")
        lines += ["br label %sweep0"]
        sweeps = [(d, row) for d, row in zip(self.cut.directions, self.cut.table, strict=True) if self._works(row)]
        self._turns = self._works(self.cut.table[0])
        for number, (direction, row) in enumerate(sweeps):
            if direction == "once":
                lines.append(f"sweep{number}:")
                Body(self.setting, len(self.cut.kinds), "0", turning=False).write(row[-1])
                lines.append(f"br label %sweep{number + 1}")
            else:
                self._sweep(number, row, inward=direction == "inward")
        lines.append(f"sweep{len(sweeps)}:")
        if block.lanes > 1:
            for array in range(1 + self.inputs, self.arrays):
                given_back(block, f"out{array}", rows[array], f"%size{array}", f"%base{array}")
        lines += ["br label %last", "last:"]
        self._flags(wide)
        more = block.named("icmp slt i64 %next, %stop")
        lines += [f"br i1 {more}, label %block, label %done", "done:", "ret i64 0"]
        head = "define i64 @kernel(i64 %first, i64 %stop, i64 %bodies, ptr %table) {\nentry:"
        declared = _DECLARED.format(reals=block.reals, lanes=block.lanes)
        return "\n".join([declared, head, *lines, "}", ""])

    def _rows(self) -> list[list[str]]:
        """Of each array the addresses of the rows of the lanes."""
        block, samples = self.block, list[str]()
        for lane in range(block.lanes):
            plain = block.named(f"add i64 %sample, {lane}")
            inside = block.named(f"icmp slt i64 {plain}, %end")
            samples.append(block.named(f"select i1 {inside}, i64 {plain}, i64 %end"))
        found: list[list[str]] = []
        for array in range(self.arrays):
            offsets = [block.named(f"mul i64 {sample}, %step{array}") for sample in samples]
            found.append([block.named(f"getelementptr i8, ptr %array{array}, i64 {offset}") for offset in offsets])
        return found

    def _take(self, rows: Sequence[Sequence[str]]) -> None:
        """Where entries are read and written, and those that are given there; whether they are finite."""
        block, before = self.block, "%columns"
        for array in range(self.arrays):
            given = array <= self.inputs
            if block.lanes == 1:
                block.lines.append(f"%base{array} = getelementptr i8, ptr {rows[array][0]}, i64 0")
                if given:
                    looked_through(block, f"in{array}", f"%base{array}", f"%size{array}")
                continue
            block.lines.append(f"%base{array} = getelementptr i8, ptr {before}, i64 0")
            bytes_of = block.named(f"mul i64 %size{array}, {self.setting.bytes}")
            before = block.named(f"getelementptr i8, ptr %base{array}, i64 {bytes_of}")
            if given:
                taken(block, f"in{array}", rows[array], f"%size{array}", f"%base{array}")

    def _flags(self, wide: Block) -> None:
        """Whether results may be trusted, a byte for each lane."""
        block, mask, lines = self.block, f"i{self.block.lanes}", self.block.lines
        watched = block.named(f"load {wide.reals}, ptr %watch, align 8")
        finite = block.named(f"fcmp oeq {wide.reals} {watched}, zeroinitializer")
        trusted = block.named(f"load {mask}, ptr %trusted")
        if wide.lanes > block.lanes:
            bits = block.named(f"bitcast {wide.truths} {finite} to i{wide.lanes}")
            whole = block.named(f"icmp eq i{wide.lanes} {bits}, -1")
        else:
            whole = block.named(f"bitcast {wide.truths} {finite} to {mask}")
        both = block.named(f"and {mask} {trusted}, {whole}")
        truths = block.named(f"bitcast {mask} {both} to {block.truths}")
        flags = block.named(f"zext {block.truths} {truths} to <{block.lanes} x i8>")
        place = block.named("getelementptr i8, ptr %flags, i64 %sample")
        lines += [
            f"store <{block.lanes} x i8> {flags}, ptr {place}, align 1",
            f"%next = add i64 %sample, {block.lanes}",
        ]

    def _from_table(self, place: int, name: str, kind: str) -> None:
        self.block.lines += [
            f"%slot{place} = getelementptr i64, ptr %table, i64 {place}",
            f"%{name} = load {kind}, ptr %slot{place}",
        ]

    def _works(self, row: Sequence[Piece]) -> bool:
        return any(piece.wanted(self.cut.read) for piece in row)

    # -- a sweep ---------------------------------------------------------------------------------------------------

    def _sweep(self, number: int, row: Sequence[Piece], *, inward: bool) -> None:
        block, lines = self.block, self.block.lines
        lines.append(f"sweep{number}:")
        start = block.named("sub i64 %bodies, 1") if inward else "0"
        lines += [f"br label %body{number}", f"body{number}:"]
        lines.append(f"%k{number} = phi i64 [{start}, %sweep{number}], [%following{number}, %after{number}]")
        k = f"%k{number}"
        address = block.named(f"getelementptr i8, ptr %kinds, i64 {k}")
        kind = block.named(f"load i8, ptr {address}")
        *row, _ = row
        cases = " ".join(f"i8 {i}, label %piece{number}_{i}" for i in range(len(row)))
        lines.append(f"switch i8 {kind}, label %after{number} [{cases}]")
        for i, piece in enumerate(row):
            lines.append(f"piece{number}_{i}:")
            body = Body(self.setting, i, k, turning=not number and self._turns)
            body.write(piece)
            if piece.columns is not None:
                body.write_columns(piece.columns, f"columns{number}_{i}", f"after{number}")
            lines.append(f"br label %after{number}")
        lines.append(f"after{number}:")
        lines.append(f"%following{number} = add i64 {k}, {-1 if inward else 1}")
        more = block.named(f"icmp {'sge' if inward else 'slt'} i64 %following{number}, {0 if inward else '%bodies'}")
        lines.append(f"br i1 {more}, label %body{number}, label %sweep{number + 1}")
