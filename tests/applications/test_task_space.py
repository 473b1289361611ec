"""Jacobians against finite differences, task-space inertias against dense algebra."""

from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.applications import task_space as ts
from operator_algebra.models.model import Model

LINALG: Any = np.linalg
JOINTS = ("revolute", "prismatic", "spherical", "universal")
ARMS = [oa.random_tree(7, joints=JOINTS, seed=seed) for seed in range(4)]


def picked(model: Model, linear: bool) -> dict[str, Any]:
    return dict(ts.picks(model, [model.joint_names[-1], model.joint_names[3]], linear=linear))


def run(e: oa.Expr, model: Model, **values: Any) -> Any:
    return oa.compile(oa.dense(e), model)(**values)


def solved(matrix: Any, right: Any) -> Any:
    return LINALG.solve(matrix, right)


@pytest.mark.parametrize("model", ARMS, ids=lambda m: m.name)
def test_the_jacobian_differentiates_positions(model: Model) -> None:
    q, v = model.random(0)
    name = model.joint_names[-1]
    body = model.body_names[-1]
    B = dict(ts.picks(model, [name], linear=True))
    h = 1e-6
    ahead, behind = (oa.dynamics.poses(model, q=model.integrate(q, s * h * v))[body] for s in (1, -1))
    speed = (ahead[1] - behind[1]) / (2 * h)
    rotation = oa.dynamics.poses(model, q=q)[body][0]
    found = rotation @ (run(ts.jacobian, model, q=q, B=B) @ v)
    # central differences: h² from truncation, eps / h from rounding
    assert np.abs(found - speed).max() < 1e-8 * max(1.0, float(np.abs(speed).max()))


@pytest.mark.parametrize("linear", [True, False])
@pytest.mark.parametrize("model", ARMS, ids=lambda m: m.name)
def test_inertias_are_those_of_dense_algebra(model: Model, linear: bool) -> None:
    q, _ = model.random(1)
    B = picked(model, linear)
    J, mass = run(ts.jacobian, model, q=q, B=B), run(oa.dynamics.mass_matrix, model, q=q)
    inverse = J @ solved(mass, J.T)
    found = run(ts.inverse_task_inertia, model, q=q, B=B)
    scale = np.abs(inverse).max()
    assert np.abs(found - inverse).max() < 1e-15 * LINALG.cond(mass) * scale + 1e-13 * scale
    if LINALG.cond(inverse) > 1e6:
        return
    Lambda: Any = LINALG.inv(inverse)
    allowed = 1e-14 * LINALG.cond(inverse) * LINALG.cond(mass)
    assert np.abs(run(ts.task_inertia, model, q=q, B=B) - Lambda).max() < allowed * np.abs(Lambda).max()
    free = run(ts.null_space, model, q=q, B=B)
    felt = J @ solved(mass, free)
    assert np.abs(felt).max() < allowed * scale * max(1.0, float(np.abs(J).max()))


def test_a_frame_is_picked_with_its_placement() -> None:
    arm = oa.load("arm7")
    assert arm.frames
    name = next(iter(arm.frames))
    q, v = arm.random(2)
    twist = run(ts.jacobian, arm, q=q, B=dict(ts.picks(arm, [name]))) @ v
    h = 1e-6
    ahead, behind = (oa.dynamics.poses(arm, q=arm.integrate(q, s * h * v))[name] for s in (1, -1))
    rotation = oa.dynamics.poses(arm, q=q)[name][0]
    # central differences: h² from truncation, eps / h from rounding
    assert np.abs(rotation @ twist[3:] - (ahead[1] - behind[1]) / (2 * h)).max() < 1e-8


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(oa.errors.OperatorAlgebraError):
        ts.picks(ARMS[0], ["nothing"])
