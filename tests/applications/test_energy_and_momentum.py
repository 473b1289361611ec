"""Energy, momentum and the mass centre against their definitions and against differences along a motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.operators.leaves import LeafValues
from tests.lowering.test_translation_validation import mechanism as equipped
from tests.oracles import dense_dynamics
from tests.oracles.finite_differences import allowed as differenced
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms

Floats = NDArray[np.float64]
seeds = st.integers(0, 1000)

_WEIGHTS = ((1, 45.0), (2, -9.0), (3, 1.0))
STEP = 2e-3


def rate(model: Model, q: Floats, v: Floats, qdd: Floats, value: Callable[[Floats, Floats], Any]) -> Any:
    """d/dt of a function of (q, v) where q moves with v and v with q̈."""
    total: Any = 0.0
    for count, weight in _WEIGHTS:
        t = count * STEP
        ahead = value(model.integrate(q, t * v), v + t * qdd)
        behind = value(model.integrate(q, -t * v), v - t * qdd)
        total = total + weight * (ahead - behind)
    return total / (60.0 * STEP)


def left(model: Model, q: Floats, v: Floats, *values: Any) -> float:
    """What rounding may leave of sums over all bodies, each at the end of a path of rotations."""
    terms = max(1.0, size(*values), reach(model, q) ** 2 * max(1.0, float(np.abs(v).sum())) * model.arrays.mass.sum())
    return rounding(float(terms), terms=9 * model.n)


def grown(v: Floats, qdd: Floats) -> float:
    """How fast joints move within a second."""
    return float(np.abs(v).sum() + np.abs(qdd).sum())


def growing(v: Floats) -> Floats:
    """Rates of joints, and one for rates that grow beside: v + t q̈ changes by its size in a second."""
    return np.append(v, 1.0)


def reach(model: Model, q: Floats) -> float:
    """How far from the base a body is."""
    return 1.0 + size(origins(model, q)[1])


def origins(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """Rotation and position of every body in the base."""
    return LeafValues(model, q).absolute


def tilde(a: Floats) -> Floats:
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def to_ground(R: Floats, p: Floats) -> Floats:
    """The force transform from a body to the base."""
    return np.block([[R, tilde(p) @ R], [np.zeros((3, 3)), R]])


@given(mechanisms(armature=True), seeds)
@settings(max_examples=40)
def test_kinetic_energy_is_half_of_v_mass_v(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    found = compile_program(dynamics.kinetic_energy, model)(q=q, v=v)
    assert np.ndim(found) == 0
    assert apart(found, dense_dynamics.kinetic_energy(model, q, v)) <= dense_dynamics.allowed(model, q, v).force


@given(mechanisms(), seeds)
@settings(max_examples=40)
def test_potential_energy_counts_from_the_origin(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    weight = model.arrays.mass.sum() * float(np.linalg.norm(model.gravity))
    found = dynamics.potential_energy(model, q=q)
    assert apart(found, dense_dynamics.potential_energy(model, q)) <= left(model, q, v, weight * reach(model, q))


@given(mechanisms(), seeds)
@settings(max_examples=40)
def test_gravity_term_is_the_gradient_of_potential_energy(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    slope = rate(model, q, v, 0 * v, lambda q, _: dynamics.potential_energy(model, q=q))
    force = compile_program(dynamics.gravity_term, model)(q=q)
    weight = model.arrays.mass.sum() * float(np.linalg.norm(model.gravity))
    assert apart(slope, force @ v) <= differenced(weight * reach(model, q), v)


def test_energy_changes_by_the_power_of_forces() -> None:
    for index in range(3):
        model = equipped(index)
        rng = np.random.default_rng(index)
        q, v = model.random(index)
        T, f_ext = rng.standard_normal(model.nv), rng.standard_normal(6 * model.n)
        qdd = compile_program(dynamics.forward_dynamics, model)(q=q, v=v, T=T, f_ext=f_ext)
        kinetic = compile_program(dynamics.kinetic_energy, model)

        def energy(q: Floats, v: Floats, model: Model = model, kinetic: Any = kinetic) -> Any:
            return kinetic(q=q, v=v) + dynamics.potential_energy(model, q=q)

        power = compile_program(dynamics.power, model)(q=q, T=T, v=v)
        lost = v @ (model.arrays.damping * v)
        velocity = compile_program(dynamics.velocity, model)(q=q, v=v)
        terms = size(dense_dynamics.mass_matrix(model, q)) * grown(v, qdd) ** 2 + abs(energy(q, 0 * v))
        assert apart(rate(model, q, v, qdd, energy), power - lost + f_ext @ velocity) <= differenced(terms, growing(v))


@given(mechanisms(), seeds)
@settings(max_examples=40)
def test_momentum_is_the_sum_over_bodies(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    velocity = compile_program(dynamics.velocity, model)(q=q, v=v).reshape(-1, 6)
    parts = [
        to_ground(R, p) @ body.inertia.matrix() @ V
        for R, p, V, body in zip(*origins(model, q), velocity, model.bodies, strict=True)
    ]
    assert apart(compile_program(dynamics.momentum, model)(q=q, v=v), np.sum(parts, axis=0)) <= left(
        model, q, v, *parts
    )


@given(mechanisms(), seeds)
@settings(max_examples=40)
def test_momentum_changes_by_the_wrenches_from_outside(model: Model, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, v = model.random(seed)
    qdd, f_ext = rng.standard_normal(model.nv), rng.standard_normal(6 * model.n)
    momentum = compile_program(dynamics.momentum, model)
    change = rate(model, q, v, qdd, lambda q, v: momentum(q=q, v=v))
    ground = compile_program(dynamics.ground_wrench, model)(q=q, v=v, qdd=qdd, f_ext=f_ext)
    applied = [to_ground(R, p) @ f for R, p, f in zip(*origins(model, q), f_ext.reshape(-1, 6), strict=True)]
    weight = dynamics.total_mass(model) * np.array(model.gravity)
    gravity = np.concatenate([np.cross(dynamics.centre_of_mass(model, q=q), weight), weight])
    terms = model.arrays.mass.sum() * reach(model, q) ** 2 * grown(v, qdd)
    allowed = differenced(terms, growing(v)) + left(model, q, v, ground, gravity, *applied)
    assert apart(change, ground + np.sum(applied, axis=0) + gravity) <= allowed


@given(mechanisms(), seeds)
@settings(max_examples=40)
def test_centre_of_mass_is_the_mean_of_bodies_and_moves_with_momentum(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    mass = np.array([body.inertia.mass for body in model.bodies])
    centres = [p + R @ np.array(body.inertia.com) for R, p, body in zip(*origins(model, q), model.bodies, strict=True)]
    assert apart(dynamics.total_mass(model), mass.sum()) <= rounding(mass.sum(), terms=model.n)
    assert apart(dynamics.centre_of_mass(model, q=q), mass @ np.array(centres) / mass.sum()) <= left(model, q, v)
    velocity = rate(model, q, v, 0 * v, lambda q, _: dynamics.centre_of_mass(model, q=q))
    linear = compile_program(dynamics.momentum, model)(q=q, v=v)[3:]
    assert apart(velocity * mass.sum(), linear) <= differenced(reach(model, q) * mass.sum(), v)


@given(mechanisms(), seeds)
@settings(max_examples=30)
def test_ground_inertia_is_the_inertia_of_all_bodies(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    moved = [
        to_ground(R, p) @ body.inertia.matrix() @ to_ground(R, p).T
        for R, p, body in zip(*origins(model, q), model.bodies, strict=True)
    ]
    assert apart(compile_program(dynamics.ground_inertia, model)(q=q), np.sum(moved, axis=0)) <= left(
        model, q, v, *moved
    )


@given(mechanisms(), seeds)
@settings(max_examples=30)
def test_poses_are_composed_from_the_base(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    found = dynamics.poses(model, q=q)
    rotations, positions = origins(model, q)
    for k, name in enumerate(model.body_names):
        assert apart(found[name][0], rotations[k]) <= rounding(terms=9 * model.n)
        assert apart(found[name][1], positions[k]) <= rounding(reach(model, q), terms=9 * model.n)
    # The origin of a body moves with its velocity.
    velocity = compile_program(dynamics.velocity, model)(q=q, v=v).reshape(-1, 6)
    speed = rate(
        model, q, v, 0 * v, lambda q, _: np.array([dynamics.poses(model, q=q)[n][1] for n in model.body_names])
    )
    assert apart(speed, np.einsum("kij,kj->ki", rotations, velocity[:, 3:])) <= differenced(reach(model, q), v)


def test_frames_ride_on_their_bodies() -> None:
    for name in ("arm7", "quadruped", "humanoid"):
        model = load(name)
        q, _ = model.random(1)
        found = dynamics.poses(model, q=q)
        assert set(found) == {*model.body_names, *model.frames}
        for key, frame in model.frames.items():
            R, p = found[frame.body] if frame.body is not None else (np.eye(3), np.zeros(3))
            assert apart(found[key][0], R @ np.array(frame.placement.rotation)) <= rounding(terms=3)
            place = p + R @ np.array(frame.placement.translation)
            assert apart(found[key][1], place) <= rounding(1.0 + size(place), terms=3)


def test_readouts_take_batches() -> None:
    model = load("quadruped")
    q = np.stack([model.random(seed)[0] for seed in range(6)]).reshape(2, 3, -1)
    assert dynamics.centre_of_mass(model, q=q).shape == (2, 3, 3)
    assert dynamics.potential_energy(model, q=q).shape == (2, 3)
    assert dynamics.poses(model, q=q)[model.body_names[2]][0].shape == (2, 3, 3, 3)
    alone = dynamics.centre_of_mass(model, q=q[1, 2])
    assert apart(dynamics.centre_of_mass(model, q=q)[1, 2], alone) <= rounding(reach(model, q[1, 2]), terms=9 * model.n)
