"""timeline: which body is computed at which step when all that is ready runs at once, and the longest way through."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from operator_algebra.markup import cut, width
from operator_algebra.models.model import Model
from operator_algebra.programs.program import Program
from operator_algebra.views.content.branches import LABELLED
from operator_algebra.views.content.naming import Labels, label_of, labelled, note
from operator_algebra.views.content.stages import Lowered, Stage, program_of, small_tree, stages
from operator_algebra.views.ink.canvas import (
    Numbering,
    check_numbering,
    number_of,
    numbering_note,
    open_canvas,
)
from operator_algebra.views.ink.labelling import apart
from operator_algebra.views.ink.palette import FAINT, INK, SOFT, Look, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen

_LETTERS = 0.125
"""Inches between names."""
_DRAWN = 64
"""Up to so many bodies the messages are drawn."""


@dataclass(frozen=True)
class Task:
    """One stage at one body (None: algebra between sweeps, after all bodies); `reads` are places in the schedule."""

    stage: int
    body: int | None
    step: int
    reads: tuple[int, ...]


@dataclass(frozen=True)
class Schedule:
    """Every task at the first step at which all that it reads is there; `critical` is a longest chain of tasks."""

    tasks: tuple[Task, ...]
    critical: tuple[int, ...]

    @property
    def steps(self) -> int:
        """How many steps it takes, with as many processors as can be used."""
        return len(self.critical)


def schedule(program: Program, model: Model) -> Schedule:
    """When each body can be computed: after its neighbours in the sweep, and after its own part of the sweep before.

    >>> import operator_algebra as oa
    >>> from operator_algebra.symbols import H, T, M, phi, inv
    >>> schedule(oa.lower(inv(H @ phi @ M @ phi.T @ H.T) @ T), oa.chain(3)).steps
    6
    """
    tasks: list[Task] = []
    before: list[int] = []  # the latest tasks of all bodies: one for each, or one for all after algebra between sweeps
    for number, stage in enumerate(stages(program, model)):
        if not stage.waves:
            tasks.append(_task(tasks, number, None, before))
            before = [len(tasks) - 1]
            continue
        before = _sweep(tasks, number, stage, model, before)
    return Schedule(tuple(tasks), _critical(tasks))


def _sweep(tasks: list[Task], number: int, stage: Stage, model: Model, before: list[int]) -> list[int]:
    """Append the tasks of a stage, wave by wave; the places of them by body."""
    place: dict[int, int] = {}
    for wave, bodies in enumerate(stage.waves):
        sources: dict[int, list[int]] = {k: [] for k in bodies}
        for source, target in stage.edges(model, wave):
            sources[target].append(place[source])
        for k in bodies:
            own = before if len(before) < model.n else [before[k]]
            tasks.append(_task(tasks, number, k, [*own, *sources[k]]))
            place[k] = len(tasks) - 1
    return [place[k] for k in range(model.n)]


def _task(tasks: list[Task], stage: int, body: int | None, reads: list[int]) -> Task:
    step = max((tasks[i].step + 1 for i in reads), default=0)
    return Task(stage, body, step, tuple(reads))


def _critical(tasks: list[Task]) -> tuple[int, ...]:
    """From the last task back through what each waited for."""
    if not tasks:
        return ()
    way = [max(range(len(tasks)), key=lambda i: tasks[i].step)]
    while tasks[way[-1]].reads:
        way.append(max(tasks[way[-1]].reads, key=lambda i: tasks[i].step))
    return tuple(reversed(way))


def timeline(
    program: Lowered,
    model: Model | None = None,
    *,
    ax: Axes | None = None,
    numbering: Numbering = "model",
    labels: Labels = "auto",
    dark: bool = False,
) -> Figure:
    """A row for each body, a column for each step; lines are messages, the heavy one is a longest chain of them.

    >>> import operator_algebra as oa
    >>> figure = timeline(oa.dynamics.forward_dynamics, oa.load("quadruped"))
    """
    paper = check_numbering(numbering)
    shown, target = program_of(program, model), model or small_tree()
    at = Grid.of(shown, target, labelled(target, labels), paper)
    canvas = open_canvas(ax, at.width, at.height, dark=dark)
    canvas.pen.plain(0.0, at.width, 0.0, at.height)
    _captions(canvas.pen, at, shown)
    _names(canvas.pen, at)
    _cells(canvas.pen, at)
    _messages(canvas.pen, at)
    return canvas.figure


@dataclass(frozen=True)
class Grid:
    """Where the cells of a schedule are, in inches; body 0 on top."""

    model: Model
    found: Schedule
    stages: tuple[Stage, ...]
    named: tuple[int, ...]
    paper: bool
    left: float
    across: float
    line: float

    @staticmethod
    def of(program: Program, model: Model, named: tuple[int, ...], paper: bool) -> Grid:
        """The grid of a program on a mechanism, with these bodies labelled."""
        found = schedule(program, model)
        longest = max((width(label_of(model, k, model.n)) for k in named), default=0)
        left = (0.6 if len(named) == model.n else 0.75) + 0.068 * longest
        across = max(0.035, min(0.5, 8.0 / max(found.steps, 1)))
        line = 0.27 if model.n <= LABELLED else max(0.03, 5.0 / model.n, _LETTERS * len(named) / model.n)
        return Grid(model, found, stages(program, model), named, paper, left, across, line)

    @property
    def width(self) -> float:
        return max(6.6, self.left + self.across * self.found.steps + 0.4)

    @property
    def height(self) -> float:
        return self.line * self.model.n + 1.75

    @property
    def looks(self) -> tuple[Look, ...]:
        """How the cells of each stage are filled."""
        return looks([stage.direction for stage in self.stages])

    @property
    def roomy(self) -> bool:
        """Whether cells have room for the number of their stage."""
        return self.line > 0.2 and self.across > 0.2

    def x(self, task: Task) -> float:
        """The middle of the column of a task."""
        return self.left + self.across * (task.step + 0.5)

    def row(self, k: float) -> float:
        """The middle of the row of a body."""
        return self.height - 0.85 - self.line * (k + 0.5)

    def y(self, task: Task) -> float:
        """The middle of the row of a task; algebra between sweeps stands in the middle of all rows."""
        return self.row(task.body if task.body is not None else 0.5 * (self.model.n - 1))


def _captions(pen: Pen, at: Grid, program: Program) -> None:
    title = pen.text(0.25, at.height - 0.26, cut(program.formula, 44), 12, bold=True, across="left")
    tasks, steps = len(at.found.tasks), at.found.steps
    pen.behind(title, f"   {at.model.name}   {tasks} tasks in {steps} steps", 9, SOFT)
    x = 0.25
    for number, (stage, look) in enumerate(zip(at.stages, at.looks, strict=True), 1):
        pen.box((x, at.height - 0.66, 0.24, 0.14), look.fill, look.stroke, 0.5, hatch=2 * look.hatch)
        label = f"{number} {stage.direction}"
        pen.text(x + 0.3, at.height - 0.59, label, 8, SOFT, across="left")
        x += 0.53 + 0.08 * len(label)
    pen.line([(x, at.height - 0.59), (x + 0.3, at.height - 0.59)], INK, 2.0)
    pen.text(x + 0.37, at.height - 0.59, "a critical path", 8, SOFT, across="left")
    low = at.height - 0.85 - at.line * at.model.n
    every = max(1, -(-at.found.steps // 20))
    for step in range(0, at.found.steps, every):
        pen.text(at.left + at.across * (step + 0.5), low - 0.13, str(step + 1), 7, SOFT)
    pen.text(at.left + 0.5 * at.across * at.found.steps, low - 0.36, "step", 8, SOFT)
    notes = (numbering_note(at.model.n, at.paper), note(at.model, at.named))
    pen.text(0.25, 0.17, " · ".join(filter(None, notes)), 8, SOFT, across="left")


def _names(pen: Pen, at: Grid) -> None:
    """Number and joint of each labelled body beside its row, with a line to it where rows are narrow."""
    rows = [at.row(k) for k in reversed(at.named)]
    places = apart(rows, _LETTERS, at.row(at.model.n - 1), at.row(0))
    beside = len(at.named) == at.model.n
    for k, row, y in zip(reversed(at.named), rows, places, strict=True):
        words = label_of(at.model, k, number_of(k, at.model.n, at.paper))
        pen.text(at.left - (0.1 if beside else 0.28), y, words, 8 if at.line > 0.2 else 7, INK, across="right")
        if not beside:
            pen.line([(at.left - 0.25, y), (at.left - 0.03, row)], SOFT, 0.5)


def _cells(pen: Pen, at: Grid) -> None:
    """A filled cell where a body is computed, with the number of its stage."""
    wide, high = 0.8 * at.across, 0.72 * at.line
    for number, look in enumerate(at.looks):
        own = [task for task in at.found.tasks if task.stage == number]
        places = [
            (at.x(task) - wide / 2, at.y(task) - tall / 2, wide, tall)
            for task in own
            for tall in [high if task.body is not None else at.line * at.model.n]
        ]
        hatched = at.across > 0.1 and at.line > 0.1
        edge, hatch = (look.stroke, look.hatch) if hatched else ("none", "")
        pen.boxes(places, look.fill, edge, 0.5, hatch=hatch, layer=4)
        for task in own if at.roomy else ():
            halo = look.fill if look.hatch else None
            pen.text(at.x(task), at.y(task) - 0.005, str(number + 1), 7, look.letters, bold=True, halo=halo)


def _messages(pen: Pen, at: Grid) -> None:
    """A line from every task to those that read it."""
    tasks = at.found.tasks
    if at.model.n <= _DRAWN:
        for task in tasks:
            for source in task.reads:
                pen.line(_between(at, tasks[source], task), FAINT, 0.9, layer=2)
    way = [tasks[i] for i in at.found.critical]
    dense = at.across < 0.1
    for source, task in pairwise(way):
        pen.line(_between(at, source, task), INK, 0.7 if dense else 2.0, round=True, layer=5 if dense else 3)


def _between(at: Grid, source: Task, target: Task) -> list[tuple[float, float]]:
    half = 0.4 * at.across
    return [(at.x(source) + half, at.y(source)), (at.x(target) - half, at.y(target))]
