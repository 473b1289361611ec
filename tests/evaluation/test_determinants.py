"""Log-determinants know what they are taken of: what has no inverse has none, by one rule for both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, NotLowerable, SingularError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import logdet
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, Type
from tests.expression_strategies import VECTORS, inputs_for, operators
from tests.strategies import mechanisms

x = VECTORS[FORCE]
# None of them has full rank, on any mechanism with a joint that neither welds nor floats.
DEFICIENT: dict[Type, tuple[Expr, ...]] = {
    FORCE >> FORCE: (s.tau, s.tau_bar, s.phi_tilde, s.E_phi, s.K @ s.H, s.delta, s.phi @ s.tau_bar),
    MOTION >> FORCE: (s.P_plus, x @ x.T, s.phi @ x @ x.T @ s.phi.T, s.M - s.M),
    FORCE >> MOTION: (s.H.T @ inv(s.D) @ s.H, s.Omega, s.phi.T @ s.H.T @ inv(s.D) @ s.H),
    RATE >> TORQUE: (s.T @ s.T.T, s.H @ s.phi @ x @ x.T @ s.phi.T @ s.H.T, 0 * s.D),
    TORQUE >> TORQUE: (s.H @ s.K, s.T @ s.v.T, s.H @ s.tau_bar @ s.phi @ s.M @ s.phi.T @ s.H.T @ inv(s.D)),
}
CASES = [(type_, e) for type_, some in DEFICIENT.items() for e in some]
SQUARE = tuple(DEFICIENT)


def with_rates(e: Expr, model: Model, seed: int) -> dict[str, Any]:
    return (
        {"v": model.random(seed)[1], **inputs_for(e, model, seed)} if _reads_v(e) else dict(inputs_for(e, model, seed))
    )


def _reads_v(e: Expr) -> bool:
    from operator_algebra.expressions.traverse import free_symbols

    return any(symbol.name in ("v", "H_dot") for symbol in free_symbols(e))


@pytest.mark.parametrize(("type_", "e"), CASES, ids=[str(e) for _, e in CASES])
def test_a_singular_operator_has_no_log_determinant(type_: Type, e: Expr) -> None:
    for model in (chain(2, seed=3), random_tree(5, joints=("revolute", "universal", "prismatic"), seed=3)):
        q, _ = model.random(1)
        given = with_rates(e, model, 1)
        with pytest.raises(SingularError, match=r"logdet\(.*is (singular|zero)"):
            evaluate(logdet(e), model, q=q, **given)
        with pytest.raises((SingularError, NotLowerable)):
            compile_program(logdet(e), model)(q=q, **given)


@given(
    st.data(),
    st.sampled_from(CASES),
    mechanisms(joints=("revolute", "helical"), min_bodies=2, max_bodies=5),
    st.integers(0, 99),
)
def test_products_with_a_singular_factor_are_refused(
    data: st.DataObject, case: tuple[Type, Expr], model: Model, seed: int
) -> None:
    type_, deficient = case
    left = data.draw(operators(depth=1, type_=type_.codomain >> type_.codomain))
    e = left @ deficient
    q, _ = model.random(seed)
    given = with_rates(e, model, seed)
    with pytest.raises(SingularError, match=r"singular|zero"):
        evaluate(logdet(e), model, q=q, **given)


@given(st.data(), st.sampled_from(SQUARE), mechanisms(max_bodies=5), st.integers(0, 99))
def test_one_rule_for_inverses_and_log_determinants(data: st.DataObject, type_: Type, model: Model, seed: int) -> None:
    e = data.draw(operators(depth=2, type_=type_))
    q, _ = model.random(seed)
    given = with_rates(e, model, seed)
    try:
        inverse = evaluate(inv(e), model, q=q, **given).dense()
    except SingularError:
        with pytest.raises(SingularError):
            evaluate(logdet(e), model, q=q, **given)
        return
    matrix = evaluate(e, model, q=q, **given).dense()
    sign, expected = np.linalg.slogdet(matrix)
    if sign < 0:
        with pytest.raises(InputError, match="negative"):
            evaluate(logdet(e), model, q=q, **given)
        return
    found = float(evaluate(logdet(e), model, q=q, **given).dense())
    # The determinant of each of n pivots has the condition of the whole at the worst.
    condition = float(np.linalg.norm(matrix) * np.linalg.norm(inverse)) if matrix.size else 1.0
    assert abs(found - expected) <= 64 * np.finfo(float).eps * len(matrix) * condition
