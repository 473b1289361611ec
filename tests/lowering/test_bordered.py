"""Springs between bodies, soft and stiff: the inverse of M + J* W J by its rows, against fifty digits."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import OperatorAlgebraWarning, SingularError
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, logdet
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, RATE, space
from operator_algebra.programs.instructions import Invert, Shift
from operator_algebra.symbols import H, M, T, phi
from tests.lowering.lost_digits import EPS, SILENT, error_of, told_by
from tests.often import backend_for
from tests.oracles.extended_precision import exact
from tests.oracles.many_digits import factored, log_determinant, many_digits, solved
from tests.strategies import random_body

TASK = space("task", attached=False)
PICK = operator("pick", TASK.dual >> FORCE)
W = operator("W", TASK >> TASK.dual, structure="symmetric definite")
MORE = operator("more", RATE >> space("more", attached=False))
LOOSE = operator("loose", MORE.type.codomain >> MORE.type.codomain.dual)
MASS = H @ phi @ M @ phi.T @ H.T
J = PICK.T @ phi.T @ H.T
SOFT = inv(MASS + J.T @ W @ J) @ T
COMPLIANCE = inv(W) + J @ inv(MASS) @ J.T
FORMULAS: dict[str, Expr | Query] = {
    "acceleration": SOFT,
    "the same by its force": inv(MASS) @ (T - J.T @ inv(COMPLIANCE) @ J @ inv(MASS) @ T),
    "force": W @ J @ SOFT,
    "determinant": logdet(MASS + J.T @ W @ J),
}
ROWS = {"independent": 2, "redundant": 4, "as many as freedoms": 6, "more than freedoms": 8}


@dataclass(frozen=True)
class Spring:
    """A tree of six hinges, rows of a task on it, and what is given."""

    model: Model
    q: Any
    given: dict[str, Any]


def spring(rows: str, stiffness: float, seed: int) -> Spring:
    rng = np.random.default_rng(seed)
    parents = (-1, *(int(rng.integers(max(0, k - 2), k)) for k in range(1, 6)))
    model = Model(name="tree", bodies=[random_body(k, p, "revolute", rng) for k, p in enumerate(parents)])
    count = ROWS[rows]
    pick = rng.standard_normal((36, count)) / 20
    if rows == "redundant":
        pick[:, 2:] = pick[:, :2] @ rng.standard_normal((2, 2))
    weight = stiffness * np.diag(rng.uniform(0.5, 2.0, count))
    return Spring(model, model.random(seed)[0], {"pick": pick, "W": weight, "T": rng.standard_normal(6)})


def truth(one: Spring) -> dict[str, Any]:
    rows = many_digits(J, one.model, q=one.q, pick=one.given["pick"])
    weight, ones = exact(one.given["W"]), exact(np.ones(one.model.nv))
    factors = factored(many_digits(MASS, one.model, q=one.q) + rows.T @ weight @ rows, ones, ones)
    acceleration = solved(factors, exact(one.given["T"])[:, None])
    return {
        "acceleration": acceleration,
        "the same by its force": acceleration,
        "force": weight @ (rows @ acceleration),
        "determinant": log_determinant(factors),
    }


def conditioned(one: Spring) -> float:
    """The condition of M + J* W J, which is that of the problem."""
    rows = many_digits(J, one.model, q=one.q, pick=one.given["pick"]).astype(np.float64)
    mass = many_digits(MASS, one.model, q=one.q).astype(np.float64)
    return float(np.linalg.cond(mass + rows.T @ one.given["W"] @ rows))


@pytest.mark.parametrize("method", ["auto", "orthogonal"])
@pytest.mark.parametrize("stiffness", [1.0, 1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("rows", ROWS)
def test_what_stiff_springs_cost_is_told(rows: str, stiffness: float, method: Method) -> None:
    for seed in range(3):
        one = spring(rows, stiffness, seed)
        expected = truth(one)
        for name, formula in FORMULAS.items():
            run = compile_program(formula, one.model, method=method, backend=backend_for(seed))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", OperatorAlgebraWarning)
                found = run(q=one.q, **{key: value for key, value in one.given.items() if key in run.inputs})
            told = max((told_by(str(warning.message)) for warning in caught), default=1.0)
            error = error_of(found, expected[name], "logdet" if name == "determinant" else name)
            # What a formula itself subtracts is told of from four digits on.
            problem = SILENT if name == "the same by its force" else conditioned(one)
            assert error <= 100 * EPS * max(told, problem), (name, seed, error, told)


@pytest.mark.parametrize("rows", ["independent", "redundant"])
def test_fewer_rows_than_freedoms_cost_an_acceleration_nothing(rows: str) -> None:
    for seed in range(3):
        for stiffness in (1.0, 1e6, 1e12):
            one = spring(rows, stiffness, seed)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", OperatorAlgebraWarning)
                found = compile_program(SOFT, one.model)(q=one.q, **one.given)
            mass = many_digits(MASS, one.model, q=one.q).astype(np.float64)
            assert error_of(found, truth(one)["acceleration"], "") <= 100 * EPS * np.linalg.cond(mass)


def test_a_force_is_read_from_the_small_system() -> None:
    """W J y and J y of a solution y are λ and W⁻¹ λ, which no sweep has to come back for."""
    program = lower({"acceleration": SOFT, "force": W @ J @ SOFT, "stretch": J @ SOFT})
    assert [sweep.direction for sweep in program.sweeps] == ["inward", "outward"]
    assert len(lower({"force": W @ J @ SOFT, "stretch": J @ SOFT}).sweeps) == 1
    assert len(lower(W @ J @ SOFT).sweeps) == 1
    assert len(lower(J @ SOFT).sweeps) == 1


def test_one_small_system_for_all_springs() -> None:
    other = MORE.T @ LOOSE @ MORE
    program = lower(inv(MASS + J.T @ W @ J + other) @ T)
    inverted = [step for step in program.steps.values() if isinstance(step.definition, Invert)]
    small = [step for step in inverted if not step.value.attached]
    assert sorted(str(step.type.domain.parts) for step in small if step.type.domain.parts) == ["(task, more)"]
    hops = [step for step in program.steps.values() if isinstance(step.definition, Shift) and step.value.is_vector]
    # A column of each spring and the torque inward; one solution outward.
    assert len(hops) == 4
    assert [sweep.direction for sweep in program.sweeps] == ["inward", "outward"]


def test_a_small_system_is_named_by_its_formula() -> None:
    one = spring("redundant", 1e18, 0)
    with pytest.raises(SingularError, match=re.escape("W⁻¹ + pick* φ* H* (H φ M φ* H*)⁻¹ H φ pick is singular")):
        compile_program(SOFT, one.model)(q=one.q, **one.given)
