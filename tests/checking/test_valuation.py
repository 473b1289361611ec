"""The valuation against the reference evaluation, floats against fixed point, and what an inverse needs."""

from typing import Any

import numpy as np
import pytest

from operator_algebra.checking.arithmetic import FixedPoint, FloatArithmetic, Singular
from operator_algebra.checking.scene import Sample, extended_scene, float_scene
from operator_algebra.checking.suite import mechanism
from operator_algebra.checking.valuation import Valuation
from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import diag, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.spatial.arrays import Axes
from operator_algebra.symbols import (
    LEAVES,
    D,
    H,
    I,
    K,
    M,
    Omega,
    P,
    R,
    S,
    Upsilon,
    V,
    a,
    a_ground,
    b,
    delta,
    ell,
    innovations,
    inv,
    m,
    nu,
    phi,
    psi,
    rotation,
    tau_bar,
    v,
    vocabulary,
    xi,
)
from tests.rounding import rounding

FORMULAS: list[Expr] = [
    phi, psi, P, D, K, R, Upsilon, Omega, S, m, ell, V, a, b, delta, rotation, xi, nu, tau_bar,
    H @ phi @ M @ phi.T @ H.T, inv(H @ phi @ M @ phi.T @ H.T), inv(I + H @ phi @ K), diag(phi @ M @ phi.T),
    inv(D + 2 * (H @ M @ H.T)), 0.5 * v.T @ H @ M @ H.T @ v, phi.T @ a_ground, (v.T @ H @ M @ H.T @ v) * (H.T @ v),
]  # fmt: skip
ROBOTS = ("tree4", "free2", "universal-outboard", "planar-root", "forest5.12", "fixed-alone", "geared2")


def _valuation(model: Model, frame: Axes, count: int = 1, *, precise: bool = False) -> tuple[Valuation, list[Sample]]:
    samples = [Sample.draw(model, 7 + k, frame) for k in range(count)]
    return Valuation((extended_scene if precise else float_scene)(model, samples)), samples


@pytest.mark.parametrize("frame", ["body", "world"])
@pytest.mark.parametrize("name", ROBOTS)
def test_two_roads_to_the_same_value(name: str, frame: Axes) -> None:
    model = mechanism(name)
    valuation, (sample,) = _valuation(model, frame)
    for e in [*FORMULAS, *LEAVES]:
        needs_v = "v" in str({symbol.name for symbol in _inputs(e)})
        given: dict[str, Any] = {"v": sample.v} if needs_v or e is LEAVES[2] else {}
        reference = evaluate(e, model, q=sample.q, frame=frame, **given)
        value = valuation.value(e)
        dense = reference.data.toarray()
        # Two roads, each with blocks of six.
        bound = rounding(terms=36 * model.depth, condition=float(value.condition[0]))
        assert np.linalg.norm(value.array[0] - dense) <= bound * max(np.linalg.norm(value.size[0]), 1e-300), e


def _inputs(e: Expr) -> set[Expr]:
    from operator_algebra.expressions.traverse import free_symbols

    return {symbol for symbol in free_symbols(e) if symbol.origin == "input"}


def test_a_batch_is_as_good_as_one_by_one() -> None:
    model = mechanism("forest5.7")
    valuation, samples = _valuation(model, "body", 3)
    for k, sample in enumerate(samples):
        alone = Valuation(float_scene(model, [sample]))
        np.testing.assert_array_equal(valuation.value(Omega).array[k], alone.value(Omega).array[0])


def test_fixed_point_agrees_with_floats_to_their_last_digits() -> None:
    model = mechanism("free2")
    floats, _ = _valuation(model, "world")
    precise, _ = _valuation(model, "world", precise=True)
    arithmetic = precise.arithmetic
    assert isinstance(arithmetic, FixedPoint)
    for e in FORMULAS:
        left, right = floats.value(e), precise.value(e)
        exact = (right.array / arithmetic.one()).astype(float)
        bound = rounding(terms=36 * model.depth, condition=float(left.condition[0]))
        assert np.linalg.norm(left.array - exact) <= bound * max(np.linalg.norm(left.size), 1e-300), e


@pytest.mark.parametrize("name", ["planar-root", "helical-outboard", "universal-outboard", "free1", "forest5.19"])
def test_rotations_are_orthogonal_to_all_bits(name: str) -> None:
    valuation, _ = _valuation(mechanism(name), "body", precise=True)
    arithmetic = valuation.arithmetic
    X_abs = valuation.value(vocabulary()["X_abs"]).array
    for k in range(0, X_abs.shape[-1], 6):
        block = X_abs[:, k : k + 3, k : k + 3]
        product = arithmetic.multiply(block, np.swapaxes(block, -1, -2))
        unit = arithmetic.array(np.eye(3))[None]
        # Of its 320 bits, twenty for what is multiplied and added.
        assert arithmetic.norm(product - unit)[0] <= 2.0 ** -(320 - 20)


def test_sizes_remember_what_cancelled() -> None:
    valuation, _ = _valuation(mechanism("tree4"), "body")
    value = valuation.value(H @ tau_bar)
    terms = float(np.linalg.norm(value.size))
    assert np.linalg.norm(value.array) <= rounding(terms, terms=6, condition=float(value.condition[0]))
    assert np.linalg.norm(value.size) > 1.0


def test_fixed_point_linear_algebra() -> None:
    arithmetic = FixedPoint(200)
    rng = np.random.default_rng(0)
    factor = rng.standard_normal((1, 5, 5))
    matrix = arithmetic.array(factor @ np.swapaxes(factor, -1, -2))
    unit = arithmetic.array(np.eye(5))[None]
    left = 2.0 ** -(200 - 20)
    assert arithmetic.norm(arithmetic.multiply(matrix, arithmetic.inverse(matrix)) - unit)[0] <= left
    root = arithmetic.cholesky(matrix)
    assert arithmetic.norm(arithmetic.multiply(root, np.swapaxes(root, -1, -2)) - matrix)[0] <= left
    with pytest.raises(Singular):
        arithmetic.inverse(arithmetic.zeros((1, 2, 2)))
    with pytest.raises(Singular):
        arithmetic.cholesky(-1 * matrix)


def test_a_singular_sample_does_not_spoil_its_neighbours() -> None:
    arithmetic = FloatArithmetic()
    inverse = arithmetic.inverse(np.array([[[2.0]], [[0.0]]]))
    assert inverse[0, 0, 0] == 0.5
    assert np.isnan(inverse[1, 0, 0])
    factor = arithmetic.cholesky(np.array([[[4.0]], [[-1.0]]]))
    assert factor[0, 0, 0] == 2.0
    assert np.isnan(factor[1, 0, 0])


def test_what_has_no_value_is_refused() -> None:
    valuation, _ = _valuation(mechanism("tree4"), "body")
    variable = P.children[0]
    with pytest.raises(InputError, match="no value of its own"):
        valuation.value(variable)


def test_a_recursion_counts_the_inverses_of_its_solution_and_none_on_the_way() -> None:
    """On the way bodies stand alone, whose pivots may be worse than those with all that they carry."""
    J = operator("J", RATE >> TORQUE, structure="diagonal definite")
    given = innovations(J)
    for name in ("tree20", "chain12", "free2"):
        values, _ = _valuation(mechanism(name), "body", 3)
        pivots, inertia, maps, extra = (values.value(e).array for e in (given.D, given.P, H, J))
        sizes = np.abs(maps) @ np.abs(inertia) @ np.abs(np.swapaxes(maps, -1, -2)) + np.abs(extra)
        worst, start = np.ones(3), 0
        for count in values.scene.joint.tolist():
            block = (..., slice(start, start + count), slice(start, start + count))
            start += count
            if count:
                norms = [np.linalg.norm(x, axis=(-2, -1)) for x in (np.linalg.inv(pivots[block]), sizes[block])]
                worst = np.maximum(worst, norms[0] * norms[1] / count)
        assert values.value(given.P).condition == pytest.approx(worst, rel=rounding(terms=100, condition=worst.max()))
