"""energy: what is conserved along a simulation, and by how much it strays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from operator_algebra.applications.film import Energy, Film
from operator_algebra.arguments import instance
from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.views.ink import chart
from operator_algebra.views.ink.canvas import open_canvas
from operator_algebra.views.ink.palette import INK, INWARD, OUTWARD, SOFT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from operator_algebra.views.ink.pen import Pen

_MARKED = 40
"""Of more instants none is marked."""
_NEVER = 1e-17
"""Shown for no drift at all, where the axis is one of decades."""


def energy(film: Film, *, ax: Axes | None = None, dark: bool = False) -> Figure:
    """Kinetic and potential energy of a motion and their sum; below, how far the sum is from that at the start.

    What impacts take at an instant is a jump of the sum, at a dotted line, and no part of what it strays by. A free
    mechanism without gravity keeps its momentum, too: then its drift is drawn beside. With `ax`, energies alone.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> figure = energy(oa.simulate(arm, [0.5, 0.0], [0.0, 0.0], until=0.2))
    """
    instance(film, "the film", Film, "Give what simulate returns.")
    if film.q.ndim != 2:
        raise InputError("the film shows several motions. Take one of them, film.motion(0).")
    found = film.energy()
    size = (7.2, 2.8) if ax is not None else (7.2, 4.6)
    canvas = open_canvas(ax, *size, dark=dark)
    pen = canvas.pen
    if ax is None:
        pen.axes.set_position((0.1, 0.46, 0.86, 0.4))
        below = type(pen)(pen.axes.figure.add_axes((0.1, 0.11, 0.86, 0.22)), dark=dark)
        _drifts(below, film, found.total - found.jumped)
    for name, values, colour in (("kinetic", found.kinetic, OUTWARD), ("potential", found.potential, INWARD)):
        pen.axes.plot(film.t, values, color=pen.shade(colour), linewidth=1.2, label=name)
    pen.axes.plot(film.t, found.total, color=pen.shade(INK), linewidth=1.6, label="sum")
    jumps = film.t[:-1][np.diff(film.t) == 0.0]
    for t in jumps.tolist() if len(jumps) <= _MARKED else ():
        pen.axes.axvline(t, color=pen.shade(SOFT), linewidth=0.8, linestyle=":", zorder=0)
    chart.dress(pen, "" if ax is None else "seconds", "joules")
    chart.legend(pen)
    chart.title(pen, f"energy of {film.model.name}", _said(found, len(jumps)))
    return canvas.figure


def _said(found: Energy, jumps: int) -> str:
    strays = f"the sum strays by up to {found.drift:.1e} J"
    if not jumps:
        return strays
    times = "in one instant" if jumps == 1 else f"in {jumps} instants"
    gained = float(found.jumped[-1])
    way = "rises" if gained > 0.0 else "falls"
    kept = abs(gained) <= found.drift
    return f"{strays}, and {'jumps by nothing more' if kept else f'{way} by {abs(gained):.3g} J'} {times}"


def _drifts(pen: Pen, film: Film, total: NDArray[np.float64]) -> None:
    axes = pen.axes
    shown = [("of the energy, J", np.abs(total - total[0]), INK)]
    if _free(film.model):
        momentum = film.momentum()
        shown.append(("of the momentum, N s and N m s", np.abs(momentum - momentum[0]).max(axis=-1), SOFT))
    for name, values, colour in shown:
        axes.plot(film.t, np.maximum(values, _NEVER), color=pen.shade(colour), linewidth=1.0, label=name)
    axes.set_yscale("log")
    chart.dress(pen, "seconds", "drift")
    chart.legend(pen)


def _free(model: Model) -> bool:
    """Whether nothing outside pushes or pulls: no gravity, and roots that float without springs and dampers."""
    roots = [model.bodies[k].joint for k in model.roots]
    held = any(any((*root.stiffness, *root.damping, *root.armature)) for root in roots)
    return not any(model.gravity) and not held and all(root.kind == "floating" for root in roots)
