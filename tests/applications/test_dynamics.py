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
from operator_algebra.interop import pinocchio
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.spatial.arrays import Axes
from tests.oracles import recursive_dynamics
from tests.oracles.dense_dynamics import allowed
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms

Floats = NDArray[np.float64]
frames = st.sampled_from(["body", "world"])
seeds = st.integers(0, 1000)


@given(mechanisms(armature=True), seeds, frames)
def test_inverse_dynamics_is_newton_euler(model: Model, seed: int, frame: Axes) -> None:
    q, v = model.random(seed)
    qdd = np.random.default_rng(seed).standard_normal(model.nv)
    found = compile_program(dynamics.inverse_dynamics, model, frame=frame)(q=q, v=v, qdd=qdd)
    assert apart(found, recursive_dynamics.inverse_dynamics(model, q, v, qdd)) <= allowed(model, q, v, qdd=qdd).force


@given(mechanisms(armature=True), seeds, frames)
def test_forward_dynamics_is_the_articulated_body_algorithm(model: Model, seed: int, frame: Axes) -> None:
    q, v = model.random(seed)
    T = np.random.default_rng(seed).standard_normal(model.nv)
    found = compile_program(dynamics.forward_dynamics, model, frame=frame)(q=q, v=v, T=T)
    expected = recursive_dynamics.forward_dynamics(model, q, v, T)
    assert apart(found, expected) <= allowed(model, q, v, qdd=expected, forces=T).motion


@given(mechanisms(armature=True), seeds, frames)
@settings(max_examples=50)
def test_mass_matrix_is_that_of_composite_bodies(model: Model, seed: int, frame: Axes) -> None:
    q, v = model.random(seed)
    found = compile_program(dynamics.mass_matrix, model, frame=frame)(q=q)
    assert apart(found, recursive_dynamics.mass_matrix(model, q)) <= allowed(model, q, v).mass


@given(mechanisms(), seeds, frames)
@settings(max_examples=50)
def test_external_forces_act_at_body_origins_in_the_axes_of_the_frame(model: Model, seed: int, frame: Axes) -> None:
    q, v = model.random(seed)
    in_body_axes = np.random.default_rng(seed).standard_normal((model.n, 6))
    turns = LeafValues(model, q).absolute[0]
    given_axes = in_body_axes.reshape(-1, 2, 3)
    if frame == "world":
        given_axes = np.einsum("kij,kaj->kai", turns, given_axes)
    found = compile_program(dynamics.bias, model, frame=frame)(q=q, v=v, f_ext=given_axes.reshape(-1))
    expected = recursive_dynamics.inverse_dynamics(model, q, v, np.zeros(model.nv), f_ext=in_body_axes.reshape(-1))
    # A force at a body is felt with its lever, over a metre or so for each body.
    left = allowed(model, q, v, forces=in_body_axes * model.n**2).force
    assert apart(found, expected) <= left
    unloaded = compile_program(dynamics.bias, model)(q=q, v=v, f_ext=np.zeros(6 * model.n))
    assert apart(unloaded, compile_program(dynamics.bias, model)(q=q, v=v)) <= left


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
    assert apart(compile_program(dynamics.passive, equipped)(q=q, v=v), passive) <= rounding(size(passive, v, stretch))
    plain = compile_program(dynamics.bias, model)(q=q, v=v)
    left = allowed(model, q, v, forces=passive).force
    assert apart(compile_program(dynamics.bias, equipped)(q=q, v=v), plain + passive) <= left
    T = rng.standard_normal(model.nv)
    pushed = compile_program(dynamics.forward_dynamics, model)(q=q, v=v, T=T - passive)
    found = compile_program(dynamics.forward_dynamics, equipped)(q=q, v=v, T=T)
    assert apart(found, pushed) <= allowed(model, q, v, qdd=pushed, forces=np.concatenate([T, passive])).motion


@given(mechanisms(armature=True), seeds, frames)
@settings(max_examples=40)
def test_both_ways_lead_back(model: Model, seed: int, frame: Axes) -> None:
    q, v = model.random(seed)
    T = np.random.default_rng(seed).standard_normal(model.nv)
    qdd = compile_program(dynamics.forward_dynamics, model, frame=frame)(q=q, v=v, T=T)
    found = compile_program(dynamics.inverse_dynamics, model, frame=frame)(q=q, v=v, qdd=qdd)
    # Backward stable: what is left is rounding of the forces that these accelerations mean.
    assert apart(found, T) <= allowed(model, q, v, qdd=qdd, forces=T).force


@pytest.mark.parametrize("seed", range(12))
def test_pinocchio_agrees(seed: int) -> None:
    pin: Any = pytest.importorskip("pinocchio")
    model = random_tree(3 + 2 * seed, joints=pinocchio.KINDS, branching=0.6, seed=seed)
    q, v = model.random(seed)
    qdd, T = np.random.default_rng(seed).standard_normal((2, model.nv))
    other = pinocchio.twin(model)
    force = other.v(pin.rnea(other.model, other.data, other.q(q), other.v(v), other.v(qdd)))
    motion = other.v(pin.aba(other.model, other.data, other.q(q), other.v(v), other.v(T)))
    left = allowed(model, q, v, qdd=qdd, forces=T)
    assert apart(compile_program(dynamics.inverse_dynamics, model)(q=q, v=v, qdd=qdd), force) <= left.force
    solved = compile_program(dynamics.forward_dynamics, model)(q=q, v=v, T=T)
    assert apart(solved, motion) <= allowed(model, q, v, qdd=motion, forces=T).motion
    energy = pin.computeKineticEnergy(other.model, other.data, other.q(q), other.v(v))
    assert apart(energy, compile_program(dynamics.kinetic_energy, model)(q=q, v=v)) <= left.force
    pin.ccrba(other.model, other.data, other.q(q), other.v(v))
    centre = dynamics.centre_of_mass(model, q=q)
    assert apart(pin.centerOfMass(other.model, other.data, other.q(q)), centre) <= left.mass
    linear = compile_program(dynamics.momentum, model)(q=q, v=v)[3:]
    assert apart(linear, other.data.hg.linear) <= left.force
