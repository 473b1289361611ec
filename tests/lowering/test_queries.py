"""What is asked of operators nobody factored by hand, on random forests with every joint, against plain evaluation."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, ModelError, OperatorAlgebraWarning, SingularError
from operator_algebra.expressions.build import diag, inv, operator, scalar, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, space
from operator_algebra.spatial.arrays import Axes
from tests.lowering.agreement import agreement
from tests.rounding import apart, condition, rounding, size
from tests.strategies import mechanisms

Floats = NDArray[np.float64]
frames = st.sampled_from(["body", "world"])
seeds = st.integers(0, 1000)

MASS = dynamics.mass_matrix
h = scalar("h")
DAMPING = operator("B_joint", RATE >> TORQUE, structure="diagonal semidefinite")
STIFFNESS = operator("K_joint", RATE >> TORQUE, structure="diagonal semidefinite")
GENERAL = operator("C", RATE >> TORQUE, structure="diagonal")
SPIN = operator("S_spin", MOTION >> FORCE, structure="diagonal")
COMPLIANCE = operator("F_joint", TORQUE >> RATE, structure="diagonal definite")
GEAR = operator("gear", TORQUE >> TORQUE, structure="inward hop")
BACK = operator("back", TORQUE >> TORQUE, structure="outward hop")
PICKED = s.B.T @ s.phi.T @ s.H.T @ inv(MASS) @ s.H @ s.phi @ s.B
y = vector("y", s.CONTACT.dual)

FORMULAS: dict[str, Expr | Query] = {
    "mass matrix": MASS,
    "inverse": inv(MASS),
    "diagonal of the inverse": diag(inv(MASS)),
    "trace of the inverse": trace(inv(MASS)),
    "first and last of the inverse": block(inv(MASS), 0, -1),
    "log-determinant": logdet(MASS),
    "log-determinant of the inverse": logdet(inv(MASS)),
    "trace of the mass matrix": trace(MASS),
    "diagonal of the mass matrix": diag(MASS),
    "implicit step": inv(MASS + h * DAMPING + h * h * STIFFNESS) @ s.T,
    "dense implicit step": inv(MASS + h * DAMPING + h * h * STIFFNESS),
    "nonsymmetric": inv(MASS + GENERAL) @ s.T,
    "diagonal, nonsymmetric": diag(inv(MASS + GENERAL)),
    "spinning bodies": inv(s.H @ s.phi @ (s.M + SPIN) @ s.phi.T @ s.H.T) @ s.T,
    "nested": inv(inv(inv(MASS) + COMPLIANCE) + GENERAL) @ s.T,
    "dense nested": inv(inv(inv(MASS) + COMPLIANCE) + GENERAL),
    "gears": inv((s.I + GEAR) @ MASS @ (s.I + GEAR.T)) @ s.T,
    "there and back": inv(4 * s.I + BACK @ GEAR) @ s.T,
    "coupled springs": inv(MASS + GEAR @ STIFFNESS @ GEAR.T) @ s.T,
    "diagonal, coupled springs": diag(inv(MASS + GEAR @ STIFFNESS @ GEAR.T)),
    "kernel": s.phi.T @ s.H.T @ inv(MASS) @ s.H @ s.phi,
    "diagonal of a product that meets siblings": diag(s.phi.T @ inv(s.M) @ s.phi),
    "picked compliance": PICKED,
    "picked compliance applied": PICKED @ y,
    "composed": diag(MASS @ inv(MASS + GENERAL) @ MASS),
    "back and forth": dense(inv(MASS) @ STIFFNESS @ inv(MASS)),
}


def values_for(e: Expr | Query, model: Model, seed: int) -> dict[str, Any]:
    """Random values for what a formula mentions; end effectors are the last body and one between."""
    rng = np.random.default_rng(seed)
    joints = [part.stop - part.start for part in model.v_slices]
    small = 0.2 * min((float(np.linalg.eigvalsh(body.inertia.matrix())[0]) for body in model.bodies), default=1.0)
    values: dict[str, Any] = {
        "h": 0.3,
        "T": rng.standard_normal(model.nv),
        "B_joint": rng.uniform(0, 1, model.nv),
        "K_joint": rng.uniform(0, 1, model.nv),
        "C": [np.eye(n) + 0.3 * rng.standard_normal((n, n)) for n in joints],
        "S_spin": [small * (a - a.T) for a in rng.standard_normal((model.n, 6, 6))],
        "F_joint": rng.uniform(0.5, 1, model.nv),
        "gear": [0.3 * rng.standard_normal((joints[max(p, 0)], joints[k])) for k, p in enumerate(model.parent)],
        "back": [0.3 * rng.standard_normal((joints[k], joints[max(p, 0)])) for k, p in enumerate(model.parent)],
        "B": {model.joint_names[k]: rng.standard_normal((6, 3)) for k in sorted({model.n // 2, model.n - 1})},
        "y": {model.joint_names[k]: rng.standard_normal(3) for k in sorted({model.n // 2, model.n - 1})},
    }
    mentioned = {symbol.name for symbol in lower(e).accepts}
    return {name: value for name, value in values.items() if name in mentioned}


@given(mechanisms(armature=True, max_bodies=6), seeds, frames)
@settings(max_examples=12)
@pytest.mark.parametrize("name", FORMULAS)
def test_answers_are_those_of_evaluation(name: str, model: Model, seed: int, frame: Axes) -> None:
    e = FORMULAS[name]
    if model.nv == 0:
        return
    if isinstance(e, Query) and e.kind == "block":
        e = block(e.body, 0, model.n - 1)
    q, _ = model.random(seed)
    values = values_for(e, model, seed)
    found = agreement(e, model, q=q, frame=frame, **values)
    assert found.error <= found.bound


@pytest.mark.parametrize("method", ["auto", "orthogonal"])
def test_inertia_felt_at_several_end_effectors(method: Any) -> None:
    # Long arms: six rows at a tip need six freedoms behind it.
    for seed in range(3):
        model = random_tree(14, joints=("revolute", "spherical"), branching=0.15, seed=seed)
        q, _ = model.random(seed)
        tips = [k for k in range(model.n) if not model.children[k]][-2:]
        rng = np.random.default_rng(seed)
        B = {model.joint_names[k]: rng.standard_normal((6, 2)) for k in tips}
        force = {model.joint_names[k]: rng.standard_normal(2) for k in tips}
        for found in (
            agreement(inv(PICKED) @ vector("w", s.CONTACT), model, q=q, method=method, B=B, w=force),
            agreement(inv(PICKED), model, q=q, method=method, B=B),
        ):
            assert found.error <= found.bound


@pytest.mark.parametrize("method", ["auto", "orthogonal"])
def test_selected_joints(method: Any) -> None:
    """A user's space that takes some joints and leaves the others: S ℳ⁻¹ S*, its inverse and its determinant."""
    selected = space("selected")
    S = operator("S", RATE >> selected, structure="diagonal")
    e = S @ inv(MASS) @ S.T
    for seed in range(4):
        model = random_tree(7, joints=("revolute", "spherical", "universal"), seed=seed)
        q, _ = model.random(seed)
        wide = {model.joint_names[k]: np.eye(model.bodies[k].joint.nv) for k in (1, 4, 6)}
        for query in (dense(e), dense(inv(e)), logdet(e)):
            found = agreement(query, model, q=q, method=method, S=wide)
            assert found.error <= found.bound


def test_the_pivot_of_a_picked_frame_is_avoided_from_the_start() -> None:
    program = lower(inv(PICKED) @ vector("w", s.CONTACT))
    assert "orthogonal transformations" in program.pseudocode()
    model = chain(9, seed=1)
    B, w = {"joint9": np.eye(6)[:, :3]}, {"joint9": np.ones(3)}
    with warnings.catch_warnings():
        warnings.simplefilter("error", OperatorAlgebraWarning)
        compile_program(inv(PICKED) @ vector("w", s.CONTACT), model)(q=model.random(0)[0], B=B, w=w)


def test_blocks_by_name_and_index() -> None:
    model = random_tree(6, joints=("revolute", "spherical"), seed=2)
    q, _ = model.random(2)
    for i in range(model.n):
        for j in (0, model.n - 1):
            for query in (block(inv(MASS), i, j), block(inv(MASS), model.joint_names[i], model.joint_names[j])):
                found = agreement(query, model, q=q)
                assert found.error <= found.bound


@pytest.mark.parametrize("places", [(0, 99), (7, 0), ("joint1", "nobody")])
def test_a_block_of_no_body_is_refused(places: tuple[Any, Any]) -> None:
    with pytest.raises((InputError, ModelError), match=r"there is no (body|joint)"):
        compile_program(block(MASS, *places), chain(3))(q=np.zeros(3))


COUPLING = operator("coupling", RATE >> TORQUE, structure="inward hop")
MEETING = COUPLING + COUPLING.T


@pytest.mark.parametrize("n", [2, 10, 60])
@pytest.mark.parametrize("name", ["applied", "dense", "diagonal", "log-determinant"])
def test_neighbours_coupled_without_anything_local(name: str, n: int) -> None:
    # No joint has a pivot of its own; on a chain of even length the whole is regular all the same.
    asked: dict[str, Expr | Query] = {
        "applied": inv(MEETING) @ s.T,
        "dense": inv(MEETING),
        "diagonal": diag(inv(MEETING)),
        "log-determinant": logdet(MEETING @ COMPLIANCE @ MEETING),
    }
    rng = np.random.default_rng(n)
    strength = rng.uniform(0.8, 1.2, n)
    values: dict[str, Any] = {"coupling": strength.reshape(n, 1, 1)}
    A = np.diag(strength[1:], 1) + np.diag(strength[1:], -1)
    expected: Any = np.linalg.inv(A)
    if name == "applied":
        values["T"] = rng.standard_normal(n)
        expected = expected @ values["T"]
    if name == "diagonal":
        expected = np.zeros((n, 1, 1))
    if name == "log-determinant":
        values["F_joint"] = np.ones(n)
        expected = 2 * np.linalg.slogdet(A)[1]
    found = compile_program(asked[name], chain(n))(q=np.zeros(n), **values)
    assert apart(found, expected) <= rounding(max(1.0, size(expected)), terms=n, condition=condition(A))


def test_neighbours_coupled_without_anything_local_on_an_odd_chain() -> None:
    program = lower(inv(MEETING) @ s.T)
    assert "given T, coupling " in program.pseudocode()
    assert "orthogonal transformations" in program.pseudocode()
    with pytest.raises(SingularError, match='singular at joint "joint1"'):
        compile_program(inv(MEETING) @ s.T, chain(5))(q=np.zeros(5), coupling=np.ones((5, 1, 1)), T=np.ones(5))


def test_dense_mass_matrix_needs_no_more_than_related_blocks() -> None:
    model = random_tree(9, joints=("revolute",), branching=0.8, seed=3)
    q, _ = model.random(0)
    found = compile_program(dense(MASS), model)(q=q)
    above = [[k] for k in range(model.n)]
    for k, p in enumerate(model.parent):
        above[k] += above[p] if p >= 0 else []
    related = np.array([[i in above[j] or j in above[i] for j in range(model.n)] for i in range(model.n)])
    assert not found[~related].any()
    assert found[related].all()
    assert apart(found, found.T) <= rounding(size(found), terms=model.depth)
