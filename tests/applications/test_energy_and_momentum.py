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
from tests.strategies import mechanisms

Floats = NDArray[np.float64]
seeds = st.integers(0, 1000)

_WEIGHTS = ((1, 45.0), (2, -9.0), (3, 1.0))
STEP = 2e-3
# Sixth-order differences: the truncation is STEP⁶ times high derivatives, rounding is eps / STEP.
DIGITS = 1e-9


def rate(model: Model, q: Floats, v: Floats, qdd: Floats, value: Callable[[Floats, Floats], Any]) -> Any:
    """d/dt of a function of (q, v) where q moves with v and v with q̈."""
    total: Any = 0.0
    for count, weight in _WEIGHTS:
        t = count * STEP
        ahead = value(model.integrate(q, t * v), v + t * qdd)
        behind = value(model.integrate(q, -t * v), v - t * qdd)
        total = total + weight * (ahead - behind)
    return total / (60.0 * STEP)


def close(found: Any, expected: Any, scale: float = 1.0, digits: float = DIGITS) -> bool:
    size = max(1.0, scale, float(np.abs(expected).max(initial=0.0)))
    return bool(np.abs(np.asarray(found) - expected).max(initial=0.0) <= digits * size)


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
    assert close(found, dense_dynamics.kinetic_energy(model, q, v), digits=1e-13)


@given(mechanisms(), seeds)
@settings(max_examples=40)
def test_potential_energy_counts_from_the_origin(model: Model, seed: int) -> None:
    q, _ = model.random(seed)
    assert close(dynamics.potential_energy(model, q=q), dense_dynamics.potential_energy(model, q), 10.0, 1e-12)


@given(mechanisms(), seeds)
@settings(max_examples=40)
def test_gravity_term_is_the_gradient_of_potential_energy(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    slope = rate(model, q, v, 0 * v, lambda q, _: dynamics.potential_energy(model, q=q))
    force = compile_program(dynamics.gravity_term, model)(q=q)
    assert close(slope, force @ v, 10.0)


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
        scale = float(np.abs(qdd).max() * np.abs(v).max() * 10)
        assert close(rate(model, q, v, qdd, energy), power - lost + f_ext @ velocity, scale)


@given(mechanisms(), seeds)
@settings(max_examples=40)
def test_momentum_is_the_sum_over_bodies(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    velocity = compile_program(dynamics.velocity, model)(q=q, v=v).reshape(-1, 6)
    parts = [
        to_ground(R, p) @ body.inertia.matrix() @ V
        for R, p, V, body in zip(*origins(model, q), velocity, model.bodies, strict=True)
    ]
    assert close(compile_program(dynamics.momentum, model)(q=q, v=v), np.sum(parts, axis=0), digits=1e-12)


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
    assert close(change, ground + np.sum(applied, axis=0) + gravity, 100.0)


@given(mechanisms(), seeds)
@settings(max_examples=40)
def test_centre_of_mass_is_the_mean_of_bodies_and_moves_with_momentum(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    mass = np.array([body.inertia.mass for body in model.bodies])
    centres = [p + R @ np.array(body.inertia.com) for R, p, body in zip(*origins(model, q), model.bodies, strict=True)]
    assert close(dynamics.total_mass(model), mass.sum(), digits=1e-13)
    assert close(dynamics.centre_of_mass(model, q=q), mass @ np.array(centres) / mass.sum(), digits=1e-12)
    velocity = rate(model, q, v, 0 * v, lambda q, _: dynamics.centre_of_mass(model, q=q))
    linear = compile_program(dynamics.momentum, model)(q=q, v=v)[3:]
    assert close(velocity * mass.sum(), linear, 10.0)


@given(mechanisms(), seeds)
@settings(max_examples=30)
def test_ground_inertia_is_the_inertia_of_all_bodies(model: Model, seed: int) -> None:
    q, _ = model.random(seed)
    moved = [
        to_ground(R, p) @ body.inertia.matrix() @ to_ground(R, p).T
        for R, p, body in zip(*origins(model, q), model.bodies, strict=True)
    ]
    assert close(compile_program(dynamics.ground_inertia, model)(q=q), np.sum(moved, axis=0), digits=1e-12)


@given(mechanisms(), seeds)
@settings(max_examples=30)
def test_poses_are_composed_from_the_base(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    found = dynamics.poses(model, q=q)
    rotations, positions = origins(model, q)
    for k, name in enumerate(model.body_names):
        assert close(found[name][0], rotations[k], digits=1e-13)
        assert close(found[name][1], positions[k], digits=1e-13)
    # The origin of a body moves with its velocity.
    velocity = compile_program(dynamics.velocity, model)(q=q, v=v).reshape(-1, 6)
    speed = rate(
        model, q, v, 0 * v, lambda q, _: np.array([dynamics.poses(model, q=q)[n][1] for n in model.body_names])
    )
    assert close(speed, np.einsum("kij,kj->ki", rotations, velocity[:, 3:]), 10.0)


def test_frames_ride_on_their_bodies() -> None:
    for name in ("arm7", "quadruped", "humanoid"):
        model = load(name)
        q, _ = model.random(1)
        found = dynamics.poses(model, q=q)
        assert set(found) == {*model.body_names, *model.frames}
        for key, frame in model.frames.items():
            R, p = found[frame.body] if frame.body is not None else (np.eye(3), np.zeros(3))
            assert close(found[key][0], R @ np.array(frame.placement.rotation), digits=1e-14)
            assert close(found[key][1], p + R @ np.array(frame.placement.translation), digits=1e-14)


def test_readouts_take_batches() -> None:
    model = load("quadruped")
    q = np.stack([model.random(seed)[0] for seed in range(6)]).reshape(2, 3, -1)
    assert dynamics.centre_of_mass(model, q=q).shape == (2, 3, 3)
    assert dynamics.potential_energy(model, q=q).shape == (2, 3)
    assert dynamics.poses(model, q=q)[model.body_names[2]][0].shape == (2, 3, 3, 3)
    assert close(dynamics.centre_of_mass(model, q=q)[1, 2], dynamics.centre_of_mass(model, q=q[1, 2]), digits=1e-14)
