"""Finite arguments with a result beyond the range of floats: every call says so, in which sample and where."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, OperatorAlgebraWarning, RangeError, SingularError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import diag, fixpoint, inv, scalar
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, dense, logdet, trace
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.lower import Method
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, MOTION
from tests.expression_strategies import expressions, inputs_for
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms

TREE = random_tree(6, joints=("revolute", "prismatic", "spherical"), seed=1)
Q, V = TREE.random(0)
ONES = np.ones(TREE.nv)
SLIDES = chain(3, joint=("prismatic", "revolute"), seed=2)
FAR = np.array([1e160, 0.3, 1e160])
h = scalar("h")
GROWING = fixpoint("X", MOTION >> FORCE, lambda X: h * s.M + 1e200 * (s.E_phi @ X @ s.E_phi.T))

# Formula, mechanism, finite arguments with a finite result, and those changed that lead beyond.
CASES: dict[str, tuple[Expr | Query, Model, dict[str, Any], dict[str, Any]]] = {
    "large forces": (dynamics.forward_dynamics, TREE, {"q": Q, "v": V, "T": ONES}, {"T": ONES * 1e308}),
    "large rates": (dynamics.forward_dynamics, TREE, {"q": Q, "v": V, "T": ONES}, {"v": V * 1e200}),
    "energy": (dynamics.kinetic_energy, TREE, {"q": Q, "v": V}, {"v": V * 1e200}),
    "slides": (dynamics.forward_dynamics, SLIDES, {"q": np.ones(3), "v": np.ones(3), "T": np.ones(3)}, {"q": FAR}),
    "mass matrix": (dynamics.mass_matrix, SLIDES, {"q": np.ones(3)}, {"q": FAR}),
    "dense": (dense(dynamics.mass_matrix), SLIDES, {"q": np.ones(3)}, {"q": FAR}),
    "diagonal": (diag(inv(dynamics.mass_matrix)), SLIDES, {"q": np.ones(3)}, {"q": FAR}),
    "articulated inertia": (s.P, SLIDES, {"q": np.ones(3)}, {"q": FAR}),
    "pivots": (s.D, SLIDES, {"q": np.ones(3)}, {"q": FAR}),
    "log-determinant": (logdet(dynamics.mass_matrix), SLIDES, {"q": np.ones(3)}, {"q": FAR}),
    "trace": (trace(h * s.M), TREE, {"q": Q, "h": 2.0}, {"h": 1e308}),
    "blocks": (h * (h * s.M), TREE, {"q": Q, "h": 2.0}, {"h": 1e200}),
    "a vector": (h * (h * s.V), TREE, {"q": Q, "v": V, "h": 2.0}, {"h": 1e200}),
    "a recursion": (GROWING, chain(5), {"q": np.zeros(5), "h": 0.0}, {"h": 1e300}),
}


def quietly(call: Callable[..., Any], *args: Any, **given: Any) -> Any:
    """A call in which no warning of NumPy is allowed."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", OperatorAlgebraWarning)
        return call(*args, **given)


@pytest.mark.parametrize("name", CASES)
def test_evaluate_says_what_left_the_range(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    e, model, fine, beyond = CASES[name]
    assert np.isfinite(quietly(evaluate, e, model, **fine).dense()).all()
    with pytest.raises(RangeError, match="leaves the range of floats") as caught:
        quietly(evaluate, e, model, **{**fine, **beyond})
    assert caught.value.joints or name in ("energy", "trace")
    assert set(caught.value.joints) <= set(model.joint_names)
    assert capfd.readouterr() == ("", "")  # LAPACK prints what it does not like


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("method", ["auto", "joseph", "orthogonal"])
def test_compiled_programs_say_which_value_in_which_sample(
    name: str, method: Method, capfd: pytest.CaptureFixture[str]
) -> None:
    e, model, fine, beyond = CASES[name]
    run = compile_program(e, model, method=method)
    # Relations are scaled as they are made: what is left of such a mechanism is singular there, not large.
    kinds = (RangeError, SingularError) if method == "orthogonal" else RangeError
    with pytest.raises(kinds, match=r"leaves the range of floats|singular") as caught:
        quietly(run, **{**fine, **beyond})
    assert caught.value.samples == ()
    batch = {
        key: np.stack([np.asarray(beyond.get(key, value) if k in (1, 3) else value) for k in range(5)])
        for key, value in fine.items()
    }
    with pytest.raises(kinds, match="in sample 1") as caught:
        quietly(run, **batch)
    assert caught.value.samples == (1, 3)
    assert set(caught.value.joints) <= set(model.joint_names)
    masked, alone = quietly(run, **batch, errors="mask"), quietly(run, **fine)
    for found in (masked, caught.value.result):
        for blocks, one in zip(pieces(found), pieces(alone), strict=True):
            assert np.isnan(blocks[[1, 3]]).all()
            for k in (0, 2, 4):
                assert apart(blocks[k], one) <= rounding(size(one), terms=9 * model.n)


def pieces(result: Any) -> list[Any]:
    return result if isinstance(result, list) else [result]  # pyright: ignore[reportUnknownVariableType]


@given(expressions(), mechanisms(max_bodies=5), st.integers(0, 2**20), st.integers(0, 300), st.integers(0, 300))
@settings(max_examples=150)
def test_no_value_is_not_finite_without_a_word(e: Expr, model: Model, seed: int, far: int, large: int) -> None:
    q, v = model.random(seed)
    values = dict(inputs_for(e, model, seed))
    if any(symbol.name == "H_dot" for symbol in free_symbols(e)):
        values.setdefault("v", v)
    values = {name: np.asarray(value) * 10.0**large for name, value in values.items()}
    moved = np.array(q)
    for body, part in zip(model.bodies, model.q_slices, strict=True):
        if body.joint.kind in ("prismatic", "translation", "cylindrical"):
            moved[part] *= 10.0**far
    calls = (partial(evaluate, e, model), compile_program(e, model))
    for call in calls:
        try:
            found = quietly(call, q=moved, **values)
        except (RangeError, SingularError, InputError):
            continue
        result = found.dense() if hasattr(found, "dense") else found
        assert all(np.isfinite(piece).all() for piece in pieces(result))


def test_configurations_stay_in_the_range() -> None:
    with pytest.raises(RangeError, match=r"q ⊕ dv leaves the range of floats at \(0,\)"):
        quietly(SLIDES.integrate, [1.7e308] * 3, [1.7e308] * 3)
    with pytest.raises(RangeError, match=r"q1 ⊖ q0 leaves the range of floats"):
        quietly(SLIDES.difference, [1.7e308] * 3, [-1.7e308] * 3)
