"""Motions that keep loops closed: the formulas of `constraints`, compiled, with the rows of a mechanism."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.applications import dynamics, embedding
from operator_algebra.applications.closing import Floats, Loops, errors, given_loops, row_names, rows
from operator_algebra.applications.holding import geared, held
from operator_algebra.applications.stepping import Rule, State, Stepped
from operator_algebra.calls.diagnosis import told_of_lost_digits
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, SingularError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.configurations import followed_q, followed_v
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import is_plain

_EXACT = 1e-14
"""Of an error, beside a metre: rounding."""
_OPEN = 1e-6
"""More than this is open from the start, and no slip of the last digits that somebody typed."""
_COMPLIANCE = 1e-5
"""Beside the mobility of what is corrected: rows that follow from each other are no obstacle, and leave no error."""
_STEPS = 60
_HALVINGS = 12
_MENDINGS = 8


class Keeper:
    """Loops of a model: accelerations, velocities and configurations that keep them. Redundant rows are welcome."""

    def __init__(self, model: Model, loops: Loops) -> None:
        self.model = model
        self.loops = given_loops(model, loops)
        self.count = len(row_names(model, loops=self.loops))
        self._dependent = False
        self._formulas = geared if model.mimic else held
        self._gears = embedding.coupling(model) if model.mimic else None

    def acceleration(self, q: Floats, v: Floats, T: Floats) -> Floats:
        """q̈ with the forces of the loops."""
        picked = rows(self.model, q=q, v=v, loops=self.loops)
        C, C_dot = picked["C"], picked["C_dot"]
        plain = self._plain(self._formulas.acceleration, q=q, v=v, T=T, C=C, C_dot=C_dot)
        if plain is not None:
            return plain
        drift = self.value(held.drift, q=q, v=v, C=C, C_dot=C_dot)
        moved = embedding.coupled_acceleration if self.model.mimic else dynamics.forward_dynamics
        return self._corrected(q, C, self.value(moved, q=q, v=v, T=T), drift)

    def velocity(self, q: Floats, v: Floats) -> Floats:
        """The nearest rates that keep the loops; joints that mimic others follow these first."""
        v = followed_v(self.model, v)
        if not self.count:
            return v
        C = self.picked(q)
        plain = self._plain(self._formulas.projected_velocity, q=q, v=v, C=C)
        return self._corrected(q, C, v, np.zeros(self.count)) if plain is None else plain

    def closed(self, q: Floats) -> Floats:
        """The configuration near q with closed loops, by Newton's method; steps that overshoot are halved."""
        q = followed_q(self.model, q)
        wrong = self._wrong(q)
        for _ in range(_STEPS):
            if not (wrong > _EXACT).any():
                return q
            before = wrong
            q, wrong = self._nearer(q, wrong)
            if not ((wrong < before) & (wrong > _EXACT)).any():
                break
        if (wrong > 1e3 * _EXACT).any():
            left = self._told(errors(self.model, q=q, loops=self.loops))
            what = f"the loops of {self.model.name} cannot be closed from there; what is left is {left}"
            raise InputError(f"{what}. Give a q that is nearer, or look at the frames of the loops.")
        return q

    def started(self, q: ArrayLike) -> Floats:
        """A configuration that was given, in float64."""
        found = self.model.check_q(q)
        if not is_plain(found):
            raise InputError(f"loops are closed in float64; q is {found.dtype.name}. Give floats.")
        return self.model.integrate(found, np.zeros(self.model.nv))

    def tested(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """The start of a motion, exact to rounding; refused where it does not keep the loops."""
        remedy = "oa.constraints.closed gives a q, oa.constraints.kept_rates rates to start from."
        apart = errors(self.model, q=q, loops=self.loops)
        if np.abs(apart).max(initial=0.0) > _OPEN:
            raise InputError(f"the loops of {self.model.name} are open at the start, by {self._told(apart)}. {remedy}")
        at = self.closed(q)
        rate = self.value(held.velocity, q=at, v=v, C=self.picked(at))
        if (np.abs(rate) > _OPEN * (1.0 + np.abs(v).max(axis=-1, keepdims=True))).any():
            raise InputError(f"v opens the loops of {self.model.name}, by {self._told(rate)} in a second. {remedy}")
        C = self.picked(at)
        self._dependent = self._plain(self._formulas.projected_velocity, q=at, v=v, C=C) is None
        return at, self.velocity(at, v)

    def agreeing(self, q: Floats, v: Floats, qdd: Floats) -> None:
        """Refuse accelerations that break the loops: what these ask for contradicts itself in such a pose."""
        picked = rows(self.model, q=q, v=v, loops=self.loops)
        drift = self.value(held.drift, q=q, v=v, **picked)
        wrong = self.value(held.velocity, q=q, v=qdd, C=picked["C"]) + drift
        size = 1.0 + np.abs(qdd).max(axis=-1, keepdims=True) + np.abs(drift).max(axis=-1, initial=0.0, keepdims=True)
        if (np.abs(wrong) > _OPEN * size).any():
            what = f"the loops of {self.model.name} contradict each other, by {self._told(wrong)}"
            raise SingularError(f"{what}. Start from another pose, or leave out rows that follow from others.")

    def _nearer(self, q: Floats, wrong: Floats) -> tuple[Floats, Floats]:
        """A step of Newton's method; where no part of it helps, the loops are closed or cannot be from there."""
        error = errors(self.model, q=q, loops=self.loops)
        step, share = self._correction(q, self.picked(q), error), np.where(wrong > _EXACT, 1.0, 0.0)
        nearest, least = q, wrong
        for _ in range(_HALVINGS):
            tried = self.model.integrate(q, share[..., None] * step)
            after = self._wrong(tried)
            better = after < least
            nearest, least = np.where(better[..., None], tried, nearest), np.where(better, after, least)
            share = np.where((least < wrong) | (share == 0.0), 0.0, 0.5 * share)
            if not share.any():
                break
        return nearest, least

    def _correction(self, q: Floats, C: Floats, error: Floats) -> Floats:
        """What mends an error, to first order; the next one mends what it leaves, of its own digits too."""
        mobility = self.value(self._formulas.mobility, q=q, C=C)
        total = np.trace(mobility, axis1=-2, axis2=-1)
        compliance = _COMPLIANCE * np.where(total > 0.0, total, 1.0)[..., None, None] * np.eye(self.count)
        with told_of_lost_digits(lambda least, text: None):
            return self.value(self._formulas.correction, q=q, C=C, error=error, compliance=compliance)

    def _corrected(self, q: Floats, C: Floats, x: Floats, beside: Floats) -> Floats:
        """x mended until A x + beside is zero, where rows may follow from each other."""
        for _ in range(_MENDINGS):
            x = x + self._correction(q, C, self.value(held.velocity, q=q, v=x, C=C) + beside)
        return x

    def picked(self, q: Floats) -> Floats:
        """C of the rows."""
        return rows(self.model, q=q, loops=self.loops)["C"]

    def value(self, e: Expr, q: Floats, **values: Floats) -> Floats:
        """A formula at q; those in which joints follow others are given their gears."""
        return self._called(e)(q=q, **values)

    def _called(self, e: Expr) -> Callable[..., Floats]:
        program = compile_program(e, self.model)
        if self._gears is not None and "gears" in program.inputs:
            return partial(program, **self._gears)
        return program

    def _plain(self, e: Expr, q: Floats, **values: Floats) -> Floats | None:
        """A value; None where rows depend on each other, or nearly so."""
        if self._dependent:
            return None
        lost: list[str] = []
        try:
            with told_of_lost_digits(lambda least, text: lost.append(text)):
                found = self.value(e, q, **values)
        except SingularError:
            return None
        return None if lost else found

    def _wrong(self, q: Floats) -> Floats:
        return np.abs(errors(self.model, q=q, loops=self.loops)).max(axis=-1, initial=0.0)

    def _told(self, values: Floats) -> str:
        """The largest entries by the names of their rows."""
        worst = np.abs(values).reshape(-1, self.count).max(axis=0)
        names = row_names(self.model, loops=self.loops)
        chosen = [k for k in np.argsort(-worst)[:4] if worst[k] > 0]
        return ", ".join(f"{worst[k]:.2g} in {names[k]}" for k in chosen)


@dataclass(frozen=True)
class Kept:
    """Steps of a rule, after which what they lost of the loops is mended: q by least corrections, v by projection."""

    rule: Rule
    keeper: Keeper

    def start(self, t: float, q: Floats, v: Floats) -> State:
        """The state from which the first step is made."""
        state = self.rule.start(t, *self.keeper.tested(q, v))
        if state.qdd is not None:
            self.keeper.agreeing(state.q, state.v, state.qdd)
        return state

    def __call__(self, state: State, h: float) -> Stepped:
        """One step; one that leads nowhere is left as it is."""
        stepped = self.rule(state, h)
        if stepped.error is not None and not stepped.error < np.inf:
            return stepped
        q = self.keeper.closed(stepped.state.q)
        return Stepped(self.rule.start(stepped.state.t, q, self.keeper.velocity(q, stepped.state.v)), stepped.error)


def closed(model: Model, q: ArrayLike, *, loops: Loops = None) -> Floats:
    """The configuration near q in which the loops of a model, or others, are closed.

    Joints that mimic others follow.

    >>> import operator_algebra as oa
    >>> bars = oa.load("four_bar")
    >>> bool(abs(errors(bars, q=closed(bars, [0.5, 0.5, 1.5]))).max() < 1e-13)
    True
    """
    keeper = Keeper(model, loops)
    return keeper.closed(keeper.started(q))


def kept_rates(model: Model, q: ArrayLike, v: ArrayLike, *, loops: Loops = None) -> Floats:
    """P v, the nearest rates that keep the loops of a model, or others, also where these depend on each other.

    Joints that mimic others follow the rates given for these.

    >>> import operator_algebra as oa
    >>> bars = oa.load("four_bar")
    >>> kept_rates(bars, closed(bars, [0.5, 0.5, 1.5]), [1.0, 0.0, 0.0]).shape
    (3,)
    """
    keeper = Keeper(model, loops)
    return keeper.velocity(keeper.started(q), model.check_v(v))
