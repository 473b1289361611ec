"""What rounding may leave of an answer: it follows from sizes, lengths and conditions, so it holds on every processor.

Libraries add up in an order of their own on every processor, fused or not, so a last digit is nobody's promise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

EPS = float(np.finfo(np.float64).eps)
_linalg: Any = np.linalg


def rounding(size: float = 1.0, *, terms: int = 1, condition: float = 1.0) -> float:
    """8 eps (1 + √terms) · condition · size, as verdicts are bounded: how far apart two roundings may lie.

    `size` is that of the terms before they cancel, `terms` how many are added up one after the other (the depth of a
    mechanism, the rows of a matrix), `condition` how much what is inverted enlarges a change of what is given.
    """
    return 8 * EPS * (1 + float(np.sqrt(terms))) * condition * size


def differencing(size: float, step: float, *, rate: float = 1.0, order: int = 2) -> float:
    """What central differences of order two or six may leave: rounding over the step, and the next term of the series.

    `rate` bounds how fast a value of that size turns: its k-th derivative is below rateᵏ · size (S. Bernstein).
    """
    return rounding(size) / step + size * rate * (step * rate) ** order / {2: 6, 6: 140}[order]


def size(*values: Any) -> float:
    """The largest entry in absolute value; 0 if there is none."""
    return max((float(np.abs(value).max(initial=0.0)) for value in map(np.asarray, values)), default=0.0)


def apart(found: Any, expected: Any) -> float:
    """The largest difference; infinite if shapes differ or a number is missing."""
    one, other = np.asarray(found), np.asarray(expected)
    if one.shape != other.shape or not np.isfinite(one).all():
        return float("inf")
    return size(one - other)


def condition(matrix: Any) -> float:
    """The condition number of a matrix, in the 2-norm; 1 for one without entries."""
    return float(_linalg.cond(matrix)) if np.size(matrix) else 1.0
