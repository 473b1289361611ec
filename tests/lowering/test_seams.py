"""Terms that pass a space of no body (A + U C V*): under inverses, at any depth, and in every query."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import NotLowerable, SingularError
from operator_algebra.expressions.build import diag, inv, one, operator, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.families import random_tree
from operator_algebra.operators.spaces import FORCE, RATE, TORQUE, space
from operator_algebra.programs.instructions import Shift
from operator_algebra.symbols import H, M, T, phi
from tests.lowering.agreement import agreement

MASS = dynamics.mass_matrix
Z = space("coordinates", attached=False)
A = operator("A", RATE >> Z)
U = operator("U", Z >> TORQUE)
SMALL = operator("S_small", Z >> Z)
WEIGHT = operator("W_small", Z >> Z.dual, structure="definite")
J = operator("J", RATE >> TORQUE, structure="diagonal definite")
r, x = vector("r", RATE), vector("x", FORCE)
BORDERED = MASS + U @ SMALL @ A
SPACE_OF_CONSTRAINTS = A.T @ inv(A @ inv(MASS) @ A.T) @ A @ inv(MASS)

FORMULAS: dict[str, Expr | Query] = {
    "applied": inv(BORDERED) @ T,
    "adjoint": inv(BORDERED).T @ T,
    "dense": dense(inv(BORDERED)),
    "diagonal": diag(inv(BORDERED)),
    "trace": trace(inv(BORDERED)),
    "block": block(inv(BORDERED), 1, 3),
    "log-determinant": logdet(MASS + A.T @ WEIGHT @ A),
    "log-determinant of two terms": logdet(inv(MASS + 2 * (A.T @ WEIGHT @ A) + T @ T.T)),
    "diagonal of an outer product": diag(T @ T.T),
    "trace of an outer product": trace(MASS @ r @ r.T),
    "trace of a projection": trace(SPACE_OF_CONSTRAINTS),
    "diagonal of a projection": diag(one(TORQUE >> TORQUE) - SPACE_OF_CONSTRAINTS),
    "under an inverse": inv(inv(BORDERED) + inv(J)) @ r,
    "diagonal under an inverse": diag(inv(inv(BORDERED) + inv(J))),
    "between bodies": inv(H @ phi @ (M + x @ x.T) @ phi.T @ H.T + J) @ T,
    "a factor": inv(H @ phi @ M @ phi.T @ H.T @ (one(RATE >> RATE) + r @ T.T)) @ T,
    "in a fixed block": inv(MASS + diag(T @ T.T)) @ T,
}
MODEL = random_tree(6, joints=("revolute", "spherical", "universal"), branching=0.6, seed=3)
Q, _ = MODEL.random(3)


def values(e: Expr | Query) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    nv = MODEL.nv
    square = rng.standard_normal((3, 3))
    found: dict[str, Any] = {
        "A": rng.standard_normal((3, nv)),
        "U": rng.standard_normal((nv, 3)),
        "S_small": square + 2 * np.eye(3),
        "W_small": square @ square.T + np.eye(3),
        "J": rng.uniform(1, 2, nv),
        "r": rng.standard_normal(nv),
        "T": rng.standard_normal(nv),
        "x": rng.standard_normal(6 * MODEL.n),
    }
    mentioned = {symbol.name for symbol in lower(e).accepts}
    return {name: value for name, value in found.items() if name in mentioned}


@pytest.mark.parametrize("method", ["auto", "orthogonal"])
@pytest.mark.parametrize("name", FORMULAS)
def test_low_rank_terms_are_bordered(name: str, method: Method) -> None:
    given = values(FORMULAS[name])
    found = agreement(FORMULAS[name], MODEL, q=Q, method=method, **given)
    assert found.error <= found.bound


def test_queries_stay_linear() -> None:
    for e in (FORMULAS["diagonal"], FORMULAS["trace"], FORMULAS["log-determinant"]):
        program = lower(e)
        assert program.cost(MODEL).order == "O(N)"
        assert program.report.pivots.count("D") == 1


@pytest.mark.parametrize(("query", "hops"), [("applied", 1), ("diagonal", 2), ("log-determinant", 1)])
def test_the_work_grows_with_the_rank_and_no_faster(query: str, hops: int) -> None:
    # Every column is solved for once, inward, and outward where the solution itself is needed.
    solves: list[int] = []
    for count in (2, 4, 8):
        e = MASS
        for k in range(count):
            u = vector(f"u{k}", TORQUE)
            e = e + u @ u.T
        asked: dict[str, Expr | Query] = {
            "applied": inv(e) @ T,
            "diagonal": diag(inv(e)),
            "log-determinant": logdet(e),
        }
        program = lower(asked[query])
        solves.append(sum(isinstance(step.definition, Shift) for step in program.steps.values()))
    assert (solves[1] - solves[0], solves[2] - solves[1]) == (2 * hops, 4 * hops)


def test_a_singular_middle_is_no_obstacle() -> None:
    e = FORMULAS["applied"]
    given: dict[str, Any] = values(e) | {"S_small": np.diag([1.0, 0.0, 0.0])}
    found = agreement(e, MODEL, q=Q, **given)
    assert found.error <= found.bound


def test_a_term_of_low_rank_alone_has_no_inverse() -> None:
    with pytest.raises(NotLowerable, match=r"cannot lower \(U A\)⁻¹: all that it inverts passes a space of no body"):
        lower(inv(U @ A) @ T)


@pytest.mark.parametrize("e", [inv(A @ inv(MASS) @ A.T), logdet(A @ inv(MASS) @ A.T)], ids=str)
def test_a_small_singular_matrix_is_named_by_its_formula(e: Expr | Query) -> None:
    rows = values(inv(A @ inv(MASS) @ A.T))["A"]
    with pytest.raises(SingularError, match=r"singular"):
        compile_program(e, MODEL)(q=Q, A=rows[[0, 1, 1]])
    with pytest.raises(
        SingularError, match=r"^A ℳ⁻¹ A\* is singular at q = .*: its rows 1, 2 \(counted from 0\) depend"
    ):
        compile_program(inv(A @ inv(MASS) @ A.T), MODEL)(q=Q, A=rows[[0, 1, 1]])


def test_dependent_rows_of_one_sample_of_a_batch_are_named() -> None:
    rows = values(inv(A @ inv(MASS) @ A.T))["A"]
    run = compile_program(inv(A @ inv(MASS) @ A.T), MODEL)
    with pytest.raises(SingularError, match=r"in sample 1 .*: its rows 0, 2 \(counted from 0\) depend"):
        run(q=Q, A=np.stack([rows, rows[[0, 1, 0]], rows]))
