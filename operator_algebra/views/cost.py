"""cost: operations of a program, body by body, stacked by sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from operator_algebra.markup import cut
from operator_algebra.models.model import Model
from operator_algebra.programs.cost import Share
from operator_algebra.views.content.branches import LABELLED
from operator_algebra.views.content.stages import Lowered, program_of, small_tree
from operator_algebra.views.ink import chart
from operator_algebra.views.ink.canvas import (
    POINTS,
    Numbering,
    check_numbering,
    number_of,
    numbering_note,
    open_canvas,
)
from operator_algebra.views.ink.palette import CARD, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen

_HATCHED = 40
"""Up to so many bodies hatches are seen."""
_BARS = 200
_LEVEL = 4
"""Up to so many bodies their names are written level."""


def cost(
    program: Lowered,
    model: Model | None = None,
    *,
    ax: Axes | None = None,
    numbering: Numbering = "model",
    dark: bool = False,
) -> Figure:
    """Multiplications and additions of a program at every body, one colour and hatch for each sweep.

    >>> import operator_algebra as oa
    >>> figure = cost(oa.dynamics.forward_dynamics, oa.load("quadruped"))
    """
    paper = check_numbering(numbering)
    shown, target = program_of(program, model), model or small_tree()
    counted = shown.cost(target)
    found = counted.shares
    width = max(6.4, min(11.0, 2.6 + 0.42 * target.n))
    below = 1.35 if _LEVEL < target.n <= LABELLED else 0.8
    high = below + 3.0
    canvas = open_canvas(ax, width, high, dark=dark)
    pen = canvas.pen
    if ax is None:
        chart.place(pen, (width, high), (0.95, below, 0.3, 0.8))
    _stack(pen, found, target.n)
    chart.dress(pen, "", "operations", grid="y")
    _bodies(pen, target, paper)
    note = f"method {shown.method}   {counted.order}   {counted.total:,} operations".replace(",", " ")
    chart.title(pen, f"{cut(shown.formula, 48)}   {target.name}", note, pad=30)
    chart.legend(pen, min(4, len(found)))
    chart.write(pen, numbering_note(target.n, paper), (0, 0), (0, 10 - POINTS * below), size=7)
    return canvas.figure


def _stack(pen: Pen, found: tuple[Share, ...], n: int) -> None:
    """Bars, or steps where there are too many bodies for bars."""
    base = [0.0] * n
    total = max(1, sum(share.total for share in found))
    kinds = looks([share.direction for share in found])
    for number, (share, kind) in enumerate(zip(found, kinds, strict=True), 1):
        top = [low + high for low, high in zip(base, share.flops, strict=True)]
        look: dict[str, Any] = {
            "facecolor": pen.shade(kind.fill),
            "edgecolor": pen.shade(kind.stroke if kind.hatch and n <= _HATCHED else CARD),
            "hatch": kind.hatch if n <= _HATCHED else "",
            "label": f"{number} {share.direction}, {100 * share.total / total:.0f} %",
            "linewidth": 0.4,
        }
        if n <= _BARS:
            pen.axes.bar(range(n), share.flops, 0.82, bottom=base, **look)
        else:
            pen.axes.fill_between(range(n), base, top, step="mid", **look)
        base = top


def _bodies(pen: Pen, model: Model, paper: bool) -> None:
    n, axes = model.n, pen.axes
    axes.set_xlim(-0.6, n - 0.4)
    axes.set_ylim(0, None)
    if n <= LABELLED:
        names = [f"{number_of(k, n, paper)} {cut(model.joint_names[k], 14)}" for k in range(n)]
        axes.set_xticks(range(n), names, rotation=40 if n > _LEVEL else 0, ha="right" if n > _LEVEL else "center")
        return
    places = sorted({*range(0, n, max(1, n // 10)), n - 1})
    axes.set_xticks(places, [str(number_of(k, n, paper)) for k in places])
    axes.set_xlabel("body")
