"""lower: a result for each formula, laid out by its type, in one program that has been verified."""

from __future__ import annotations

import pytest
from hypothesis import given as drawn
from hypothesis import settings

from operator_algebra import symbols as s
from operator_algebra.errors import InputError, NotLowerable
from operator_algebra.expressions.build import diag, inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import ONE, RATE, TORQUE, space
from operator_algebra.programs.program import OutputKind
from operator_algebra.programs.verify import check_program
from tests.expression_strategies import expressions

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
Z = space("coordinates", attached=False)
A = operator("A", RATE >> Z)

KINDS: dict[str, tuple[Expr | Query, OutputKind]] = {
    "a vector": (inv(MASS) @ s.T, "vector"),
    "a row": (s.T.T @ inv(MASS), "matrix"),
    "a number": (s.v.T @ MASS @ s.v, "small"),
    "columns of no body": (inv(MASS) @ A.T, "matrix"),
    "rows of no body": (A @ inv(MASS), "matrix"),
    "of no body at all": (A @ inv(MASS) @ A.T, "small"),
    "blocks": (s.D, "blocks"),
    "the diagonal of a matrix": (diag(inv(MASS)), "blocks"),
    "blocks, asked for as a matrix": (dense(s.D), "dense"),
    "a matrix": (inv(MASS), "dense"),
    "one block": (block(inv(MASS), 0, 1), "block"),
    "a trace": (trace(inv(MASS)), "small"),
    "a determinant": (logdet(MASS), "logdet"),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_result_is_laid_out_by_its_type(name: str) -> None:
    e, kind = KINDS[name]
    (output,) = lower(e).outputs
    assert output.kind == kind
    assert (output.walk is not None) == (kind in ("dense", "block"))
    assert (output.ref is None) == (kind in ("dense", "block"))


def test_what_passes_a_space_of_no_body_is_taken_from_columns() -> None:
    B = operator("B_of", Z >> TORQUE)
    low = inv(MASS + B @ operator("S_of", Z >> Z) @ A)
    assert [o.kind for o in lower({"one": block(low, 0, 1), "all": dense(low)}).outputs] == ["picked", "matrix"]


def test_rows_and_columns_are_those_of_the_whole() -> None:
    for e, _ in (KINDS["a vector"], KINDS["blocks"], KINDS["a matrix"]):
        (output,) = lower(e).outputs
        assert isinstance(e, Expr)
        assert (output.rows, output.columns) == (e.type.codomain, e.type.domain)
    (number,) = lower(trace(MASS)).outputs
    assert (number.rows, number.columns) == (ONE, ONE)


def test_together_they_share_what_they_have_in_common() -> None:
    alone = [len(lower(e).steps) for e in (inv(MASS) @ s.T, s.D)]
    assert len(lower({"a": inv(MASS) @ s.T, "b": s.D}).steps) < sum(alone)


def test_the_method_is_told_and_known() -> None:
    assert lower(inv(MASS) @ s.T, method="joseph").method == "joseph"
    with pytest.raises(InputError, match="method"):
        lower(s.V, method="fast")  # pyright: ignore[reportArgumentType]


def test_leaves_known_to_vanish_are_not_read() -> None:
    e = inv(MASS + s.armature) @ s.T
    assert "armature" in {leaf.name for leaf in lower(e).leaves}
    assert "armature" not in {leaf.name for leaf in lower(e, zeros=frozenset({"armature"})).leaves}


@drawn(expressions())
@settings(max_examples=40)
def test_what_is_lowered_is_sound_or_refused(e: Expr) -> None:
    try:
        program = lower(e)
    except NotLowerable:
        return
    check_program(program)
    (output,) = program.outputs
    assert output.formula == e
