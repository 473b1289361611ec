"""The same algebra on rationals and on many digits: laws hold to the last bit, roundings are measured."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.errors import InputError, SingularError
from operator_algebra.evaluation import model_source, start
from operator_algebra.expressions.build import diag, inv, root
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import trace
from operator_algebra.meaning.queries import answer
from operator_algebra.models.families import random_tree
from operator_algebra.operators.layout import Layout
from tests.oracles.exact_sources import ConvertedSource, GivenSource
from tests.rounding import apart, condition, rounding, size

mpmath: Any = import_module("mpmath")

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
MODEL = random_tree(5, joints=("revolute", "universal", "prismatic"), seed=3)
Q, V = MODEL.random(3)

LAWS: dict[str, tuple[Expr, Expr]] = {
    "innovations factorization": (MASS, s.U @ s.D @ s.U.T),
    "factor inverse": (inv(s.U), s.W),
    "gain": (s.H @ s.tau_bar, 0 * s.H),
    "mass inverse": (inv(MASS), s.W.T @ inv(s.D) @ s.W),
    "composite inertia": (s.R, diag(s.phi @ s.M @ s.phi.T)),
    "costate": (s.Upsilon, diag(s.Omega)),
    "ratio": (inv(s.psi) @ s.phi, s.I + s.K @ s.H @ s.phi),
    "velocity": (s.phi.T @ s.H.T @ s.v, s.V),
}


def entries(e: Expr, convert: Any) -> NDArray[Any]:
    given: dict[str, Any] = {"v": V} if "v" in {symbol.name for symbol in _free(e)} else {}
    exact = ConvertedSource(model_source(e, MODEL, q=Q, **given), convert)
    return start(exact).value(e).dense()


def _free(e: Expr) -> Any:
    from operator_algebra.expressions.traverse import free_symbols

    return free_symbols(e)


@pytest.mark.parametrize("law", LAWS)
def test_laws_hold_exactly_for_rational_leaves(law: str) -> None:
    left, right = (entries(side, Fraction) for side in LAWS[law])
    assert all(isinstance(x, int | Fraction) for x in left.flat)
    assert np.array_equal(left, right)


def test_a_wrong_twin_differs_exactly() -> None:
    assert not np.array_equal(entries(inv(s.U), Fraction), entries(s.I + s.H @ s.psi @ s.K, Fraction))


@pytest.mark.parametrize("e", [s.m @ s.m.T, inv(s.ell), s.m], ids=str)
def test_roots_to_many_digits(e: Expr) -> None:
    with mpmath.workdps(60):
        value = entries(e, mpmath.mpf)
        pairs = {s.m @ s.m.T: MASS, inv(s.ell): s.m, s.m: s.m}
        other = entries(pairs[e], mpmath.mpf)
        assert max(abs(x) for x in (value - other).flat) < mpmath.mpf(10) ** -50
        if e is s.m:
            product = value @ value.T
            assert max(abs(x) for x in (product - entries(MASS, mpmath.mpf)).flat) < mpmath.mpf(10) ** -50


def test_roots_of_rationals_are_exact_or_carry_many_bits() -> None:
    value = entries(root(s.D) @ root(s.D).T - s.D, Fraction)
    assert max(abs(x) for x in value.flat) < Fraction(1, 2**190)


def test_floats_agree_with_their_exact_value() -> None:
    exact = entries(inv(MASS), Fraction).astype(float)
    floats = start(model_source(inv(MASS), MODEL, q=Q)).value(inv(MASS)).dense()
    conditioned = condition(entries(MASS, Fraction).astype(float))
    assert apart(floats, exact) <= rounding(size(exact), terms=MODEL.n, condition=conditioned)


def test_leaves_of_no_model() -> None:
    """A chain of two unit joints over the integers: H φ M φ* H* = [[M₀ + M₁, M₁], [M₁, M₁]]."""
    layouts = {"spatial": Layout.of([1, 1]), "joint": Layout.of([1, 1]), "one": Layout.of([1], attached=False)}
    one = np.array([[1]], dtype=object)
    values = {
        "E_phi": {(0, 1): one},
        "H": {(0, 0): one, (1, 1): one},
        "M": {(0, 0): 3 * one, (1, 1): 5 * one},
    }
    source = GivenSource([-1, 0], layouts, values)
    assert start(source).value(MASS).dense().tolist() == [[8, 5], [5, 5]]
    assert start(source).value(inv(MASS)).dense().tolist() == [
        [Fraction(1, 3), -Fraction(1, 3)],
        [-Fraction(1, 3), Fraction(8, 15)],
    ]
    assert start(source).value(s.P).dense().tolist() == [[3, 0], [0, 5]]
    with pytest.raises(InputError, match=r"X_cm was not given. Given: E_phi, H, M"):
        start(source).value(s.X_cm)
    assert float(answer(start(source), trace(s.M)).dense()) == 8.0
    hollow = GivenSource([-1, 0], layouts, {**values, "M": {(0, 0): one}})
    with pytest.raises(SingularError, match='singular at joint "joint1"'):
        start(hollow).value(inv(s.D))


def test_complex_leaves_carry_a_derivative() -> None:
    """A complex step through the whole evaluation: d/dt of the mass matrix."""
    from operator_algebra.meaning.source import ModelSource
    from operator_algebra.operators.bind import bind
    from operator_algebra.operators.leaves import LeafValues
    from tests.oracles.finite_differences import allowed, along

    step = 1e-30
    leaves = LeafValues(MODEL, Q + 1j * step * V)
    source = ModelSource(MODEL, leaves, bind("e", [], MODEL, {}))
    found = np.imag(start(source).value(MASS).dense()) / step
    expected = along(MODEL, Q, V, lambda q: start(model_source(MASS, MODEL, q=q)).value(MASS).dense())
    mass = start(model_source(MASS, MODEL, q=Q)).value(MASS).dense()
    assert apart(found, expected) <= allowed(size(mass), V)
    factored = s.U @ s.D @ s.U.T
    other = np.imag(start(source).value(factored).dense()) / step
    assert apart(other, found) <= rounding(size(found), terms=9 * MODEL.n, condition=condition(mass))
