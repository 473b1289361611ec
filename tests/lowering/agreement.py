"""A compiled expression beside its plain evaluation: how far apart they are, and how far rounding may bring them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import OperatorAlgebraWarning
from operator_algebra.evaluation import Scaled, evaluate, evaluate_with_scale
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.lower import Method
from operator_algebra.models.model import Model
from operator_algebra.spatial.arrays import Axes
from tests.often import backend_for
from tests.rounding import apart, rounding, size

Floats = NDArray[np.float64]
_linalg: Any = np.linalg
_block_diagonal: Any = scipy.linalg.block_diag


@dataclass(frozen=True)
class Agreement:
    """The largest difference relative to the scale of the terms, its bound, and what the compiled call warned of."""

    error: float
    bound: float
    warnings: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether they are equal up to rounding, or the program itself said that digits were lost."""
        return self.error <= self.bound or bool(self.warnings)


def agreement(
    e: Expr | Query,
    model: Model,
    *,
    q: Floats,
    frame: Axes = "body",
    method: Method = "auto",
    scaled: Scaled | None = None,
    **inputs: Any,
) -> Agreement:
    """Compare `compile(e)` with `evaluate(e)` at one configuration; the bound is 8 eps (1 + √depth) · condition."""
    body = e.body if isinstance(e, Query) else e
    expected = scaled or evaluate_with_scale(body, model, q=q, frame=frame, **inputs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled = compile_program(e, model, frame=frame, method=method, backend=backend_for(model.n))
        found = dense(compiled(q=q, **inputs))
    assert all(issubclass(warning.category, OperatorAlgebraWarning) for warning in caught)
    told = tuple(str(warning.message) for warning in caught)
    if isinstance(e, Query):
        answer = evaluate(e, model, q=q, frame=frame, **inputs).dense()
        return Agreement(apart(found, answer) / scale(e, answer, expected), bound(expected), told)
    return Agreement(distance(found, expected), bound(expected), told)


def scale(query: Query, answer: Floats, body: Scaled) -> float:
    """What the rounding of an answer is judged against: the terms of its operator."""
    rows = body.value.shape[0]
    if query.kind == "logdet":  # d log det X = tr(X⁻¹ dX)
        return max(1, rows) * body.scale * float(_linalg.norm(_linalg.inv(body.value.dense()), 2)) or 1.0
    if query.kind == "trace":
        return body.scale * float(np.sqrt(rows)) or 1.0
    return max(body.scale, size(answer)) or 1.0


def distance(found: Floats, expected: Scaled) -> float:
    """The largest entry of the difference over the scale; infinite if shapes differ or a number is missing."""
    return apart(found, expected.value.dense()) / (expected.scale or 1.0)


def bound(expected: Scaled) -> float:
    """What rounding may leave."""
    return rounding(terms=expected.depth, condition=expected.condition)


def dense(result: Any) -> Floats:
    """A result as a matrix: block-diagonal ones come as their blocks."""
    if isinstance(result, list) or np.ndim(result) == 3:
        return _block_diagonal(*result)
    return np.asarray(result)


def sample(result: Any, index: int) -> Any:
    """One sample of a batch."""
    if isinstance(result, list):
        return [sample(block, index) for block in result]  # pyright: ignore[reportUnknownVariableType]
    return result[index]
