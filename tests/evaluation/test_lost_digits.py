"""Recursions evaluated where mechanisms are singular or nearly so: what cancelled further out is not answered with."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import SingularError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, logdet
from tests.lowering.lost_digits import Truth, error_of
from tests.nearly_singular import DOUBTFUL, HEALTHY, Sample, sample
from tests.often import backend_for
from tests.rounding import rounding

FORMULAS: dict[str, Expr | Query] = {
    "inverse": s.W.T @ inv(s.D) @ s.W @ s.T,
    "logdet": logdet(s.D),
}
"""By the names that they have in fifty digits: factors of the mass matrix in place of the whole."""
SEEDS = range(4)


def found(call: Callable[..., Any], **given: Any) -> tuple[Any, bool]:
    """The value, None where it is refused, and whether that was all that was said."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            value = call(**given)
        except SingularError:
            return None, False
    return value, not told


def outcomes(one: Sample, name: str, T: Any) -> tuple[Any, tuple[Any, bool]]:
    e = FORMULAS[name]
    given: dict[str, Any] = {"q": one.q} | ({"T": T} if name == "inverse" else {})

    def plain(**inputs: Any) -> Any:
        return np.asarray(evaluate(e, one.model, **inputs).dense()).reshape(-1)

    return found(plain, **given)[0], found(compile_program(e, one.model, backend=backend_for(one.model.nv)), **given)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("family", DOUBTFUL)
def test_no_digit_is_left_of_what_is_refused_and_some_of_what_is_not(family: str, seed: int) -> None:
    one = sample(family, seed)
    T = np.ones(one.model.nv)
    truth = Truth(one.model, one.q, {"T": T})
    for name in FORMULAS:
        plain, (swept, silent) = outcomes(one, name, T)
        if plain is not None:
            expected = truth.answer(name)
            assert expected is not None, "a singular mechanism is answered"
            # A pivot is refused when a 64th of it is lost; of what is left, every later one may lose as much again.
            assert error_of(plain.reshape(np.shape(expected)), expected, name) <= one.model.n / 64
        if swept is None:
            assert plain is None, "refused by the program"
        right = rounding(terms=one.model.n)
        assert plain is not None or not silent or error_of(swept, truth.answer(name), name) <= right


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("family", HEALTHY)
def test_healthy_mechanisms_are_answered(family: str, seed: int) -> None:
    one = sample(family, seed)
    for name in FORMULAS:
        plain, (swept, silent) = outcomes(one, name, np.ones(one.model.nv))
        assert plain is not None
        assert swept is not None
        assert silent
