"""Cholesky factors of blocks, for machine numbers and for others that have square roots."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import cast

import numpy as np

from operator_algebra.models.numeric import Scalar
from operator_algebra.operators.arrays import Square, Squares
from operator_algebra.operators.factors import cholesky, least_eigenvalues


class SquareRootError(Exception):
    """Matrix `index` of a stack is not definite; caught and worded by the callers."""

    def __init__(self, index: int, least: float) -> None:
        super().__init__(index, least)
        self.index = index
        self.least = least


def block_root(blocks: Squares) -> Squares:
    """Lower triangular L with L L* = B for each B of a stack (m, r, r)."""
    if not blocks.size:
        return blocks
    if blocks.dtype == object:
        exact = [_exact(index, block) for index, block in enumerate(blocks)]
        return np.array(exact, dtype=object).reshape(blocks.shape)
    try:
        return cholesky(blocks)
    except np.linalg.LinAlgError:
        least = least_eigenvalues(blocks)
        raise SquareRootError(int(least.argmin()), float(least.min())) from None


def _exact(index: int, block: Square) -> Square:
    n = len(block)
    result = np.full((n, n), 0, dtype=object)
    for i in range(n):
        for j in range(i + 1):
            rest = block[i, j] - sum((result[i, k] * result[j, k] for k in range(j)), start=0)
            if i > j:
                result[i, j] = rest / result[j, j]
            elif rest <= 0:
                raise SquareRootError(index, float(rest))
            else:
                result[i, i] = square_root(rest)
    return result


def square_root(x: Scalar) -> Scalar:
    """The square root in the same kind of number; of a rational that is no square, a rational with 200 more bits."""
    if isinstance(x, int | Fraction):
        p, q = Fraction(x).numerator, Fraction(x).denominator
        exact = Fraction(isqrt(p), isqrt(q))
        return exact if exact * exact == x else Fraction(isqrt((p * q) << 400), q << 200)
    return cast("float", x) ** 0.5
