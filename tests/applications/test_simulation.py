"""Simulation against closed forms, SciPy's integrators, what is conserved, and measured orders of convergence."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.special import ellipj

import operator_algebra as oa
from operator_algebra.applications.simulation import METHODS, Film, implicit_step, semi_implicit_step, simulate
from operator_algebra.errors import RangeError
from operator_algebra.models.configurations import difference_rate
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.models.test_custom_joints import Cam
from tests.rounding import apart, rounding, size

Floats = NDArray[np.float64]

TIGHT = 1e-11
"""A tolerance of steps at which their errors are still above rounding."""
BALL = Inertia(1.0, (0.2, 0.1, -0.3), (0.04, 0.05, 0.06))


def model_of(*joints: Joint, gravity: tuple[float, float, float] = (0.0, 0.0, -9.81), tree: bool = False) -> Model:
    """Bodies on each other, or all on the first one."""
    parents = [None, *("body0" if tree else f"body{k}" for k in range(len(joints) - 1))]
    place = Placement(translation=(0.3, 0.1, -0.2))
    bodies = [Body(f"body{k}", parents[k], joint, place, BALL) for k, joint in enumerate(joints)]
    return Model(name="machine", bodies=bodies, gravity=gravity)


MACHINES = {
    "floating tree": model_of(Joint.floating(), Joint.revolute(), Joint.spherical(), Joint.planar(), tree=True),
    "maps that depend on q": model_of(Joint.universal(), Joint.helical(pitch=0.1, armature=0.2), Cam(lift=0.2)),
    "sliding": model_of(Joint.cylindrical(), Joint.prismatic((0, 1, 1), stiffness=30.0), Joint.translation()),
}
machines = pytest.mark.parametrize("model", MACHINES.values(), ids=list(MACHINES))


def pendulum(**options: Any) -> Model:
    """A bob of one kilogram, a metre below a hinge about y."""
    bob = Inertia(1.0, (0.0, 0.0, -1.0), (0.01, 0.01, 0.01))
    return Model(name="bob", bodies=[Body("bob", None, Joint.revolute((0, 1, 0), **options), inertia=bob)])


def lost(film: Film, tolerance: float) -> float:
    """What steps within a tolerance may lose of anything as large as the energies, times ten for their growth."""
    return 10.0 * len(film) * tolerance * (1.0 + size(film.energy().kinetic, film.energy().potential))


def end_by_scipy(model: Model, q: Floats, v: Floats, until: float) -> tuple[Floats, Floats]:
    """Where SciPy's integrator of order eight leads, in coordinates that know no manifold."""
    ahead = oa.compile(oa.dynamics.forward_dynamics, model)

    def slope(t: float, y: Floats) -> Floats:
        at, rates = y[: model.nq], y[model.nq :]
        for part, body in zip(model.q_slices, model.bodies, strict=True):
            if body.joint.quaternion is not None:
                unit = at[part][body.joint.quaternion]
                unit /= np.linalg.norm(unit)
        return np.concatenate([model.rate(at, rates), ahead(q=at, v=rates, T=np.zeros(model.nv))])

    found = solve_ivp(slope, (0.0, until), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-12)
    return found.y[: model.nq, -1], found.y[model.nq :, -1]


# -- against closed forms and other integrators ------------------------------------------------------------------------


def test_a_pendulum_is_an_elliptic_function() -> None:
    """sin(θ/2) = k cd(ωt, k²) from rest at θ₀, with k = sin(θ₀/2) and ω² = m g l / I."""
    start, omega = 2.5, math.sqrt(9.81 / 1.01)
    film = simulate(pendulum(), [start], [0.0], until=5.0, tolerance=TIGHT)
    k = math.sin(start / 2.0)
    _, cn, dn, _ = ellipj(omega * film.t, k * k)
    assert film.t[0] == 0.0
    assert film.t[-1] == 5.0
    assert apart(np.sin(film.q[:, 0] / 2.0), k * cn / dn) <= lost(film, TIGHT)


def test_a_damped_spring_is_a_decaying_wave() -> None:
    """x = e^(−ct/2) (cos ωt + c/2ω sin ωt) with ω² = k − c²/4, for one kilogram."""
    body = Body("cart", None, Joint.prismatic((1, 0, 0), stiffness=9.0, damping=0.4), inertia=Inertia.sphere(1.0, 0.1))
    film = simulate(Model(bodies=[body]), [1.0], [0.0], until=5.0, tolerance=TIGHT)
    omega = math.sqrt(9.0 - 0.04)
    wave = np.exp(-0.2 * film.t) * (np.cos(omega * film.t) + 0.2 / omega * np.sin(omega * film.t))
    assert apart(film.q[:, 0], wave) <= lost(film, TIGHT)


def test_torques_are_constant_or_functions_of_t_q_v() -> None:
    cart = Model(bodies=[Body("cart", None, Joint.prismatic((1, 0, 0)), inertia=Inertia.sphere(2.0, 0.1))])
    pushed = simulate(cart, [0.0], [1.0], torque=[3.0], until=2.0)
    assert apart(pushed.q[:, 0], pushed.t + 0.75 * pushed.t**2) <= rounding(5.0, terms=len(pushed))
    assert (pushed.T == 3.0).all()
    shaken = simulate(cart, [0.0], [0.0], torque=lambda t, q, v: 2.0 * np.cos([3.0 * t]), until=2.0, tolerance=TIGHT)
    assert apart(shaken.v[:, 0], np.sin(3.0 * shaken.t) / 3.0) <= lost(shaken, TIGHT)
    assert apart(shaken.T[:, 0], 2.0 * np.cos(3.0 * shaken.t)) <= rounding(2.0)
    braked = simulate(cart, [0.0], [1.0], torque=lambda t, q, v: -2.0 * v, until=2.0, tolerance=TIGHT)
    assert apart(braked.v[:, 0], np.exp(-braked.t)) <= lost(braked, TIGHT)


def test_what_holds_against_gravity_keeps_at_rest() -> None:
    arm = oa.load("arm7")
    q, _ = arm.random(1)
    hold = oa.compile(oa.dynamics.gravity_term, arm)(q=q)
    film = simulate(arm, q, np.zeros(7), torque=hold, until=0.1)
    assert apart(film.q[-1], film.q[0]) <= rounding(size(hold), terms=len(film), condition=1e3)


@machines
def test_scipy_arrives_at_the_same_place_by_model_rate(model: Model) -> None:
    q, v = model.random(2)
    film = simulate(model, q, v, until=0.25, tolerance=TIGHT)
    at, rates = end_by_scipy(model, q, v, 0.25)
    for part, body in zip(model.q_slices, model.bodies, strict=True):
        if body.joint.quaternion is not None:
            at[part][body.joint.quaternion] /= np.linalg.norm(at[part][body.joint.quaternion])
    assert apart(model.difference(at, film.q[-1]), np.zeros(model.nv)) <= lost(film, TIGHT)
    assert apart(film.v[-1], rates) <= lost(film, TIGHT)


# -- what is conserved -------------------------------------------------------------------------------------------------


@machines
def test_energy_stays_within_the_tolerance(model: Model) -> None:
    q, v = model.random(5)
    drifts: list[float] = []
    for tolerance in (1e-5, 1e-8):
        film = simulate(model, q, v, until=0.5, tolerance=tolerance)
        assert film.energy().drift <= lost(film, tolerance)
        drifts.append(film.energy().drift)
    assert drifts[1] <= max(0.1 * drifts[0], lost(film, 1e-12))


def test_a_free_mechanism_keeps_its_momentum_whatever_its_motors_do() -> None:
    dog = oa.load("quadruped")
    free = Model(name="free", bodies=dog.bodies, gravity=(0.0, 0.0, 0.0))
    q, v = free.random(0)

    def torque(t: float, q: Floats, v: Floats) -> Floats:
        return np.concatenate([np.zeros(6), 5.0 * np.sin(9.0 * t + np.arange(free.nv - 6))])

    film = simulate(free, q, v, torque=torque, until=0.1, tolerance=1e-10)
    assert film.momentum().shape == (len(film), 6)
    assert apart(film.momentum(), np.broadcast_to(film.momentum()[0], (len(film), 6))) <= lost(film, 1e-10)
    assert film.energy().drift > 0.01


def test_a_free_top_keeps_its_spin_in_the_base() -> None:
    """An asymmetric body turns about its middle axis, which is unstable: it tumbles, its momentum does not."""
    top = Model(
        bodies=[Body("top", None, Joint.spherical(), inertia=Inertia(1.0, (0, 0, 0), (0.1, 0.2, 0.25)))],
        gravity=(0.0, 0.0, 0.0),
    )
    film = simulate(top, top.neutral(), [0.01, 3.0, 0.0], until=9.0, tolerance=1e-9)
    assert film.v[:, 1].min() < -2.9
    assert apart(film.momentum()[:, :3], np.broadcast_to(film.momentum()[0, :3], (len(film), 3))) <= lost(film, 1e-9)


@machines
@pytest.mark.parametrize("method", METHODS)
def test_quaternions_stay_of_length_one(model: Model, method: Any) -> None:
    q, v = model.random(3)
    film = simulate(model, q, v, until=0.1, step=0.01, method=method)
    for part, body in zip(model.q_slices, model.bodies, strict=True):
        if body.joint.quaternion is not None:
            norms = np.linalg.norm(film.q[:, part][:, body.joint.quaternion], axis=-1)
            assert apart(norms, np.ones(len(film))) <= rounding()


# -- steps -------------------------------------------------------------------------------------------------------------


@machines
@pytest.mark.parametrize(("method", "order"), [("runge-kutta", 5.0), ("semi-implicit", 1.0), ("implicit", 1.0)])
def test_the_order_is_what_is_said(model: Model, method: Any, order: float) -> None:
    q, v = model.random(7)
    exact = simulate(model, q, v, until=0.2, step=0.0025 if order > 1.0 else 0.01)

    def wrong(step: float) -> float:
        film = simulate(model, q, v, until=0.2, step=step, method=method)
        return size(model.difference(exact.q[-1], film.q[-1]), film.v[-1] - exact.v[-1])

    length = 0.02 if order > 1.0 else 0.01
    assert math.log2(wrong(length) / wrong(length / 2.0)) > order - 0.35


@machines
def test_the_chart_starts_with_the_rates_and_follows_differences(model: Model) -> None:
    q0, v = model.random(1)
    assert apart(difference_rate(model, q0, q0, v)[1], v) <= rounding(size(v))
    q, h = model.integrate(q0, 0.3 * model.random(2)[1]), 1e-4
    weighted = ((1, 45.0), (2, -9.0), (3, 1.0))
    sides = [
        w * (model.difference(q0, model.integrate(q, n * h * v)) - model.difference(q0, model.integrate(q, -n * h * v)))
        for n, w in weighted
    ]
    found = difference_rate(model, q0, q, v)
    assert apart(found[0], model.difference(q0, q)) <= rounding(1.0)
    assert apart(found[1], sum(sides) / (60.0 * h)) <= rounding(1.0) / h


def test_steps_end_at_multiples_and_the_last_where_it_shall() -> None:
    film = simulate(pendulum(), [1.0], [0.0], until=1.0, step=0.1)
    assert film.t.tolist() == [0.1 * k if k < 10 else 1.0 for k in range(11)]
    assert simulate(pendulum(), [1.0], [0.0], until=1.0, step=0.3).t.tolist() == [0.0, 0.3, 0.6, 3 * 0.3, 1.0]
    assert simulate(pendulum(), [1.0], [0.0], until=1.0, step=7.0).t.tolist() == [0.0, 1.0]


def test_what_cannot_move_stays() -> None:
    still = oa.chain(2, joint="fixed")
    film = simulate(still, [], [], until=1.0)
    assert film.q.shape == (len(film), 0)
    assert film.energy().drift == 0.0
    assert film.t[-1] == 1.0


def test_a_torque_that_comes_late_is_not_leapt_over() -> None:
    """For so short a time it is a spring: v = sin(ωt) / Iω, but for what its weight is less than that of one."""
    film = simulate(pendulum(), [0.0], [0.0], torque=lambda t, q, v: [float(0.4 < t < 0.45)], until=1.0)
    inertia, time = 1.01, 0.05
    omega = math.sqrt(9.81 / inertia)
    turned = 0.5 * time**2 / inertia
    less = 9.81 * turned**3 / 6.0 * time / inertia
    assert abs(size(film.v) - math.sin(omega * time) / (inertia * omega)) <= lost(film, 1e-9) + less


@pytest.mark.parametrize("method", METHODS)
def test_motions_side_by_side_are_those_on_their_own(method: Any) -> None:
    model = MACHINES["floating tree"]
    starts = [model.random(seed) for seed in range(6)]
    q, v = (np.stack([start[i] for start in starts]).reshape(2, 3, -1) for i in range(2))
    film = simulate(model, q, v, until=0.06, step=0.02, method=method)
    assert film.q.shape == (4, 2, 3, model.nq)
    assert film.energy().total.shape == (4, 2, 3)
    alone = simulate(model, q[1, 2], v[1, 2], until=0.06, step=0.02, method=method)
    assert apart(film.q[:, 1, 2], alone.q) <= rounding(size(alone.q, alone.v), terms=100)
    assert simulate(model, q, v[0, 0], until=0.1, step=0.1).q.shape[1:] == (2, 3, model.nq)


def test_the_implicit_step_is_the_balance_at_its_end() -> None:
    """ℳ (v⁺ − v) = h (T − bias(q, v) − B (v⁺ − v) − h S v⁺); the semi-implicit one feels both at the start."""
    model = model_of(
        Joint.revolute(damping=0.3, stiffness=40.0), Joint.prismatic((1, 0, 0), damping=2.0), Joint.spherical()
    )
    (q, v), h = model.random(1), 0.05
    T = np.linspace(-1.0, 1.0, model.nv)
    mass = oa.evaluate(oa.dynamics.mass_matrix, model, q=q).dense()
    bias = oa.evaluate(oa.dynamics.bias, model, q=q, v=v).dense()
    B, S = np.diag(model.arrays.damping), np.diag(model.arrays.stiffness)
    after = oa.compile(implicit_step, model)(q=q, v=v, T=T, h=h, stiffness=model.arrays.stiffness)
    balance = mass @ (after - v) - h * (T - bias - B @ (after - v) - h * S @ after)
    assert apart(balance, np.zeros(model.nv)) <= rounding(size(mass) * size(after, v) + size(bias), terms=model.nv)
    explicit = oa.compile(semi_implicit_step, model)(q=q, v=v, T=T, h=h)
    assert apart(mass @ (explicit - v), h * (T - bias)) <= rounding(size(mass) * size(explicit, v), terms=model.nv)


def test_springs_and_dampers_of_any_strength_want_the_implicit_step() -> None:
    stiff = pendulum(stiffness=1e8, damping=1e6)
    still = simulate(stiff, [0.5], [0.0], until=1.0, step=0.05, method="implicit")
    assert (np.diff(np.abs(still.q[:, 0])) < 0.0).all()
    with pytest.raises(RangeError) as caught:
        simulate(stiff, [0.5], [0.0], until=5.0, step=0.05, method="semi-implicit")
    assert "simulate bob, after t = " in str(caught.value)
