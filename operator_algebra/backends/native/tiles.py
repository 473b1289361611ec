"""Between arrays with a row for each sample and vectors with a lane for each: tiles of as many columns as lanes."""

from __future__ import annotations

from collections.abc import Sequence

from operator_algebra.backends.native.text import Block, Vector


def transposed(block: Block, rows: Sequence[Vector]) -> list[Vector]:
    """Rows as columns: halves of pairs change places, for distances that double."""
    found, lanes = list(rows), block.lanes
    step = 1
    while step < lanes:
        for i in range(lanes):
            if not i & step:
                a, b = found[i], found[i | step]
                found[i] = block.shuffled(a, b, (lanes + (c ^ step) if c & step else c for c in range(lanes)))
                found[i | step] = block.shuffled(a, b, (lanes + c if c & step else c | step for c in range(lanes)))
        step *= 2
    return found


def loaded(block: Block, rows: Sequence[str], size: int) -> list[Vector]:
    """The columns of an array, from the addresses of the rows that belong to the lanes."""
    columns: list[Vector] = []
    for start in range(0, size, block.lanes):
        width = min(block.lanes, size - start)
        tile: list[Vector] = []
        for row in rows:
            place = _place(block, row, start)
            if width == block.lanes:
                tile.append(block.vector(f"load {block.reals}, ptr {place}, align 1"))
            else:
                masked = f"ptr {place}, i32 1, {_mask(block, width)}, {block.reals} zeroinitializer"
                tile.append(block.vector(f"call {block.reals} @llvm.masked.load.{block.suffix}.p0({masked})"))
        columns += transposed(block, tile)[:width]
    return columns


def store(block: Block, rows: Sequence[str], columns: Sequence[Vector]) -> None:
    """Write the columns of an array; lanes that share a row write the same there."""
    for start in range(0, len(columns), block.lanes):
        tile = list(columns[start : start + block.lanes])
        width = len(tile)
        tile += [Vector(block, "poison")] * (block.lanes - width)
        for row, value in zip(rows, transposed(block, tile), strict=True):
            place = _place(block, row, start)
            if width == block.lanes:
                block.lines.append(f"store {block.reals} {value.name}, ptr {place}, align 1")
            else:
                masked = f"{block.reals} {value.name}, ptr {place}, i32 1, {_mask(block, width)}"
                block.lines.append(f"call void @llvm.masked.store.{block.suffix}.p0({masked})")


def _place(block: Block, row: str, column: int) -> str:
    return block.named(f"getelementptr {block.real}, ptr {row}, i64 {column}") if column else row


def _mask(block: Block, width: int) -> str:
    lanes = ", ".join(f"i1 {'true' if lane < width else 'false'}" for lane in range(block.lanes))
    return f"{block.truths} <{lanes}>"
