"""The value of any expression is that of plain dense algebra, within the bound that its own scale gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.evaluation import Scaled, evaluate, evaluate_with_scale
from operator_algebra.expressions.build import diag, fixpoint, inv, one, operator, zero
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import block, dense, logdet, trace
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, space
from operator_algebra.spatial.arrays import Axes
from tests.expression_strategies import expressions, inputs_for
from tests.lowering.agreement import bound
from tests.oracles.dense_algebra import DenseAlgebra
from tests.rounding import apart, condition, rounding, size
from tests.strategies import mechanisms

Floats = NDArray[np.float64]
frames = st.sampled_from(["body", "world"])
seeds = st.integers(0, 1000)
MOVING = ("revolute", "prismatic", "spherical", "universal", "helical", "cylindrical", "planar")


SHARP = fixpoint(
    "X_sharp",
    MOTION >> FORCE,
    lambda X: s.M + s.E_phi @ (X - X @ s.H.T @ inv(s.H @ (X + s.R) @ s.H.T) @ s.H @ X) @ s.E_phi.T,
)
COSTATE = fixpoint(
    "X_costate", FORCE >> MOTION, lambda X: s.H.T @ inv(s.D) @ s.H + 0.25 * diag(s.E_phi.T @ X @ s.E_phi)
)
NESTED = fixpoint(
    "X_nested",
    MOTION >> FORCE,
    lambda X: (
        s.M
        + 0.25 * (s.E_phi @ fixpoint("Y_nested", MOTION >> FORCE, lambda Y: X + s.E_phi @ Y @ s.E_phi.T) @ s.E_phi.T)
    ),
)
VELOCITY = fixpoint("X_velocity", ONE >> MOTION, lambda X: s.E_phi.T @ X + s.H.T @ s.v)
MOMENTUM = fixpoint("X_momentum", ONE >> FORCE, lambda X: s.E_phi @ X + s.M @ VELOCITY)


def compare(e: Expr, model: Model, seed: int, frame: Axes) -> tuple[float, Scaled]:
    """The largest difference from dense algebra, and the value with its scale."""
    q, _ = model.random(seed)
    given = inputs_for(e, model, seed)
    if s.H_dot in free_symbols(e):
        given.setdefault("v", model.random(seed)[1])
    found = evaluate_with_scale(e, model, q=q, frame=frame, **given)
    expected = DenseAlgebra(model, q, given, frame).value(e)
    got = found.value.data.toarray()
    assert got.shape == expected.shape
    return float(np.abs(got - expected).max(initial=0.0)), found


@given(mechanisms(max_bodies=6), expressions(), seeds, frames)
@settings(max_examples=160)
def test_every_expression_has_its_dense_value(model: Model, e: Expr, seed: int, frame: Axes) -> None:
    error, found = compare(e, model, seed, frame)
    assert error <= bound(found) * found.scale


@pytest.mark.parametrize("e", [SHARP, COSTATE, NESTED, VELOCITY, MOMENTUM, s.P, s.R, s.Upsilon, s.S, s.Omega], ids=str)
@pytest.mark.parametrize("frame", ["body", "world"])
def test_fixed_points_settle_like_rounds_of_the_whole_equation(e: Expr, frame: Axes) -> None:
    for seed in range(4):
        model = random_tree(8, joints=MOVING, seed=seed)
        error, found = compare(e, model, seed, frame)
        assert error <= bound(found) * found.scale


@given(mechanisms(joints=MOVING), seeds)
@settings(max_examples=30)
def test_queries(model: Model, seed: int) -> None:
    q, _ = model.random(seed)
    mass = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
    whole = evaluate(mass, model, q=q)
    values = whole.dense()
    allowed = rounding(size(values), terms=9 * model.n)
    assert np.array_equal(evaluate(dense(mass), model, q=q).dense(), values)
    for i, j in ((0, model.n - 1), (model.n - 1, 0), (model.n // 2, model.n // 2)):
        found = evaluate(block(mass, i, j), model, q=q).dense()
        assert apart(found, whole[i, j]) <= allowed
    name = model.joint_names[-1]
    assert apart(evaluate(block(mass, name, name), model, q=q).dense(), whole[name, name]) <= allowed
    assert apart(evaluate(trace(mass), model, q=q).dense(), np.trace(values)) <= model.nv * allowed
    sign, expected = np.linalg.slogdet(values)
    found = evaluate(logdet(mass), model, q=q).dense()
    assert sign > 0
    assert found.shape == ()
    # A sum of logarithms of pivots.
    logarithm = rounding(model.nv, terms=9 * model.n, condition=condition(values))
    assert apart(found, expected) <= logarithm
    # The determinant is that of the factor D alone.
    assert apart(evaluate(logdet(s.D), model, q=q).dense(), expected) <= logarithm


def test_shapes_of_vectors_numbers_and_operators() -> None:
    model = random_tree(4, seed=3)
    q, v = model.random(3)
    assert evaluate(s.V, model, q=q, v=v).dense().shape == (24,)
    assert evaluate(s.v.T @ s.D @ s.v, model, q=q, v=v).dense().shape == ()
    assert evaluate(s.v.T @ s.D, model, q=q, v=v).dense().shape == (1, model.nv)
    assert evaluate(s.H, model, q=q).dense().shape == (model.nv, 24)
    assert evaluate(one(FORCE >> FORCE), model, q=q).dense().shape == (24, 24)
    assert not evaluate(zero(MOTION >> FORCE), model, q=q).dense().any()
    assert evaluate(s.a_ground.T @ s.M @ s.a_ground, model, q=q).dense().shape == ()


def test_low_rank_products_pass_through_one_number() -> None:
    model = random_tree(5, seed=5)
    q, v = model.random(5)
    outer = s.b @ s.V.T
    found = evaluate(outer, model, q=q, v=v).dense()
    b, V = (evaluate(e, model, q=q, v=v).dense() for e in (s.b, s.V))
    assert apart(found, np.outer(b, V)) <= rounding(size(found), terms=model.n)
    energy = evaluate(s.V.T @ s.M @ s.V @ s.V.T, model, q=q, v=v)
    assert energy.type == FORCE >> ONE
    assert energy.shape == (1, 30)


def test_recursions_for_several_columns() -> None:
    several = space("several", attached=False)
    F, start = operator("F", several >> FORCE), operator("S", several >> MOTION)
    model = random_tree(6, seed=6)
    q, _ = model.random(6)
    columns = np.random.default_rng(6).standard_normal((36, 3))
    inward = fixpoint("X", several >> FORCE, lambda X: s.E_phi @ (X + F))
    outward = fixpoint("X", several >> MOTION, lambda X: s.E_phi.T @ (X + start))
    for e, same, inputs in (
        (inward, s.phi_tilde @ F, {"F": columns}),
        (outward, s.phi_tilde.T @ start, {"S": columns}),
    ):
        found, expected = (
            evaluate(side, model, q=q, frame="body", limit="2 GB", redundant="raise", **inputs) for side in (e, same)
        )
        assert found.shape == (36, 3)
        assert apart(found.dense(), expected.dense()) <= rounding(size(expected.dense()), terms=6 * model.n)


def test_triangular_operators_with_blocks_of_several_freedoms() -> None:
    """Their diagonal blocks become I up to rounding only, on both sides of the diagonal."""
    model = random_tree(8, joints=("spherical", "floating", "universal"), seed=7)
    q, _ = model.random(7)
    x = np.random.default_rng(7).standard_normal(model.nv)
    m, ell = (evaluate(e, model, q=q).dense() for e in (s.m, s.ell))
    allowed = rounding(terms=model.nv, condition=condition(m))
    found = evaluate(inv(s.m) @ s.T, model, q=q, T=x).dense()
    assert apart(found, ell @ x) <= allowed * size(ell) * float(np.abs(x).sum())
    assert apart(evaluate(inv(s.m), model, q=q).dense(), ell) <= allowed * size(ell)
    assert apart(evaluate(inv(s.ell.T), model, q=q).dense(), m.T) <= allowed * size(m)


def test_a_product_of_many_sums_is_not_multiplied_out() -> None:
    def f(X: Expr) -> Expr:
        e = X
        for _ in range(40):
            e = (s.I + s.E_phi) @ e @ (s.I + s.E_phi).T
        return s.M + s.E_phi @ diag(e) @ s.E_phi.T

    model = random_tree(4, seed=2)
    value = evaluate(fixpoint("X", MOTION >> FORCE, f), model, q=model.neutral())
    assert np.isfinite(value.dense()).all()


def test_siblings_do_not_couple_under_diag() -> None:
    model = random_tree(9, branching=1.0, seed=2)
    q, _ = model.random(2)
    local = evaluate(diag(s.E_phi.T @ s.Upsilon @ s.E_phi), model, q=q)
    whole = evaluate(s.E_phi.T @ s.Upsilon @ s.E_phi, model, q=q)
    assert whole.nnz > local.nnz
    assert apart(local.dense(), whole.diagonal().dense()) <= rounding(size(local.dense()), terms=6 * 6)


def test_the_adjoint_of_an_inverse_of_a_name() -> None:
    model = random_tree(5, seed=8)
    q, _ = model.random(8)
    for e in (inv(s.phi), inv(s.phi.T), inv(s.psi).T):
        value = evaluate(e, model, q=q)
        other = evaluate(e.T, model, q=q)
        assert np.array_equal(value.dense(), other.dense().T)
    assert np.array_equal(evaluate(inv(s.phi), model, q=q).dense(), evaluate(s.I - s.E_phi, model, q=q).dense())
