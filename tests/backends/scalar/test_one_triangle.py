"""One triangle of a sum over all bodies stands for the whole where the sum is its own adjoint, and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from operator_algebra.compiler import compile as compile_program
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.nodes import Expr, Inverse
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.expressions.traverse import free_symbols, postorder
from operator_algebra.models.gallery import load
from tests.golden.known import MASS
from tests.lowering.test_pivot_formulas import FORMULAS
from tests.rounding import apart, condition, rounding, size

ARM = load("arm7")


def given_on_the_arm(seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((6 * ARM.n, 3))
    weak = np.eye(3) + 0.5 * rng.standard_normal((3, 3))
    return {
        "C": rows,
        "E": rows + 0.1 * rng.standard_normal(rows.shape),
        "B": 1e-3 * weak,
        "W": np.diag([1.0, 1.3, 1.7]),
        "T": np.ones(ARM.nv),
    }


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("seed", range(2))
def test_generated_code_takes_no_triangle_for_the_whole(name: str, seed: int) -> None:
    formula, q = FORMULAS[name], ARM.random(seed)[0]
    values = given_on_the_arm(seed)
    compiled = compile_program(formula, ARM)
    found = compiled(q=q, **{x: value for x, value in values.items() if x in compiled.inputs})

    def dense(e: Expr) -> Any:
        wanted = {symbol.name for symbol in free_symbols(e)}
        return evaluate(e, ARM, q=q, **{x: value for x, value in values.items() if x in wanted}).dense()

    whole = dense(body_of(formula))
    worst = condition(dense(MASS)) * condition(dense(inverted(formula)))
    expected = np.linalg.slogdet(whole)[1] if isinstance(formula, Query) else whole.reshape(found.shape)
    assert apart(found, expected) <= rounding(size(expected) + 1.0, terms=ARM.n, condition=worst)


def inverted(formula: Expr | Query) -> Expr:
    """What is inverted first in a formula, or what has a determinant."""
    if isinstance(formula, Query):
        return formula.body
    return next(e.body for e in postorder(formula) if isinstance(e, Inverse))
