"""Diagonals, blocks, traces, log-determinants and matrices of random operators, two configurations at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, SingularError
from operator_algebra.evaluation import evaluate, evaluate_with_scale
from operator_algebra.expressions.build import diag
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.lowering.lower import Method
from operator_algebra.models.families import random_tree
from operator_algebra.models.model import Model
from operator_algebra.operators.leaves import Frame
from tests.lowering.agreement import bound, sample, scale
from tests.lowering.agreement import dense as as_matrix
from tests.lowering.rational_expressions import rational_inputs, rational_operator
from tests.rounding import apart
from tests.strategies import ALL_JOINTS

QUERIES: tuple[Callable[[Expr, Model], Expr | Query], ...] = (
    lambda e, _: diag(e),
    lambda e, _: dense(e),
    lambda e, model: block(e, 0, model.n - 1),
    lambda e, model: block(e, model.n - 1, model.n // 2),
    lambda e, _: trace(e),
    lambda e, _: logdet(e),
)
# Beyond this condition number a comparison of two roundings says nothing.
TELLING = 1e6


def excess(seed: int, method: Method) -> float:
    """The difference between compiled and evaluated over its bound; 0 where there is nothing to compare."""
    e = rational_operator(seed, 2 + seed % 3)
    model = random_tree(2 + seed % 5, joints=ALL_JOINTS, branching=0.7, seed=seed)
    choices = QUERIES if e.type.same_sizes else QUERIES[:4]
    query = choices[seed % len(choices)](e, model)
    frame: Frame = "world" if seed % 2 else "body"
    configurations = [model.random(seed + k)[0] for k in range(2)]
    values = [rational_inputs(e, model, seed + k) for k in range(2)]
    pairs = list(zip(configurations, values, strict=True))
    try:
        scales = [evaluate_with_scale(e, model, q=q, frame=frame, **given) for q, given in pairs]
        expected = [evaluate(query, model, q=q, frame=frame, **given).dense() for q, given in pairs]
    except (SingularError, InputError):  # no inverse, or no logarithm
        return 0.0
    if max(scaled.condition for scaled in scales) > TELLING:
        return 0.0
    stacked: dict[str, Any] = {
        name: np.stack([given[name] for given in values])
        if isinstance(first, np.ndarray)
        else [np.stack([given[name][k] for given in values]) for k in range(model.n)]
        for name, first in values[0].items()
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = compile_program(query, model, frame=frame, method=method)(q=np.stack(configurations), **stacked)
    worst = 0.0
    for k, scaled in enumerate(scales):
        found = as_matrix(sample(result, k))
        terms = scale(query, expected[k], scaled) if isinstance(query, Query) else scaled.scale or 1.0
        allowed = terms * bound(scaled)
        worst = max(worst, apart(found, expected[k]) / allowed)
    return worst


@pytest.mark.parametrize("method", ["auto", "orthogonal"])
def test_random_queries(method: Method) -> None:
    assert max(excess(seed, method) for seed in range(80)) <= 1.0


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 4000, 250))
@pytest.mark.parametrize("method", ["auto", "orthogonal"])
def test_many_random_queries(method: Method, first: int) -> None:
    assert max(excess(seed, method) for seed in range(first, first + 250)) <= 1.0
