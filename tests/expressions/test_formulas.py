"""A formula as an argument: an expression or its text, everywhere alike; anything else is refused in the same words."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError, ParseError
from operator_algebra.expressions.formulas import formula
from operator_algebra.symbols import phi

ARM = oa.chain(2)
Q = ARM.neutral()
MASS = "H phi M phi' H'"

TAKERS: dict[str, Callable[[Any], object]] = {
    "lower": lambda e: oa.lower(e).formula,
    "lower, by name": lambda e: oa.lower({"x": e}).formula,
    "compile": lambda e: oa.compile(e, ARM)(q=Q).tolist(),
    "evaluate": lambda e: oa.evaluate(e, ARM, q=Q).dense().tolist(),
    "describe": oa.describe,
    "trace": oa.trace,
    "logdet": oa.logdet,
    "dense": oa.dense,
    "block": lambda e: oa.block(e, 0, 1),
    "query": lambda e: oa.Query("trace", e),
    "inv": oa.inv,
    "root": lambda e: oa.root(oa.diag(e)),
    "diag": oa.diag,
    "define": lambda e: oa.define("mass", e),
    "equal": lambda e: oa.equal(e, formula(MASS, "equal")),
    "equal, right": lambda e: oa.equal(formula(MASS, "equal"), e),
}


@pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)
def test_a_text_is_what_it_says(take: Callable[[Any], object]) -> None:
    assert take(MASS) == take(oa.parse(MASS))


@pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)
def test_a_text_that_says_nothing_is_shown(take: Callable[[Any], object]) -> None:
    with pytest.raises(ParseError, match=r"unknown name .Q.\n    H Q\n      \^"):
        take("H Q")


@pytest.mark.parametrize(
    "take", [oa.lower, oa.trace, oa.dense, oa.equal.__get__(phi)], ids=["lower", "trace", "dense", "equal"]
)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "takes a formula, not None. Give an expression, or its text"),
        (3, "takes a formula, not an int, 3. Write c . I"),
        (10**5000, "takes a formula, not an int, a whole number of 16610 bits"),
        (np.eye(3), "takes a formula, not a ndarray, .* In a formula an array has a name"),
        (oa.Model, "takes a formula, not the class Model"),
    ],
    ids=["nothing", "number", "long number", "array", "class"],
)
def test_what_is_no_formula_is_told(take: Callable[[Any], object], given: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        take(given)


@pytest.mark.parametrize("take", [oa.dense, oa.trace, oa.logdet])
def test_a_question_is_no_operator(take: Callable[[Any], object]) -> None:
    with pytest.raises(InputError, match=r"takes an operator, but .trace\(phi\). asks something of one"):
        take("trace(phi)")
