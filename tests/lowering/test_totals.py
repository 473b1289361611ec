"""Signs of determinants: by local pivots, by relations, and where a pivot vanishes; against dense algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.backends.numpy.blocks import cholesky
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, NotLowerable, SingularError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import logdet
from operator_algebra.lowering.lower import Method
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import RATE, TORQUE
from tests.rounding import apart, condition, rounding
from tests.strategies import ALL_JOINTS

C = operator("C", RATE >> TORQUE, structure="diagonal")
F = operator("F", TORQUE >> RATE, structure="diagonal")
E = operator("E_joint", TORQUE >> TORQUE, structure="inward hop")
E_out = operator("Eo_joint", TORQUE >> TORQUE, structure="outward hop")
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T

FORMULAS: dict[str, Expr] = {
    "mass and noise": MASS + C,
    "its inverse": inv(MASS + C),
    "nested": inv(inv(MASS) + F) + C,
    "two ways": s.I + E + E_out,
}


def values(e: Expr, model: Model, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    sizes = [part.stop - part.start for part in model.v_slices]
    edges = [(sizes[max(p, 0)], sizes[k]) for k, p in enumerate(model.parent)]
    made: dict[str, Any] = {
        "C": [3 * rng.standard_normal((n, n)) for n in sizes],
        "F": [3 * rng.standard_normal((n, n)) for n in sizes],
        "E_joint": [rng.standard_normal(shape) for shape in edges],
        "Eo_joint": [rng.standard_normal(shape[::-1]) for shape in edges],
    }
    names = {symbol.name for symbol in compile_program(e, model).program.accepts}
    return {name: value for name, value in made.items() if name in names}


@pytest.mark.parametrize("method", ["auto", "orthogonal"])
@pytest.mark.parametrize("name", FORMULAS)
def test_signs_are_those_of_dense_determinants(name: str, method: Method) -> None:
    e = FORMULAS[name]
    signs: list[float] = []
    for seed in range(24):
        model = random_tree(1 + seed % 5, joints=ALL_JOINTS, branching=0.6, seed=seed)
        q, _ = model.random(seed)
        given = values(e, model, seed)
        dense = evaluate(e, model, q=q, **given).dense()
        sign, size = np.linalg.slogdet(dense)
        run = compile_program(logdet(e), model, method=method, frame="world" if seed % 2 else "body")
        signs.append(float(sign))
        if sign < 0:
            with pytest.raises(InputError, match="the determinant is negative"):
                run(q=q, **given)
            continue
        # Errors of all pivots add up, each relative to its own condition.
        allowed = rounding(1 + len(dense), terms=9 * model.n, condition=condition(dense))
        assert apart(run(q=q, **given), size) <= allowed
    assert {-1.0, 1.0} <= set(signs)


@pytest.mark.parametrize("n", range(1, 9))
def test_neighbours_alone(n: int) -> None:
    """E + E* of a chain with unit steps has determinant (−1)^(n/2), or 0 for odd n; no body has a pivot."""
    ones = [np.ones((1, 1)) for _ in range(n)]
    run = compile_program(logdet(E + E_out), chain(n))
    if n % 2:
        with pytest.raises(SingularError):
            run(q=np.zeros(n), E_joint=ones, Eo_joint=ones)
    elif n % 4:
        with pytest.raises(InputError, match="negative"):
            run(q=np.zeros(n), E_joint=ones, Eo_joint=ones)
    else:
        chained = np.eye(n, k=1) + np.eye(n, k=-1)
        allowed = rounding(n, terms=n, condition=condition(chained))
        assert apart(run(q=np.zeros(n), E_joint=ones, Eo_joint=ones), 0.0) <= allowed


def test_a_vanishing_pivot_does_not_hide_a_sign() -> None:
    arm = chain(3, seed=0)
    q, _ = arm.random(0)
    dense = evaluate(MASS, arm, q=q).dense()
    batch = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -dense[2, 2]], [40.0, 0.0, -dense[2, 2]]])
    signs = [float(np.linalg.slogdet(dense + np.diag(noise))[0]) for noise in batch]
    found = compile_program(logdet(MASS + C), arm)(q=[q] * 3, C=batch, errors="mask")
    assert np.array_equal(np.isnan(found), np.array(signs) < 0)
    assert min(signs) < 0


def test_what_cancels_altogether_has_no_determinant() -> None:
    nothing = s.phi.T @ s.H.T @ (inv(s.D) - inv(s.D)) @ s.H @ s.phi
    with pytest.raises((NotLowerable, SingularError)):
        compile_program(logdet(nothing), chain(3))(q=np.zeros(3))


def test_relations_of_nothing_that_moves_have_the_determinant_one() -> None:
    # Their many factors are near powers of two: logarithms that were rounded one by one would not cancel.
    model = chain(4, joint="fixed")
    found = compile_program(logdet(s.H @ s.phi @ s.M @ s.phi.T @ s.H.T), model, method="orthogonal")(q=[])
    assert abs(float(found)) <= rounding(terms=model.n)


def test_one_block_without_a_factor_spoils_no_other() -> None:
    # Singular, with eigenvalues that are positive but for rounding.
    thin = np.outer([1.0, 1.0 / 3.0, 1.0 / 7.0], [1.0, 1.0 / 3.0, 1.0 / 7.0])
    factors = cholesky(np.stack([np.eye(3), thin - 1e-17 * np.eye(3), -np.eye(3)]))
    assert np.isfinite(factors[0]).all()
    assert np.isnan(factors[2]).all()
