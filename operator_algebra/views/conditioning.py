"""conditioning: residual against condition, with the line that rounding follows; what lies above it is named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from operator_algebra.arguments import shown
from operator_algebra.checking.check import Check
from operator_algebra.errors import InputError
from operator_algebra.markup import cut
from operator_algebra.views.ink import chart
from operator_algebra.views.ink.canvas import open_canvas
from operator_algebra.views.ink.labelling import place_labels
from operator_algebra.views.ink.palette import ALARM, CARD, FAINT, INK, INWARD, OUTWARD, SHADE, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen

EPS = float(np.finfo(np.float64).eps)
_WIDTH, _HEIGHT = 8.4, 4.6
_LEFT, _BELOW, _RIGHT, _ABOVE = 0.85, 0.65, 0.3, 0.75
_LOOKS = (
    ("o", INWARD),
    ("s", OUTWARD),
    ("^", "#009E73"),
    ("D", "#CC79A7"),
    ("v", "#8a6fb0"),
    ("P", "#76731f"),
    ("X", INK),
)
_NAMED = 8
_RINGS = 16
"""Outliers with wide rings; more of them have narrow ones."""
_LONGEST = 40
_LEAST = 1e-18


@dataclass(frozen=True)
class Reading:
    """One sample: what it belongs to, its condition and its residual; above `bound` it is an outlier.

    Of the outliers of a `family` the worst is named, and the others are counted.
    """

    series: str
    label: str
    condition: float
    residual: float
    bound: float
    family: str = ""

    @property
    def outlier(self) -> bool:
        """Whether rounding does not explain it; what is no number never is explained."""
        return not self.residual <= self.bound


def readings(checks: Sequence[Check]) -> tuple[Reading, ...]:
    """The worst sample of every law on every mechanism, by what was found there.

    >>> import operator_algebra as oa
    >>> [one.series for one in readings([oa.check("left exchange", oa.load("planar3r"))])]
    ['holds']
    """
    found: list[Reading] = []
    for check in checks:
        for row in check.rows:
            verdict = "FAILS" if row.fails else "inconclusive" if row.inconclusive else "holds"
            label = f"{check.law.name}, {row.mechanism}"
            found.append(Reading(verdict, label, row.condition, row.residual, row.bound, check.law.name))
    return tuple(found)


def conditioning(
    samples: Sequence[Check] | Sequence[Reading],
    *,
    title: str = "residual against condition",
    ax: Axes | None = None,
    dark: bool = False,
) -> Figure:
    """Residuals of checks, or errors of a sweep of samples, over their condition; the line is eps · condition.

    >>> import operator_algebra as oa
    >>> figure = conditioning([oa.check("factor inverse", oa.load("planar3r"))])
    """
    found = _read(samples)
    canvas = open_canvas(ax, _WIDTH, _HEIGHT, dark=dark)
    pen, axes = canvas.pen, canvas.pen.axes
    wide, high = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _BELOW - _ABOVE
    if ax is None:
        chart.place(pen, (_WIDTH, _HEIGHT), (_LEFT, _BELOW, _RIGHT, _ABOVE))
    spots = [_spot(one) for one in found]
    limits = _limits(spots)
    axes.set_xlim(limits[0], limits[1])
    axes.set_ylim(limits[2], limits[3])
    _line(pen, limits)
    _points(pen, found, spots)
    _names(pen, found, spots, limits, (wide, high))
    _dress(pen, title, len(found), sum(one.outlier for one in found))
    return canvas.figure


def _read(samples: Sequence[Check] | Sequence[Reading]) -> tuple[Reading, ...]:
    found: list[Reading] = []
    for one in samples:
        if isinstance(one, Check):
            found += readings([one])
        elif isinstance(one, Reading):  # pyright: ignore[reportUnnecessaryIsInstance]
            found.append(one)
        else:
            raise InputError(f"conditioning draws checks or readings, not {shown(one)}.")
    if not found:
        raise InputError("there is nothing to draw. Give a list of checks, or of readings of a sweep.")
    return tuple(found)


def _spot(one: Reading) -> tuple[float, float]:
    """The place of a sample in powers of ten; exact ones at the lower edge, what is no number on top."""
    residual = one.residual if np.isfinite(one.residual) else 1e3
    condition = one.condition if np.isfinite(one.condition) else 1e20
    return float(np.log10(max(condition, 1.0))), float(np.log10(max(residual, _LEAST)))


def _limits(spots: Sequence[tuple[float, float]]) -> tuple[float, float, float, float]:
    right = max(2.0, *(x for x, _ in spots)) + 0.5
    top = max(-12.0, *(y for _, y in spots)) + 0.8
    return -0.3, right, np.log10(_LEAST) - 0.4, top


def _line(pen: Pen, limits: tuple[float, float, float, float]) -> None:
    ends = np.array([limits[0], limits[1]])
    low = ends + np.log10(EPS)
    pen.axes.fill_between(ends, limits[2], low, color=pen.shade(SHADE), linewidth=0, zorder=0)
    dashes = (0, (4, 2))
    pen.axes.plot(ends, low, color=pen.shade(SOFT), linewidth=1.0, linestyle=dashes, label="eps · condition")


def _points(pen: Pen, found: Sequence[Reading], spots: Sequence[tuple[float, float]]) -> None:
    for turn, series in enumerate(dict.fromkeys(one.series for one in found)):
        marker, colour = _LOOKS[turn % len(_LOOKS)]
        own = np.array([spot for one, spot in zip(found, spots, strict=True) if one.series == series])
        pen.axes.scatter(
            own[:, 0],
            own[:, 1],
            s=17,
            marker=marker,
            color=pen.shade(colour),
            edgecolors=pen.shade(CARD),
            linewidths=0.4,
            label=series,
            zorder=4,
        )
    out = np.array([spot for one, spot in zip(found, spots, strict=True) if one.outlier])
    if len(out):
        size, line = (70, 1.1) if len(out) <= _RINGS else (30, 0.6)
        ring = {"facecolors": "none", "edgecolors": pen.shade(ALARM), "linewidths": line}
        pen.axes.scatter(out[:, 0], out[:, 1], s=size, marker="o", zorder=5, **ring)


def _names(
    pen: Pen,
    found: Sequence[Reading],
    spots: Sequence[tuple[float, float]],
    limits: tuple[float, float, float, float],
    size: tuple[float, float],
) -> None:
    """The worst outlier of each family by name; if there are none, the sample nearest to its bound."""
    named, texts = _named(found)
    scale = size[0] / (limits[1] - limits[0]), size[1] / (limits[3] - limits[2])
    inches = [((x - limits[0]) * scale[0], (y - limits[2]) * scale[1]) for x, y in spots]
    taken = inches[:: max(1, len(inches) // 300)]
    centres = place_labels([inches[i] for i in named], texts, 7.0, 1.0, taken, (0.0, size[0], 0.0, size[1]))
    for i, text, (x, y) in zip(named, texts, centres, strict=True):
        place = limits[0] + x / scale[0], limits[2] + y / scale[1]
        pen.line([spots[i], place], FAINT, 0.7, layer=2)
        words = pen.text(*place, text, 7, ALARM if found[i].outlier else SOFT)
        words.set_bbox({"facecolor": pen.shade(CARD), "edgecolor": "none", "alpha": 0.85, "pad": 0.8})


def _named(found: Sequence[Reading]) -> tuple[list[int], list[str]]:
    """Whom to name, and how."""
    families: dict[object, list[int]] = {}
    for i in sorted((i for i, one in enumerate(found) if one.outlier), key=lambda i: -_severity(found[i])):
        families.setdefault(found[i].family or i, []).append(i)
    if not families:
        nearest = max(range(len(found)), key=lambda i: _severity(found[i]))
        return [nearest], [cut(found[nearest].label, _LONGEST)]
    chosen = list(families.values())[:_NAMED]
    more = [f", and {len(members) - 1} more" if len(members) > 1 else "" for members in chosen]
    words = [cut(found[members[0]].label, _LONGEST) + tail for members, tail in zip(chosen, more, strict=True)]
    return [members[0] for members in chosen], words


def _severity(one: Reading) -> float:
    """How far above its bound."""
    ratio = one.residual / max(one.bound, 1e-300)
    return ratio if np.isfinite(ratio) else np.inf


def _dress(pen: Pen, title: str, count: int, outliers: int) -> None:
    chart.dress(pen, "condition", "residual")
    for axis in (pen.axes.xaxis, pen.axes.yaxis):
        axis.set_major_locator(_whole_numbers())
        axis.set_major_formatter(_power)
    told = f"{count} samples, {outliers} above what rounding explains" if outliers else f"{count} samples, no outlier"
    chart.title(pen, cut(title, 60), told)
    chart.legend(pen)


def _power(value: float, _place: int | None = None) -> str:
    return f"$10^{{{value:.0f}}}$"


def _whole_numbers() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True, nbins=10)
