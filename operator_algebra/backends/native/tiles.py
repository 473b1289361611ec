"""Between arrays with a row for each sample and vectors with a lane for each: tiles of as many columns as lanes."""

from __future__ import annotations

from collections.abc import Sequence

from operator_algebra.backends.native.text import Block, Vector

_PART = 16
"""Bytes within which processors move numbers most freely; longer ones move as wholes."""


def transposed(block: Block, rows: Sequence[Vector]) -> list[Vector]:
    """Rows as columns: within the parts of vectors first, then part by part."""
    size = min(block.lanes, _PART // block.precision.bytes)
    within = [_within_parts(block, rows[start : start + size], size) for start in range(0, block.lanes, size)]
    columns = [_by_parts(block, several, size) for several in zip(*within, strict=True)]
    return [column[part] for part in range(block.lanes // size) for column in columns]


def _within_parts(block: Block, rows: Sequence[Vector], size: int, step: int = 1) -> list[Vector]:
    """For each place of a part what stands there in all rows: first halves of pairs are interlaced, then last ones."""
    if step == size:
        return list(rows)
    places = range(block.lanes)
    found: list[Vector] = []
    for half in (0, size // 2):
        lanes = [c - c % size + half + c % size // (2 * step) * step + c % step for c in places]
        lanes = [place + block.lanes * (c // step % 2) for place, c in zip(lanes, places, strict=True)]
        pairs = zip(rows[::2], rows[1::2], strict=True)
        found += _within_parts(block, [block.shuffled(a, b, lanes) for a, b in pairs], size, 2 * step)
    return found


def _by_parts(block: Block, rows: Sequence[Vector], size: int) -> list[Vector]:
    """For each part what stands there in all rows; of pairs every second part is taken, and the others."""
    if len(rows) == 1:
        return list(rows)
    even, odd = (
        [part * size + i for part in range(first, 2 * block.lanes // size, 2) for i in range(size)] for first in (0, 1)
    )
    pairs = list(zip(rows[::2], rows[1::2], strict=True))
    halves = (_by_parts(block, [block.shuffled(a, b, lanes) for a, b in pairs], size) for lanes in (even, odd))
    return [one for both in zip(*halves, strict=True) for one in both]


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


def store(block: Block, rows: Sequence[str], start: int, columns: Sequence[Vector]) -> None:
    """Write a tile of an array, from a column on; lanes that share a row write the same there."""
    width = len(columns)
    tile = [*columns, *[Vector(block, "poison")] * (block.lanes - width)]
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
