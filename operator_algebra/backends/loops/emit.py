"""Pieces as LLVM IR: for each sweep a loop over the bodies, in which each kind of body has its code.

Vectors have a sample in each lane, as in code without loops. What bodies keep stands body by body in memory of its own.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from operator_algebra.backends.loops.body import Body, Setting
from operator_algebra.backends.loops.records import Cut, Piece
from operator_algebra.backends.loops.rows import WATCHED, given_back, looked_through, taken
from operator_algebra.backends.native.text import Block, counted
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.programs.program import Direction

_TABLES = ("kinds", "parents", "numbers", "signs")
FIXED = (*_TABLES, "kept", "passing", "columns", "whole", "active", "runs", "flags", "mask", "apart", "most")
"""What stands in the table before the arrays."""
BESIDE = 2
"""So many vectors of samples go through a body before the next at most: what one computes no other waits for."""
EACH = ("array", "step", "size", "start")
"""What stands there of each array."""

_DECLARED = """\
declare {reals} @llvm.sqrt.{suffix}({reals})
declare {reals} @llvm.fabs.{suffix}({reals})
declare {reals} @llvm.fma.{suffix}({reals}, {reals}, {reals})
"""


def loop_text(cut: Cut, inputs: int, results: int, lanes: int, *, fuses: bool, precision: Precision = DOUBLE) -> str:
    """The module with the function `kernel(first, stop, bodies, table)`, for samples from `first` to `stop`.

    The table has `FIXED`, then for coordinates, each input and each result the address of an array (samples, entries),
    the bytes from row to row, the entries, and the address of the first entries of the bodies. Where there are lanes,
    columns stand in memory meanwhile; those behind the last sample do it once more, and have flags. At `most` so many
    vectors of samples are computed beside each other, whose memory is `apart` bytes apart. What passes stands at the
    number of the body with the bits of `mask`; `runs` counts bodies in which columns run. If it `fuses`, a
    product that is added to something is not rounded before.
    """
    return _Emitter(cut, inputs, results, Block(lanes, precision=precision), fuses).text()


class _Emitter:
    def __init__(self, cut: Cut, inputs: int, results: int, block: Block, fuses: bool) -> None:
        self.cut = cut
        self.block = block
        self.inputs = inputs
        self.arrays = 1 + inputs + results
        self.setting = Setting(cut, self.block, inputs, fuses)

    def text(self) -> str:
        """The module."""
        block = self.block
        lines = block.lines
        wide = Block(max(block.lanes, WATCHED if block.lanes == 1 else 0), precision=block.precision)
        lines += [f"%trusted = alloca {self._mask}, i64 {BESIDE}", f"%watch = alloca {wide.reals}"]
        for place, name in enumerate(FIXED):
            self._from_table(place, name, "i64" if name in ("mask", "apart", "most") else "ptr")
        for array in range(self.arrays):
            for i, name in enumerate(EACH):
                kind = "i64" if name in ("step", "size") else "ptr"
                self._from_table(len(FIXED) + len(EACH) * array + i, f"{name}{array}", kind)
            lines.append(f"%bytes{array} = mul i64 %size{array}, {block.bytes}")
        lines += ["%end = sub i64 %stop, 1", "%bodies.kept = add i64 %mask, 1"]
        lines += [f"%frames = mul i64 %bodies.kept, {self.setting.marked // 8}", "br label %block"]
        lines += ["block:", "%sample = phi i64 [%first, %entry], [%next, %last]"]
        self._count()
        with self._beside("given") as of:
            self._take(of, wide)
        lines += ["br label %sweep0"]
        sweeps = self._sweeps()
        for number, (direction, rows) in enumerate(sweeps):
            if direction == "once":
                lines.append(f"sweep{number}:")
                with self._beside(f"once{number}") as of:
                    Body(self.setting, len(self.cut.kinds), "0", of).write(rows[0][-1])
                lines.append(f"br label %sweep{number + 1}")
            else:
                self._sweep(number, rows, inward=direction == "inward")
        lines.append(f"sweep{len(sweeps)}:")
        with self._beside("found") as of:
            self._give(of)
        lines += ["br label %last", "last:"]
        more = block.named("icmp slt i64 %next, %stop")
        lines += [f"br i1 {more}, label %block, label %done", "done:", "ret i64 0"]
        head = "define i64 @kernel(i64 %first, i64 %stop, i64 %bodies, ptr %table) {\nentry:"
        declared = _DECLARED.format(reals=block.reals, suffix=block.suffix)
        return "\n".join([declared, head, *lines, "}", ""])

    @property
    def _mask(self) -> str:
        """A bit for each lane."""
        return f"i{self.block.lanes}"

    # -- samples ---------------------------------------------------------------------------------------------------

    def _count(self) -> None:
        """How many vectors of samples are computed beside each other, `%several`, and the sample after them."""
        block = self.block
        if block.lanes == 1:
            block.lines.append("%next = add i64 %sample, 1")
            return
        left = block.named("sub i64 %stop, %sample")
        rounded = block.named(f"add i64 {left}, {block.lanes - 1}")
        vectors = block.named(f"udiv i64 {rounded}, {block.lanes}")
        fewer = block.named(f"icmp slt i64 {vectors}, %most")
        samples = block.named(f"mul i64 %most, {block.lanes}")
        block.lines += [
            f"%several = select i1 {fewer}, i64 {vectors}, i64 %most",
            f"%next = add i64 %sample, {samples}",
        ]

    @contextmanager
    def _beside(self, name: str) -> Generator[str]:
        """Lines for each vector of samples; what is its own has names with the ending that is given."""
        block, lines = self.block, self.block.lines
        if block.lanes == 1:
            yield ""
            return
        of = f".{name}"
        with counted(block, f"{name}.vector", "0", "%several", 1) as vector:
            apart, frames, samples = (
                block.named(f"mul i64 {vector}, {size}") for size in ("%apart", "%frames", block.lanes)
            )
            lines.append(f"%sample{of} = add i64 %sample, {samples}")
            lines += [f"%{one}{of} = getelementptr i8, ptr %{one}, i64 {apart}" for one in ("kept", "passing", "whole")]
            lines.append(f"%active{of} = getelementptr i8, ptr %active, i64 {frames}")
            lines.append(f"%trusted{of} = getelementptr {self._mask}, ptr %trusted, i64 {vector}")
            lines.append(f"%base0{of} = getelementptr i8, ptr %columns, i64 {apart}")
            for array in range(1, self.arrays):
                before = array - 1
                lines.append(f"%base{array}{of} = getelementptr i8, ptr %base{before}{of}, i64 %bytes{before}")
            yield of

    def _rows(self, of: str, arrays: range) -> list[list[str]]:
        """Of some arrays the addresses of the rows of the lanes."""
        block, samples = self.block, list[str]()
        for lane in range(block.lanes):
            plain = block.named(f"add i64 %sample{of}, {lane}")
            inside = block.named(f"icmp slt i64 {plain}, %end")
            samples.append(block.named(f"select i1 {inside}, i64 {plain}, i64 %end"))
        found: list[list[str]] = []
        for array in arrays:
            offsets = [block.named(f"mul i64 {sample}, %step{array}") for sample in samples]
            found.append([block.named(f"getelementptr i8, ptr %array{array}, i64 {offset}") for offset in offsets])
        return found

    def _take(self, of: str, wide: Block) -> None:
        """Entries where they are read; whether they are finite. Sums are nothing yet."""
        block = self.block
        block.lines.append(f"store {wide.reals} zeroinitializer, ptr %watch, {wide.aligned}")
        for array, rows in enumerate(self._rows(of, range(self.arrays if block.lanes == 1 else 1 + self.inputs))):
            if block.lanes > 1:
                taken(block, f"in{array}", rows, f"%size{array}", f"%base{array}{of}")
                continue
            block.lines.append(f"%base{array} = getelementptr i8, ptr {rows[0]}, i64 0")
            if array <= self.inputs:
                looked_through(block, f"in{array}", f"%base{array}", f"%size{array}")
        for place in self.cut.whole.values():
            address = block.named(f"getelementptr i8, ptr %whole{of}, i64 {block.bytes * place}")
            block.lines.append(f"store {block.reals} zeroinitializer, ptr {address}, {block.aligned}")
        watched = block.named(f"load {wide.reals}, ptr %watch, {wide.aligned}")
        finite = block.named(f"fcmp oeq {wide.reals} {watched}, zeroinitializer")
        if wide.lanes > block.lanes:
            bits = block.named(f"bitcast {wide.truths} {finite} to i{wide.lanes}")
            whole = block.named(f"icmp eq i{wide.lanes} {bits}, -1")
        else:
            whole = block.named(f"bitcast {wide.truths} {finite} to {self._mask}")
        block.lines.append(f"store {self._mask} {whole}, ptr %trusted{of}")

    def _give(self, of: str) -> None:
        """Results where they belong, and whether they may be trusted, a byte for each lane."""
        block = self.block
        if block.lanes > 1:
            arrays = range(1 + self.inputs, self.arrays)
            for array, rows in zip(arrays, self._rows(of, arrays), strict=True):
                given_back(block, f"out{array}", rows, f"%size{array}", f"%base{array}{of}")
        trusted = block.named(f"load {self._mask}, ptr %trusted{of}")
        truths = block.named(f"bitcast {self._mask} {trusted} to {block.truths}")
        flags = block.named(f"zext {block.truths} {truths} to <{block.lanes} x i8>")
        place = block.named(f"getelementptr i8, ptr %flags, i64 %sample{of}")
        block.lines.append(f"store <{block.lanes} x i8> {flags}, ptr {place}, align 1")

    def _from_table(self, place: int, name: str, kind: str) -> None:
        self.block.lines += [
            f"%slot{place} = getelementptr i64, ptr %table, i64 {place}",
            f"%{name} = load {kind}, ptr %slot{place}",
        ]

    def _sweeps(self) -> list[tuple[Direction, list[Sequence[Piece]]]]:
        """What is done in each loop, in which direction.

        Vectors are turned in the loop that follows: what bodies of one configuration wait for is shorter without.
        """
        pairs = zip(self.cut.directions, self.cut.table, strict=True)
        found: list[tuple[Direction, list[Sequence[Piece]]]] = [
            (direction, [row]) for direction, row in pairs if any(piece.wanted(self.cut.read) for piece in row)
        ]
        if self.block.lanes > 1 and found[0][1][0] is self.cut.table[0] and found[1:] and found[1][0] != "once":
            (_, first), (direction, second), *rest = found
            found = [(direction, [*first, *second]), *rest]
        return found

    # -- a sweep ---------------------------------------------------------------------------------------------------

    def _sweep(self, number: int, rows: Sequence[Sequence[Piece]], *, inward: bool) -> None:
        block, lines = self.block, self.block.lines
        lines.append(f"sweep{number}:")
        start = block.named("sub i64 %bodies, 1") if inward else "0"
        lines += [f"br label %body{number}", f"body{number}:"]
        lines.append(f"%k{number} = phi i64 [{start}, %sweep{number}], [%following{number}, %next{number}]")
        k = f"%k{number}"
        address = block.named(f"getelementptr i8, ptr %kinds, i64 {k}")
        kind = block.named(f"load i8, ptr {address}")
        with self._beside(f"sweep{number}") as of:
            kinds = range(len(self.cut.kinds))
            cases = " ".join(f"i8 {i}, label %piece{number}_{i}" for i in kinds)
            lines.append(f"switch i8 {kind}, label %after{number} [{cases}]")
            for i in kinds:
                lines.append(f"piece{number}_{i}:")
                body = Body(self.setting, i, k, of)
                for row in rows:
                    body.write(row[i], turning=row is self.cut.table[0])
                    columns = row[i].columns
                    if columns is not None:
                        body.write_columns(columns, f"columns{number}_{i}", f"after{number}")
                lines.append(f"br label %after{number}")
            lines.append(f"after{number}:")
        lines += [f"br label %next{number}", f"next{number}:"]
        lines.append(f"%following{number} = add i64 {k}, {-1 if inward else 1}")
        more = block.named(f"icmp {'sge' if inward else 'slt'} i64 %following{number}, {0 if inward else '%bodies'}")
        lines.append(f"br i1 {more}, label %body{number}, label %sweep{number + 1}")
