"""Names of inputs and operators: no two things of one name, and none that a call could mistake."""

import inspect
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError, OperatorAlgebraError
from operator_algebra.expressions.build import TAKEN, one, zero
from operator_algebra.expressions.nodes import Expr
from operator_algebra.symbols import H, M, inv

ARM = oa.chain(3)
Q = ARM.neutral()
CALLS: list[Callable[..., Any]] = [
    oa.evaluate, oa.spy, oa.Compiled.__call__, oa.Compiled.bind, oa.Compiled.linear_operator,
]  # fmt: skip


def test_no_input_is_called_like_an_argument_of_a_call() -> None:
    parameters = {
        name
        for call in CALLS
        for name, parameter in inspect.signature(call).parameters.items()
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.VAR_KEYWORD)
    }
    assert parameters - {"v"} <= TAKEN  # v is the rate wherever it is given
    for name in TAKEN:
        with pytest.raises(InputError, match=f'"{name}" cannot name an input'):
            oa.vector(name, oa.RATE)


@pytest.mark.parametrize("name", ["self", "e", "inputs", "name", "backend", "class", "kind", "program"])
def test_other_names_are_free(name: str) -> None:
    formula = H @ M @ H.T @ oa.vector(name, oa.RATE)
    given: dict[str, Any] = {name: [1.0, 2.0, 3.0]}
    compiled = oa.compile(formula, ARM)
    assert compiled(q=Q, **given) == pytest.approx(oa.evaluate(formula, ARM, q=Q, **given).dense())
    out = np.zeros(3)
    compiled.bind(q=Q, out=out, **given)()
    assert np.array_equal(out, compiled(q=Q, **given))
    assert oa.compile(H @ M @ H.T, ARM).linear_operator(q=Q).shape == (3, 3)


X, Y = oa.vector("x", oa.RATE), oa.vector("x", oa.TORQUE)
OWN_M = oa.operator("M", oa.MOTION >> oa.FORCE, structure="diagonal")
LOOSE = oa.operator("J", oa.RATE >> oa.TORQUE)
LOCAL = oa.operator("J", oa.RATE >> oa.TORQUE, structure="diagonal")


@pytest.mark.parametrize("e", [H @ M @ H.T @ X + Y, M + OWN_M, LOOSE + LOCAL, oa.define("z", LOOSE @ X) + LOCAL @ X])
def test_two_operators_of_one_name_are_refused(e: Expr) -> None:
    calls: list[Callable[[], object]] = [
        lambda: oa.lower(e), lambda: oa.compile(e, ARM), lambda: oa.evaluate(e, ARM, q=Q),
        lambda: oa.check(oa.Identity("itself", e, e), ARM), lambda: oa.check(oa.Identity("itself", e, e)),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(InputError, match="two different operators are called"):
            call()
    with pytest.raises(InputError, match="two different operators are called x"):
        oa.lower({"a": H.T @ X, "b": inv(H @ M @ H.T) @ Y})


OWN, GLOBAL = oa.space("c"), oa.space("g", attached=False)
OWN_B = oa.operator("W", OWN >> oa.RATE, structure="diagonal")


@pytest.mark.parametrize(
    "e",
    [one(OWN >> OWN), zero(OWN >> oa.RATE), 0 * OWN_B, one(GLOBAL >> GLOBAL), oa.trace(one(OWN >> OWN)),
     oa.dense(one(OWN >> OWN)), oa.block(one(OWN >> OWN), 0, 1), oa.vector("y", OWN), oa.dense(OWN_B)],
    ids=str,
)  # fmt: skip
def test_a_space_of_unknown_size_is_told(e: Expr | oa.Query) -> None:
    body = e.body if isinstance(e, oa.Query) else e
    given: dict[str, Any] = {symbol.name: np.ones(6) for symbol in body.symbols()}
    for call in (lambda: oa.compile(e, ARM)(q=Q, **given), lambda: oa.evaluate(e, ARM, q=Q, **given)):
        with pytest.raises(OperatorAlgebraError, match=r"block sizes of [cg] are"):
            call()


@pytest.mark.parametrize("number", [10**400, Fraction(1, 10**400), 1e-320, -(10**309), Fraction(10**700, 3)])
def test_a_number_that_no_float_holds_is_refused(number: Any) -> None:
    for make in (lambda: number * M, lambda: M / (1 / Fraction(number)), lambda: number * oa.scalar("h") + 1):
        with pytest.raises(InputError, match=r"too (large|small) for floats: about 2\^-?\d+"):
            make()
    with pytest.raises(InputError, match="too large for floats"):
        _ = (10**200 * M) @ inv(M) @ (10**200 * M)
