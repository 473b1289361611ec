"""The published numbers of planar3r and tree4 from compiled programs, in both frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.model import Model
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.spatial.arrays import Axes
from tests.evaluation.test_vectors import FRAMES, JOINT_SPACE, MECHANISMS, PER_BODY, VECTORS, close, mechanism
from tests.lowering.agreement import dense

Floats = NDArray[np.float64]

FORMULAS: dict[str, Expr] = {
    **JOINT_SPACE,
    "mass": dynamics.mass_matrix,
    "mass_inv": s.inv(dynamics.mass_matrix),
    "C_thetadot": dynamics.coriolis,
    "gravity_torque": dynamics.gravity_term,
    "kinetic_energy": dynamics.kinetic_energy,
    "qdd_gravity": dynamics.forward_dynamics,
}


def result(e: Expr, model: Model, name: str, frame: Axes) -> Any:
    _, q, v, T = mechanism(name)
    compiled = compile_program(e, model, frame=frame)
    given: dict[str, Any] = {"v": v, "T": T}
    return compiled(q=q, **{key: value for key, value in given.items() if key in compiled.inputs})


def weightless(model: Model) -> Model:
    return Model(name=model.name, bodies=model.bodies, gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("quantity", FORMULAS)
def test_joint_space(quantity: str, name: str, frame: Axes) -> None:
    model = mechanism(name)[0]
    assert close(dense(result(FORMULAS[quantity], model, name, frame)), VECTORS[name][quantity])


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_without_gravity(name: str, frame: Axes) -> None:
    model = weightless(mechanism(name)[0])
    found = result(dynamics.forward_dynamics, model, name, frame)
    assert close(found, VECTORS[name]["qdd_no_gravity"])
    assert close(result(dynamics.bias, model, name, frame), VECTORS[name]["C_thetadot"])


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MECHANISMS)
def test_inverse_dynamics_gives_the_forces_back(name: str, frame: Axes) -> None:
    model, q, v, _ = mechanism(name)
    compiled = compile_program(dynamics.inverse_dynamics, model, frame=frame)
    assert close(compiled(q=q, v=v, qdd=VECTORS[name]["qdd_gravity"]), VECTORS[name]["T"])


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("quantity", [*PER_BODY, "V"])
def test_blocks_in_body_axes(quantity: str, name: str, frame: Axes) -> None:
    model, q, _, _ = mechanism(name)
    found = result(dynamics.velocity if quantity == "V" else PER_BODY[quantity], model, name, frame)
    blocks = found.reshape(model.n, 6, 1) if quantity == "V" else found
    for k in range(model.n):
        turn = body_to_world(model, q, k) if frame == "world" else np.eye(6)
        block = turn.T @ blocks[k]
        block = block @ turn if block.shape[1] == 6 else block
        expected = VECTORS[name]["V"][k] if quantity == "V" else VECTORS[name][f"{quantity}_{k}"]
        assert close(block, expected)


def body_to_world(model: Model, q: Floats, k: int) -> Floats:
    rotation, zero = LeafValues(model, q).absolute[0][k], np.zeros((3, 3))
    return np.block([[rotation, zero], [zero, rotation]])
