"""Ring equality: what it must see, what it must not, and that it agrees with numbers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.build import diag, inv, root, scalar, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.normalize import equal, normalize
from operator_algebra.expressions.ring import one
from operator_algebra.models.families import random_tree
from operator_algebra.operators.spaces import FORCE, MOTION
from operator_algebra.symbols import D, E_phi, H, I, K, M, P, R, T, V, phi, psi, v
from tests.expression_strategies import inputs_for, operators
from tests.lowering.agreement import bound
from tests.rounding import apart

h, k = scalar("h"), scalar("k")
x, w = vector("x", MOTION), vector("w", FORCE)


@pytest.mark.parametrize(
    ("e", "f"),
    [
        ((I + H @ phi @ K) @ (I - H @ phi @ K), I - H @ phi @ K @ H @ phi @ K),
        (phi @ inv(phi), I),
        (phi @ inv(psi) @ psi @ inv(phi), one(FORCE >> FORCE)),
        (inv(phi @ psi), inv(psi) @ inv(phi)),
        (phi @ psi @ inv(phi @ psi), I),
        (inv(2 * phi + 2 * psi), inv(psi + phi) / 2),
        (inv(inv(phi + psi) @ phi @ inv(phi)), psi + phi),
        (M + P - M, P),
        (M - M, 0 * M),
        (h * (k * M), k * (h * M)),
        (h * inv(h) * M, M),
        ((h + h) * M, 2 * h * M),
        ((h + k) * M, h * M + k * M),
        (h * h * inv(h) * M, h * M),
        ((w.T @ x) * M, (x.T @ w) * M),
        (x @ (w.T @ x), (x.T @ w) * x),
        (w.T @ x, x.T @ w),
        (inv(h * M), inv(h) * inv(M)),
        (inv(h * D + 2 * h * D), inv(h) * inv(D) / 3),
        (diag(phi @ R + 2 * M), diag(phi @ R) + 2 * M),
        (diag((phi - I) @ M + (phi - I) @ R), diag(phi @ M) - M + diag(phi @ R) - R),
        (h * diag(phi @ R), diag(h * (phi @ R))),
        (inv(root(D)) @ root(D), I),
        (T.T @ (v + v), 2 * (T.T @ v)),
    ],
    ids=str,
)
def test_equal_forms(e: Expr, f: Expr) -> None:
    assert equal(e, f)
    assert equal(f, e)
    assert equal(e.T, f.T)
    assert str(normalize(e)) == str(normalize(f))


@pytest.mark.parametrize(
    ("e", "f"),
    [
        (phi @ psi, psi @ phi),
        (M, P),
        (phi, phi.T),
        (I, H),
        (phi, I),
        (inv(phi + psi), inv(phi) + inv(psi)),
        (diag(phi @ R @ phi.T), diag(phi) @ R @ diag(phi.T)),
        (h * M, k * M),
        ((w.T @ x) * M, (w.T @ V) * M),
        (x @ w.T, w @ x.T),
        (inv(H @ P @ H.T), inv(D)),
    ],
    ids=str,
)
def test_different_forms(e: Expr, f: Expr) -> None:
    assert not equal(e, f)


@given(operators(depth=3))
def test_the_normal_form_is_normal(e: Expr) -> None:
    form = normalize(e)
    assert form.type == e.type
    assert normalize(form) is form
    assert equal(form, e)
    assert equal(e - form, 0 * e)
    assert equal(2 * e, e + e)


SQUARE = operators(depth=2, type_=FORCE >> FORCE)


@given(SQUARE, SQUARE, SQUARE)
def test_ring_laws(a: Expr, b: Expr, c: Expr) -> None:
    assert equal(a @ (b + c), a @ b + a @ c)
    assert equal((a + b) @ c, a @ c + b @ c)
    assert equal(a + b, b + a)
    assert equal((a @ b).T, b.T @ a.T)
    assert equal(a - (b - c), a - b + c)


@settings(max_examples=60)
@given(operators(depth=3), st.integers(0, 50))
def test_the_normal_form_has_the_same_value(e: Expr, seed: int) -> None:
    model = random_tree(4, seed=seed)
    q, values = model.random(seed)[0], inputs_for(e, model, seed)
    form = normalize(e)
    written = evaluate_with_scale(e, model, q=q, **values)
    normal = evaluate_with_scale(form, model, q=q, **inputs_for(form, model, seed))
    allowed = bound(written) * written.scale + bound(normal) * normal.scale
    assert apart(written.value.dense(), normal.value.dense()) <= allowed


def test_what_is_zero_has_no_inverse() -> None:
    with pytest.raises(SpaceMismatch, match="cannot invert φ − φ: it is 0"):
        normalize(inv(phi - phi))


def test_an_explosion_is_refused() -> None:
    e: Expr = I + E_phi
    for _ in range(5):
        e = e @ (psi + phi + I) @ e
    with pytest.raises(InputError, match="more than 50000 terms"):
        normalize(e)


def test_terms_read_in_a_fixed_order() -> None:
    assert str(normalize(psi @ (phi + E_phi) + I)) == "I + ψ E_φ + ψ φ"
    assert str(normalize(R + P + M)) == "M + P + R"
