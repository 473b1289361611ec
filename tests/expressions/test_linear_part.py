"""The operator of a formula that is linear in a vector."""

import pytest

from operator_algebra.errors import InputError
from operator_algebra.expressions.build import vector
from operator_algebra.expressions.linear_part import linear_part
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.normalize import equal
from operator_algebra.operators.spaces import RATE
from operator_algebra.symbols import D, H, M, T, W, inv, kappa, phi, qdd, v

MASS = H @ phi @ M @ phi.T @ H.T
y = vector("y", RATE)


@pytest.mark.parametrize(
    "A", [inv(MASS), 2 * inv(D), v @ y.T, v @ y.T + inv(D), (y.T @ D @ y) * inv(D), inv(D) @ MASS @ inv(D)], ids=str
)
def test_the_operator_is_found(A: Expr) -> None:
    assert equal(linear_part(A @ T, T), A)
    assert equal(linear_part(A @ T + A @ (2 * T), T), 3 * A)
    assert equal(linear_part(y.T @ MASS @ A @ T, T), y.T @ MASS @ A)


def test_definitions_are_looked_into() -> None:
    assert linear_part(kappa, T) == W


@pytest.mark.parametrize("e", [inv(MASS) @ T + v, (T.T @ v) * v + (T.T @ inv(D) @ T) * v, MASS @ qdd])
def test_what_is_not_linear_is_refused(e: Expr) -> None:
    with pytest.raises(InputError):
        linear_part(e, T)
