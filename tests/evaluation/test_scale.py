"""The scale of a value: what its rounding is judged against."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.evaluation import evaluate_with_scale, scaled, shared_source, start
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.families import chain
from operator_algebra.models.model import Model
from tests.rounding import apart, rounding
from tests.strategies import mechanisms

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T

TWINS: dict[str, tuple[Expr, Expr, Expr]] = {
    "gain": (s.H @ s.tau_bar, 0 * s.H, s.H @ s.tau),
    "factor inverse": (inv(s.U), s.I - s.H @ s.psi @ s.K, s.I + s.H @ s.psi @ s.K),
    "innovations": (MASS, s.U @ s.D @ s.U.T, s.U @ s.H @ s.R @ s.H.T @ s.U.T),
    "ratio": (inv(s.psi) @ s.phi, s.I + s.K @ s.H @ s.phi, s.I + s.K @ s.H @ s.psi),
    "mass inverse": (inv(MASS), s.W.T @ inv(s.D) @ s.W, s.U.T @ inv(s.D) @ s.U),
}


def residual_over_bound(left: Expr, right: Expr, model: Model, seed: int) -> float:
    run = start(shared_source((left, right), model, q=model.random(seed)[0], inputs={}))
    one, other = scaled(run, left), scaled(run, right)
    residual = float(np.linalg.norm(one.value.data.toarray() - other.value.data.toarray()))
    return residual / rounding(one.scale + other.scale, terms=model.depth, condition=run.condition)


@pytest.mark.parametrize("law", TWINS)
@given(mechanisms(joints=("revolute", "spherical", "universal", "prismatic"), max_bodies=8), st.integers(0, 1000))
@settings(max_examples=25)
def test_true_laws_stay_far_below_their_bound(law: str, model: Model, seed: int) -> None:
    left, right, _ = TWINS[law]
    assert residual_over_bound(left, right, model, seed) < 0.1


@pytest.mark.parametrize("law", TWINS)
def test_wrong_twins_stand_far_above_it(law: str) -> None:
    left, _, wrong = TWINS[law]
    assert residual_over_bound(left, wrong, chain(4, seed=1), 1) > 1e6


def test_a_sum_that_cancels_keeps_the_size_of_its_terms() -> None:
    arm = chain(3, seed=1)
    found = evaluate_with_scale(s.phi - s.phi, arm, q=arm.neutral())
    assert not found.value.dense().any()
    expected = 2 * float(np.linalg.norm(evaluate_with_scale(s.phi, arm, q=arm.neutral()).value.dense()))
    assert apart(found.scale, expected) <= rounding(expected, terms=(6 * 3) ** 2)


def test_the_condition_names_its_culprit() -> None:
    arm = chain(6, seed=1)
    assert evaluate_with_scale(s.phi, arm, q=arm.neutral()).condition == 1.0
    found = evaluate_with_scale(inv(MASS), arm, q=arm.neutral())
    assert found.culprit is MASS
    matrix = evaluate_with_scale(MASS, arm, q=arm.neutral()).value.dense()
    inverse = found.value.dense()
    assert found.condition >= np.abs(inverse @ matrix).max()
    assert found.condition <= 10 * np.linalg.cond(matrix)
    assert found.depth == 6
    assert found.magnitudes.shape == (6, 6)
