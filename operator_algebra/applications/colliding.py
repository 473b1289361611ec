"""What impacts do at one instant: those that touch and approach act together, and they push."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from operator_algebra.applications import embedding, holding, impacts
from operator_algebra.applications.events import Bounce, Event, J
from operator_algebra.applications.keeping import Keeper
from operator_algebra.arguments import quoted, shown
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import NotNumeric, numeric

Floats = NDArray[np.float64]

_STILL = 64.0 * float(np.finfo(np.float64).eps)
"""Of the largest that the terms of J v could add up to: slower than this nothing approaches but rounding."""


def rebound(keeper: Keeper, met: Sequence[tuple[Event, Bounce]], q: Floats, v: Floats) -> tuple[Floats, list[Event]]:
    """Rates after the impacts of one motion, and the events that act.

    Impacts of one restitution act together, by J v⁺ = −e J v of those that approach and whose impulses push; what an
    impact leaves approaching is met by the next. Impacts of several restitutions act one after the other.
    """
    acting: list[Event] = []
    for restitution in dict.fromkeys(bounce.restitution for _, bounce in met):
        alike = [(event, bounce) for event, bounce in met if bounce.restitution == restitution]
        parts = [_rows(keeper.model, event, bounce, q) for event, bounce in alike]
        rows, owner = np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        active = rows @ v < -_STILL * (np.abs(rows) @ np.abs(v))
        while active.any():
            found = _impact(keeper, q)(q=q, v=v, J_event=rows[active], restitution=restitution)
            if found["impulse"].min() >= 0.0:
                v = found["after"]
                break
            active[np.flatnonzero(active)[found["impulse"].argmin()]] = False
        acting += [event for k, (event, _) in enumerate(alike) if active[owner == k].any()]
    return v, acting


def _impact(keeper: Keeper, q: Floats) -> Callable[..., dict[str, Floats]]:
    """Rates and impulses of an impact, while loops and gears hold; of rows that depend on each other the least ones."""
    model = keeper.model
    met = impacts.of(J, holding.held.jacobian if keeper.count else None, geared=bool(model.mimic))
    called = compile_program({"after": met.velocity_after, "impulse": met.impulse}, model, redundant="least norm")
    if model.mimic:
        called = partial(called, **embedding.coupling(model))
    return partial(called, C=keeper.picked(q)) if keeper.count else called


def _rows(model: Model, event: Event, bounce: Bounce, q: Floats) -> Floats:
    given = bounce.rows(model, q)
    try:
        rows = numeric(given)
    except NotNumeric:
        rows = np.zeros(0)
    if rows.ndim != 2 or rows.shape[-1] != model.nv or not rows.size or not np.isfinite(rows).all():
        what = f"the rows of event {quoted(event.name)} are {shown(given)}"
        raise InputError(f"{what}. Give finite numbers (rows, {model.nv}).")
    return rows
