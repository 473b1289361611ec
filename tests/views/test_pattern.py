"""Structural patterns against the blocks of values: never too few, and not too many where nothing cancels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.symbols import (
    D,
    E_phi,
    E_psi,
    H,
    I,
    K,
    M,
    Omega,
    P,
    R,
    U,
    Upsilon,
    V,
    W,
    a,
    a_ground,
    armature,
    inv,
    phi,
    phi_tilde,
    psi,
    tau_bar,
)
from operator_algebra.views.content.blocks import blocks
from operator_algebra.views.pattern import structural
from tests.strategies import mechanisms

ARTICULATED = (D, E_psi, K, P, U, Upsilon, W, Omega, psi, tau_bar, inv(H @ phi @ M @ phi.T @ H.T))
PLAIN = (E_phi, phi, phi_tilde, R, phi @ M @ phi.T, H @ phi @ M @ phi.T @ H.T, phi.T @ inv(M) @ phi, inv(phi @ phi))
MOVING = (V, a, a_ground)


def numeric(e: Expr, model: Model, seed: int) -> np.ndarray:
    """The blocks of a value at a random configuration."""
    q, v = model.random(seed)
    takes_v = any(symbol.name in ("v", "V", "a") for symbol in e.symbols())
    return blocks(e, model, q, {"v": v} if takes_v else {}).filled


@settings(max_examples=12)
@given(mechanisms(joints=("revolute", "prismatic", "spherical", "universal", "fixed"), armature=True), st.data())
def test_no_block_of_a_value_is_missing(model: Model, data: st.DataObject) -> None:
    e = data.draw(st.sampled_from((*ARTICULATED, *PLAIN, *MOVING)))
    assert not (numeric(e, model, 1) & ~structural(e, model)).any()


@settings(max_examples=12)
@given(mechanisms(joints=("spherical", "universal")), st.data())
def test_blocks_are_there_where_nothing_cancels(model: Model, data: st.DataObject) -> None:
    e = data.draw(st.sampled_from((*ARTICULATED, *PLAIN)))
    assert np.array_equal(numeric(e, model, 1) | numeric(e, model, 2), structural(e, model))


def test_a_branched_tree() -> None:
    tree = oa.load("tree4")
    mass = H @ phi @ M @ phi.T @ H.T
    assert structural(mass, tree).astype(int).tolist() == [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 1]]
    assert structural(inv(mass), tree).all()
    assert structural(E_phi, tree).astype(int).tolist() == [[0, 1, 0, 0], [0, 0, 1, 1], [0] * 4, [0] * 4]


def test_trees_of_a_forest_do_not_see_each_other() -> None:
    other = oa.Body("other", None, oa.Joint.revolute(), inertia=oa.Inertia.sphere(1.0, 0.1))
    two = Model(name="two", bodies=[*oa.chain(2).bodies, other])
    assert structural(Omega, two).astype(int).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_a_joint_that_does_not_move_has_no_block() -> None:
    torso = oa.load("torso2")
    (still,) = [k for k, body in enumerate(torso.bodies) if body.joint.kind == "fixed"]
    inverse = structural(inv(H @ phi @ M @ phi.T @ H.T), torso)
    assert not inverse[still].any()
    assert not inverse[:, still].any()
    assert inverse.sum() == (torso.n - 1) ** 2


def test_what_the_mechanism_lacks_has_no_block() -> None:
    puma, tree = oa.load("puma560"), oa.load("tree4")
    assert structural(armature, puma).any()
    assert not structural(armature, tree).any()
    assert not structural(a_ground, oa.load("satellite")).any()
    assert np.argwhere(structural(a_ground, tree)).tolist() == [[0, 0]]


def test_inputs_have_the_pattern_that_was_declared() -> None:
    arm = oa.chain(3)
    gears = oa.operator("gears", RATE >> TORQUE, structure="inward hop")
    anything = oa.operator("anything", RATE >> TORQUE)
    assert structural(gears, arm).astype(int).tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert structural(anything, arm).all()
    assert structural(I + gears @ inv(D), arm).astype(int).tolist() == [[1, 1, 0], [0, 1, 1], [0, 0, 1]]


def test_cancelled_terms_are_no_blocks_of_a_value() -> None:
    arm = oa.chain(4, seed=2)
    e = H @ tau_bar @ P
    q, _ = arm.random(0)
    rounding = evaluate_with_scale(e, arm, q=q).value
    assert rounding.nnz > 0
    assert not blocks(e, arm, q).filled.any()


@pytest.mark.parametrize("name", oa.available())
def test_the_identity_of_the_innovations_is_structural(name: str) -> None:
    model = oa.load(name)
    assert np.array_equal(structural(U, model), structural(W, model))
