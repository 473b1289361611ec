"""factors: a product as a row of tiles to scale, the whole before the equals sign."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.markup import width
from operator_algebra.models.model import Model
from operator_algebra.views.content.blocks import LARGEST, read
from operator_algebra.views.content.equation import Equation, Tile, equation
from operator_algebra.views.ink.canvas import Numbering, check_numbering, counted, numbering_note, open_canvas
from operator_algebra.views.ink.palette import FAINT, INK, PAPER, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen

_WIDE = 9.6
_HIGH = 2.0
_LEAST = 0.07
"""Inches of the thinnest tile: a vector of one column would not be seen."""
_GAP = 0.14
_SINGLE = 64


def factors(
    e: Expr | Query | str,
    model: Model | None = None,
    *,
    ax: Axes | None = None,
    numbering: Numbering = "model",
    dark: bool = False,
) -> Figure:
    """A formula as a row of tiles to scale, with the blocks that each operator has on a mechanism.

    A name is written out by its definition: ℳ = H φ M φ* H*. Terms that the mechanism lacks, such as armature, are
    left out.

    >>> import operator_algebra as oa
    >>> figure = factors("H φ M φ* H*", oa.load("planar3r"))
    """
    paper = check_numbering(numbering)
    subject = read(e)
    if not isinstance(subject, Expr):
        raise InputError("a value has no factors. Give the expression that it is the value of.")
    if model is None:
        raise InputError(f'{subject} is drawn on a mechanism. Give one: factors(e, oa.load("quadruped")).')
    if model.n > LARGEST:
        raise InputError(f"{model.name} has {model.n} bodies; tiles are drawn up to {LARGEST}. Take a smaller one.")
    at = Row.of(equation(subject, model), paper)
    note = f"{model.name}: {counted(model)} · tiles to scale · "
    note += numbering_note(model.n, paper)
    wide = max(at.width, 0.062 * width(note))
    canvas = open_canvas(ax, wide + 0.5, at.height + 1.35, dark=dark)
    canvas.pen.plain(-0.25, wide + 0.25, -0.7, at.height + 0.65)
    draw_row(canvas.pen, at)
    canvas.pen.text(0, -0.52, note, 8, SOFT, across="left")
    return canvas.figure


@dataclass(frozen=True, eq=False)
class Row:
    """A row of tiles and signs; `scale` is inches per row of a matrix, the lower end of the tallest tile is at 0."""

    shown: Equation
    paper: bool
    scale: float

    @staticmethod
    def of(shown: Equation, paper: bool = False, wide: float = _WIDE, high: float = _HIGH) -> Row:
        """A row that fits into a width and a height in inches."""
        tiles = [shown.whole, *(tile for term in shown.terms for tile in term.tiles)]
        tallest = max(1, *(tile.rows.size for tile in tiles))
        row = Row(shown, paper, min(high / tallest, 0.35))
        while row.width > wide and row.scale * tallest > _LEAST:  # labels do not shrink, so the fit is found by trying
            row = Row(shown, paper, 0.95 * row.scale)
        return row

    @property
    def height(self) -> float:
        return max(self.size(tile)[1] for _, tile in self.places() if isinstance(tile, Tile))

    @property
    def width(self) -> float:
        x, last = list(self.places())[-1]
        return x + (self.cell(last) if isinstance(last, Tile) else 0.0)

    def size(self, tile: Tile) -> tuple[float, float]:
        """Width and height of a tile in inches."""
        return max(tile.cols.size * self.scale, _LEAST), max(tile.rows.size * self.scale, _LEAST)

    def cell(self, tile: Tile) -> float:
        """The room that a tile and its label take."""
        return max(self.size(tile)[0], 0.105 * width(tile.label) + 0.1, 0.44)

    def places(self) -> Iterator[tuple[float, Tile | str]]:
        """Every tile and sign with its left end."""
        x = 0.0
        yield x, self.shown.whole
        x += self.cell(self.shown.whole) + _GAP
        for index, term in enumerate(self.shown.terms):
            sign = f"= {term.sign}".strip() if index == 0 else term.sign
            yield x, sign
            x += 0.1 * width(sign) + 0.1 + _GAP
            for tile in term.tiles:
                yield x, tile
                x += self.cell(tile) + _GAP


def draw_row(pen: Pen, at: Row, x: float = 0.0, y: float = 0.0) -> None:
    """The tiles, centred on one line; the name above and the size below each."""
    middle = y + at.height / 2
    for place, item in at.places():
        if isinstance(item, str):
            pen.text(x + place, middle, item, 15, INK, across="left")
        else:
            cell, (wide, high) = at.cell(item), at.size(item)
            left = x + place + (cell - wide) / 2
            _tile(pen, item, left, middle - high / 2, at)
            pen.text(left + wide / 2, middle + high / 2 + 0.08, item.label, 12, INK, up="bottom", bold=True)
            size = f"{item.rows.size}×{item.cols.size}"
            pen.text(left + wide / 2, middle - high / 2 - 0.07, size, 7, SOFT, up="top")


def _tile(pen: Pen, tile: Tile, x: float, y: float, at: Row) -> None:
    wide, high = at.size(tile)
    pen.box((x, y, wide, high), PAPER, layer=1)
    if max(tile.filled.shape) > _SINGLE:
        rows, cols = (np.repeat(np.arange(layout.count), layout.sizes) for layout in (tile.rows, tile.cols))
        filled = tile.filled[rows][:, cols]
        turned = filled[::-1, ::-1] if at.paper else filled
        pen.raster(turned, tile.colour, (x, y + high, wide, -high))
    else:
        spots = np.argwhere(tile.filled).tolist()
        ones = [place for place in spots if tile.unit and place[0] == place[1]]
        places = [_block(tile, i, j, x, y, at) for i, j in spots if [i, j] not in ones]
        pen.boxes(places, tile.colour, PAPER, 0.3)
        if ones:  # identities, drawn as their diagonal of ones
            pen.polygon(_diagonal(x, y, *at.size(tile)), tile.colour, layer=3)
    pen.box((x, y, wide, high), edge=FAINT if wide > 2 * _LEAST else "none", width=0.8, layer=4)


def _diagonal(left: float, low: float, across: float, up: float) -> list[tuple[float, float]]:
    """A band from the upper left to the lower right corner of a tile, and not beyond it."""
    right, high, band = left + across, low + up, min(0.025, 0.1 * across)
    return [
        (left, high),
        (left + band, high),
        (right, low + band),
        (right, low),
        (right - band, low),
        (left, high - band),
    ]


def _block(tile: Tile, i: int, j: int, x: float, y: float, at: Row) -> tuple[float, float, float, float]:
    wide, high = at.size(tile)
    part: list[tuple[float, float]] = []
    for layout, place, length in ((tile.cols, j, wide), (tile.rows, i, high)):
        start, end = layout.offsets[place], layout.offsets[place + 1]
        if at.paper and layout.attached:
            start, end = layout.size - end, layout.size - start
        part.append((float(start) / layout.size * length, float(end) / layout.size * length))
    (left, right), (top, low) = part
    return x + left, y + high - low, right - left, low - top
