"""flow: the sweeps of a program as arrows on the tree, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, overload

from operator_algebra.markup import cut, width
from operator_algebra.models.model import Model
from operator_algebra.programs.program import Program
from operator_algebra.views.content.branches import Spot
from operator_algebra.views.content.stages import Lowered, Stage, program_of, small_tree, stages
from operator_algebra.views.ink.canvas import (
    Numbering,
    check_numbering,
    new_figure,
    number_of,
    numbering_note,
    open_canvas,
)
from operator_algebra.views.ink.palette import FAINT, INK, INWARD, NOW, OUTWARD, PAPER, SOFT
from operator_algebra.views.movie import Movie
from operator_algebra.views.tree import Layout, elbow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen
    from operator_algebra.views.ink.picture import Picture

_LINE = 0.2
_COLUMNS = 76
_BESIDE = 6.4
"""Inches of the widest tree that leaves room for the lines beside it."""
_COLOURS = {"inward": INWARD, "outward": OUTWARD, "local": SOFT, "once": SOFT}


@overload
def flow(
    program: Lowered,
    model: Model | None = None,
    *,
    ax: Axes | None = None,
    numbering: Numbering = "model",
    animate: Literal[False] = False,
    dark: bool = False,
) -> Figure: ...
@overload
def flow(
    program: Lowered,
    model: Model | None = None,
    *,
    numbering: Numbering = "model",
    animate: Literal[True],
    dark: bool = False,
) -> Movie: ...
def flow(
    program: Lowered,
    model: Model | None = None,
    *,
    ax: Axes | None = None,
    numbering: Numbering = "model",
    animate: bool = False,
    dark: bool = False,
) -> Figure | Movie:
    """What each sweep of a program carries along the tree, beside the lines that every body computes.

    An expression is lowered first; without a model a small tree is drawn. `animate=True` gives a `Movie` in which the
    sweeps run body by body.

    >>> import operator_algebra as oa
    >>> figure = flow("φ* H* v", oa.load("quadruped"))
    """
    paper = check_numbering(numbering)
    shown = program_of(program, model)
    at = Sheet.of(shown, model or small_tree(), paper)
    if animate:
        frames = (_frame(at, *moment, dark=dark) for moment in _moments(at))
        return Movie(frames, f"{shown.formula} on {at.tree.model.name}")
    canvas = open_canvas(ax, at.width, at.height, dark=dark)
    draw_sheet(canvas.pen, at)
    return canvas.figure


@dataclass(frozen=True)
class Sheet:
    """A row for each stage, the tree and the lines beside it, or below it if it is wide; inches, first row on top."""

    title: str
    stages: tuple[Stage, ...]
    tree: Layout
    paper: bool

    @staticmethod
    def of(program: Program, model: Model, paper: bool) -> Sheet:
        """The sheet of a program on a mechanism."""
        tree = Layout.of(model, above=0.36, below=0.15, least=2.2)
        return Sheet(cut(program.formula, 60), stages(program, model), tree, paper)

    @property
    def beside(self) -> bool:
        return self.tree.width <= _BESIDE

    @property
    def text_at(self) -> float:
        return self.tree.width + 0.35 if self.beside else 0.25

    @property
    def width(self) -> float:
        longest = max((width(line) for stage in self.stages for line in self.lines(stage)), default=0)
        return max(self.text_at + 0.075 * max(longest, 40) + 0.3, 6.4, self.tree.width)

    def lines(self, stage: Stage) -> list[str]:
        """The lines of a stage, cut to the width of the sheet."""
        return [cut(line, _COLUMNS) for line in stage.lines]

    def text_height(self, stage: Stage) -> float:
        """Height of the heading and the lines of a stage."""
        return _LINE * (len(stage.lines) + 1.6) + 0.1

    def row(self, stage: Stage) -> float:
        """Height of the row of a stage."""
        tree, text = self.tree.height if stage.waves else 0.0, self.text_height(stage)
        return (max(tree, text) if self.beside else tree + text) + 0.15

    def tree_at(self, stage: Stage, y: float) -> float:
        """The lower end of the tree in a row that starts at y."""
        return y + (self.row(stage) - self.tree.height) / 2 if self.beside else y + 0.1

    @property
    def height(self) -> float:
        return sum(map(self.row, self.stages)) + 0.8

    def lower_ends(self) -> Iterator[tuple[Stage, float]]:
        """Every stage and the lower end of its row."""
        y = self.height - 0.5
        for stage in self.stages:
            y -= self.row(stage)
            yield stage, y


def draw_sheet(pen: Pen, at: Sheet, now: tuple[int, int] | None = None) -> None:
    """All stages; `now` is the stage and the wave that runs, None for a picture of the whole."""
    pen.plain(0.0, at.width, 0.0, at.height)
    title = pen.text(0.25, at.height - 0.28, at.title, 13, bold=True, across="left")
    count = len([stage for stage in at.stages if stage.direction != "once"])
    pen.behind(title, f"   {count} sweep{'s' if count != 1 else ''}   {at.tree.model.name}", 9, SOFT)
    for index, (stage, y) in enumerate(at.lower_ends()):
        wave = None if now is None else now[1] if now[0] == index else -1 if now[0] < index else len(stage.waves)
        draw_stage(pen, at, stage, y, wave)
    pen.text(0.25, 0.17, numbering_note(at.tree.model.n, at.paper), 8, SOFT, across="left")


def draw_stage(pen: Pen, at: Sheet, stage: Stage, y: float, wave: int | None) -> None:
    """One row: heading, tree with arrows, lines."""
    high, colour = at.row(stage), _COLOURS[stage.direction]
    active = wave is None or 0 <= wave < max(len(stage.waves), 1)
    pen.line([(0.25, y + high - 0.03), (at.width - 0.25, y + high - 0.03)], FAINT, 0.8)
    top = y + high - 0.3
    pen.text(at.text_at, top, stage.heading, 9, colour, across="left", bold=True)
    for number, line in enumerate(at.lines(stage), 1):
        pen.text(at.text_at, top - _LINE * number - 0.04, line, 9, INK if active else SOFT, across="left")
    if stage.waves:
        _arrows(pen, at, stage, at.tree_at(stage, y), wave)
        _bodies(pen, at, stage, at.tree_at(stage, y), wave)


def _arrows(pen: Pen, at: Sheet, stage: Stage, y: float, wave: int | None) -> None:
    """A line for every edge, and an arrow where a message passes."""
    model, spots = at.tree.model, [Spot(s.x, s.y + y) for s in at.tree.spots]
    ground = at.tree.ground
    ends = [spots[k].y for k in model.roots]
    pen.line([(ground.x, min(ends) - 0.14), (ground.x, max(ends) + 0.14)], INK, 3.0)
    for k, p in enumerate(model.parent):
        start = spots[p] if p >= 0 else Spot(ground.x, spots[k].y)
        pen.line(elbow(start, spots[k]), FAINT, 1.4, layer=2)
    running = range(len(stage.waves)) if wave is None else [wave] if 0 <= wave < len(stage.waves) else []
    colour = _COLOURS[stage.direction]
    sent = [edge for w in running for edge in stage.edges(model, w)]
    for source, target in sent:
        inner, outer = min(source, target), max(source, target)
        pen.line(elbow(spots[inner], spots[outer]), colour, 1.4)
        pen.arrow(*_shaft(spots[source], spots[target], at.tree.size), colour, head=min(9.0, 0.7 * at.tree.size))
    if sent and stage.messages and at.tree.size > 5:
        source, target = max(sent, key=lambda edge: (spots[edge[0]].y + spots[edge[1]].y, -spots[edge[0]].x))
        (x0, y0), (x1, y1) = _shaft(spots[source], spots[target], at.tree.size)
        high = max(y0, y1) + 0.5 * at.tree.size / 72 + 0.02
        pen.text((x0 + x1) / 2, high, ", ".join(stage.messages), 8, colour, up="bottom")


def _shaft(source: Spot, target: Spot, size: float) -> tuple[Spot, Spot]:
    """The last level piece of an edge, from mark to mark."""
    outward = target.x > source.x
    near, far = (source, target) if outward else (target, source)
    turn = near.x + 0.28 * (far.x - near.x) if near.y != far.y else near.x + 0.5 * size / 72
    ends = Spot(turn, far.y), Spot(far.x - 0.55 * size / 72, far.y)
    return ends if outward else (ends[1], ends[0])


def _bodies(pen: Pen, at: Sheet, stage: Stage, y: float, wave: int | None) -> None:
    """A disc with its number for every body: hollow before its turn, ringed while it runs, filled after."""
    model, size = at.tree.model, at.tree.size
    colour = _COLOURS[stage.direction]
    turn = {k: w for w, bodies in enumerate(stage.waves) for k in bodies}
    for k, spot in enumerate(at.tree.spots):
        done = wave is None or turn[k] < wave
        now = turn[k] == wave
        fill = NOW if now else colour if done else PAPER
        pen.dot(spot.x, spot.y + y, size, fill, colour if now or done else FAINT, width=1.6 if now else 1.0)
        if size > 5:
            number = str(number_of(k, model.n, at.paper))
            pen.text(spot.x, spot.y + y - 0.005, number, 0.54 * size, PAPER if done and not now else INK, bold=True)


def _moments(at: Sheet) -> Iterator[tuple[int, int]]:
    """Stage and wave of every frame, and a last frame with everything done."""
    for index, stage in enumerate(at.stages):
        yield from ((index, wave) for wave in range(max(len(stage.waves), 1)))
    yield len(at.stages), 0


def _frame(at: Sheet, stage: int, wave: int, *, dark: bool) -> Picture:
    picture = new_figure(at.width, at.height, dark=dark)
    draw_sheet(picture.pen(), at, (stage, wave))
    return picture
