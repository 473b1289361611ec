"""filter: the Kalman filter and smoother of a chain in time beside the recursion of a robot, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from operator_algebra.expressions.build import inv, operator, vector
from operator_algebra.lowering.lower import lower
from operator_algebra.markup import width
from operator_algebra.operators.spaces import space
from operator_algebra.pages.writer import Line, Writer
from operator_algebra.symbols import H, I, M, T, armature, phi
from operator_algebra.views.ink.canvas import open_canvas
from operator_algebra.views.ink.palette import FAINT, INK, SOFT, strong, tint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.expressions.nodes import Expr
    from operator_algebra.programs.program import Program

_COVARIANCE, _GAIN, _STATE, _NEW, _COSTATE = 0, 2, 1, 3, 4
"""Branches whose tones tell kinds of quantities apart."""
_MEANINGS = {
    "P": (_COVARIANCE, "covariance, predicted", "inertia, joints outward free"),
    "P⁺": (_COVARIANCE, "covariance, updated", "what is felt past the joint"),
    "D": (_NEW, "covariance of the innovation", "inertia that the joint feels"),
    "G": (_GAIN, "gain", "force for one unit of torque"),
    "z": (_STATE, "state, predicted", "force from the bodies outward"),
    "z⁺": (_STATE, "state, updated", "force past the joint"),
    "ε": (_NEW, "innovation", "torque that is left over"),
    "ν": (_NEW, "residual", "joint acceleration, parent held"),
    "α⁺": (_COSTATE, "costate, carried on", "acceleration of the parent"),
    "r": (_NEW, "residual, smoothed", "joint acceleration"),
    "α": (_COSTATE, "costate", "acceleration of the body"),
    "x": (_STATE, "state, smoothed", "force between bodies"),
}
"""What a line of the robot's recursion computes: its kind, in the words of estimation, in those of mechanics."""
_HEADS = {"inward": ("forward in time", "from the tips to the base"), "outward": ("back", "from the base to the tips")}
_LETTER, _SMALL, _ROW = 0.088, 0.072, 0.3
"""Inches of a letter of a formula, of a word, and from line to line."""
_MARGIN, _GAP = 0.3, 0.3


def filter(*, ax: Axes | None = None, dark: bool = False) -> Figure:
    """A Kalman filter with its smoother beside the forces between the bodies of a robot; what is alike has one colour.

    Both are lowered: from the mean of a state given its measurements, and from φ M φ* H* (ℳ + armature)⁻¹ T.

    >>> figure = filter()
    """
    rows = _rows()
    columns = [max(_wide(row, k) for row in rows) for k in range(4)]
    lefts = [_MARGIN + sum(columns[:k]) + k * _GAP for k in range(4)]
    wide, high = lefts[3] + columns[3] + _MARGIN, _ROW * (len(rows) + 2.6)
    canvas = open_canvas(ax, wide, high, dark=dark)
    pen = canvas.pen
    pen.plain(0.0, wide, 0.0, high)
    for k, words in ((1, "a state that is measured, in time"), (2, "a robot")):
        pen.text(lefts[k], high - 0.7 * _ROW, words, 11, across="left", bold=True)
    for place, row in enumerate(rows):
        y = high - _ROW * (place + 2.3)
        if row.kind is None:
            pen.line([(_MARGIN, y + 0.5 * _ROW), (wide - _MARGIN, y + 0.5 * _ROW)], FAINT, 0.6)
            for k in (1, 2):
                pen.text(lefts[k], y, row.cells[k], 8.5, SOFT, across="left")
            continue
        pen.box((_MARGIN - 0.08, y - 0.44 * _ROW, wide - 2 * _MARGIN + 0.16, 0.88 * _ROW), tint(row.kind))
        for k, words in enumerate(row.cells):
            size, colour = (9.5, INK) if k in (1, 2) else (8.5, strong(row.kind))
            pen.text(lefts[k], y, words, size, colour, across="left")
    return canvas.figure


@dataclass(frozen=True)
class Row:
    """A line of both recursions between its meanings; without a kind it heads a sweep."""

    kind: int | None
    cells: tuple[str, str, str, str]


@cache
def _rows() -> tuple[Row, ...]:
    measured, robot = _lines(lower(_smoother())), _lines(lower(_forces()))
    found: list[Row] = []
    for (direction, one), (_, other) in zip(measured, robot, strict=True):
        found.append(Row(None, ("", *_HEADS[direction], "")))
        for line, twin in zip(one, other, strict=True):
            kind, before, behind = _MEANINGS[twin.name.removesuffix("(k)")]
            cells = (before, f"{line.name} = {line.formula}", f"{twin.name} = {twin.formula}", behind)
            found.append(Row(kind, cells))
    return tuple(found)


def _lines(program: Program) -> list[tuple[str, list[Line]]]:
    writer = Writer(program, "unicode")
    return [(stage.direction, writer.lines(stage.steps)) for stage in program.stages]


def _smoother() -> Expr:
    """The mean of a state given what is measured: x = A x + w, y = C x + u, cov w = Q, cov u = R."""
    state, measured = space("state"), space("measured")
    A = operator("A", state >> state, structure="inward hop")
    C = operator("C", state >> measured, structure="diagonal")
    Q = operator("Q", state.dual >> state, structure="diagonal semidefinite")
    R = operator("R", measured.dual >> measured, structure="diagonal definite")
    covariance = inv(I - A) @ Q @ inv(I - A).T
    return covariance @ C.T @ inv(C @ covariance @ C.T + R) @ vector("y", measured)


def _forces() -> Expr:
    """The forces between bodies that torques cause."""
    covariance = phi @ M @ phi.T
    return covariance @ H.T @ inv(H @ covariance @ H.T + armature) @ T


def _wide(row: Row, k: int) -> float:
    return width(row.cells[k]) * (_LETTER if k in (1, 2) else _SMALL)
