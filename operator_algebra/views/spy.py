"""spy: the block pattern of one operator beside the tree that causes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from operator_algebra.markup import width
from operator_algebra.models.model import Model
from operator_algebra.views.content.blocks import Blocks, Picturable, blocks
from operator_algebra.views.content.branches import LABELLED, branches
from operator_algebra.views.content.naming import Labels, label_of, labelled, note
from operator_algebra.views.ink.canvas import (
    POINTS,
    Numbering,
    check_numbering,
    number_of,
    numbering_note,
    open_canvas,
)
from operator_algebra.views.ink.labelling import apart
from operator_algebra.views.ink.palette import CARD, FAINT, INK, PAPER, SOFT, strong, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen

_MATRIX = 4.2
_LETTERS = 0.11
"""Inches between labels."""
_SINGLE = 64
"""Up to so many bodies every block is a square of its own."""


def spy(
    e: Picturable,
    /,
    model: Model | None = None,
    *,
    q: Any = None,
    ax: Axes | None = None,
    numbering: Numbering = "model",
    labels: Labels = "auto",
    dark: bool = False,
    **inputs: object,
) -> Figure:
    """The block pattern of an operator, and the tree that causes it; branches are tinted alike in both.

    Without q the pattern is structural: blocks that may be there for every configuration. With q (and the inputs that
    the formula takes) it is that of the value; what cancelled up to rounding is left out.

    >>> import operator_algebra as oa
    >>> figure = spy(oa.symbols.phi, oa.load("tree4"))
    """
    paper = check_numbering(numbering)
    shown = blocks(e, model, q, inputs)
    drawing = _Layout(shown, labelled(shown.model, labels), paper)
    canvas = open_canvas(ax, *drawing.inches, dark=dark)
    _draw(canvas.pen, drawing)
    return canvas.figure


@dataclass(frozen=True)
class _Layout:
    """Sizes in units of one block; row 0 is at the top, the matrix starts at x = 0."""

    shown: Blocks
    named: tuple[int, ...]
    paper: bool

    @property
    def n(self) -> int:
        return self.shown.model.n

    @property
    def rows(self) -> int:
        return self.shown.filled.shape[0]

    @property
    def cols(self) -> int:
        return self.shown.filled.shape[1]

    @property
    def block(self) -> float:
        """Inches of one block; labels have room beside the rows."""
        count = max(self.rows, self.cols)
        least = _LETTERS * len(self.named) / count if self.n > LABELLED else 0.0
        return float(np.clip(_MATRIX / count, max(0.006, least), 0.42))

    @property
    def font(self) -> float:
        """Points of the labels."""
        return float(np.clip(0.62 * self.block * POINTS, 4.5, 9.0)) if self.n <= LABELLED else 6.5

    def units(self, inches: float) -> float:
        return inches / self.block

    @property
    def names(self) -> tuple[str, ...]:
        """Number and joint of each labelled body."""
        model = self.shown.model
        return tuple(label_of(model, k, number_of(k, self.n, self.paper)) for k in self.named)

    @property
    def leader(self) -> float:
        """Room for lines from labels to rows; none where every row has its label."""
        return 0.0 if len(self.named) == self.n else self.units(0.22)

    @property
    def label_width(self) -> float:
        if not self.shown.rows_attached or not self.named:
            return self.units(0.1)
        return self.units(max(map(width, self.names)) * self.font * 0.62 / POINTS + 0.2) + self.leader

    @property
    def tree_width(self) -> float:
        return self.units(min(1.9, 0.3 * (self.shown.model.depth + 1)))

    @property
    def left(self) -> float:
        return -self.label_width - self.tree_width - self.units(0.3)

    @property
    def right(self) -> float:
        return max(self.cols + self.units(0.3), self.left + self.units(self._text))

    @property
    def _text(self) -> float:
        """Inches that the captions need."""
        shown = self.shown
        title = 0.115 * width(shown.title) + 0.25 + 0.072 * width(f"{shown.facts}   {shown.model.name}")
        return 0.4 + max(0.062 * width(shown.reason), 0.062 * width(self.note), title)

    @property
    def note(self) -> str:
        """Where the pattern is from, and how bodies are numbered and labelled."""
        told = note(self.shown.model, self.named) if self.shown.rows_attached else ""
        return " · ".join(filter(None, (self.shown.source, numbering_note(self.n, self.paper), told)))

    @property
    def top(self) -> float:
        return -self.units(0.85)

    @property
    def bottom(self) -> float:
        return max(self.rows, self.n if self.shown.rows_attached else 1) + self.units(0.75)

    @property
    def inches(self) -> tuple[float, float]:
        return (self.right - self.left) * self.block, (self.bottom - self.top) * self.block

    def row(self, k: int) -> float:
        """The middle of the row of body k."""
        return (self.n - 1 - k if self.paper else k) + 0.5


def _draw(pen: Pen, at: _Layout) -> None:
    pen.plain(at.left, at.right, at.bottom, at.top)
    _captions(pen, at)
    _bands(pen, at, _runs(branches(at.shown.model.parent)))
    _cells(pen, at)
    _numbers(pen, at)
    if at.shown.rows_attached:
        _tree(pen, at)


def _captions(pen: Pen, at: _Layout) -> None:
    shown, left = at.shown, at.left + at.units(0.2)
    title = pen.text(left, at.top + at.units(0.3), shown.title, 13, bold=True, across="left")
    pen.behind(title, f"   {shown.facts}   {shown.model.name}", colour=SOFT)
    low = at.bottom - at.units(0.5)
    pen.text(left, low, shown.reason, 8, across="left")
    pen.text(left, low + at.units(0.22), at.note, 8, SOFT, across="left")


def _runs(branch: Sequence[int]) -> list[tuple[int, int, int]]:
    """Branch, first body and end of each run of bodies on one branch."""
    runs: list[tuple[int, int, int]] = []
    for k, b in enumerate(branch):
        if runs and runs[-1][0] == b:
            runs[-1] = (b, runs[-1][1], k + 1)
        else:
            runs.append((b, k, k + 1))
    return runs


def _bands(pen: Pen, at: _Layout, groups: Sequence[tuple[int, int, int]]) -> None:
    """A tinted square for each branch on the diagonal, a tinted row beside the tree, lines between branches."""
    shown = at.shown
    frame = (0.0, 0.0, float(at.cols), float(at.rows))
    pen.box(frame, PAPER, layer=0)
    lined = len(groups) <= LABELLED
    for branch, first, end in groups:
        start, size = (at.n - end if at.paper else first), end - first
        if shown.rows_attached:
            wide = (start, size) if shown.cols_attached else (0, at.cols)
            pen.box((at.left + at.units(0.15), start, -at.left - at.units(0.15), size), tint(branch), CARD, 0.6)
            pen.box((wide[0], start, wide[1], size), tint(branch))
        if shown.rows_attached and lined:
            pen.line([(0, start), (at.cols, start)], FAINT, 0.5, layer=2)
        if shown.cols_attached and lined:
            pen.line([(start, 0), (start, at.rows)], FAINT, 0.5, layer=2)
    pen.box(frame, edge=INK, width=0.8, layer=4)


def _cells(pen: Pen, at: _Layout) -> None:
    shown = at.shown
    filled = shown.filled
    if at.paper:
        filled = filled[:: -1 if shown.rows_attached else 1, :: -1 if shown.cols_attached else 1]
    if max(filled.shape) > _SINGLE:
        pen.raster(filled, shown.colour, (0, 0, at.cols, at.rows))
        return
    gap = 0.09
    squares = {(i, j): (j + gap, i + gap, 1 - 2 * gap, 1 - 2 * gap) for i, j in np.argwhere(filled).tolist()}
    ones = {place for place in squares if shown.unit and place[0] == place[1]}
    pen.boxes([square for place, square in squares.items() if place not in ones], shown.colour)
    for i, j in ones:
        pen.box(squares[i, j], PAPER, shown.colour, min(1.4, 0.09 * at.block * POINTS), layer=3)
        if at.n <= LABELLED:
            pen.text(j + 0.5, i + 0.52, "I", at.font, shown.colour)


def _numbers(pen: Pen, at: _Layout) -> None:
    """Numbers above the columns; numbers and joint names left of the rows, with lines where rows are narrow."""
    if at.shown.cols_attached:
        every = _step(0.3 / at.block) if at.n > LABELLED else 1
        for k in range(0, at.n, every):
            pen.text(at.row(k), -at.units(0.1), str(number_of(k, at.n, at.paper)), at.font, SOFT, up="bottom")
    if not at.shown.rows_attached:
        return
    named = sorted(zip(map(at.row, at.named), at.names, strict=True))
    gap = at.units(_LETTERS) if at.n > LABELLED else 0.0
    places = apart([row for row, _ in named], gap, 0.5, at.n - 0.5)
    for (row, name), y in zip(named, places, strict=True):
        pen.text(-at.units(0.08) - at.leader, y, name, at.font, across="right")
        if at.leader:
            pen.line([(-at.units(0.05) - at.leader, y), (-at.units(0.04), row)], SOFT, 0.5)


def _step(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20, 50, … that is not below a number."""
    return next(m * 10**power for power in range(9) for m in (1, 2, 5) if m * 10**power >= least)


def _tree(pen: Pen, at: _Layout) -> None:
    """The tree with every body in the row of its block, base at the left."""
    model = at.shown.model
    branch = branches(model.parent)
    step = (at.tree_width - at.units(0.15)) / (model.depth + 1)
    start = at.left + at.units(0.3)
    x = [start + step * (level + 1) for level in model.level]
    size = min(5.0, 0.5 * at.block * POINTS)
    width = max(0.5, 0.25 * size)
    for k, p in enumerate(model.parent):
        colour, row = strong(branch[k]), at.row(k)
        pen.line([(start if p < 0 else x[p], row), (x[k], row)], colour, width, layer=5)
        if model.children[k]:
            pen.line([(x[k], row), (x[k], at.row(model.children[k][-1]))], colour, width, layer=5)
        if at.n <= _SINGLE:
            pen.dot(x[k], row, size, colour, CARD, width=0.4, layer=5)
    rows = [at.row(k) for k in model.roots]
    foot = at.row(0) + (0.5 if at.paper else -0.5)
    pen.line([(start, min(*rows, foot)), (start, max(*rows, foot))], INK, 2.2, layer=5)
