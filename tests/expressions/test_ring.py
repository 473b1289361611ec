"""Sums, products and multiples: typing of I and 0, flattening, scalars."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.expressions.build import diag, inv, local, one, operator, root, scalar, vector, zero
from operator_algebra.expressions.nodes import Expr, One, Product, Scale, Sum, Zero
from operator_algebra.expressions.ring import add, matmul, retype
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE, WHITE, Space
from operator_algebra.symbols import D, E_phi, H, I, K, M, P, T, V, cross, f_ext, phi, qdd, v
from tests.expression_strategies import SPACES, VECTORS, operators

h, k = scalar("h"), scalar("k")
x, y = vector("x", MOTION), vector("y", MOTION)
w, z = vector("w", FORCE), vector("z", FORCE)


def test_nested_products_and_sums_are_flat() -> None:
    assert isinstance(H @ (phi @ M), Product)
    assert H @ (phi @ M) == (H @ phi) @ M == matmul(H, phi, M)
    assert (M + P) + M == M + (P + M) == add(M, P, M)
    assert len((M + P + M).children) == 3


def test_identity_and_zero_take_the_type_of_their_place() -> None:
    assert not I.typed
    assert (I - E_phi).children[0].type == FORCE >> FORCE
    assert H @ I == H == I @ H
    right, left = one(FORCE >> FORCE), one(TORQUE >> TORQUE)
    assert H @ (right + right) == H @ (I + I)
    assert (left + left) @ H == (I + I) @ H
    assert M + 0 == M == 0 + M
    assert H @ zero() == zero()
    assert (H @ zero(RATE >> FORCE)).type == RATE >> TORQUE
    assert 0 * phi == zero(FORCE >> FORCE)
    assert isinstance(phi - phi, Sum)


def test_untyped_expressions_stay_untyped_until_they_meet_a_type() -> None:
    untyped = inv(2 * I + I @ I)
    assert not untyped.typed
    assert (untyped @ H).type == H.type
    assert (h * I).type != ONE >> ONE
    assert retype((h + one(ONE >> ONE)) * I, FORCE >> FORCE).type == FORCE >> FORCE
    assert (h * I + phi).children[0] == h * one(FORCE >> FORCE)


def test_identity_between_different_spaces_is_refused() -> None:
    for make in (lambda: I + H, lambda: one(MOTION >> FORCE), lambda: H + 2 * I):
        with pytest.raises(SpaceMismatch, match="maps a space to itself"):
            make()


def test_rational_factors_move_to_the_front_and_multiply() -> None:
    assert (2 * H) @ (3 * phi) == 6 * (H @ phi)
    negative = -M
    assert -negative == M
    assert 0.1 * M == Fraction(1, 10) * M == M / 10
    assert inv(2 * M) == 0.5 * inv(M)
    assert (2 * M).T == 2 * M
    assert diag(2 * (phi @ M)) == 2 * diag(phi @ M)
    assert cross(2 * V) == 2 * cross(V)
    assert local("cross", -h * V) == -h * cross(V)


@pytest.mark.parametrize("factor", [float("nan"), float("inf"), "2", None, 1j, True, 10**2000])
def test_what_is_no_number_does_not_scale(factor: object) -> None:
    with pytest.raises(InputError):
        M * factor  # pyright: ignore[reportUnusedExpression, reportOperatorIssue]


def test_bare_numbers_are_not_operators() -> None:
    for make in (lambda: M + 1, lambda: 1 - M, lambda: M @ 2, lambda: 2 @ M):  # pyright: ignore[reportOperatorIssue]
        with pytest.raises(InputError, match=r"\* I for a multiple of I|bare number"):
            make()
    with pytest.raises(InputError, match="by zero"):
        M / 0  # pyright: ignore[reportUnusedExpression]


def test_a_number_is_added_to_a_scalar() -> None:
    unit = one(ONE >> ONE)
    assert (1 + h) * M == (unit + h) * M
    assert h + 1 == h + unit
    assert h - 2.5 == h + Fraction(-5, 2) * unit
    assert 1 - h == unit - h
    assert 0 + h == h
    assert np.float64(0.5) + h * k == 0.5 * unit + h * k
    assert 1 + w.T @ x == unit + w.T @ x
    for make in (lambda: h + True, lambda: h + 1j, lambda: h + "1", lambda: float("nan") - h):  # pyright: ignore[reportOperatorIssue, reportUnknownLambdaType]
        with pytest.raises(InputError):
            make()  # pyright: ignore[reportUnknownArgumentType]


def test_a_scalar_beside_a_vector_scales_it() -> None:
    assert x @ h == h * x
    assert h @ w.T == h * w.T
    assert (x @ h) @ w.T == x @ (h @ w.T) == h * (x @ w.T)
    assert h * k == h @ k
    with pytest.raises(SpaceMismatch):
        h @ M  # pyright: ignore[reportUnusedExpression]


def test_products_with_numbers_inside_do_not_depend_on_brackets() -> None:
    factors = [x, w.T, phi.T, y, z.T, phi.T, x, w.T]
    flat = matmul(*factors)
    left = right = None
    for factor in factors:
        left = factor if left is None else left @ factor
    for factor in reversed(factors):
        right = factor if right is None else factor @ right
    middle = (x @ (w.T @ (phi.T @ y))) @ ((z.T @ phi.T) @ (x @ w.T))
    assert flat == left == right == middle
    assert isinstance(flat, Scale)
    assert flat.T.T is flat
    assert str(flat) == "(w* φ* y) (z* φ* x) x w*"


@given(st.lists(st.sampled_from(SPACES), min_size=3, max_size=5), st.data())
def test_composition_is_associative(spaces: list[Space], data: st.DataObject) -> None:
    chain = [data.draw(operators(depth=1, type_=a >> b)) for a, b in pairwise(spaces)][::-1]
    left: Expr = chain[0]
    for e in chain[1:]:
        left = left @ e
    right: Expr = chain[-1]
    for e in reversed(chain[:-1]):
        right = e @ right
    assert left is right is matmul(*chain)


@given(operators())
def test_the_adjoint_is_an_involution_and_reverses_products(e: Expr) -> None:
    assert e.T.T is e
    assert e.T.type == e.type.T
    assert (2 * e).T is 2 * e.T
    assert (e + e).T is e.T + e.T
    before = VECTORS[e.type.codomain.dual].T @ e
    assert before.T is e.T @ VECTORS[e.type.codomain.dual]
    assert before.T.T is before


def test_symmetric_leaves_are_their_own_adjoint() -> None:
    for e in (M, P, D, phi @ M @ phi.T, inv(M), H @ P @ H.T):
        assert e.T is e
    for e in (H, phi, K, E_phi, v):
        assert e.T is not e
        assert e.T.T is e


def test_inverses() -> None:
    assert inv(inv(phi)) == phi
    assert inv(phi.T) == inv(phi).T
    assert isinstance(inv(I), One)
    assert inv(M).type == FORCE >> MOTION
    with pytest.raises(SpaceMismatch, match=r"different block sizes.*A\* \(A A\*\)⁻¹"):
        inv(H)
    with pytest.raises(SpaceMismatch, match="no inverse"):
        inv(zero(FORCE >> FORCE))


def test_roots_are_of_block_diagonal_operators() -> None:
    assert root(D).type == WHITE >> TORQUE
    assert (root(D) @ root(D).T).type == D.type
    assert root(M).type.domain.name == "white(spatial)"
    with pytest.raises(SpaceMismatch, match="not block-diagonal"):
        root(phi @ M @ phi.T)
    with pytest.raises(SpaceMismatch, match="to its dual"):
        root(phi)


def test_diagonal_parts() -> None:
    assert diag(M) == M
    assert diag(diag(phi)) == diag(phi)
    assert isinstance(diag(zero(FORCE >> FORCE)), Zero)
    with pytest.raises(SpaceMismatch, match="no block per body"):
        diag(V)
    with pytest.raises(SpaceMismatch, match="not known yet"):
        diag(I + I)


def test_local_functions_check_their_arguments() -> None:
    with pytest.raises(SpaceMismatch, match="takes a vector of motion"):
        cross(f_ext)
    with pytest.raises(SpaceMismatch, match="takes a vector of motion"):
        cross(phi.T)
    with pytest.raises(InputError, match="one vector; 2 were given"):
        local("cross", V, V)
    with pytest.raises(InputError, match="no local function"):
        local("dot", V)
    assert isinstance(cross(zero()), Zero)


def test_an_expression_is_a_row_and_a_column() -> None:
    assert (T.T @ qdd).type == ONE >> ONE
    assert (qdd @ T.T).type == RATE >> RATE
    energy = v.T @ H @ P @ H.T @ v
    assert energy.type == ONE >> ONE
    assert energy.T is energy
    assert (energy * M).type == M.type


def test_names() -> None:
    for name in ("", "a b", "2x", "τ", "x-y", "I", "inv", "root", "diag", "cross", "spin"):
        with pytest.raises(InputError, match="cannot name an operator"):
            operator(name, MOTION >> FORCE)
