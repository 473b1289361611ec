"""Steps along a motion, on the manifold of configurations: q moves by `Model.integrate` alone.

Nothing here knows dynamics: accelerations come from outside. Leading axes of q and v are motions side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from operator_algebra.errors import RangeError
from operator_algebra.models.configurations import difference_rate
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers


class State(NamedTuple):
    """Where a motion is at a time, with the joint forces there and, if a step needs it, the acceleration."""

    t: float
    q: Numbers
    v: Numbers
    T: Numbers
    qdd: Numbers | None = None


class Stepped(NamedTuple):
    """The state after a step, and the error of the step in parts of what is allowed; None where nobody estimates it."""

    state: State
    error: float | None = None


Forces = Callable[[float, Numbers, Numbers], Numbers]
"""Joint forces at t, q, v."""

Rates = Callable[[Numbers, Numbers, Numbers, float], Numbers]
"""Rates after a step, from q, v, the joint forces and its length."""


class Rule(Protocol):
    """How a step of some length is made."""

    def start(self, t: float, q: Numbers, v: Numbers) -> State:
        """The state from which the first step is made."""
        ...

    def __call__(self, state: State, h: float) -> Stepped:
        """The state after a step."""
        ...


class LeftChart(Exception):
    """A joint turns by half a turn or more within one step, where q ⊖ q0 jumps."""


@dataclass(frozen=True)
class OneForce:
    """Rules that ask once for each step: semi-implicit or implicit, as `velocity` says.

    v⁺ = velocity(q, v, T, h), q⁺ = q ⊕ h v⁺.
    """

    model: Model
    forces: Forces
    velocity: Rates

    def start(self, t: float, q: Numbers, v: Numbers) -> State:
        """The given state, with its forces."""
        return State(t, q, v, self.forces(t, q, v))

    def __call__(self, state: State, h: float) -> Stepped:
        """One step."""
        v = finite(self.velocity(state.q, state.v, state.T, h))
        return Stepped(self.start(state.t + h, self.model.integrate(state.q, h * v), v))


_NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_WEIGHTS: tuple[tuple[float, ...], ...] = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
"""The coefficients of order 5 less those of order 4."""


@dataclass(frozen=True)
class RungeKutta:
    """Order five with an estimate of the error, in coordinates x about the start of the step: q = q0 ⊕ x.

    ẋ is the rate of q ⊖ q0, which on groups is dexp⁻¹(x) v.
    [Munthe-Kaas, High order Runge-Kutta methods on manifolds, 1999; coefficients: Dormand, Prince, A family of embedded
    Runge-Kutta formulae, 1980]
    """

    model: Model
    forces: Forces
    acceleration: Callable[[Numbers, Numbers, Numbers], Numbers]
    tolerance: float

    def start(self, t: float, q: Numbers, v: Numbers) -> State:
        """The given state, with its forces and acceleration."""
        T = self.forces(t, q, v)
        return State(t, q, v, T, self.acceleration(q, v, T))

    def __call__(self, state: State, h: float) -> Stepped:
        """One step; its last stage is the first of the next one."""
        assert state.qdd is not None
        slopes = [np.concatenate([state.v, state.qdd], axis=-1)]
        end, nv = state, self.model.nv
        for node, weights in zip(_NODES[1:], _WEIGHTS[1:], strict=True):
            moved = h * _sum(weights, slopes)
            x, v = moved[..., :nv], finite(state.v + moved[..., nv:])
            end = self.start(state.t + node * h, self.model.integrate(state.q, x), v)
            assert end.qdd is not None
            slopes.append(np.concatenate([self._chart_rate(state.q, end.q, x, v), end.qdd], axis=-1))
        wrong = np.abs(h * _sum(_ERROR, slopes))
        wrong[..., nv:] /= 1.0 + np.maximum(np.abs(state.v), np.abs(end.v))
        return Stepped(end, float(wrong.max(initial=0.0)) / self.tolerance)

    def _chart_rate(self, q0: Numbers, q: Numbers, x: Numbers, v: Numbers) -> Numbers:
        found, rate = difference_rate(self.model, q0, q, v)
        if not np.abs(found - x).max(initial=0.0) <= 1e-6 * (1.0 + np.abs(x).max(initial=0.0)):
            raise LeftChart
        return rate


def _sum(weights: Sequence[float], slopes: Sequence[Numbers]) -> Numbers:
    return np.sum([weight * slope for weight, slope in zip(weights, slopes, strict=True) if weight], axis=0)


def finite(v: Numbers) -> Numbers:
    """Rates, if none of them has left the range of floats."""
    if not np.isfinite(v).all():
        raise RangeError("the rates leave the range of floats.")
    return v
