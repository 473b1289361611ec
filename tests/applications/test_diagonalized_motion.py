"""Motions in diagonalised rates: orders of convergence as measured, and controls at work."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.applications import diagonalized, dynamics
from operator_algebra.applications.film import Film
from operator_algebra.errors import SpaceMismatch
from operator_algebra.models.families import random_tree
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.rounding import apart, differencing, rounding, size

LINALG: Any = np.linalg
Floats = NDArray[np.float64]
Value = Callable[[Floats, Floats], Floats]
Slope = Callable[[Floats, Floats], tuple[Floats, Floats]]

TREE = random_tree(4, joints=("revolute", "prismatic"), seed=3)
UNTIL = 0.5


def along(model: Model) -> dict[str, tuple[Value, Slope]]:
    """For each kind of rates: its value at a pose, and the rates of the pose and of itself."""
    T = np.linspace(-0.5, 0.5, model.nv)
    names = ("xi", "nu", "rates_of_total", "rates_of_normalised", "total_acceleration", "normalised_acceleration")
    program = {name: oa.compile(getattr(diagonalized, name), model) for name in names}
    forward = oa.compile(dynamics.forward_dynamics, model)

    def ordinary(q: Floats, v: Floats) -> tuple[Floats, Floats]:
        return v, forward(q=q, v=v, T=T)

    def total(q: Floats, xi: Floats) -> tuple[Floats, Floats]:
        v = program["rates_of_total"](q=q, total=xi)
        return v, program["total_acceleration"](q=q, v=v, T=T)

    def normalised(q: Floats, nu: Floats) -> tuple[Floats, Floats]:
        v = program["rates_of_normalised"](q=q, normalised=nu)
        return v, program["normalised_acceleration"](q=q, v=v, T=T)

    return {
        "v": (lambda q, v: v, ordinary),
        "xi": (lambda q, v: program["xi"](q=q, v=v), total),
        "nu": (lambda q, v: program["nu"](q=q, v=v), normalised),
    }


def runge_kutta(slope: Slope, q: Floats, rates: Floats, steps: int) -> tuple[Floats, Floats]:
    """The classical method of order four, for coordinates that add up."""
    h = UNTIL / steps
    for _ in range(steps):
        k = [slope(q, rates)]
        for share in (0.5, 0.5, 1.0):
            k.append(slope(q + share * h * k[-1][0], rates + share * h * k[-1][1]))
        q = q + h / 6.0 * (k[0][0] + 2.0 * k[1][0] + 2.0 * k[2][0] + k[3][0])
        rates = rates + h / 6.0 * (k[0][1] + 2.0 * k[1][1] + 2.0 * k[2][1] + k[3][1])
    return q, rates


@pytest.fixture(scope="module")
def exact() -> tuple[Floats, Floats]:
    """Where the motion arrives, by ordinary dynamics in steps a fourth as long."""
    q, v = TREE.random(3)
    return runge_kutta(along(TREE)["v"][1], q, v, 160)


@pytest.mark.parametrize("kind", ["v", "xi", "nu"])
def test_all_rates_lead_to_one_place_with_order_four(kind: str, exact: tuple[Floats, Floats]) -> None:
    value, slope = along(TREE)[kind]
    q, v = TREE.random(3)
    expected = value(*exact)
    found = {steps: runge_kutta(slope, q, value(q, v), steps) for steps in (20, 40)}
    wrong = {steps: size(at - exact[0], rates - expected) for steps, (at, rates) in found.items()}
    assert math.log2(wrong[20] / wrong[40]) > 4.0 - 0.35


def test_algorithm_8_1_as_it_is_listed_is_of_order_one(exact: tuple[Floats, Floats]) -> None:
    """Its two sweeps meet gains of this pose with velocities of the last one: Euler's steps lose nothing by that."""
    q0, v0 = TREE.random(3)
    value, _ = along(TREE)["xi"]
    T = np.linspace(-0.5, 0.5, TREE.nv)
    moved = oa.compile(diagonalized.total_acceleration, TREE)
    back = oa.compile(diagonalized.rates_of_total, TREE)

    def wrong(steps: int) -> float:
        h, q, xi, late = UNTIL / steps, q0, value(q0, v0), v0
        for _ in range(steps):
            rate = moved(q=q, v=late, T=T)
            late = back(q=q, total=xi)
            q, xi = q + h * late, xi + h * rate
        return size(q - exact[0], xi - value(*exact))

    order = math.log2(wrong(200) / wrong(400))
    assert abs(order - 1.0) < 0.1


# -- controls ----------------------------------------------------------------------------------------------------------

FREE: dict[str, Model] = {
    "tree": Model(name="free tree", bodies=TREE.bodies, gravity=(0.0, 0.0, 0.0)),
    "in space": Model(
        name="in space",
        bodies=[
            Body("trunk", None, Joint.floating(), inertia=Inertia(2.0, (0.1, 0, 0), (0.1, 0.2, 0.25))),
            Body(
                "ball",
                "trunk",
                Joint.spherical(),
                Placement(translation=(0.4, 0, 0)),
                Inertia.sphere(1.0, 0.2, (0, 0, 0.3)),
            ),
        ],
        gravity=(0.0, 0.0, 0.0),
    ),
}
TOLERANCE = 1e-8


@pytest.mark.parametrize("model", FREE.values(), ids=list(FREE))
def test_rate_control_lets_the_energy_fall_as_is_asked(model: Model) -> None:
    """ε = −c ν: the energy is E₀ exp(−2 c t), whatever the mechanism and its pose; for ν of each kind of joint."""
    brake = oa.compile(diagonalized.rate_control, model)
    q, v = model.random(1)
    film = oa.simulate(model, q, v, torque=lambda t, q, v: brake(q=q, v=v, gain=1.3), until=0.5, tolerance=TOLERANCE)
    kinetic = film.energy().kinetic
    allowed = 10.0 * len(film) * TOLERANCE * (1.0 + size(kinetic))
    assert apart(kinetic, kinetic[0] * np.exp(-2.6 * film.t)) <= allowed


def test_set_point_control_brings_the_tip_to_its_place() -> None:
    """½ ν*ν + ½ c₂ e*e falls by c₁ ν*ν in a second, until the tip is where it shall be."""
    plain = oa.load("planar3r")
    frames = {"tip": oa.Frame("hand", Placement(translation=(0.5, 0, 0)))}
    arm = Model(name="arm", bodies=plain.bodies, gravity=(0, 0, 0), frames=frames)
    there, damped, pull = np.array([1.2, 0.9, 0.0]), 3.0, 20.0
    control = oa.compile(diagonalized.set_point_control, arm)

    def error(q: Floats) -> Floats:
        return there - oa.dynamics.poses(arm, q=q)["tip"][1]

    def torque(t: float, q: Floats, v: Floats) -> Floats:
        picked = oa.task_space.picks(arm, ["tip"], linear=True, q=q)
        return control(q=q, v=v, gain=damped, pull=pull, B=picked, error=error(q))

    def stored(film: oa.Film) -> Any:
        return film.energy().kinetic + 0.5 * pull * np.sum(error(film.q) ** 2, axis=-1)

    film = oa.simulate(arm, [0.2, 0.4, 0.3], np.zeros(3), torque=torque, until=1.0, step=0.02)
    # Simpson's rule on pairs of steps, whose error is seen where steps are twice as long.
    power = 2.0 * damped * film.energy().kinetic
    lost = [
        float(h / 3.0 * np.sum(p[:-2:2] + 4.0 * p[1:-1:2] + p[2::2])) for h, p in ((0.02, power), (0.04, power[::2]))
    ]
    fallen = float(stored(film)[0] - stored(film)[-1])
    assert abs(fallen - lost[0]) <= abs(lost[1] - lost[0])
    assert abs(lost[1] - lost[0]) < 0.01 * fallen
    assert np.diff(stored(film)).max() <= 0.0
    # Near the place it is a pendulum, m ẍ + c₁ m ẋ + c₂ k x = 0 in each direction, damped by ζ: V falls by exp(−c₁ t),
    # between (1 + ζ) / (1 − ζ) times that and one part of it.
    late = oa.simulate(arm, film.q[-1], film.v[-1], torque=torque, until=5.0, step=0.05)
    first, last = (int(np.searchsorted(late.t, t)) for t in (2.0, 5.0))
    J = oa.compile(oa.task_space.jacobian, arm)(
        q=late.q[-1], B=oa.task_space.picks(arm, ["tip"], linear=True, q=late.q[-1])
    )
    mass = oa.evaluate(dynamics.mass_matrix, arm, q=late.q[-1]).dense()
    stiffness = np.real(LINALG.eigvals(LINALG.solve(mass, pull * J.T @ J)))
    damping = 0.5 * damped / math.sqrt(np.sort(stiffness)[1])  # one direction of three moves nothing
    assert damping < 0.5
    fell = math.log(stored(late)[first] / stored(late)[last])
    assert abs(fell - 3.0 * damped) <= math.log((1.0 + damping) / (1.0 - damping))


AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0))
SIX = Model(
    name="six",
    bodies=[
        Body(
            f"link{k}",
            f"link{k - 1}" if k else None,
            Joint.revolute(axis),
            Placement(translation=(0.0, 0.0, 0.0) if not k else (0.0, 0.0, 0.3)),
            Inertia.box(1.0, (0.2, 0.15, 0.3), com=(0.02, 0.01, 0.15)),
        )
        for k, axis in enumerate(AXES)
    ],
    gravity=(0.0, 0.0, 0.0),
    frames={"tip": oa.Frame("link5", Placement(translation=(0.1, 0.05, 0.2)))},
)
DAMPED, PULLED = 2.0, 4.0


def output(q: Floats) -> Floats:
    """Y: where the tip is, and its three axes, in those of the base."""
    rotation, point = oa.dynamics.poses(SIX, q=q)["tip"]
    return np.concatenate([point, rotation[:, 0], rotation[:, 1], rotation[:, 2]]).astype(np.float64)


def output_map(q: Floats) -> Floats:
    """B* of the last body, [−R r̃ R; −R ẽᵢ 0] in its axes: Ẏ = B* φ* H* v, as in (8.5)."""
    rotation, _ = oa.dynamics.poses(SIX, q=q)["tip"]

    def across(a: Any) -> Floats:
        return np.asarray(np.cross(np.eye(3), a).T, dtype=np.float64)  # −ã

    rows = [np.hstack([rotation @ across([0.1, 0.05, 0.2]), rotation])]
    rows += [np.hstack([rotation @ across(e), np.zeros((3, 3))]) for e in np.eye(3)]
    return np.concatenate(rows)


Control = Callable[[Floats, Floats, Any, Floats], Floats]


def closed_loop(control: Control, until: float) -> tuple[Film, Floats, Floats]:
    """The motion of the arm from one pose towards the outputs of another; errors e and V on the way."""
    start = np.array([0.3, -0.5, 0.8, 0.2, 0.6, -0.3])
    there = output(start + np.array([0.25, -0.2, 0.3, -0.25, 0.2, 0.3]))

    def torque(t: float, q: Floats, v: Floats) -> Floats:
        return control(q, v, {"link5": output_map(q).T}, there - output(q))

    film = oa.simulate(SIX, start, np.zeros(6), torque=torque, until=until, step=0.1)
    errors = np.array([there - output(q) for q in film.q])
    return film, errors, film.energy().kinetic + 0.5 * PULLED * np.sum(errors**2, axis=1)


def test_the_outputs_move_with_their_map() -> None:
    """Ẏ = B* φ* H* v, by differences."""
    q, v = SIX.random(4)
    V = oa.evaluate(dynamics.velocity, SIX, q=q, v=v).dense().ravel()
    step = 1e-5
    slope = (output(SIX.integrate(q, step * v)) - output(SIX.integrate(q, -step * v))) / (2.0 * step)
    assert apart(output_map(q) @ V[30:], slope) <= differencing(10.0 * (1.0 + size(V)), step)


def test_set_point_control_of_six_hinges_closes_the_loop() -> None:
    """V falls by c₁ ν*ν in a second and e goes to zero, as fast as the slowest motion about the place."""
    program = oa.compile(diagonalized.set_point_control, SIX)

    def control(q: Floats, v: Floats, B: Any, e: Floats) -> Floats:
        return program(q=q, v=v, gain=DAMPED, pull=PULLED, B=B, error=e)

    film, e, V = closed_loop(control, 12.0)
    assert np.diff(V).max() <= 0.0
    ends = np.sqrt(np.sum(e[[0, -1]] ** 2, axis=1))
    assert ends[0] > 0.5
    # About the place: ℳ q̈ + c₁ ℳ q̇ + c₂ J* J q = 0, where ℳ⁻¹ J* J = k makes λ² + c₁ λ + c₂ k = 0.
    J = output_map(film.q[-1]) @ oa.evaluate(s.phi.T @ s.H.T, SIX, q=film.q[-1]).dense()[30:]
    mass = oa.evaluate(dynamics.mass_matrix, SIX, q=film.q[-1]).dense()
    stiffness: Floats = np.real(LINALG.eigvals(LINALG.solve(mass, PULLED * J.T @ J)))
    slowest = float(np.max(np.real(-0.5 * DAMPED + np.sqrt(0.25 * DAMPED**2 - stiffness + 0j))))
    assert slowest < 0.0
    late = film.t >= 8.0
    share = float(np.polyfit(film.t[late], 0.5 * np.log(V[late]), 1)[0])
    assert abs(share - slowest) < 0.1 * abs(slowest)
    assert ends[1] < 0.02 * ends[0]


def test_the_printed_law_of_set_points_has_no_such_energy() -> None:
    """Without root(D)⁻¹ V may rise, where it should fall by c₁ ν*ν in a second; and what is printed has no type."""
    damp = oa.compile(diagonalized.rate_control, SIX)
    parts = oa.compile({"m": oa.dense(s.m), "z": s.H @ s.psi @ diagonalized.B @ diagonalized.error}, SIX)
    with pytest.raises(SpaceMismatch):
        _ = s.m @ s.H  # what is printed mixes torques with what is white

    def control(q: Floats, v: Floats, B: Any, e: Floats) -> Floats:
        found = parts(q=q, B=B, error=e)
        return damp(q=q, v=v, gain=DAMPED) + PULLED * found["m"] @ found["z"]

    _, _, V = closed_loop(control, 4.0)
    assert np.diff(V).max() > 1e-4 * V[0]


def test_the_pull_is_a_force_at_the_tip() -> None:
    """Where nothing moves, T = J* c₂ e."""
    arm = oa.load("arm7")
    q, _ = arm.random(2)
    picked = oa.task_space.picks(arm, ["tool"], linear=True, q=q)
    e = np.array([0.3, -0.2, 0.5])
    T = oa.compile(diagonalized.set_point_control, arm)(q=q, v=np.zeros(7), gain=1.0, pull=2.0, B=picked, error=e)
    J = oa.compile(oa.task_space.jacobian, arm)(q=q, B=picked)
    mass = oa.evaluate(dynamics.mass_matrix, arm, q=q).dense()
    assert apart(T, 2.0 * J.T @ e) <= rounding(size(J), terms=49, condition=float(np.linalg.cond(mass)))
