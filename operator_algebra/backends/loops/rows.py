"""Between arrays with a row for each sample and memory with a vector for each column, lines of LLVM IR with loops."""

from __future__ import annotations

from collections.abc import Sequence

from operator_algebra.backends.native.text import Block, Vector, counted
from operator_algebra.backends.native.tiles import transposed

WATCHED = 8
"""So many numbers of a single row are looked at together."""


def taken(block: Block, name: str, rows: Sequence[str], size: str, memory: str) -> None:
    """The columns of an array into memory, from the addresses of the rows of the lanes."""
    with counted(block, f"{name}.tile", "0", size, block.lanes) as column:
        tile = [block.vector(f"load {block.reals}, ptr {_entry(block, row, column)}, {block.aligned}") for row in rows]
        columns = transposed(block, tile)
        for i, vector in enumerate(columns):
            _kept(block, vector, _column(block, memory, column, i))
        _watch(block, columns)
    with counted(block, f"{name}.rest", f"%{name}.tile", size, 1) as column:
        found = "poison"
        for lane, row in enumerate(rows):
            one = block.named(f"load {block.real}, ptr {_entry(block, row, column)}, {block.aligned}")
            found = block.named(f"insertelement {block.reals} {found}, {block.real} {one}, i64 {lane}")
        _kept(block, Vector(block, found), _column(block, memory, column, 0))
        _watch(block, [Vector(block, found)])


def looked_through(block: Block, name: str, row: str, size: str) -> None:
    """One row of an array, which stays where it is."""
    wide, alone = (Block(lanes, block.lines, block.precision) for lanes in (WATCHED, 1))
    with counted(wide, f"{name}.tile", "0", size, 4 * WATCHED) as column:
        places = [_column(alone, row, column, i * WATCHED) for i in range(4)]
        _watch(wide, [wide.vector(f"load {wide.reals}, ptr {place}, {wide.aligned}") for place in places])
    with counted(alone, f"{name}.rest", f"%{name}.tile", size, 1) as column:
        _watch(alone, [alone.vector(f"load {alone.reals}, ptr {_entry(alone, row, column)}, {alone.aligned}")])


def _watch(block: Block, several: Sequence[Vector]) -> None:
    """Zeros in the memory `%watch`, as long as numbers are finite, and their sums."""
    parts = list(several)
    while len(parts) > 1:
        parts = [a + b for a, b in zip(parts[::2], parts[1::2], strict=True)]
    _kept(block, block.vector(f"load {block.reals}, ptr %watch, {block.aligned}") + parts[0] * 0.0, "%watch")


def given_back(block: Block, name: str, rows: Sequence[str], size: str, memory: str) -> None:
    """The columns of an array from memory; lanes that share a row write the same there."""
    with counted(block, f"{name}.tile", "0", size, block.lanes) as column:
        places = [_column(block, memory, column, i) for i in range(block.lanes)]
        tile = [block.vector(f"load {block.reals}, ptr {place}, {block.aligned}") for place in places]
        for row, vector in zip(rows, transposed(block, tile), strict=True):
            block.lines.append(f"store {block.reals} {vector.name}, ptr {_entry(block, row, column)}, {block.aligned}")
    with counted(block, f"{name}.rest", f"%{name}.tile", size, 1) as column:
        vector = block.vector(f"load {block.reals}, ptr {_column(block, memory, column, 0)}, {block.aligned}")
        for lane, row in enumerate(rows):
            one = block.named(f"extractelement {block.reals} {vector.name}, i64 {lane}")
            block.lines.append(f"store {block.real} {one}, ptr {_entry(block, row, column)}, {block.aligned}")


def _kept(block: Block, vector: Vector, place: str) -> None:
    block.lines.append(f"store {block.reals} {vector.name}, ptr {place}, {block.aligned}")


def _entry(block: Block, row: str, column: str) -> str:
    return block.named(f"getelementptr {block.real}, ptr {row}, i64 {column}")


def _column(block: Block, memory: str, column: str, i: int) -> str:
    place = block.named(f"add i64 {column}, {i}") if i else column
    offset = block.named(f"mul i64 {place}, {block.bytes}")
    return block.named(f"getelementptr i8, ptr {memory}, i64 {offset}")
