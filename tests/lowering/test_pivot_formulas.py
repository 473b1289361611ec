"""What a pivot of no body is said to be, it is: the value of its formula, and its own adjoint where it is marked so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, body_of, logdet
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.operators.spaces import FORCE
from operator_algebra.programs.interpret import Interpreter
from tests.golden.known import DELASSUS, LOOP, MASS, J
from tests.oracles.interpreted import matrix
from tests.programs.rational_blocks import exact
from tests.programs.test_interpreted_programs import GOLDEN, LITERAL, RATIONAL, entries, formulas_of

EXACTLY = replace(LITERAL, rounded=False)
"""Fractions, where nothing is averaged."""
OTHER = (s.H @ s.phi @ operator("E", LOOP.dual >> FORCE)).T
B = operator("B", LOOP >> LOOP.dual)
W = operator("W", LOOP >> LOOP.dual, structure="symmetric definite")
BETWEEN = J @ inv(MASS) @ OTHER.T
FORMULAS: dict[str, Expr | Query] = {
    "determinant, a symmetric factor first": logdet(W @ BETWEEN),
    "determinant, a symmetric factor last": logdet(BETWEEN @ W),
    "determinant of symmetric factors": logdet(W @ DELASSUS),
    "determinant of a symmetric sum": logdet(DELASSUS + inv(W)),
    "determinant of a sum that is not": logdet(BETWEEN + inv(W)),
    "inverse of symmetric factors": inv(W @ DELASSUS),
    "springs and their adjoints": inv(MASS + J.T @ B @ OTHER + OTHER.T @ B.T @ J) @ s.T,
    "two springs": inv(MASS + J.T @ W @ J + OTHER.T @ W @ OTHER) @ s.T,
    "springs across": inv(MASS + J.T @ W @ OTHER + OTHER.T @ W @ J) @ s.T,
}


def pivots_of_no_body(formula: Any, method: Method) -> int:
    """How many there are; each is compared over fractions."""
    program = lower(formula, method=method)
    pivots = [one for one in program.pivots if not program.steps[one.value].value.attached]
    if not pivots:
        return 0
    values = exact({x for e in formulas_of(formula) for x in free_symbols(body_of(e))} | set(program.symbols), 1)
    run = Interpreter(program, values.tree, values.given, EXACTLY)
    run.run()
    for pivot in pivots:
        found, block = matrix(run.blocks[pivot.value][0]), program.steps[pivot.value].value
        if block.symmetric:
            assert np.array_equal(found, found.T)
        if pivot.inverted is not None and pivot.inverted.type == block.type:
            assert np.array_equal(found, entries(values.evaluation, pivot.inverted))
            assert block.symmetric or not pivot.inverted.structure.symmetric
    return len(pivots)


@pytest.mark.parametrize("method", ["auto", "refined"])
@pytest.mark.parametrize("name", FORMULAS)
def test_pivots_are_what_is_said(name: str, method: Method) -> None:
    assert pivots_of_no_body(FORMULAS[name], method)


def test_pivots_of_pages_are_what_is_said() -> None:
    assert sum(pivots_of_no_body(GOLDEN[name], "auto") for name in RATIONAL) > 30
