"""Where a view draws: on axes that were given, or on a new figure of the right size. matplotlib is loaded here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from operator_algebra.arguments import choice, flag
from operator_algebra.installing import missing
from operator_algebra.views.ink.palette import CARD

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.models.model import Model
    from operator_algebra.views.ink.pen import Pen
    from operator_algebra.views.ink.picture import Picture

Numbering = Literal["model", "paper"]

POINTS = 72.0
"""Points per inch."""


@dataclass(frozen=True)
class Canvas:
    """A figure and the pen that draws on it."""

    figure: Figure
    pen: Pen


def open_canvas(ax: Axes | None, width: float, height: float, *, dark: bool = False) -> Canvas:
    """The given axes, or a figure of this size in inches that they fill; a dark picture darkens the figure it is in."""
    if ax is not None:
        from operator_algebra.views.ink.pen import Pen

        figure, pen = cast("Figure", ax.get_figure()), Pen(ax, dark=flag(dark, "dark"))
        if dark:
            figure.set_facecolor(pen.shade(CARD))
        return Canvas(figure, pen)
    figure = new_figure(width, height, dark=dark)
    return Canvas(figure, figure.pen())


def new_figure(width: float, height: float, *, dark: bool = False) -> Picture:
    """An empty figure, or an error that says how to install matplotlib."""
    try:
        from operator_algebra.views.ink.picture import Picture
    except ImportError as error:
        if error.name is None or not error.name.startswith("matplotlib"):
            raise
        raise missing("a picture", "matplotlib") from None
    return Picture(width, height, dark=flag(dark, "dark"))


def check_numbering(numbering: str) -> bool:
    """Whether bodies are numbered as in the papers, tips first."""
    return choice(numbering, "numbering", ("model", "paper")) == "paper"


def number_of(k: int, n: int, paper: bool) -> int:
    """The number that a body is shown with: 0, 1, … from the base, or 1, 2, … from the tips as in the papers."""
    return n - k if paper else k


def counted(model: Model) -> str:
    """The size of a mechanism in words.

    >>> import operator_algebra as oa
    >>> counted(oa.load("pendulum")), counted(oa.load("arm7"))
    ('1 body, 1 degree of freedom', '7 bodies, 7 degrees of freedom')
    """
    bodies, freedom = "body" if model.n == 1 else "bodies", "degree" if model.nv == 1 else "degrees"
    return f"{model.n} {bodies}, {model.nv} {freedom} of freedom"


def numbering_note(n: int, paper: bool) -> str:
    """Which numbering is shown."""
    return f"numbering: paper, tips first, base k = {n}" if paper else "numbering: model, base first, k = 0"
