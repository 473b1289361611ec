"""Equations of all bodies at once: against dense systems, recursions about the base, and forward dynamics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import operator_algebra as oa
from operator_algebra.applications import dynamics, global_form
from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate
from operator_algebra.models.model import Model
from operator_algebra.operators import leaf
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.symbols import E_phi, H, M, X_abs, a, a_ground
from tests.applications.inputs import Case, cases, same
from tests.oracles.recursive_dynamics import inverse_dynamics
from tests.rounding import rounding, size

LINALG: Any = np.linalg


def basis(case: Case) -> dict[str, Any]:
    return global_form.held_forces(case.model, q=case.q, frame=case.frame)


def flat(blocks: dict[str, Any]) -> Any:
    """Blocks of a diagonal operator as one matrix."""
    rows, columns = 6 * len(blocks), sum(block.shape[1] for block in blocks.values())
    found, at = np.zeros((rows, columns)), 0
    for k, block in enumerate(blocks.values()):
        found[6 * k : 6 * k + 6, at : at + block.shape[1]] = block
        at += block.shape[1]
    return found


@given(cases)
@settings(max_examples=8)
def test_the_sparse_system_has_the_accelerations_of_forward_dynamics(case: Case) -> None:
    """The system as it is printed, solved by a dense factorization."""
    case.values["held"] = basis(case)
    free = case.value(dynamics.forward_dynamics)
    alpha = case.value(global_form.acceleration, qdd=free)
    inertia, T = case.value(global_form.all_inertia), case.value(global_form.held_between)
    held = flat(case.values["held"])
    assert same(case.value(H) @ held, np.zeros((case.model.nv, held.shape[1])))
    system = np.block([[inertia, -T], [T.T, np.zeros((T.shape[1], T.shape[1]))]])
    right = np.concatenate([case.value(global_form.applied), held.T @ (case.value(a) + case.value(a_ground))])
    solved = LINALG.solve(system, right)[: len(alpha)]
    mass = case.value(dynamics.mass_matrix)
    scale = LINALG.cond(mass) * 1e-3 if len(mass) else 1.0
    assert same(solved, alpha, scale)
    assert same(case.value(global_form.solved_acceleration), alpha, scale)
    assert same(case.value(global_form.gained_acceleration), free, scale)
    assert same(case.value(global_form.projected_acceleration), free, scale)


@given(cases)
@settings(max_examples=8)
def test_what_joints_hold_back_does_no_work_on_rates(case: Case) -> None:
    case.values["held"] = basis(case)
    S, T = case.value(global_form.spread), case.value(global_form.held_between)
    assert same(S.T @ T, np.zeros((S.shape[1], T.shape[1])), S)


@pytest.mark.parametrize("name", ["chain6", "tree4", "quadruped", "free1"])
def test_compiled_programs_solve_it_in_sweeps(name: str) -> None:
    from operator_algebra.checking.suite import mechanism

    model = mechanism(name)
    q, v = model.random(4)
    values: dict[str, Any] = {
        "v": v,
        "T": np.linspace(1.0, 2.0, model.nv),
        "f_ext": np.linspace(-1.0, 1.0, 6 * model.n),
    }
    values["held"] = global_form.held_forces(model, q=q)
    found = oa.compile(global_form.gained_acceleration, model)
    expected = oa.compile(dynamics.forward_dynamics, model)
    solved, free = (
        program(q=q, **{key: value for key, value in values.items() if key in program.inputs})
        for program in (found, expected)
    )
    condition = LINALG.cond(np.asarray(evaluate(dynamics.mass_matrix, model, q=q).dense()))
    assert same(solved, free, condition * 1e-3)


@given(cases)
@settings(max_examples=8)
def test_about_the_base_shifts_are_the_tree_alone(case: Case) -> None:
    """As loops in absolute coordinates have them: velocities add up outward, inertias and forces inward."""
    model = case.model
    X = case.value(X_abs)
    shifts = X @ case.value(E_phi) @ LINALG.inv(X)
    joints = LINALG.inv(X).T @ case.value(H).T
    v, qdd = case.values["v"], case.values["qdd"]
    velocity = np.zeros((model.n, 6))
    composite = [X[s, s] @ case.value(M)[s, s] @ X[s, s].T for s in parts(model)]
    for k, (p, s) in enumerate(zip(model.parent, parts(model), strict=True)):
        if p >= 0:
            assert same(shifts[parts(model)[p], s], np.eye(6), X)
        velocity[k] = (velocity[p] if p >= 0 else 0.0) + joints[s] @ v
    for k in reversed(range(model.n)):
        if model.parent[k] >= 0:
            composite[model.parent[k]] = composite[model.parent[k]] + composite[k]
    assert same(case.value(global_form.velocity_about_base), velocity.ravel(), X)
    found = case.value(global_form.composite_about_base)
    assert all(same(found[s, s], composite[k], composite[k]) for k, s in enumerate(parts(model)))
    force = case.value(global_form.force_about_base)
    torque = joints.T @ force + model.arrays.armature * qdd + case.value(dynamics.passive)
    assert same(torque, case.value(dynamics.inverse_dynamics), force)


def parts(model: Model) -> list[slice]:
    return [slice(6 * k, 6 * k + 6) for k in range(model.n)]


@given(cases)
@settings(max_examples=8)
def test_articulated_inertia_about_the_base(case: Case) -> None:
    """The articulated-body recursion in absolute coordinates, loop by loop."""
    model = case.model
    X, joints = case.value(X_abs), LINALG.inv(case.value(X_abs)).T @ case.value(H).T
    bare = [X[s, s] @ case.value(M)[s, s] @ X[s, s].T for s in parts(model)]
    for k in reversed(range(model.n)):
        h = joints[parts(model)[k], model.v_slices[k]]
        if model.parent[k] >= 0:
            passed = bare[k] - bare[k] @ h @ LINALG.solve(h.T @ bare[k] @ h, h.T @ bare[k]) if h.size else bare[k]
            bare[model.parent[k]] = bare[model.parent[k]] + passed
    found = case.value(global_form.articulated_about_base)
    assert all(same(found[s, s], bare[k], *bare) for k, s in enumerate(parts(model)))


@given(cases)
@settings(max_examples=8)
def test_columns_of_the_mass_matrix_are_inverse_dynamics_of_units(case: Case) -> None:
    """By textbook recursion, with velocities and gravity, which the difference takes out."""
    model, q, v = case.model, case.q, case.values["v"]
    still = inverse_dynamics(model, q, v, np.zeros(model.nv))
    columns = [inverse_dynamics(model, q, v, unit) - still for unit in np.eye(model.nv)]
    found = case.value(dynamics.mass_matrix)
    assert same(found, np.reshape(columns, found.shape).T, still)


def test_frames_and_batches_of_what_joints_hold_back() -> None:
    model = oa.load("quadruped")
    q = np.stack([model.random(seed)[0] for seed in range(3)])
    for frame in ("body", "world"):
        found = global_form.held_forces(model, q=q, frame=frame)
        for block, h in zip(found.values(), LeafValues(model, q, frame=frame).blocks(leaf.H), strict=True):
            assert size(h @ block) <= rounding(size(h), terms=6)
            assert block.shape[-1] == 6 - h.shape[-2]
    with pytest.raises(InputError):
        global_form.held_forces(model, q=q, frame="base")  # pyright: ignore[reportArgumentType]
