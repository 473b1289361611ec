"""How the value of an operator shows itself: one line of text, and an HTML fragment with its block pattern."""

from __future__ import annotations

from math import ceil

from operator_algebra.markup import escape, width
from operator_algebra.operators.arrays import Indices
from operator_algebra.operators.layout import Binding

COLUMNS = 100
DRAWN = 64
"""Blocks per side that are drawn one by one; larger patterns are binned."""
_PIXELS = 192


def one_line(title: str, type_: str, summary: str, binding: Binding) -> str:
    """What it is the value of, spaces, sizes, mechanism; at most 100 columns."""
    tail = f"   {type_}   {summary}   {binding.name}, {binding.frame} frame"
    head = f"value of {title}" if title else "value"
    room = max(COLUMNS - width(tail), 12)
    return (head if width(head) <= room else head[: room - 1] + "…") + tail


def fragment(line: str, places: tuple[Indices, Indices], shape: tuple[int, int]) -> str:
    """The line, and the block pattern as an inline drawing without script or address."""
    side = max(*shape, 1)
    bin_ = ceil(side / DRAWN)
    note = f"<p>each square stands for {bin_}×{bin_} blocks</p>" if bin_ > 1 else ""
    cells = sorted(set(zip((places[0] // bin_).tolist(), (places[1] // bin_).tolist(), strict=True)))
    height, wide = ceil(shape[0] / bin_), ceil(shape[1] / bin_)
    cell = max(3, min(16, _PIXELS // max(height, wide, 1)))
    path = _stroke(_runs(cells))
    box = f'<rect width="{wide}" height="{height}" fill="none" stroke="currentColor" stroke-width="{2 / cell:.2g}"/>'
    svg = (
        f'<svg width="{wide * cell}" height="{height * cell}" viewBox="0 0 {wide} {height}" role="img" '
        f'aria-label="block pattern">{box}<path stroke="currentColor" stroke-opacity="0.7" d="{path}"/></svg>'
    )
    return f"<div><p><code>{escape(line)}</code></p>{svg}{note}</div>"


def _runs(cells: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Neighbouring cells of a row as one rectangle."""
    runs: list[tuple[int, int, int]] = []
    for i, j in cells:
        if runs and runs[-1][0] == i and runs[-1][1] + runs[-1][2] == j:
            runs[-1] = (i, runs[-1][1], runs[-1][2] + 1)
        else:
            runs.append((i, j, 1))
    return runs


def _stroke(runs: list[tuple[int, int, int]]) -> str:
    """The runs as one line of the width of a block: short, because 30 kB is all that a notebook cell should take."""
    parts: list[str] = []
    end = (-1, 0)
    for i, j, length in runs:
        parts.append(f"m{j - end[1]} 0h{length}" if i == end[0] else f"M{j} {i}.5h{length}")
        end = (i, j + length)
    return "".join(parts)
