"""Laws against mechanisms: how far below its bound each residual stayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from operator_algebra.errors import InputError
from operator_algebra.views.canvas import open_canvas
from operator_algebra.views.palette import FAINT, INK, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.checking.check import Check

_FLOOR = -6.0
_ROW, _COLUMN = 0.15, 0.12
_NAMES = 60


def residuals(checks: Sequence[Check], *, ax: Axes | None = None) -> Figure:
    """A heat map of log₁₀(residual / bound): one row for each law, one column for each mechanism.

    Pale cells are far below their bound, dark ones near it; a cross marks a law that fails, a dot one that could not be
    told. Blank cells are outside the domain of a law.

    >>> from operator_algebra.checking.check import check
    >>> import operator_algebra as oa
    >>> figure = residuals([check("left exchange", oa.load("planar3r"))])
    """
    if not checks:
        raise InputError("there are no results to draw. Give a list of checks.")
    columns = list(dict.fromkeys(row.mechanism for check in checks for row in check.rows))
    table, fails, unclear = _table(checks, columns)
    left, below = 3.4, 1.25
    width, height = left + max(2.5, _COLUMN * len(columns)) + 1.1, below + max(0.5, _ROW * len(checks)) + 0.75
    canvas = open_canvas(ax, width, height)
    axes: Any = canvas.pen.axes
    if ax is None:
        axes.set_position((left / width, below / height, 1 - (left + 1.1) / width, 1 - (below + 0.75) / height))
    shown = axes.imshow(table, cmap="YlGnBu", vmin=_FLOOR, vmax=0.0, aspect="auto", interpolation="nearest")
    _marks(axes, fails, "x", "#b3001b")
    _marks(axes, unclear, "o", INK)
    axes.set_yticks(range(len(checks)), [check.law.name[:44] for check in checks], fontsize=6.5)
    axes.set_xticks(
        range(len(columns)), columns if len(columns) <= _NAMES else _thinned(columns), fontsize=5.5, rotation=90
    )
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_color(FAINT)
    axes.set_title(
        "residual against bound, worst sample of each law on each mechanism", fontsize=9, color=INK, loc="left"
    )
    bar = axes.figure.colorbar(shown, ax=axes, fraction=0.025, pad=0.01)
    bar.set_label("log₁₀ (residual / bound)", fontsize=7, color=SOFT)
    bar.ax.tick_params(labelsize=6)
    return canvas.figure


def _table(checks: Sequence[Check], columns: Sequence[str]) -> tuple[Any, Any, Any]:
    place = {name: j for j, name in enumerate(columns)}
    table = np.full((len(checks), len(columns)), np.nan)
    fails, unclear = np.zeros(table.shape, dtype=bool), np.zeros(table.shape, dtype=bool)
    for i, check in enumerate(checks):
        for row in check.rows:
            j = place[row.mechanism]
            ratio = row.ratio if np.isfinite(row.ratio) else 1.0
            table[i, j] = np.clip(np.log10(max(ratio, 10.0**_FLOOR)), _FLOOR, 0.0)
            fails[i, j], unclear[i, j] = row.fails > 0, row.inconclusive > 0
    return table, fails, unclear


def _marks(axes: Any, where: Any, marker: str, colour: str) -> None:
    i, j = np.nonzero(where)
    if len(i):
        axes.scatter(j, i, marker=marker, color=colour, s=12, linewidths=1.0)


def _thinned(names: Sequence[str]) -> list[str]:
    """Every second name where all would not be readable."""
    return [name if k % 2 == 0 else "" for k, name in enumerate(names)]
