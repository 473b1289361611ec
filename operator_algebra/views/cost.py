"""cost: operations of a program, body by body, stacked by sweep."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from operator_algebra.lowering.cost import cost as count
from operator_algebra.lowering.program import Program
from operator_algebra.markup import cut
from operator_algebra.models.model import Model
from operator_algebra.views.canvas import (
    Numbering,
    check_numbering,
    number_of,
    numbering_note,
    open_canvas,
)
from operator_algebra.views.palette import CARD, FAINT, INK, SOFT
from operator_algebra.views.stages import Lowered, program_of, small_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMED = 20
_BARS = 200
_LEVEL = 4
"""Up to so many bodies their names are written level."""
_COLOURS = {
    "inward": ("#0072B2", "#7db9dd"),
    "outward": ("#D55E00", "#f2ae82"),
    "local": ("#57606a", "#afb6bd"),
    "once": ("#8a6fb0", "#c5b5dc"),
    "walk": ("#117A8B", "#86c3cc"),
}
_HATCHES = {"inward": "", "outward": "///", "local": "...", "once": "xx", "walk": "\\\\\\"}


@dataclass(frozen=True)
class Share:
    """What one stage costs at every body; walks along the tree that read out blocks come last."""

    direction: str
    flops: tuple[int, ...]

    @property
    def total(self) -> int:
        """Of all bodies."""
        return sum(self.flops)


def shares(program: Program, model: Model) -> tuple[Share, ...]:
    """The operations of every stage at every body; together they are those of `Program.cost`.

    >>> import operator_algebra as oa
    >>> from operator_algebra.symbols import H, phi, v
    >>> [share.direction for share in shares(oa.lower(phi.T @ H.T @ v), oa.chain(3))]
    ['outward']
    """
    everything = tuple(program.steps.values())
    plain = tuple(replace(output, walk=None) for output in program.outputs)
    found: list[Share] = []
    for stage in program.stages:
        own = {step.number for step in stage.steps}
        rest = tuple(step for step in everything if step.number not in own)
        alone = replace(program, stages=(stage,), given=rest, outputs=plain)
        found.append(Share(stage.direction, count(alone, model).per_body))
    if any(output.walk is not None for output in program.outputs):
        walks = replace(program, stages=(), given=everything)
        found.append(Share("walk", count(walks, model).per_body))
    return tuple(found)


def cost(
    program: Lowered, model: Model | None = None, *, ax: Axes | None = None, numbering: Numbering = "model"
) -> Figure:
    """Multiplications and additions of a program at every body, one colour and hatch for each sweep.

    >>> import operator_algebra as oa
    >>> figure = cost(oa.dynamics.forward_dynamics, oa.load("quadruped"))
    """
    paper = check_numbering(numbering)
    shown, target = program_of(program, model), model or small_tree()
    found = shares(shown, target)
    total = sum(share.total for share in found)
    width = max(6.4, min(11.0, 2.6 + 0.42 * target.n))
    below = 1.35 if _LEVEL < target.n <= _NAMED else 0.8
    high = below + 3.0
    canvas = open_canvas(ax, width, high)
    axes: Any = canvas.pen.axes
    if ax is None:
        axes.set_position((0.95 / width, below / high, 1 - 1.25 / width, 2.2 / high))
    axes.set_facecolor(CARD)
    _stack(axes, found, target.n)
    _bodies(axes, target, paper)
    axes.set_ylabel("operations", fontsize=8, color=SOFT)
    axes.tick_params(labelsize=7, colors=SOFT)
    axes.grid(True, axis="y", color=FAINT, linewidth=0.5)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    title = f"{cut(shown.formula, 48)}   {target.name}"
    axes.set_title(title, fontsize=10, color=INK, loc="left", pad=30, weight="bold")
    note = f"method {shown.method}   {count(shown, target).order}   {total:,} operations".replace(",", " ")
    axes.annotate(
        note, (1, 1), (0, 33), xycoords="axes fraction", textcoords="offset points", fontsize=8, color=SOFT, ha="right"
    )
    axes.legend(
        fontsize=7,
        frameon=False,
        ncols=min(4, len(found)),
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        borderaxespad=0.3,
        handlelength=1.6,
        labelcolor=SOFT,
    )
    axes.annotate(
        numbering_note(target.n, paper),
        (0, 0),
        (0, 10 - 72 * below),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=7,
        color=SOFT,
    )
    return canvas.figure


def _stack(axes: Any, found: tuple[Share, ...], n: int) -> None:
    """Bars, or steps where there are too many bodies for bars."""
    base = [0.0] * n
    seen: dict[str, int] = {}
    total = max(1, sum(share.total for share in found))
    for number, share in enumerate(found, 1):
        turn = seen.get(share.direction, 0)
        seen[share.direction] = turn + 1
        colour = _COLOURS[share.direction][turn % 2]
        label = f"{number} {share.direction}, {100 * share.total / total:.0f} %"
        top = [low + high for low, high in zip(base, share.flops, strict=True)]
        look: dict[str, Any] = {
            "facecolor": colour,
            "edgecolor": "#fdfdfb",
            "hatch": _HATCHES[share.direction] if n <= _NAMED else "",
            "label": label,
            "linewidth": 0.4,
        }
        if n <= _BARS:
            axes.bar(range(n), share.flops, 0.82, bottom=base, **look)
        else:
            axes.fill_between(range(n), base, top, step="mid", **look)
        base = top


def _bodies(axes: Any, model: Model, paper: bool) -> None:
    n = model.n
    axes.set_xlim(-0.6, n - 0.4)
    axes.set_ylim(0, None)
    if n <= _NAMED:
        names = [f"{number_of(k, n, paper)} {cut(model.joint_names[k], 14)}" for k in range(n)]
        axes.set_xticks(range(n), names, rotation=40 if n > _LEVEL else 0, ha="right" if n > _LEVEL else "center")
        return
    places = sorted({*range(0, n, max(1, n // 10)), n - 1})
    axes.set_xticks(places, [str(number_of(k, n, paper)) for k in places])
    axes.set_xlabel("body", fontsize=8, color=SOFT)
