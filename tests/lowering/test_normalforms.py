"""The formulas of a program in normal form: laid out as before, and None where nothing cancels."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv, operator, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, dense, logdet
from operator_algebra.lowering.lower import lower
from operator_algebra.lowering.normalforms import in_normal_form
from operator_algebra.operators.spaces import FORCE, RATE, TORQUE

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
C = operator("C", RATE >> TORQUE, structure="diagonal")
A = operator("A", FORCE >> FORCE, structure="diagonal")
B = operator("B_joint", RATE >> TORQUE, structure="diagonal")
x = vector("x", FORCE)


@pytest.mark.parametrize("e", [s.V, inv(MASS) @ s.T, dense(inv(MASS)), logdet(MASS), inv(MASS + C) @ s.T], ids=str)
def test_what_needs_all_its_inverses_has_none(e: Expr | Query) -> None:
    assert in_normal_form(lower(e), ()) is None


CANCELLING: dict[str, tuple[Expr, Expr]] = {
    "a factor": (A @ inv(A) @ x, x),
    "a term": (s.v + inv(C) @ s.T - inv(C) @ s.T, s.v),
}


@pytest.mark.parametrize("name", CANCELLING)
def test_an_inverse_that_cancels_is_gone(name: str) -> None:
    e, expected = CANCELLING[name]
    found = in_normal_form(lower({"result": e}), ())
    assert found == (("result", expected),)


def test_leaves_that_vanish_take_inverses_along() -> None:
    e = s.T + s.armature @ inv(C) @ s.T
    assert in_normal_form(lower(e), ()) is None
    found = in_normal_form(lower(e), ("armature",))
    assert found is not None
    assert found[0][1] == s.T


def test_results_keep_their_names_and_the_rest_its_form() -> None:
    program = lower({"whole": inv(MASS) @ s.T, "less": CANCELLING["a term"][0]})
    assert in_normal_form(program, ()) == (("whole", inv(MASS) @ s.T), ("less", s.v))


def test_blocks_stay_blocks_and_a_matrix_a_matrix() -> None:
    blocks = C + s.armature @ inv(B) @ C
    full = MASS + s.armature @ inv(B) @ MASS
    for e, asked in ((blocks, False), (full, True)):
        found = in_normal_form(lower(e), ("armature",))
        assert found is not None
        assert isinstance(found[0][1], Query) == asked
        (old,), (new,) = lower(e).outputs, lower(dict(found)).outputs
        assert old.kind == new.kind
