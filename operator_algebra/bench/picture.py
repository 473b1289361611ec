"""The figures of a run as a picture: a dot each, right of the line where its goal is reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import cast

from operator_algebra.bench.goals import Figure as Measured
from operator_algebra.bench.goals import number
from operator_algebra.views.ink import chart
from operator_algebra.views.ink.canvas import open_canvas
from operator_algebra.views.ink.palette import INK, INWARD, OUTWARD, SOFT
from operator_algebra.views.ink.picture import Picture

_COLOURS = {"goal": OUTWARD, "floor": INK, "missed": INWARD}
_FAR = 30.0
"""What is better or worse by more stands at the edge."""
_HEAD, _ROW, _FOOT = 0.45, 0.2, 0.5
"""Inches."""


def picture(figures: Sequence[Measured], *, dark: bool = False) -> Picture:
    """How many times better than its goal each figure is; a bar leads to its floor."""
    height = _HEAD + _ROW * len(figures) + _FOOT
    canvas = open_canvas(None, 7.2, height, dark=dark)
    pen, axes = canvas.pen, canvas.pen.axes
    axes.set_position((0.55, _FOOT / height, 0.42, _ROW * len(figures) / height))
    for place, one in enumerate(reversed(figures)):
        colour = pen.shade(_COLOURS[one.verdict])
        bar = [min(_times(one, one.floor), 1.0), 1.0]
        axes.plot(bar, [place, place], color=pen.shade(SOFT), linewidth=4, alpha=0.35, solid_capstyle="butt")
        axes.plot([_times(one, one.value)], [place], "o", color=colour, markersize=4.5)
        label = f"{one.work}: {number(one.value)} {one.unit}".rstrip()
        axes.text(0.85 / _FAR, place, label, ha="right", va="center", fontsize=6.5, color=colour)
    axes.axvline(1.0, color=pen.shade(INK), linewidth=0.8)
    axes.set_xscale("log")
    axes.set_xlim(1 / _FAR, _FAR)
    axes.set_ylim(-0.7, len(figures) - 0.3)
    chart.dress(pen, "times better than the goal", "")
    axes.set_yticks([])
    missed = sum(one.verdict == "missed" for one in figures)
    pen.axes.figure.text(0.02, 1 - 0.12 / height, "speed beside its goals", weight="bold", va="top")
    told = f"{len(figures)} figures, {missed} short of the floor, where the bar ends"
    pen.axes.figure.text(0.98, 1 - 0.15 / height, told, fontsize=8, ha="right", va="top", color=pen.shade(SOFT))
    return cast("Picture", canvas.figure)


def _times(one: Measured, value: float) -> float:
    ratio = value / one.goal if one.better == "more" else one.goal / value if value else _FAR
    return min(max(ratio if math.isfinite(ratio) else 0.0, 1.05 / _FAR), _FAR / 1.05)
