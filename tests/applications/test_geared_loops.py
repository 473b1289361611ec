"""Loops of mechanisms in which joints follow others, against dense equations with a multiplier for each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import operator_algebra as oa
from operator_algebra import constraints, embedding
from operator_algebra.applications import holding, impacts
from operator_algebra.errors import InputError
from operator_algebra.interop.pinocchio import twin
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.loops import Loop
from operator_algebra.models.model import Body, Frame, Mimic, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.oracles import dense_dynamics
from tests.rounding import apart, condition, rounding, size

LINALG: Any = np.linalg
COARSE = 1e-7
"""The tolerance of steps."""
BALL = Inertia(1.2, (0.2, 0.1, -0.1), (0.05, 0.06, 0.07))


def wheel_and_weight() -> Model:
    """A four-bar whose crank turns a wheel, and whose rocker moves a weight along the coupler: one freedom."""
    bars = oa.load("four_bar")
    wheel = Body("wheel", None, Joint.revolute((0, 0, 1)), Placement(translation=(0, 1, 0)), BALL)
    weight = Body("weight", "coupler", Joint.prismatic((1, 0, 0)), Placement(translation=(0.2, 0, 0)), BALL)
    mimic = [Mimic("wheel", "crank", -2.0, 0.5), Mimic("weight", "rocker", 0.2, 0.1)]
    bodies = [*bars.bodies, wheel, weight]
    known: dict[str, Any] = {"gravity": bars.gravity, "frames": bars.frames, "loops": bars.loops}
    return Model(name="geared bars", bodies=bodies, mimic=mimic, **known)


def spatial(seed: int, *, branching: float = 0.2) -> tuple[Model, Any]:
    """A random tree with followers, whose last body is held to where it is, and the configuration in which it is."""
    joints = ("revolute", "prismatic", "revolute", "helical")
    tree = oa.random_tree(9, branching=branching, seed=seed, joints=joints)
    names = tree.joint_names
    rng = np.random.default_rng(seed)
    pairs: list[int] = rng.permutation(len(names))[:4].tolist()
    mimic = [Mimic(names[b], names[a], float(rng.uniform(-1.5, 1.5))) for a, b in (pairs[:2], pairs[2:])]
    free = Model(name=f"spatial {seed}", bodies=tree.bodies, mimic=mimic)
    q, _ = free.random(seed)
    last = tree.body_names[-1]
    R, p = oa.dynamics.poses(free, q=q)[last]
    frames = {"held": Frame(last), "there": Frame(None, Placement(R.tolist(), p.tolist()))}
    loop = Loop("hold", "there", "held", ("x", "y", "z"))
    return Model(name=free.name, bodies=free.bodies, frames=frames, mimic=mimic, loops=[loop]), q


def gear_rows(model: Model) -> Any:
    """B v = 0: a row for each follower, from the definition alone."""
    start = dict(zip(model.joint_names, (part.start for part in model.v_slices), strict=True))
    found = np.zeros((len(model.mimic), model.nv))
    for row, mimic in zip(found, model.mimic, strict=True):
        row[start[mimic.joint]], row[start[mimic.follows]] = 1.0, -mimic.multiplier
    return found


def loop_rows(model: Model, q: Any, v: Any) -> tuple[Any, Any]:
    """A and Ȧ v by their definitions."""
    picked: dict[str, Any] = {**constraints.rows(model, q=q, v=v)}
    A = oa.evaluate(constraints.jacobian, model, q=q, C=picked["C"]).dense()
    return A, oa.evaluate(constraints.drift, model, q=q, v=v, **picked).dense().ravel()


def by_multipliers(model: Model, q: Any, v: Any, T: Any) -> tuple[Any, float]:
    """q̈ from [[ℳ, −B*], [B, 0]] with B of loops and gears, and the condition of that matrix."""
    A, drift = loop_rows(model, q, v)
    B = np.vstack([A, gear_rows(model)])
    mass, bias = dense_dynamics.mass_matrix(model, q), dense_dynamics.bias(model, q, v)
    whole = np.block([[mass, -B.T], [B, np.zeros((len(B), len(B)))]])
    right = np.concatenate([T - bias, -drift, np.zeros(len(model.mimic))])
    return LINALG.solve(whole, right)[: model.nv], condition(whole)


@pytest.mark.parametrize("seed", range(3))
def test_acceleration_and_impact_are_those_of_dense_multipliers(seed: int) -> None:
    model, q = spatial(seed)
    v = constraints.kept_rates(model, q, model.random(seed)[1])
    T = np.random.default_rng(seed).uniform(-1.0, 1.0, model.nv)
    expected, condition_number = by_multipliers(model, q, v, T)
    coupling = embedding.coupling(model)
    picked: dict[str, Any] = {**constraints.rows(model, q=q, v=v)}
    found = oa.compile(holding.geared.acceleration, model)(q=q, v=v, T=T, **picked, **coupling)
    allowed = rounding(terms=9 * model.n, condition=condition_number)
    scale = size(expected) + size(dense_dynamics.bias(model, q, v))
    assert apart(found, expected) <= allowed * scale
    A, _ = loop_rows(model, q, v)
    B = np.vstack([A, gear_rows(model)])
    assert size(B @ v) <= allowed * size(v)
    # An impact of one rate: what is held meanwhile takes its part of the impulse.
    J = np.random.default_rng(seed + 1).uniform(-1.0, 1.0, (1, model.nv))
    whole, mass = np.vstack([B, J]), dense_dynamics.mass_matrix(model, q)
    jump = np.concatenate([np.zeros(len(B)), -1.5 * J @ v])
    inverse = LINALG.inv(mass)
    after = v + inverse @ whole.T @ LINALG.solve(whole @ inverse @ whole.T, jump)
    row = oa.operator("row", oa.RATE >> oa.space("hit", attached=False))
    met = impacts.of(row, constraints.jacobian, geared=True)
    state: dict[str, Any] = {"q": q, "v": v, "C": picked["C"], "restitution": 0.5, "row": J, **coupling}
    bounced = oa.compile({"after": met.velocity_after, "lost": met.energy_loss}, model)(**state)
    assert apart(bounced["after"], after) <= allowed * condition(mass) * size(after, v)
    energies = [0.5 * rates @ mass @ rates for rates in (v, after)]
    assert apart(bounced["lost"], energies[0] - energies[1]) <= allowed * condition(mass) * size(*energies)


@pytest.mark.parametrize("seed", range(2))
def test_acceleration_is_that_of_pinocchios_mass_matrix_with_multipliers(seed: int) -> None:
    pin = pytest.importorskip("pinocchio")
    model, q = spatial(seed, branching=0.0)
    v = constraints.kept_rates(model, q, model.random(seed)[1])
    other = twin(model)
    upper = np.triu(pin.crba(other.model, other.data, other.q(q)))
    mass = other.matrix(upper + np.triu(upper, 1).T)
    bias = other.v(pin.nonLinearEffects(other.model, other.data, other.q(q), other.v(v)))
    A, drift = loop_rows(model, q, v)
    B = np.vstack([A, gear_rows(model)])
    whole = np.block([[mass, -B.T], [B, np.zeros((len(B), len(B)))]])
    expected = LINALG.solve(whole, np.concatenate([-bias, -drift, np.zeros(len(model.mimic))]))[: model.nv]
    picked: dict[str, Any] = {**constraints.rows(model, q=q, v=v)}
    found = oa.compile(holding.geared.acceleration, model)(
        q=q, v=v, T=np.zeros(model.nv), **picked, **embedding.coupling(model)
    )
    allowed = rounding(size(expected) + size(bias), terms=9 * model.n, condition=condition(whole))
    assert apart(found, expected) <= allowed


@pytest.mark.slow
def test_a_motion_is_that_of_dense_multipliers() -> None:
    """SciPy's integrator of order eight, with an equation for every row and gear; nothing is mended on its way."""
    model, q = spatial(1)
    v = constraints.kept_rates(model, q, model.random(1)[1])
    until = 0.02
    film = oa.simulate(model, q, v, until=until, tolerance=COARSE)

    def slope(t: float, y: Any) -> Any:
        at, rates = y[: model.nq], y[model.nq :]
        return np.concatenate([rates, by_multipliers(model, at, rates, np.zeros(model.nv))[0]])

    found = solve_ivp(slope, (0.0, until), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    allowed = 10.0 * len(film) * COARSE * (1.0 + size(film.v))
    assert apart(film.q[-1], found[: model.nq]) <= allowed
    assert apart(film.v[-1], found[model.nq :]) <= allowed * (1.0 + size(film.v))


@pytest.mark.parametrize("method", ["runge-kutta", "semi-implicit", "implicit"])
def test_gears_and_loops_are_kept_together(method: Any) -> None:
    """With one freedom the energy alone tells the motion, and it strays by no more than steps err."""
    model = wheel_and_weight()
    q = constraints.closed(model, [0.8, -0.3, 1.5, 0.0, 0.0])
    v = constraints.kept_rates(model, q, [2.0, 0.0, 0.0, 0.0, 0.0])

    def strayed(**steps: Any) -> float:
        film = oa.simulate(model, q, v, until=0.1, method=method, tolerance=COARSE, **steps)
        exact = rounding(10.0, terms=len(film), condition=1e2)
        assert size(constraints.errors(model, q=film.q)) <= exact
        assert size(film.q - embedding.follow(model, film.q)) <= exact
        assert size(film.v @ gear_rows(model).T) <= exact
        C = constraints.rows(model, q=film.q)["C"]
        assert size(oa.compile(constraints.velocity, model)(q=film.q, v=film.v, C=C)) <= exact * size(film.v)
        energy = film.energy()
        if not steps:
            assert energy.drift <= COARSE * len(film) * 10.0 * (1.0 + size(energy.kinetic, energy.potential))
        return float(np.abs(energy.total[-1] - energy.total[0]))

    if method == "runge-kutta":
        strayed()
    else:
        assert np.log2(strayed(step=0.02) / strayed(step=0.01)) > 1.0 - 0.35


def test_a_start_is_refused_that_keeps_the_gears_and_opens_the_loop() -> None:
    model = wheel_and_weight()
    q = embedding.follow(model, [0.8, -0.3, 1.5, 0.0, 0.0])
    with pytest.raises(InputError, match="the loops of geared bars are open at the start"):
        oa.simulate(model, q, np.zeros(5), until=1.0)


def test_redundant_rows_are_welcome_with_gears_too() -> None:
    """A loop given twice, once in space."""
    model = wheel_and_weight()
    pin = model.loops[0]
    twice = [pin, Loop("again", pin.second, pin.first, ("x", "y", "z"))]
    q = constraints.closed(model, [0.8, -0.3, 1.5, 0.0, 0.0])
    v = constraints.kept_rates(model, q, [2.0, 0.0, 0.0, 0.0, 0.0])
    film = oa.simulate(model, q, v, until=0.01, step=0.005, constraints=twice)
    once = oa.simulate(model, q, v, until=0.01, step=0.005)
    # Stages are not on the loop, by a share of the step; what their rows ask for then differs by that.
    assert apart(film.q[-1], once.q[-1]) <= 0.005**4 * size(v) ** 4
    assert size(film.q - embedding.follow(model, film.q)) <= rounding(10.0, terms=1000)
