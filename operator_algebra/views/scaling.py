"""Operations and time against the number of bodies: what a formula costs as matrices, and as sweeps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.render import brief
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain
from operator_algebra.models.model import Model
from operator_algebra.views.content.blocks import read
from operator_algebra.views.ink import chart
from operator_algebra.views.ink.canvas import open_canvas
from operator_algebra.views.ink.palette import INWARD, OUTWARD

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen

SIZES = (4, 8, 16, 32, 64, 128)


def scaling(
    e: Expr | str, sizes: Sequence[int] = SIZES, *, timed: bool = True, ax: Axes | None = None, dark: bool = False
) -> Figure:
    """Cost of a vector formula on chains: operations of its sweeps, of a dense ℳ and its factors, and times.

    The powers of n that fit the operations of the larger half of the sizes are stated; times follow none, as long
    chains run as other code than short ones.

    >>> figure = scaling("inv(H phi M phi' H') T", (4, 8, 16), timed=False)
    """
    expression = read(e)
    if not isinstance(expression, Expr):
        raise InputError("scaling needs an expression, such as dynamics.forward_dynamics.")
    if len(sizes) < 2:
        raise InputError("scaling needs at least two sizes.")
    program = lower(expression)
    models = [chain(n) for n in sizes]
    counts = [(float(n), float(program.cost(model).total)) for n, model in zip(sizes, models, strict=True)]
    dense = [(float(n), 6.0 * (6.0 * n) ** 2 * n + n**3 / 3.0) for n in sizes]
    series = [
        (f"sweeps, operations, n^{exponent(counts):.1f}", counts, INWARD, "o"),
        (f"dense ℳ and its factors, operations, n^{exponent(dense):.1f}", dense, OUTWARD, "s"),
    ]
    canvas = open_canvas(ax, 9.2 if timed else 5.2, 4.0, dark=dark)
    pen = canvas.pen
    if timed and ax is None:
        pen.axes.set_position((0.075, 0.14, 0.40, 0.72))
        second = type(pen)(pen.axes.figure.add_axes((0.565, 0.14, 0.40, 0.72)), dark=dark)
        clocks = [
            ("sweeps, compile", _times(expression, models, _compiled), INWARD, "o"),
            ("matrices, evaluate", _times(expression, models, _evaluated), OUTWARD, "s"),
        ]
        _panel(second, clocks, "seconds")
    elif ax is None:
        pen.axes.set_position((0.14, 0.14, 0.80, 0.72))
    _panel(pen, series, "operations")
    chart.title(pen, f"{brief(expression, 40)} on chains", pad=6)
    return canvas.figure


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The power of n that fits the larger half of the sizes."""
    kept = np.log(np.array(points[len(points) // 2 - 1 :]))
    return float(np.polyfit(kept[:, 0], kept[:, 1], 1)[0])


def _panel(pen: Pen, series: Sequence[tuple[str, list[tuple[float, float]], str, str]], what: str) -> None:
    axes = pen.axes
    for name, points, colour, marker in series:
        xs, ys = zip(*points, strict=True)
        axes.plot(xs, ys, color=pen.shade(colour), marker=marker, markersize=4, linewidth=1.2, label=name)
    axes.set_xscale("log")
    axes.set_yscale("log")
    sizes = [n for n, _ in series[0][1]]
    axes.set_xticks(sizes, [f"{n:g}" for n in sizes])
    axes.set_xticks([], minor=True)
    chart.dress(pen, "bodies n", what)
    chart.legend(pen, loc="best")


def _times(
    e: Expr, models: Sequence[Model], ready: Callable[[Expr, Model], Callable[[], object]]
) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for model in models:
        run = ready(e, model)
        run()
        found.append((float(model.n), min(_clocked(run))))
    return found


def _clocked(run: Callable[[], object]) -> Iterator[float]:
    """The seconds of some rounds; what else the machine does only adds to them, so the least is the one to take."""
    spent = 0.0
    for rounds in range(50):
        if rounds >= 3 and spent > 0.02:
            return
        start = time.perf_counter()
        run()
        taken = time.perf_counter() - start
        spent += taken
        yield taken


def _inputs(e: Expr, model: Model) -> dict[str, Any]:
    q, v = model.random(0)
    rng = np.random.default_rng(0)
    given: dict[str, Any] = {"q": q}
    for symbol in free_symbols(e):
        if symbol.origin == "input":
            sizes = {"spatial": 6 * model.n, "joint": model.nv}
            given[symbol.name] = (
                v if symbol.name == "v" else rng.standard_normal(sizes.get(symbol.type.codomain.sizes, 1))
            )
    return given


def _compiled(e: Expr, model: Model) -> Callable[[], object]:
    call, given = compile_program(e, model, backend="numpy"), _inputs(e, model)
    return lambda: call(**given)


def _evaluated(e: Expr, model: Model) -> Callable[[], object]:
    given = _inputs(e, model)
    return lambda: evaluate(e, model, **given)
