"""Value numbering: what is equal once it is multiplied out is one value, and nothing else is."""

import pytest

from operator_algebra.compiler import compile
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.build import define, inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.families import random_tree
from operator_algebra.symbols import P, R
from tests.lowering.agreement import bound, dense
from tests.rounding import apart

Y = R @ inv(P)
A = define("A", Y + Y @ Y)
B = define("B", Y - Y @ Y)
Y2, Y3, Y4 = Y @ Y, Y @ Y @ Y, Y @ Y @ Y @ Y


@pytest.mark.parametrize(
    ("named", "written", "same"),
    [
        (A @ A, Y2 + 2 * Y3 + Y4, True),
        (A @ A, Y2 + Y3 + Y4, False),
        (A @ B, Y2 - Y4, True),
        (A @ B, Y2 + Y3 - Y4, False),
        (A @ B, Y2 - Y3 - Y4, False),
        (A @ B, B @ A, True),
        (A.T @ B.T, (B @ A).T, True),
        (A + B, 2 * Y, True),
    ],
    ids=str,
)
def test_one_value_if_and_only_if_equal(named: Expr, written: Expr, same: bool) -> None:
    model = random_tree(4, seed=1)
    q = model.random(0)[0]
    program = compile({"named": named, "written": written}, model)
    first, second = (output.ref for output in program.program.outputs)
    assert (first == second) == same
    for name, e in (("named", named), ("written", written)):
        expected = evaluate_with_scale(e, model, q=q)
        assert apart(dense(program(q=q)[name]), expected.value.dense()) <= bound(expected) * expected.scale
