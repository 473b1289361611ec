"""Derivatives along a motion by sixth-order central differences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.model import Model
from tests.rounding import differencing

Floats = NDArray[np.float64]

_WEIGHTS = ((1, 45.0), (2, -9.0), (3, 1.0))


STEP = 2e-3


def along(model: Model, q: Floats, v: Floats, value: Callable[[Floats], Floats], step: float = STEP) -> Floats:
    """d/dt of a function of q at q, moving with the rates v."""
    total = 0.0
    for count, weight in _WEIGHTS:
        ahead = value(model.integrate(q, count * step * v))
        behind = value(model.integrate(q, -count * step * v))
        total = total + weight * (ahead - behind)
    return np.asarray(total / (60.0 * step))


def allowed(size: float, v: Floats, step: float = STEP) -> float:
    """What that may leave of a function of such a size: joints compose to no faster turn than the sum of theirs."""
    return differencing(size, step, rate=float(np.abs(v).sum()), order=6)
