"""Random systems of no body, symmetric in part or as a whole: generated code beside dense matrices.

Products of symmetric factors are not symmetric, and sums of what is not may be; springs lead from rows to other rows.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, SingularError
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, body_of, logdet
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE
from tests.golden.known import LOOP, MASS, J
from tests.lowering.agreement import bound, scale
from tests.often import some
from tests.rounding import apart
from tests.strategies import ALL_JOINTS

TREE = random_tree(5, joints=ALL_JOINTS, seed=2)
ROWS = (J, (s.H @ s.phi @ operator("E", LOOP.dual >> FORCE)).T)
TURN = operator("Q", LOOP >> LOOP)
STIFF = operator("S", LOOP >> LOOP.dual, structure="symmetric definite"), operator("N", LOOP >> LOOP.dual)
SOFT = operator("S_d", LOOP.dual >> LOOP, structure="symmetric definite"), operator("N_d", LOOP.dual >> LOOP)


class Small:
    """Makes operators between a space of no body and its dual."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def number(self, count: int) -> int:
        """One of the first whole numbers."""
        return int(self.rng.integers(count))

    def stiff(self, depth: int) -> Expr:
        """From the space to its dual."""
        last = STIFF[self.number(2)]
        match self.number(7) if depth else 0:
            case 1:
                return self.stiff(depth - 1) + self.stiff(depth - 1)
            case 2:
                return self.stiff(depth - 1) @ self.soft(depth - 1) @ last
            case 3:
                return inv(self.soft(depth - 1))
            case 4:
                return TURN.T @ self.stiff(depth - 1) @ TURN
            case 5:
                return self.stiff(depth - 1).T
            case 6:
                return last + self.stiff(depth - 1).T
            case _:
                return last

    def soft(self, depth: int) -> Expr:
        """Back, as a mechanism yields, which is free or held by springs, or as inverses and given ones do."""
        match self.number(8) if depth else 0:
            case 4:
                return self.soft(depth - 1) + SOFT[self.number(2)]
            case 5:
                return self.soft(depth - 1).T
            case 6:
                return inv(self.stiff(depth - 1))
            case 7:
                return SOFT[self.number(2)]
            case _:
                first, last = ROWS[self.number(2)], ROWS[self.number(2)]
                return first @ inv(self.inertia(depth)) @ last.T

    def inertia(self, depth: int) -> Expr:
        """The mass matrix, or one with springs along rows, or from rows to others and back."""
        if not depth or self.rng.random() < 0.6:
            return MASS
        spring, (one, other) = self.stiff(depth - 1), ROWS
        return MASS + one.T @ spring @ one if self.rng.random() < 0.5 else MASS + crossed(one, spring, other)


def crossed(one: Expr, spring: Expr, other: Expr) -> Expr:
    return one.T @ spring @ other + other.T @ spring.T @ one


def formula(seed: int) -> Expr | Query:
    """One of them, its inverse or its determinant."""
    made = Small(seed)
    e = made.stiff(3) if made.rng.random() < 0.3 else made.soft(3)
    return (e, inv(e), logdet(e), logdet(e))[made.number(4)]


def given(seed: int, bodies: int = TREE.n) -> dict[str, Any]:
    rng = np.random.default_rng([seed, 1])
    rows = rng.standard_normal((6 * bodies, 3)) / 5
    near = np.eye(3) + 0.4 * rng.standard_normal((4, 3, 3))
    symmetric = [np.eye(3) + a @ a.T for a in rng.standard_normal((2, 3, 3))]
    return {
        "C": rows,
        "E": rows + rng.standard_normal(rows.shape) / 25,
        **dict(zip(("S", "S_d"), symmetric, strict=True)),
        **dict(zip(("N", "N_d", "Q"), near, strict=False)),
    }


@pytest.mark.parametrize("seed", some(range(240), each=6))
def test_generated_code_is_what_dense_matrices_are(seed: int) -> None:
    agrees(TREE, seed)


def agrees(model: Model, seed: int) -> None:
    """What is computed for a mechanism is near to dense matrices, or digits are told to be lost."""
    e, (q, _), values = formula(seed), model.random(seed), given(seed, model.n)
    compiled = compile_program(e, model)
    wanted = {symbol.name for symbol in free_symbols(body_of(e))}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found = np.asarray(compiled(q=q, **{x: value for x, value in values.items() if x in compiled.inputs}))
            scaled = evaluate_with_scale(
                body_of(e), model, q=q, **{x: value for x, value in values.items() if x in wanted}
            )
        except SingularError:
            return
        except InputError as error:
            if "determinant is negative" not in str(error):
                raise
            return
    value = scaled.value.dense()
    expected = np.asarray(np.linalg.slogdet(value)[1]) if isinstance(e, Query) else value
    sized = scale(e, expected, scaled) if isinstance(e, Query) else scaled.scale
    assert told or apart(found, expected) <= 2 * bound(scaled) * sized
