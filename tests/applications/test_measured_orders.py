"""Orders of convergence, measured by halving steps: rates of P, D, ξ along the motion, and algorithm 8.1."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.applications import diagonalized
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model
from tests.rounding import rounding, size
from tests.strategies import ALL_JOINTS

Floats = NDArray[np.float64]
TREES = {
    "turning": random_tree(5, joints=("revolute",), seed=4),
    "of coordinates": random_tree(5, joints=("revolute", "prismatic", "helical", "cylindrical"), seed=7),
    "any": random_tree(5, joints=tuple(kind for kind in ALL_JOINTS if kind != "universal"), seed=2),
}
STEPS = (0.04, 0.02, 0.01)


def has_order(order: int, wrong: Callable[[float], float], steps: tuple[float, float, float], floor: float) -> None:
    """The error is a hᵖ (1 + b h + …): of two measured orders the second is off by half as much as the first.

    So they are apart by as much as the second is off, to first order, and twice that holds it. `floor` is rounding.
    """
    errors = [wrong(step) for step in steps]
    assert errors[-1] > 100.0 * floor, "the steps are too short to see an order"
    first, second = (math.log2(a / b) for a, b in pairwise(errors))
    assert abs(second - order) <= 2.0 * abs(first - second) + 2.0 * floor / errors[-1]
    assert abs(second - order) < 0.5  # or another order would be nearer


def value(e: Expr, model: Model, q: Floats, **given: Any) -> Floats:
    return np.asarray(oa.evaluate(e, model, q=q, **given).dense())


def difference(e: Expr, model: Model, q: Floats, v: Floats, h: float) -> Floats:
    """The central difference along q ⊕ t v, in the axes of the bodies: of order two."""
    ahead, behind = (value(e, model, model.integrate(q, t * v)) for t in (h, -h))
    return (ahead - behind) / (2.0 * h)


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize(("e", "rate"), [(s.P, s.P_ring), (s.D, s.D_ring), (s.G, s.G_ring)], ids=["P", "D", "G"])
def test_algorithm_6_1_is_what_differences_tend_to(name: str, e: Expr, rate: Expr) -> None:
    """P̊ in one sweep, and what follows from it."""
    model = TREES[name]
    q, v = model.random(1)
    exact = value(rate, model, q, v=v)
    largest = size(value(e, model, q))
    has_order(2, lambda h: size(difference(e, model, q, v, h) - exact), STEPS, rounding(largest, terms=36) / STEPS[-1])


@pytest.mark.parametrize("name", TREES)
def test_algorithm_7_1_is_what_differences_tend_to(name: str) -> None:
    """D ξ̇ + C_ξ = κ along the motion that forces T make, with ξ̇ from differences of ξ at poses and rates around."""
    model = Model(name=name, bodies=TREES[name].bodies, gravity=(0.0, 0.0, 0.0))
    q, v = model.random(1)
    T = np.linspace(-1.0, 1.0, model.nv)
    exact = value(s.C_xi, model, q, v=v).ravel()
    kappa, D = value(s.kappa, model, q, T=T).ravel(), value(s.D, model, q)
    qdd = value(oa.dynamics.forward_dynamics, model, q, v=v, T=T).ravel()

    def wrong(h: float) -> float:
        # The pose moves with v ± h q̈ / 2 over a step: right to second order on each side.
        xi = [value(s.xi, model, model.integrate(q, t * (v + 0.5 * t * qdd)), v=v + t * qdd).ravel() for t in (h, -h)]
        return size(kappa - D @ (xi[0] - xi[1]) / (2.0 * h) - exact)

    has_order(2, wrong, STEPS, rounding(size(exact, kappa) + size(D) * size(v), terms=36) / STEPS[-1])


class Motion:
    """A free motion of coordinates under constant forces in total rates, and where it ends."""

    def __init__(self) -> None:
        model = Model(name="free", bodies=TREES["of coordinates"].bodies, gravity=(0.0, 0.0, 0.0))
        self.T = np.linspace(-0.5, 0.5, model.nv)
        self.q, self.v = model.random(3)
        self.xi = value(s.xi, model, self.q, v=self.v).ravel()
        self.moved = oa.compile(diagonalized.total_acceleration, model)
        self.back = oa.compile(diagonalized.rates_of_total, model)
        film = oa.simulate(model, self.q, self.v, torque=self.T, until=0.25, tolerance=1e-12)
        self.end = film.q[-1], value(s.xi, model, film.q[-1], v=film.v[-1]).ravel()

    def euler(self, h: float, *, late: bool) -> float:
        """What steps of order one are off by; with velocities of the step before, or in three sweeps."""
        q, xi, rates = self.q, self.xi, self.v
        for _ in range(round(0.25 / h)):
            now = self.back(q=q, total=xi)
            rate = self.moved(q=q, v=rates if late else now, T=self.T)
            q, xi, rates = q + h * now, xi + h * rate, now
        return size(q - self.end[0], xi - self.end[1])

    def heun(self, h: float, *, late: bool) -> float:
        """The same of steps of order two."""
        q, xi, rates = self.q, self.xi, self.v
        for _ in range(round(0.25 / h)):
            first = self.back(q=q, total=xi)
            slope = self.moved(q=q, v=rates if late else first, T=self.T)
            second = self.back(q=q + h * first, total=xi + h * slope)
            after = self.moved(q=q + h * first, v=first if late else second, T=self.T)
            q, xi, rates = q + 0.5 * h * (first + second), xi + 0.5 * h * (slope + after), first
        return size(q - self.end[0], xi - self.end[1])


@pytest.fixture(scope="module")
def motion() -> Motion:
    return Motion()


SHORT = (0.25 / 32, 0.25 / 64, 0.25 / 128)


@pytest.mark.parametrize("late", [True, False], ids=["as listed", "in three sweeps"])
def test_algorithm_8_1_in_steps_of_euler(motion: Motion, late: bool) -> None:
    """Its two sweeps meet gains of this pose with velocities of the last one: of order one, as Euler's steps are."""
    has_order(1, lambda h: motion.euler(h, late=late), SHORT, 1e-12)


@pytest.mark.parametrize(("late", "order"), [(False, 2), (True, 1)], ids=["in three sweeps", "as listed"])
def test_algorithm_8_1_in_steps_of_heun(motion: Motion, late: bool, order: int) -> None:
    """Steps of order two in three sweeps, and of order one with velocities of the step before."""
    has_order(order, lambda h: motion.heun(h, late=late), SHORT, 1e-12)
