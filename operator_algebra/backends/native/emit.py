"""A tape as LLVM IR: the same operations in the same order, on vectors with one sample in each lane."""

from __future__ import annotations

from collections.abc import Sequence

from operator_algebra.backends.native import tiles
from operator_algebra.backends.native.text import Block, Several, Vector
from operator_algebra.backends.scalar.sine import reduced
from operator_algebra.backends.scalar.tape import Entry, Tape

TOGETHER = 4
"""So many angles are turned at a time: their polynomials are chains, each of whose operations waits for the last."""
_SIGN_BIT = -(2**63)

_FUNCTION = """\
declare {reals} @llvm.sqrt.v{lanes}f64({reals})
declare {reals} @llvm.fabs.v{lanes}f64({reals})
declare {reals} @llvm.masked.load.v{lanes}f64.p0(ptr, i32, {truths}, {reals})
declare void @llvm.masked.store.v{lanes}f64.p0({reals}, ptr, i32, {truths})

define i64 @kernel(i64 %first, i64 %stop, i64 %last, ptr %table) {{
entry:
  {head}
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


def native_text(tape: Tape, given: Sequence[int], results: Sequence[int], lanes: int) -> str:
    """The module with the function `kernel(first, stop, last, table)`, which tells whether all may be trusted.

    It computes samples from `first` to `stop`, a vector of them at a time; lanes behind `last` do that one once more.
    The table has for each array that is given the address and the bytes from row to row, for each result the
    address, and that of the flags.
    """
    return _Emitter(tape, given, results, lanes).text()


class _Emitter:
    def __init__(self, tape: Tape, given: Sequence[int], results: Sequence[int], lanes: int) -> None:
        self.tape = tape
        self.given = given
        self.outputs = results
        self.block = Block(lanes)
        start = len(tape.constants) + tape.arguments
        self.values: dict[int, Vector] = {place: self.block.constant(x) for place, x in enumerate(tape.constants)}
        self.turns = {start + 2 * i + half: i for i in range(len(tape.turned)) for half in (0, 1)}

    def text(self) -> str:
        """The module."""
        block = self.block
        head = self._head()
        rows = self._rows()
        columns: list[Vector] = []
        for place, size in enumerate(self.given):
            columns += tiles.loaded(block, rows[place], size)
        for place, column in enumerate(columns, len(self.tape.constants)):
            self.values[place] = column
        for entry in self.tape.entries:
            self.values[entry.place] = self._value(entry)
        results = [self.read(place) for place in self.tape.results]
        start = 0
        for place, size in enumerate(self.outputs, len(self.given)):
            tiles.store(block, rows[place], results[start : start + size])
            start += size
        self._flags(rows[-1], columns, results)
        body = "\n  ".join(block.lines)
        names = {"reals": block.reals, "truths": block.truths, "lanes": block.lanes}
        return _FUNCTION.format(head=head, body=body, **names)

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

    def _rows(self) -> list[list[str]]:
        """For each array, and for the flags, the addresses of the rows of the lanes."""
        block = self.block
        samples: list[str] = []
        for lane in range(block.lanes):
            plain = block.named(f"add i64 %sample, {lane}")
            inside = block.named(f"icmp slt i64 {plain}, %last")
            samples.append(block.named(f"select i1 {inside}, i64 {plain}, i64 %last"))
        rows: list[list[str]] = []
        steps = [*(f"%step{place}" for place in range(len(self.given))), *(str(8 * size) for size in self.outputs), "1"]
        for place, step in enumerate(steps):
            offsets = [block.named(f"mul i64 {sample}, {step}") for sample in samples]
            rows.append([block.named(f"getelementptr i8, ptr %array{place}, i64 {offset}") for offset in offsets])
        return rows

    def _flags(self, rows: Sequence[str], columns: Sequence[Vector], results: Sequence[Vector]) -> None:
        """Whether the numbers of each lane may be trusted, as the tape tells it."""
        block = self.block
        distinct = {one.name: one for one in (*columns, *results) if one.name.startswith("%")}
        total = _sum(block, list(distinct.values()))
        lost = block.constant(0.0)
        for place in self.tape.lost:
            lost = lost + self.read(place)
        conditions = [
            block.compared("oeq", total - total, block.constant(0.0)),
            block.compared("olt", lost, block.constant(1.0)),
            *(block.compared("ogt", self.read(place), block.constant(0.0)) for place in self.tape.positive),
        ]
        good = block.both(conditions)
        for lane, row in enumerate(rows):
            one = block.named(f"extractelement {block.truths} {good}, i64 {lane}")
            byte = block.named(f"zext i1 {one} to i8")
            block.lines.append(f"store i8 {byte}, ptr {row}, align 1")
        block.lines.append(f"%good = bitcast {block.truths} {good} to i{block.lanes}")

    # -- operations ------------------------------------------------------------------------------------------------

    def read(self, place: int) -> Vector:
        """What stands at a place of the tape."""
        if place in self.turns and place not in self.values:
            self._turn_next(self.turns[place])
        return self.values[place]

    def _value(self, entry: Entry) -> Vector:
        block, a = self.block, self.read(entry.a)
        match entry.operation:
            case "add":
                return a + self.read(entry.b)
            case "subtract":
                return a - self.read(entry.b)
            case "multiply":
                return a * self.read(entry.b)
            case "negative":
                return -a
            case "reciprocal":
                return block.vector(f"fdiv {block.reals} {block.constant(1.0).name}, {a.name}")
            case "sqrt":
                return a.called("sqrt")
            case "abs":
                return a.called("fabs")
            case "max":
                b = self.read(entry.b)
                larger = block.chosen(block.compared("ugt", a, b), a, b)
                return block.chosen(block.compared("uno", b, b), b, larger)
            case "sin":
                return self._turned([a])[0][0]
            case "cos":
                return self._turned([a])[0][1]
            case _:
                raise ValueError(f"{entry.operation} is not written in LLVM IR")

    def _turn_next(self, first: int) -> None:
        """Sines and cosines of an argument, and of some that follow it."""
        start = len(self.tape.constants)
        chosen = [
            i for i in range(first, len(self.tape.turned)) if start + self.tape.arguments + 2 * i not in self.values
        ]
        chosen = chosen[:TOGETHER]
        angles = [self.values[start + self.tape.turned[i]] for i in chosen]
        for i, (sine, cosine) in zip(chosen, self._turned(angles), strict=True):
            place = start + self.tape.arguments + 2 * i
            self.values[place], self.values[place + 1] = sine, cosine

    def _turned(self, angles: Sequence[Vector]) -> list[tuple[Vector, Vector]]:
        """Sine and cosine of each angle, in the quarter that the last bits of the rounded number tell."""
        block = self.block
        rounded, sines, cosines = reduced(Several(tuple(angles)))
        found: list[tuple[Vector, Vector]] = []
        for number, s, c in zip(rounded.parts, sines.parts, cosines.parts, strict=True):
            quarter = block.named(f"bitcast {block.reals} {number.name} to {block.integers}")
            odd = block.named(f"trunc {block.integers} {quarter} to {block.truths}")
            after = block.named(f"add {block.integers} {quarter}, splat (i64 1)")
            sine = self._signed(block.chosen(odd, c, s), quarter)
            found.append((sine, self._signed(block.chosen(odd, s, c), after)))
        return found

    def _signed(self, x: Vector, quarter: str) -> Vector:
        """With the other sign where the second bit of an integer is set."""
        block = self.block
        moved = block.named(f"shl {block.integers} {quarter}, splat (i64 62)")
        sign = block.named(f"and {block.integers} {moved}, splat (i64 {_SIGN_BIT})")
        bits = block.named(f"bitcast {block.reals} {x.name} to {block.integers}")
        turned = block.named(f"xor {block.integers} {bits}, {sign}")
        return block.vector(f"bitcast {block.integers} {turned} to {block.reals}")


def _sum(block: Block, several: list[Vector]) -> Vector:
    """A sum in which no term waits for many others."""
    while len(several) > 1:
        pairs = zip(several[::2], several[1::2], strict=False)
        several = [*(a + b for a, b in pairs), *(several[-1:] if len(several) % 2 else [])]
    return several[0] if several else block.constant(0.0)
