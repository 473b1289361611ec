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
from operator_algebra.evaluation import Scaled, evaluate_with_scale
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import Method
from operator_algebra.models.model import Model
from operator_algebra.operators.leaves import Frame

Floats = NDArray[np.float64]
EPS = float(np.finfo(np.float64).eps)
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
    e: Expr,
    model: Model,
    *,
    q: Floats,
    frame: Frame = "body",
    method: Method = "auto",
    scaled: Scaled | None = None,
    **inputs: Any,
) -> Agreement:
    """Compare `compile(e)` with `evaluate(e)` at one configuration; the bound is 8 eps (1 + √depth) · condition."""
    expected = scaled or evaluate_with_scale(e, model, q=q, frame=frame, **inputs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compiled = compile_program(e, model, frame=frame, method=method)
        found = dense(compiled(q=q, **inputs))
    assert all(issubclass(warning.category, OperatorAlgebraWarning) for warning in caught)
    told = tuple(str(warning.message) for warning in caught)
    return Agreement(distance(found, expected), bound(expected), told)


def distance(found: Floats, expected: Scaled) -> float:
    """The largest entry of the difference over the scale; infinite if shapes differ or a number is missing."""
    value = expected.value.dense()
    if found.shape != value.shape or not np.isfinite(found).all():
        return float("inf")
    return float(np.abs(found - value).max(initial=0.0)) / (expected.scale or 1.0)


def bound(expected: Scaled) -> float:
    """What rounding may leave."""
    return 8 * EPS * (1 + float(np.sqrt(expected.depth))) * expected.condition


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
