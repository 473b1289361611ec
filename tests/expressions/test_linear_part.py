"""The operator of a formula that is linear in a vector."""

from typing import Any

import numpy as np
import pytest

from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import define, local, vector
from operator_algebra.expressions.linear_part import linear_part
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.normalize import equal
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.models.families import random_tree
from operator_algebra.operators.spaces import FORCE, MOTION, RATE
from operator_algebra.symbols import D, H, M, T, W, cross, crossbar, inv, kappa, phi, qdd, v
from tests.rounding import apart, rounding

MASS = H @ phi @ M @ phi.T @ H.T
y = vector("y", RATE)


@pytest.mark.parametrize(
    "A", [inv(MASS), 2 * inv(D), v @ y.T, v @ y.T + inv(D), (y.T @ D @ y) * inv(D), inv(D) @ MASS @ inv(D)], ids=str
)
def test_the_operator_is_found(A: Expr) -> None:
    assert equal(linear_part(A @ T, T), A)
    assert equal(linear_part(A @ T + A @ (2 * T), T), 3 * A)
    assert equal(linear_part(y.T @ MASS @ A @ T, T), y.T @ MASS @ A)


X, F = vector("X", MOTION), vector("F", FORCE)
SIDES = {
    "a cross product": (cross(phi.T @ H.T @ y) @ X, -cross(X) @ phi.T @ H.T),
    "its adjoint": (cross(H.T @ y).T @ F, crossbar(F) @ H.T),
    "a force inside": (crossbar(M @ H.T @ y) @ X, cross(X).T @ M @ H.T),
    "its adjoint, which is skew": (crossbar(M @ H.T @ y).T @ X, -cross(X).T @ M @ H.T),
    "a definition": (define("A", H @ cross(H.T @ y).T) @ phi @ F, H @ crossbar(phi @ F) @ H.T),
    "the adjoint of one": (define("B", cross(H.T @ y) @ phi.T).T @ F, phi @ crossbar(F) @ H.T),
    "a sum": ((cross(H.T @ y) + 2 * cross(X)) @ X, None),
    "a multiple": ((3 * (F.T @ X) * cross(H.T @ y)) @ X, -3 * (F.T @ X) * (cross(X) @ H.T)),
    "a number with it": ((F.T @ H.T @ y) * (phi @ F), phi @ F @ F.T @ H.T),
    "two places": (cross(H.T @ y) @ X + H.T @ y, H.T - cross(X) @ H.T),
}


@pytest.mark.parametrize("name", [name for name, (_, A) in SIDES.items() if A is not None])
def test_vectors_change_places_in_cross_products(name: str) -> None:
    e, A = SIDES[name]
    assert A is not None
    assert equal(linear_part(e, y), A)


def test_what_is_left_beside_it_is_told() -> None:
    with pytest.raises(InputError, match=r"is affine in y, not linear"):
        linear_part(SIDES["a sum"][0], y)


@pytest.mark.parametrize(
    "e", [cross(H.T @ y) @ H.T @ y, cross(cross(H.T @ y) @ H.T @ y) @ X, local("spin", H.T @ y) @ X]
)
def test_squares_and_turns_are_refused(e: Expr) -> None:
    with pytest.raises(InputError, match="y stands inside"):
        linear_part(e, y)


def test_what_is_buried_too_deeply_is_refused() -> None:
    e: Expr = cross(H.T @ y)
    for _ in range(1_000):
        e = define("A", phi.T @ e)
    with pytest.raises(InputError, match="y stands inside"):
        linear_part(e @ X, y)


def test_definitions_are_looked_into() -> None:
    assert linear_part(kappa, T) == W


@pytest.mark.parametrize("e", [inv(MASS) @ T + v, (T.T @ v) * v + (T.T @ inv(D) @ T) * v, MASS @ qdd])
def test_what_is_not_linear_is_refused(e: Expr) -> None:
    with pytest.raises(InputError):
        linear_part(e, T)


@pytest.mark.parametrize("name", [name for name, (_, A) in SIDES.items() if A is not None])
def test_they_are_equal_on_a_mechanism(name: str) -> None:
    e, A = SIDES[name]
    assert A is not None
    model = random_tree(4, seed=3)
    rng = np.random.default_rng(3)
    values: dict[str, Any] = {"y": rng.normal(size=model.nv), "X": rng.normal(size=24), "F": rng.normal(size=24)}
    given = {name: value for name, value in values.items() if name in {symbol.name for symbol in free_symbols(e)}}
    found = evaluate(e - A @ y, model, q=model.random(3)[0], **given).dense()
    assert apart(found, 0 * found) <= rounding(100.0)
