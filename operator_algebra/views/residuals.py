"""Laws against mechanisms: how far below its bound each residual stayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from operator_algebra.checking.suite import groups
from operator_algebra.errors import InputError
from operator_algebra.markup import width
from operator_algebra.views.ink.canvas import open_canvas
from operator_algebra.views.ink.palette import FAINT, INK, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.checking.check import Check

_FLOOR = -6.0
_ROW, _COLUMN = 0.15, 0.086
_NAMES = 60
"""Columns that are named one by one; more of them are named by what they are there for."""
_GROUPS = 30
"""Labels of groups that stand beside each other."""
_WIDEST = 6.2
_LONGEST = 44
_LETTER = 0.054
"""Inches of a letter of the labels."""
_SIGNS = "× fails   ○ could not be told   grey: outside the domain of the law"


def residuals(checks: Sequence[Check], *, ax: Axes | None = None, dark: bool = False) -> Figure:
    """A heat map of log₁₀(residual / bound): one row for each law, one column for each mechanism.

    Pale cells are far below their bound, dark ones near it; a cross marks a law that fails, a dot one that could not be
    told. Grey cells are outside the domain of a law. The columns of the whole suite are named by group.

    >>> from operator_algebra.checking.check import check
    >>> import operator_algebra as oa
    >>> figure = residuals([check("left exchange", oa.load("planar3r"))])
    """
    if not checks:
        raise InputError("there are no results to draw. Give a list of checks.")
    columns = _in_order(list(dict.fromkeys(row.mechanism for check in checks for row in check.rows)))
    table, fails, unclear = _table(checks, columns)
    places, titles = _titles(columns)
    crowded = len(columns) > _NAMES
    left = 0.3 + _LETTER * max(width(check.law.name[:_LONGEST]) for check in checks)
    below = 0.5 + (0.036 if crowded else 0.048) * max(width(name) for name in titles)
    across, up = min(max(3.6, _COLUMN * len(columns)), _WIDEST), max(0.5, _ROW * len(checks))
    whole = left + across + 1.0, below + up + 0.5
    canvas = open_canvas(ax, *whole, dark=dark)
    pen, axes = canvas.pen, canvas.pen.axes
    shown = axes.imshow(table, cmap="YlGnBu", vmin=_FLOOR, vmax=0.0, aspect="auto", interpolation="nearest")
    axes.set_facecolor(pen.shade(FAINT))
    _marks(axes, fails, "x", "#ff5a36")
    _marks(axes, unclear, "o", "#ff9f1c")
    axes.set_yticks(range(len(checks)), [check.law.name[:_LONGEST] for check in checks], fontsize=6.5)
    if crowded:
        axes.set_xticks(places, titles, fontsize=7, rotation=40, ha="right", rotation_mode="anchor")
        axes.vlines(_edges(columns), -0.5, len(checks) - 0.5, color=pen.shade(INK), linewidth=0.5)
    else:
        axes.set_xticks(places, titles, fontsize=6, rotation=90)
    axes.tick_params(length=0, colors=pen.shade(INK))
    for spine in axes.spines.values():
        spine.set_color(pen.shade(FAINT))
    axes.set_title("residual / bound, worst sample of each law", fontsize=9, color=pen.shade(INK), loc="left")
    if ax is None:
        axes.set_position((left / whole[0], below / whole[1], across / whole[0], up / whole[1]))
        place = axes.figure.add_axes(
            ((left + across + 0.1) / whole[0], below / whole[1], 0.1 / whole[0], up / whole[1])
        )
        bar = axes.figure.colorbar(shown, cax=place)
        axes.figure.text(0.3 / whole[0], 0.2 / whole[1], _SIGNS, fontsize=7, color=pen.shade(SOFT), va="center")
    else:
        bar = axes.figure.colorbar(shown, ax=axes, fraction=0.025, pad=0.01)
    bar.set_ticks([-6, -4, -2, 0], labels=["10⁻⁶", "10⁻⁴", "10⁻²", "1"])
    bar.ax.tick_params(labelsize=6, colors=pen.shade(INK))
    bar.outline.set_edgecolor(pen.shade(FAINT))
    return canvas.figure


def _in_order(columns: list[str]) -> list[str]:
    """Mechanisms as they were met; where they are named by group, those of a group beside each other."""
    if len(columns) <= _NAMES:
        return columns
    place = {name: i for i, names in enumerate(groups().values()) for name in names}
    return sorted(columns, key=lambda name: place.get(name, len(place)))


def _groups(columns: Sequence[str]) -> list[tuple[str, int, int]]:
    """Neighbouring columns that are there for the same: what for, the first, and the one behind the last."""
    purpose = {name: title for title, names in groups().items() for name in names}
    found: list[tuple[str, int, int]] = []
    for j, name in enumerate(columns):
        title = purpose.get(name, name)
        if found and found[-1][0] == title:
            found[-1] = title, found[-1][1], j + 1
        else:
            found.append((title, j, j + 1))
    return found


def _titles(columns: Sequence[str]) -> tuple[list[float], list[str]]:
    """Where labels stand and what they say: each mechanism, or each group where there are too many."""
    if len(columns) <= _NAMES:
        return [float(j) for j in range(len(columns))], list(columns)
    found = _groups(columns)
    found = found[:: 1 + len(found) // _GROUPS]
    return [0.5 * (first + last - 1) for _, first, last in found], [title for title, _, _ in found]


def _edges(columns: Sequence[str]) -> list[float]:
    """Where lines between the groups of the suite stand."""
    found = _groups(columns)
    return [] if len(found) > _GROUPS else [first - 0.5 for _, first, _ in found[1:]]


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
        axes.scatter(j, i, marker=marker, color=colour, s=14, linewidths=1.3)
