"""What happens in a program stage by stage: which bodies in which order, what passes along the tree, which lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from operator_algebra.expressions.names import written
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import forest
from operator_algebra.models.model import Model
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.pages.writer import Writer
from operator_algebra.programs.instructions import shift_of
from operator_algebra.programs.program import Program, Sweep

Lowered = Program | Expr | Query | str

HEADINGS = {
    "inward": "inward: from the tips to the base",
    "outward": "outward: from the base to the tips",
    "local": "local: every body for itself",
    "once": "once: sums over all bodies",
}


@dataclass(frozen=True)
class Stage:
    """One sweep: bodies in waves that may run at the same time, the values that cross each edge, the printed lines."""

    direction: Literal["inward", "outward", "local", "once"]
    waves: tuple[tuple[int, ...], ...]
    messages: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def heading(self) -> str:
        """The direction in words."""
        return HEADINGS[self.direction]

    def edges(self, model: Model, wave: int) -> list[tuple[int, int]]:
        """From and to of each message that the bodies of a wave read; the ground sends and receives nothing."""
        if self.direction == "outward":
            return [(model.parent[k], k) for k in self.waves[wave] if model.parent[k] >= 0]
        if self.direction == "inward":
            return [(c, k) for k in self.waves[wave] for c in model.children[k]]
        return []


def program_of(what: Lowered, model: Model | None) -> Program:
    """The program to be shown; an expression or its text is lowered for the mechanism."""
    if isinstance(what, Program):
        return what
    return lower(what, zeros=vanishing(model) if model is not None else frozenset())


def small_tree() -> Model:
    """A trunk of two bodies with two branches: the smallest mechanism on which every direction shows."""
    return forest("a small tree", [-1, 0, 1, 2, 1], ["revolute"] * 5, np.random.default_rng(0), 0.0)


def stages(program: Program, model: Model) -> tuple[Stage, ...]:
    """The stages of a program on a mechanism.

    >>> from operator_algebra.models.families import chain
    >>> from operator_algebra.symbols import H, phi, v
    >>> stages(lower(phi.T @ H.T @ v), chain(3))[0].waves
    ((0,), (1,), (2,))
    """
    writer = Writer(program, "unicode")
    return tuple(_stage(stage, writer, model) for stage in program.stages)


def _stage(sweep: Sweep, writer: Writer, model: Model) -> Stage:
    lines = tuple(f"{line.name} = {line.formula}" for line in writer.lines(sweep.steps))
    return Stage(sweep.direction, _waves(sweep.direction, model), _messages(sweep, writer.program), lines)


def _waves(direction: str, model: Model) -> tuple[tuple[int, ...], ...]:
    if direction == "once":
        return ()
    if direction == "local":
        return (tuple(range(model.n)),)
    rank = model.level if direction == "outward" else model.height
    return tuple(tuple(k for k in range(model.n) if rank[k] == r) for r in range(max(rank) + 1))


def _messages(sweep: Sweep, program: Program) -> tuple[str, ...]:
    """The names of the values that are read from the children, or from the parent."""
    found: dict[str, None] = {}
    for step in sweep.steps:
        shift = shift_of(step.definition)
        if shift is not None and shift.hop.inward == (sweep.direction == "inward"):
            source = program.steps[shift.source.value]
            found[written(source.name, "unicode")] = None
    return tuple(found)
