"""tree: the topology of a mechanism, base at the left, tips at the right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from operator_algebra.markup import width
from operator_algebra.models.model import Model
from operator_algebra.views.content.branches import LABELLED, Spot, branches, spread
from operator_algebra.views.content.joints import SHAPES, letters_of
from operator_algebra.views.content.naming import Labels, label_of, labelled, note
from operator_algebra.views.ink.canvas import Numbering, check_numbering, number_of, numbering_note, open_canvas
from operator_algebra.views.ink.labelling import draw_labels
from operator_algebra.views.ink.palette import CARD, INK, PAPER, SOFT, strong

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen

_LETTERED = 64
"""Up to so many bodies the joints are marked with letters."""


def tree(
    model: Model,
    *,
    ax: Axes | None = None,
    numbering: Numbering = "model",
    labels: Labels = "auto",
    dark: bool = False,
) -> Figure:
    """The bodies of a mechanism as a tree: one mark for each joint, its letter says of which kind it is.

    >>> import operator_algebra as oa
    >>> figure = tree(oa.load("quadruped"))
    """
    paper = check_numbering(numbering)
    at = Layout.of(model, named=labelled(model, labels))
    canvas = open_canvas(ax, at.width, at.height, dark=dark)
    canvas.pen.plain(0.0, at.width, 0.0, at.height)
    _captions(canvas.pen, at, paper)
    draw_edges(canvas.pen, at)
    draw_bodies(canvas.pen, at)
    (_draw_names if at.whole else _draw_ends)(canvas.pen, at, paper)
    return canvas.figure


@dataclass(frozen=True)
class Layout:
    """Where the bodies are drawn, in inches from the lower left corner."""

    model: Model
    spots: tuple[Spot, ...]
    ground: Spot
    width: float
    height: float
    named: tuple[int, ...] = ()
    """The bodies that are labelled."""
    staggered: bool = False
    """Whether every second name stands below its mark, because side by side they have no room."""

    @staticmethod
    def of(
        model: Model, *, above: float = 0.75, below: float = 0.75, least: float = 5.2, named: tuple[int, ...] = ()
    ) -> Layout:
        """A layout with room above and below for captions, above every body for its name, or behind the tips."""
        places, base = spread(model.parent)
        whole = len(named) == model.n
        longest = max((width(label_of(model, k, model.n)) for k in named), default=0)
        across = max(0.62, 0.066 * longest + 0.16) if whole else 0.42 if model.n <= _LETTERED else 0.16
        room = 8.4 / (model.depth + 1)
        if whole and model.n > LABELLED:
            room = max(room, 0.5 * across)
        staggered = whole and across > room
        across = min(across, room)
        tips = sum(1 for children in model.children if not children)
        line = (
            (0.66 if staggered else 0.5) if whole else 0.34 if model.n <= _LETTERED else max(0.06, min(0.3, 8.0 / tips))
        )
        left, high = 0.35, below + line * (tips - 1) + 0.25
        if whole:
            least = max(least, 0.55 + 0.12 * width(model.name) + 0.07 * width(_facts(model)))
        across = max(across, min(1.25, (least - left - 0.3) / (model.depth + 0.45)))
        behind = 0.066 * longest if named and not whole else 0.0
        wide = max(left + across * (model.depth + 0.45) + 0.3 + behind, least)
        return Layout(
            model,
            tuple(Spot(left + across * (spot.x - 0.35), high + line * spot.y) for spot in places),
            Spot(left, high + line * base.y),
            wide,
            high + above + (0.2 if named else 0.0),
            named,
            staggered,
        )

    @property
    def whole(self) -> bool:
        """Whether every body is labelled."""
        return len(self.named) == self.model.n

    @property
    def size(self) -> float:
        """Points of a body's mark."""
        return 14.0 if self.model.n <= LABELLED else 10.0 if self.model.n <= _LETTERED else 3.0


def draw_edges(pen: Pen, at: Layout, width: float = 1.6) -> None:
    """The ground and a line from every body to its parent, in the colour of its branch."""
    branch = branches(at.model.parent)
    ends = [at.spots[k].y for k in at.model.roots]
    low, high = min(ends) - 0.16, max(ends) + 0.16
    pen.line([(at.ground.x, low), (at.ground.x, high)], INK, 3.0)
    for k, p in enumerate(at.model.parent):
        spot = at.spots[k]
        start = at.spots[p] if p >= 0 else Spot(at.ground.x, spot.y)
        way, colours = elbow(start, spot), (strong(branch[max(p, 0)]), strong(branch[k]))
        pen.line(way if colours[0] == colours[1] else way[1:], colours[1], min(width, at.size / 6))
        if colours[0] != colours[1]:
            pen.line(way[:2], colours[0], min(width, at.size / 6), layer=3.5)


def elbow(start: Spot, end: Spot) -> list[Spot]:
    """The way from parent to child: across to the bend near the parent, up or down, across."""
    turn = start.x + 0.28 * (end.x - start.x)
    return [start, Spot(turn, start.y), Spot(turn, end.y), end]


def draw_bodies(pen: Pen, at: Layout) -> None:
    """A mark with the letter of the joint for every body."""
    model = at.model
    branch = branches(model.parent)
    for k, body in enumerate(model.bodies):
        spot, shown = at.spots[k], body.joint.mark
        colour = strong(branch[k])
        pen.dot(spot.x, spot.y, at.size, colour, PAPER, marker=shown.shape, width=0.8 if at.size > 5 else 0.0)
        if model.n <= _LETTERED:
            pen.text(spot.x, spot.y - 0.005, shown.letter, 0.56 * at.size, PAPER, bold=True)


def _draw_names(pen: Pen, at: Layout, paper: bool) -> None:
    """Number and name above every body."""
    for k in at.named:
        spot, name = at.spots[k], label_of(at.model, k, number_of(k, at.model.n, paper))
        if at.staggered and at.model.level[k] % 2:
            pen.text(spot.x, spot.y - 0.14, name, 7.5, INK, up="top", halo=CARD)
        else:
            pen.text(spot.x, spot.y + 0.14, name, 7.5, INK, up="bottom", halo=CARD)


def _draw_ends(pen: Pen, at: Layout, paper: bool) -> None:
    """Number and name where there is room beside the bodies that are labelled."""
    words = [label_of(at.model, k, number_of(k, at.model.n, paper)) for k in at.named]
    taken = [(spot.x, spot.y) for spot in at.spots]
    inner = (0.1, at.width - 0.1, 0.55, at.height - 0.5)
    draw_labels(pen, [taken[k] for k in at.named], words, 7.0, 1.0, taken, inner)


def _captions(pen: Pen, at: Layout, paper: bool) -> None:
    model = at.model
    high = at.height - 0.3
    title = pen.text(0.25, high, model.name, 13, bold=True, across="left")
    pen.behind(title, _facts(model), 9, SOFT)
    lettered = "   ".join(f"{letter} {kind}" for kind, letter in letters_of(model).items())
    pen.text(0.25, 0.42, lettered if model.n <= _LETTERED else SHAPES, 8, INK, across="left")
    if at.named:
        notes = (numbering_note(model.n, paper), note(model, at.named))
        pen.text(0.25, 0.2, " · ".join(filter(None, notes)), 8, SOFT, across="left")


def _facts(model: Model) -> str:
    return "   " + "   ".join(repr(model).split("   ")[1:])
