"""Formulas of dynamics against the textbook recursions and Pinocchio, on random trees of any joints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.evaluation import evaluate
from operator_algebra.interop import pinocchio
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model
from operator_algebra.spatial.arrays import Axes
from tests.oracles import dense_dynamics, recursive_dynamics
from tests.oracles.dense_dynamics import allowed
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms

Floats = NDArray[np.float64]

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T + s.armature
BIAS = s.H @ s.phi @ (s.M @ s.phi.T @ (s.a + s.a_ground) + s.b - s.f_ext)
frames = st.sampled_from(["body", "world"])


@given(mechanisms(armature=True), st.integers(0, 1000), frames)
@settings(max_examples=40)
def test_inverse_dynamics_is_newton_euler(model: Model, seed: int, frame: Axes) -> None:
    q, v = model.random(seed)
    qdd = np.random.default_rng(seed).standard_normal(model.nv)
    found = evaluate(MASS @ s.qdd + BIAS, model, q=q, v=v, qdd=qdd, frame=frame).dense()
    assert apart(found, recursive_dynamics.inverse_dynamics(model, q, v, qdd)) <= allowed(model, q, v, qdd=qdd).force


@given(mechanisms(), st.integers(0, 1000))
@settings(max_examples=40)
def test_external_forces_act_at_body_origins(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    force = np.random.default_rng(seed).standard_normal(6 * model.n)
    found = evaluate(BIAS, model, q=q, v=v, f_ext=force).dense()
    expected = recursive_dynamics.inverse_dynamics(model, q, v, np.zeros(model.nv), f_ext=force)
    # A force at a body is felt with its lever, over a metre or so for each body.
    assert apart(found, expected) <= allowed(model, q, v, forces=force * model.n**2).force


@given(mechanisms(armature=True), st.integers(0, 1000), frames)
@settings(max_examples=40)
def test_mass_matrix_is_that_of_composite_bodies(model: Model, seed: int, frame: Axes) -> None:
    q, v = model.random(seed)
    found = evaluate(MASS, model, q=q, frame=frame).dense()
    left = allowed(model, q, v).mass
    assert apart(found, recursive_dynamics.mass_matrix(model, q)) <= left
    assert apart(found, dense_dynamics.mass_matrix(model, q)) <= left


@given(mechanisms(armature=True), st.integers(0, 1000), frames)
@settings(max_examples=60)
def test_forward_dynamics_is_the_articulated_body_algorithm(model: Model, seed: int, frame: Axes) -> None:
    q, v = model.random(seed)
    T = np.random.default_rng(seed).standard_normal(model.nv)
    found = evaluate(s.inv(MASS) @ (s.T - BIAS), model, q=q, v=v, T=T, frame=frame).dense()
    expected = recursive_dynamics.forward_dynamics(model, q, v, T)
    assert apart(found, expected) <= allowed(model, q, v, qdd=expected, forces=T).motion


@given(mechanisms(), st.integers(0, 1000))
@settings(max_examples=40)
def test_the_factors_solve_like_the_mass_matrix(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    T = np.random.default_rng(seed).standard_normal(model.nv)
    W = s.I - s.H @ s.psi @ s.K
    found = evaluate(W.T @ s.inv(s.D) @ W @ s.T, model, q=q, T=T).dense()
    mass = dense_dynamics.mass_matrix(model, q)
    expected: Any = np.linalg.solve(mass, T) if model.nv else T
    assert apart(found, expected) <= allowed(model, q, v, qdd=expected, forces=T).motion


@pytest.mark.parametrize("seed", range(12))
def test_pinocchio_agrees(seed: int) -> None:
    pin: Any = pytest.importorskip("pinocchio")
    model = random_tree(3 + seed, joints=pinocchio.KINDS, seed=seed)
    q, v = model.random(seed)
    qdd, T = np.random.default_rng(seed).standard_normal((2, model.nv))
    other = pinocchio.twin(model)
    theirs = pin.crba(other.model, other.data, other.q(q))
    theirs = np.triu(theirs) + np.triu(theirs, 1).T
    force = other.v(pin.rnea(other.model, other.data, other.q(q), other.v(v), other.v(qdd)))
    motion = other.v(pin.aba(other.model, other.data, other.q(q), other.v(v), other.v(T)))
    mass = evaluate(MASS, model, q=q).dense()
    left = allowed(model, q, v, qdd=qdd)
    assert apart(mass, other.matrix(theirs)) <= left.mass
    assert apart(evaluate(MASS @ s.qdd + BIAS, model, q=q, v=v, qdd=qdd).dense(), force) <= left.force
    found = evaluate(s.inv(MASS) @ (s.T - BIAS), model, q=q, v=v, T=T).dense()
    assert apart(found, motion) <= allowed(model, q, v, qdd=motion, forces=T).motion


def test_pinocchio_agrees_on_body_velocities() -> None:
    pin: Any = pytest.importorskip("pinocchio")
    model = random_tree(9, joints=pinocchio.KINDS, seed=3)
    q, v = model.random(3)
    other = pinocchio.twin(model)
    pin.forwardKinematics(other.model, other.data, other.q(q), other.v(v), 0 * v)
    velocity = evaluate(s.V, model, q=q, v=v).dense().reshape(-1, 6)
    acceleration = evaluate(s.phi.T @ s.a, model, q=q, v=v).dense().reshape(-1, 6)
    for k in range(model.n):
        for ours, theirs in ((velocity, other.data.v), (acceleration, other.data.a)):
            expected = np.concatenate([theirs[k + 1].angular, theirs[k + 1].linear])
            assert apart(ours[k], expected) <= rounding(1.0 + size(ours), terms=9 * model.n)
