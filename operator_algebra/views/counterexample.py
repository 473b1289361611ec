"""counterexample: the tree that refutes a claim, and both sides in exact numbers, with what differs marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from operator_algebra.markup import width, wrapped
from operator_algebra.proofs.counterexample import Counterexample
from operator_algebra.proofs.rigid import Rows
from operator_algebra.views.content.branches import Spot, branches, spread
from operator_algebra.views.ink.canvas import open_canvas
from operator_algebra.views.ink.palette import ALARM, FAINT, INK, NOW, PAPER, SOFT, strong

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen

_MARGIN, _GAP = 0.3, 0.55
_LETTER = 0.068
"""Inches of a letter of 9 points."""
_LEAST = 5.6
"""Inches that a line of text has at least."""


def counterexample(found: Counterexample, *, ax: Axes | None = None, dark: bool = False) -> Figure:
    """The tree of a counter-example, and the value of both sides; entries that differ are marked, the first is framed.

    >>> from operator_algebra.identities.catalogue import law_named
    >>> from operator_algebra.identities.identity import Identity
    >>> from operator_algebra.proofs.refute import refute
    >>> twin = law_named("factor inverse").twins[0]
    >>> figure = counterexample(refute(Identity(twin.slip, twin.lhs, twin.rhs)))
    """
    at = _Layout.of(found)
    canvas = open_canvas(ax, at.width, at.height, dark=dark)
    pen = canvas.pen
    pen.plain(0.0, at.width, 0.0, at.height)
    _draw_words(pen, at)
    _draw_tree(pen, at)
    _draw_matrix(pen, at, found.left, at.tree_width + _MARGIN, "left side")
    _draw_matrix(pen, at, found.right, at.tree_width + _MARGIN + at.columns * at.cell + _GAP, "right side")
    return canvas.figure


@dataclass(frozen=True)
class _Layout:
    """Sizes in inches; the matrices end at `top`, words stand above and below."""

    found: Counterexample
    cell: float
    tree_width: float
    width: float
    height: float
    notes: tuple[str, ...]

    @staticmethod
    def of(found: Counterexample) -> _Layout:
        texts = [str(x) for rows in (found.left, found.right) for row in rows for x in row]
        cell = min(0.75, max(0.26, _LETTER * max(map(width, texts)) + 0.1))
        tree_width = 0.55 + 0.5 * max(_levels(found.parent), default=0) + 0.4
        title = 0.11 * width(found.claim.formula()) + 2 * _MARGIN
        wide = max(tree_width + 2 * len(found.left[0]) * cell + _GAP + 2 * _MARGIN, title, _LEAST)
        columns = int((wide - 2 * _MARGIN) / _LETTER)
        notes = tuple(
            line for part in found.describe().splitlines()[1:] for line in wrapped(part, columns).splitlines()
        )
        high = max(len(found.left) * cell, 0.5 * found.parent.count(-1) + 0.4, 1.1)
        return _Layout(found, cell, tree_width, wide, high + 1.15 + 0.18 * len(notes), notes)

    @property
    def columns(self) -> int:
        return len(self.found.left[0])

    @property
    def top(self) -> float:
        return self.height - 0.85

    @property
    def bottom(self) -> float:
        return 0.3 + 0.18 * len(self.notes)


def _levels(parent: tuple[int, ...]) -> list[int]:
    found: list[int] = []
    for p in parent:
        found.append(found[p] + 1 if p >= 0 else 1)
    return found


def _draw_words(pen: Pen, at: _Layout) -> None:
    """The claim above, the blocks and the difference below."""
    pen.text(_MARGIN, at.height - 0.28, at.found.claim.formula(), 12, bold=True, across="left")
    for k, line in enumerate(at.notes):
        pen.text(_MARGIN, at.bottom - 0.12 - 0.18 * k, line, 8.5, INK, across="left")


def _draw_tree(pen: Pen, at: _Layout) -> None:
    """The ground, a line to each body from its parent, and its number."""
    parent = at.found.parent
    places, _ = spread(parent)
    middle = (at.top + at.bottom) / 2 - 0.25 * min(spot.y for spot in places)
    spots = [Spot(_MARGIN + 0.5 * spot.x, middle + 0.5 * spot.y) for spot in places]
    ends = [spots[k].y for k, p in enumerate(parent) if p < 0]
    pen.line([(_MARGIN, min(ends) - 0.16), (_MARGIN, max(ends) + 0.16)], INK, 3.0)
    branch = branches(parent)
    for k, p in enumerate(parent):
        start = spots[p] if p >= 0 else Spot(_MARGIN, spots[k].y)
        pen.line([start, spots[k]], strong(branch[k]), 1.6)
    for k, spot in enumerate(spots):
        pen.dot(spot.x, spot.y, 15.0, strong(branch[k]), PAPER)
        pen.text(spot.x, spot.y - 0.005, str(k), 8.5, PAPER, bold=True)


def _draw_matrix(pen: Pen, at: _Layout, rows: Rows, left: float, title: str) -> None:
    """Entries in their cells, lines between bodies, what differs in colour."""
    found, cell = at.found, at.cell
    across, down = len(rows[0]) * cell, len(rows) * cell
    pen.text(left, at.top + 0.14, title, 9, SOFT, across="left")
    pen.box((left, at.top - down, across, down), PAPER, layer=1)
    size = min(9.0, 72.0 * cell / 2.2)
    for i, row in enumerate(rows):
        for j, x in enumerate(row):
            place = (left + j * cell, at.top - (i + 1) * cell, cell, cell)
            differs = found.left[i][j] != found.right[i][j]
            if differs:
                pen.box(place, NOW, layer=2)
            if (i, j) == found.entry:
                pen.box(place, "none", ALARM, 1.8, layer=5)
            pen.text(place[0] + cell / 2, place[1] + cell / 2, str(x), size, INK if x or differs else FAINT)
    for j in found.column_ends:
        pen.line([(left + j * cell, at.top), (left + j * cell, at.top - down)], FAINT, 0.8)
    for i in found.row_ends:
        pen.line([(left, at.top - i * cell), (left + across, at.top - i * cell)], FAINT, 0.8)
    pen.box((left, at.top - down, across, down), "none", SOFT, 1.0, layer=4)
