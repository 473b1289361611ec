"""Compiled dynamics against the textbook recursions and Pinocchio, on random forests with every joint."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.leaves import Frame, LeafValues
from tests.oracles import pinocchio_models, recursive_dynamics
from tests.strategies import mechanisms

Floats = NDArray[np.float64]
frames = st.sampled_from(["body", "world"])
seeds = st.integers(0, 1000)
DIGITS = 1e-12  # relative to the largest entry: two recursions of some hundred products each


def close(found: Any, expected: Any, digits: float = DIGITS) -> bool:
    found, expected = np.asarray(found), np.asarray(expected)
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    return found.shape == expected.shape and bool(np.abs(found - expected).max(initial=0.0) <= digits * scale)


def condition(model: Model, q: Floats) -> float:
    """How much a solve with the mass matrix magnifies rounding."""
    return float(np.linalg.cond(recursive_dynamics.mass_matrix(model, q))) if model.nv else 1.0


@given(mechanisms(armature=True), seeds, frames)
def test_inverse_dynamics_is_newton_euler(model: Model, seed: int, frame: Frame) -> None:
    q, v = model.random(seed)
    qdd = np.random.default_rng(seed).standard_normal(model.nv)
    found = compile_program(dynamics.inverse_dynamics, model, frame=frame)(q=q, v=v, qdd=qdd)
    assert close(found, recursive_dynamics.inverse_dynamics(model, q, v, qdd))


@given(mechanisms(armature=True), seeds, frames)
def test_forward_dynamics_is_the_articulated_body_algorithm(model: Model, seed: int, frame: Frame) -> None:
    q, v = model.random(seed)
    T = np.random.default_rng(seed).standard_normal(model.nv)
    found = compile_program(dynamics.forward_dynamics, model, frame=frame)(q=q, v=v, T=T)
    expected = recursive_dynamics.forward_dynamics(model, q, v, T)
    assert close(found, expected, 1e-14 * max(100.0, condition(model, q)))


@given(mechanisms(armature=True), seeds, frames)
@settings(max_examples=50)
def test_mass_matrix_is_that_of_composite_bodies(model: Model, seed: int, frame: Frame) -> None:
    q, _ = model.random(seed)
    found = compile_program(dynamics.mass_matrix, model, frame=frame)(q=q)
    assert close(found, recursive_dynamics.mass_matrix(model, q))


@given(mechanisms(), seeds, frames)
@settings(max_examples=50)
def test_external_forces_act_at_body_origins_in_the_axes_of_the_frame(model: Model, seed: int, frame: Frame) -> None:
    q, v = model.random(seed)
    in_body_axes = np.random.default_rng(seed).standard_normal((model.n, 6))
    turns = LeafValues(model, q).absolute[0]
    given_axes = in_body_axes.reshape(-1, 2, 3)
    if frame == "world":
        given_axes = np.einsum("kij,kaj->kai", turns, given_axes)
    found = compile_program(dynamics.bias, model, frame=frame)(q=q, v=v, f_ext=given_axes.reshape(-1))
    expected = recursive_dynamics.inverse_dynamics(model, q, v, np.zeros(model.nv), f_ext=in_body_axes.reshape(-1))
    assert close(found, expected)
    assert close(
        compile_program(dynamics.bias, model)(q=q, v=v, f_ext=np.zeros(6 * model.n)),
        compile_program(dynamics.bias, model)(q=q, v=v),
    )


@given(mechanisms(joints=("revolute", "prismatic", "helical", "cylindrical", "universal", "translation")), seeds)
@settings(max_examples=30)
def test_dampers_and_springs_take_up_forces(model: Model, seed: int) -> None:
    rng = np.random.default_rng(seed)
    q, v = model.random(seed)
    bodies = [
        replace(
            body,
            joint=replace(
                body.joint,
                damping=tuple(rng.uniform(0, 1, body.joint.nv).tolist()),
                stiffness=tuple(rng.uniform(0, 1, body.joint.nv).tolist()),
                rest=tuple(rng.uniform(-1, 1, body.joint.nq).tolist()),
            ),
        )
        for body in model.bodies
    ]
    equipped = Model(name="equipped", bodies=bodies)
    damping = np.concatenate([body.joint.damping for body in bodies])
    stretch = equipped.difference(np.concatenate([body.joint.rest for body in bodies]), q)
    passive = damping * v + np.concatenate([body.joint.stiffness for body in bodies]) * stretch
    assert close(compile_program(dynamics.passive, equipped)(q=q, v=v), passive)
    plain = compile_program(dynamics.bias, model)(q=q, v=v)
    assert close(compile_program(dynamics.bias, equipped)(q=q, v=v), plain + passive)
    T = rng.standard_normal(model.nv)
    pushed = compile_program(dynamics.forward_dynamics, model)(q=q, v=v, T=T - passive)
    found = compile_program(dynamics.forward_dynamics, equipped)(q=q, v=v, T=T)
    assert close(found, pushed, 1e-14 * max(100.0, condition(model, q)))


@given(mechanisms(armature=True), seeds, frames)
@settings(max_examples=40)
def test_both_ways_lead_back(model: Model, seed: int, frame: Frame) -> None:
    q, v = model.random(seed)
    T = np.random.default_rng(seed).standard_normal(model.nv)
    qdd = compile_program(dynamics.forward_dynamics, model, frame=frame)(q=q, v=v, T=T)
    found = compile_program(dynamics.inverse_dynamics, model, frame=frame)(q=q, v=v, qdd=qdd)
    # Backward stable: what is left is rounding of the forces that these accelerations mean.
    mass = recursive_dynamics.mass_matrix(model, q)
    size = float(np.abs(mass).sum(axis=1).max(initial=0.0) * np.abs(qdd).max(initial=0.0) + np.abs(T).max(initial=0.0))
    assert np.abs(found - T).max(initial=0.0) <= 1e-13 * max(1.0, size) * (1 + model.depth)


@pytest.mark.parametrize("seed", range(12))
def test_pinocchio_agrees(seed: int) -> None:
    pin: Any = pytest.importorskip("pinocchio")
    model = random_tree(3 + 2 * seed, joints=pinocchio_models.KINDS, branching=0.6, seed=seed)
    q, v = model.random(seed)
    qdd, T = np.random.default_rng(seed).standard_normal((2, model.nv))
    other = pinocchio_models.twin(pin, model)
    force = other.v(pin.rnea(other.model, other.data, other.q(q), other.v(v), other.v(qdd)))
    motion = other.v(pin.aba(other.model, other.data, other.q(q), other.v(v), other.v(T)))
    assert close(compile_program(dynamics.inverse_dynamics, model)(q=q, v=v, qdd=qdd), force)
    assert close(compile_program(dynamics.forward_dynamics, model)(q=q, v=v, T=T), motion, solve_digits(model, q))
    assert close(
        pin.computeKineticEnergy(other.model, other.data, other.q(q), other.v(v)),
        compile_program(dynamics.kinetic_energy, model)(q=q, v=v),
    )
    pin.ccrba(other.model, other.data, other.q(q), other.v(v))
    centre = dynamics.centre_of_mass(model, q=q)
    assert close(pin.centerOfMass(other.model, other.data, other.q(q)), centre)
    linear = compile_program(dynamics.momentum, model)(q=q, v=v)[3:]
    assert close(linear, other.data.hg.linear)


def solve_digits(model: Model, q: Floats) -> float:
    """1e-12, but for mass matrices with which any two solvers differ by more."""
    return 1e-15 * max(1000.0, condition(model, q))
