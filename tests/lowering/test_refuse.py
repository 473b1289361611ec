"""What cannot be lowered is refused with the innermost culprit, why, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import cast

import pytest

from operator_algebra import symbols as s
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, NotLowerable
from operator_algebra.expressions.build import fixpoint, inv, one, operator, vector, zero
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, logdet, trace
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.families import chain
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE

H, M, E_phi, phi = s.H, s.M, s.E_phi, s.phi
MASS = H @ phi @ M @ phi.T @ H.T
x = vector("x", FORCE)
Q = operator("Q", RATE >> TORQUE)
N = operator("N", FORCE >> FORCE, structure="inward")
GEAR = operator("gear", TORQUE >> TORQUE, structure="inward hop")
A = operator("A", MOTION >> FORCE, structure="diagonal")

STRICT = "is strictly inward, so no body has a pivot and the inverse does not exist. Did you mean φ⁻¹ = I − E_φ?"
NOT_LOCAL = (
    "so it may join bodies that are not parent and child (not tree-local). "
    'Declare structure="diagonal" or "inward hop" if it has that pattern, or use evaluate.'
)
NONLINEAR = "depends on itself through a local function or an inverse: not a linear recursion."
NO_PIVOT = "so elimination finds no pivot (the operator is structurally singular)."


def coupled() -> Expr:
    """X reads the children of each body, Y(X) its parent."""

    def back(X: Expr) -> Expr:
        return fixpoint("Y", ONE >> MOTION, lambda Y: E_phi.T @ Y + s.cross(inv(M) @ X) @ H.T @ s.v)

    return fixpoint("X", ONE >> FORCE, lambda X: E_phi @ X + M @ back(X))


REFUSED: dict[str, tuple[Callable[[], Expr | Query], str]] = {
    "strictly inward": (lambda: inv(phi - s.I) @ x, f"cannot lower (φ − I)⁻¹: φ − I {STRICT}"),
    "a hop": (lambda: inv(E_phi), f"cannot lower E_φ⁻¹: E_φ {STRICT}"),
    "a hop of the user's own": (
        lambda: inv(GEAR),
        "cannot lower gear⁻¹: gear is strictly inward, so no body has a pivot and the inverse does not exist. "
        "Did you mean (I − gear)⁻¹?",
    ),
    "a zero determinant": (
        lambda: logdet(phi - s.I),
        "cannot lower logdet(φ − I): φ − I is strictly inward, its determinant is zero and has no logarithm.",
    ),
    "the determinant of a product of low rank": (
        lambda: logdet(phi @ x @ x.T @ phi.T),
        "cannot lower logdet(φ x x* φ*): all of it passes a space of no body, so it has low rank, its determinant "
        "is zero and has no logarithm.",
    ),
    "the determinant of zero": (
        lambda: logdet(0 * M),
        "cannot lower logdet(0): 0 is zero, its determinant is zero and has no logarithm.",
    ),
    "a vector that is itself and more": (
        lambda: fixpoint("z", ONE >> FORCE, lambda z: x + z),
        f"cannot lower z: its equation has no local term at any body, {NO_PIVOT}",
    ),
    "a recursion that needs a sum over all bodies": (
        lambda: fixpoint("z", ONE >> FORCE, lambda z: x + E_phi @ z + x @ (x.T @ inv(M) @ z)),
        "cannot lower z: inside the inverse a sum over all bodies is fed back (a low-rank term). "
        "Write the inverse with the bordering (Woodbury) formula.",
    ),
    "strict, inside a larger formula": (
        lambda: phi.T @ inv(M + phi @ M @ inv(E_phi.T @ phi.T) @ phi.T) @ x,
        "cannot lower (E_φ* φ*)⁻¹: E_φ* φ* is strictly outward, so no body has a pivot and the inverse does not exist. "
        "Did you mean φ⁻¹ = I − E_φ?",
    ),
    "a full operator": (lambda: Q @ s.v, f"cannot lower Q: it is declared full, {NOT_LOCAL}"),
    "a full operator, inside an inverse": (
        lambda: inv(MASS + Q) @ s.T,
        f"cannot lower Q: it is declared full, {NOT_LOCAL}",
    ),
    "an inward operator that is no hop": (
        lambda: phi @ N @ x,
        f"cannot lower N: it is declared inward, {NOT_LOCAL}",
    ),
    "an algebraic equation": (
        lambda: fixpoint("X", MOTION >> FORCE, lambda X: M + X @ inv(M) @ E_phi @ X @ E_phi.T),
        "X depends on itself at the same body: an algebraic equation, not a recursion over the tree.",
    ),
    "a fixed point that is not block-diagonal": (
        lambda: fixpoint("X", FORCE >> FORCE, lambda X: s.I + E_phi @ X) @ x,
        "cannot lower the fixed point X: its value is inward, not block-diagonal. "
        "Close its hops, as in E X E*, or wrap the outward form in diag(E* X E).",
    ),
    "a recursion through a local function": (
        lambda: fixpoint("X", ONE >> MOTION, lambda X: s.cross(E_phi.T @ X) @ X + H.T @ s.v),
        f"cross(E_φ* X) {NONLINEAR}",
    ),
    "a recursion through a local function, both ways": (coupled, f"cross(M⁻¹ X) {NONLINEAR}"),
    "a difference of equals": (
        lambda: inv(A - A) @ x,
        f"cannot lower (A − A)⁻¹: its equation has no local term at any body, {NO_PIVOT}",
    ),
    "a difference of equals that runs both ways": (
        lambda: inv(phi @ A @ phi.T - phi @ A @ phi.T) @ x,
        f"cannot lower (φ A φ* − φ A φ*)⁻¹: its equation has no local term at any body, {NO_PIVOT}",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    make, message = REFUSED[name]
    with pytest.raises(NotLowerable) as caught:
        lower(make())
    assert str(caught.value) == message
    with pytest.raises(NotLowerable):
        compile_program(make(), chain(2))


@pytest.mark.parametrize("e", [one(), zero()])
def test_spaces_must_be_known(e: Expr) -> None:
    with pytest.raises(InputError, match="its spaces are not known"):
        lower(e)


@pytest.mark.parametrize("given", [3, None, {"a": 3}, {"a": None}, {3: M}, [M]])
def test_what_is_not_a_formula_is_refused(given: object) -> None:
    with pytest.raises(InputError, match=r"lower.* takes a formula|the name of a formula is"):
        lower(cast("Expr", given))
    with pytest.raises(InputError, match=r"lower.* takes a formula|the name of a formula is"):
        compile_program(cast("Expr", given), chain(2))


def test_an_empty_mapping_is_refused() -> None:
    with pytest.raises(InputError, match="Give at least one expression"):
        lower({})


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(InputError, match='Use "auto", "joseph", "refined" or "orthogonal"'):
        lower(s.V, method=cast("Method", "fast"))


def test_the_trace_of_a_sum_over_bodies_is_lowered_or_refused() -> None:
    with suppress(NotLowerable):
        assert len(lower(trace(MASS @ s.v @ s.v.T)).sweeps) == 2


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_leaves_nothing_behind(name: str) -> None:
    # The same formula is refused again, and its healthy parts still lower.
    make, message = REFUSED[name]
    for _ in range(2):
        with pytest.raises(NotLowerable) as caught:
            lower({"good": s.V, "bad": make()})
        assert str(caught.value) == message
    assert len(lower(s.V).sweeps) == 1
