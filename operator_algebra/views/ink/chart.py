"""How plots with axes are dressed: quiet axes, a title with a note beside it, a legend in one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from operator_algebra.views.ink.palette import CARD, FAINT, INK, SOFT

if TYPE_CHECKING:
    from operator_algebra.views.ink.pen import Pen

Size = tuple[float, float]
Margins = tuple[float, float, float, float]
"""Left, below, right, above, in inches."""


def place(pen: Pen, size: Size, margins: Margins) -> None:
    """Put the axes of a new figure of this size between its margins."""
    (wide, high), (left, below, right, above) = size, margins
    pen.axes.set_position((left / wide, below / high, 1 - (left + right) / wide, 1 - (below + above) / high))


def dress(pen: Pen, across: str, up: str, grid: Literal["both", "y"] = "both") -> None:
    """Labels of both axes, small ticks, a faint grid behind everything, no frame at the top and at the right."""
    axes, soft = pen.axes, pen.shade(SOFT)
    axes.set_facecolor(pen.shade(CARD))
    axes.set_xlabel(across, fontsize=8, color=soft)
    axes.set_ylabel(up, fontsize=8, color=soft)
    axes.tick_params(which="both", labelsize=7, colors=soft)  # minor ticks have labels where an axis spans no decade
    axes.grid(True, axis=grid, color=pen.shade(FAINT), linewidth=0.5)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_color(soft)
        spine.set_visible(side in ("left", "bottom"))


def title(pen: Pen, words: str, note: str = "", pad: float = 24) -> None:
    """A title, and a note at the right end of its line, `pad` points above the axes."""
    pen.axes.set_title(words, fontsize=10, color=pen.shade(INK), loc="left", weight="bold", pad=pad)
    if note:
        write(pen, note, (1, 1), (0, pad + 3), across="right")


def write(pen: Pen, words: str, corner: Size, offset: Size, *, size: float = 8, across: str = "left") -> None:
    """A note so many points from a corner of the axes."""
    where: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    pen.axes.annotate(words, corner, offset, fontsize=size, color=pen.shade(SOFT), ha=across, **where)


def legend(pen: Pen, columns: int = 8, **where: Any) -> None:
    """What the signs mean, in a row between title and axes if no other place is given."""
    if not where:
        where = {"loc": "lower left", "bbox_to_anchor": (0, 1.0), "borderaxespad": 0.3, "ncols": columns}
    pen.axes.legend(fontsize=7, frameon=False, handlelength=1.6, labelcolor=pen.shade(SOFT), **where)
