"""The numbers that laws are judged in: floats in batches of samples, and fixed point with hundreds of bits.

All arrays are (samples, rows, columns).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from operator_algebra.checking.strips import multiplied
from operator_algebra.models.numeric import Numbers

Array: TypeAlias = Numbers
Floats: TypeAlias = NDArray[np.float64]


def object_array(values: Sequence[object], shape: tuple[int, ...]) -> Array:
    """Python numbers as an array."""
    made: Array = np.empty(shape, dtype=object)
    made.reshape(-1)[:] = values
    return made


def span(count: int) -> Array:
    """0, 1, … as indices."""
    return np.asarray(range(count), dtype=np.intp)


class Singular(Exception):
    """A matrix that has to be inverted is singular at some samples; caught where verdicts are made."""


class Arithmetic(Protocol):
    """What a valuation asks of numbers."""

    eps: float

    def array(self, values: ArrayLike) -> Array:
        """The values as numbers of this kind."""
        ...

    def zeros(self, shape: tuple[int, ...]) -> Array:
        """Zeros."""
        ...

    def one(self) -> float:
        """The number 1."""
        ...

    def multiply(self, a: Array, b: Array) -> Array:
        """The product, sample by sample."""
        ...

    def times(self, factor: Fraction, a: Array) -> Array:
        """A multiple."""
        ...

    def scaled(self, factor: Array, a: Array) -> Array:
        """The multiple by a 1 × 1 matrix."""
        ...

    def inverse(self, a: Array) -> Array:
        """The inverse."""
        ...

    def cholesky(self, a: Array) -> Array:
        """The lower Cholesky factor."""
        ...

    def pivots(self, a: Array) -> Array:
        """Positive numbers, (samples, count), whose product is the determinant, which has to be positive."""
        ...

    def norm(self, a: Array) -> Floats:
        """The Frobenius norm of each sample, as a float."""
        ...

    def sizes(self, a: Array) -> Floats:
        """Absolute values, as floats."""
        ...


class FloatArithmetic:
    """IEEE double precision."""

    eps = float(np.finfo(np.float64).eps)

    def array(self, values: ArrayLike) -> Array:
        """The values as floats."""
        return np.asarray(values, dtype=np.float64)

    def zeros(self, shape: tuple[int, ...]) -> Array:
        """Zeros."""
        return np.zeros(shape)

    def one(self) -> float:
        """The number 1."""
        return 1.0

    def multiply(self, a: Array, b: Array) -> Array:
        """A b, sample by sample."""
        return multiplied(a, b)

    def times(self, factor: Fraction, a: Array) -> Array:
        """A multiple."""
        return float(factor) * a

    def inverse(self, a: Array) -> Array:
        """The inverse; NaN where a sample is singular."""
        if a.shape[-1] == 1:
            return np.where(a != 0.0, 1.0, np.nan) / a
        try:
            return np.linalg.inv(a)
        except np.linalg.LinAlgError:
            return self._one_by_one(np.linalg.inv, a)

    def cholesky(self, a: Array) -> Array:
        """The lower Cholesky factor; NaN where a sample is not definite."""
        try:
            return np.linalg.cholesky(a)
        except np.linalg.LinAlgError:
            return self._one_by_one(np.linalg.cholesky, a)

    def pivots(self, a: Array) -> Array:
        """Equal ones; NaN where the determinant is not positive."""
        sign, logarithm = np.linalg.slogdet(a)
        share = np.exp(logarithm / max(1, a.shape[-1]))
        return np.repeat(np.where(sign > 0, share, np.nan)[:, None], max(1, a.shape[-1]), axis=-1)

    def _one_by_one(self, function: Callable[[Array], Array], a: Array) -> Array:
        result = np.full_like(a, np.nan)
        for sample, matrix in enumerate(a):
            try:
                result[sample] = function(matrix)
            except np.linalg.LinAlgError:
                continue
        return result

    def scaled(self, factor: Array, a: Array) -> Array:
        """The multiple by a 1 × 1 matrix."""
        return factor * a

    def sizes(self, a: Array) -> Floats:
        """Absolute values."""
        return np.abs(a)

    def norm(self, a: Array) -> Floats:
        """The Frobenius norm of each sample."""
        return np.sqrt(np.einsum("sij,sij->s", a, a))


def _alike(pattern: Array) -> list[tuple[Array, Array]]:
    """Rows that have their entries in the same columns, and these columns."""
    rows: dict[bytes, list[int]] = {}
    entries, width = pattern.tobytes(), pattern.shape[1]
    for row in range(len(pattern)):
        rows.setdefault(entries[row * width : (row + 1) * width], []).append(row)
    return [(np.array(alike, dtype=np.intp), np.nonzero(pattern[alike[0]])[0]) for alike in rows.values()]


class FixedPoint:
    """Integers that count units of 2^−bits: products are exact to that unit, and fast because Python's integers are."""

    def __init__(self, bits: int = 320) -> None:
        self.bits = bits
        # The unit is absolute: half of the bits are left for numbers that are small.
        self.eps = 2.0 ** -(bits // 2)

    def array(self, values: ArrayLike) -> Array:
        """Floats, rationals, or mpmath numbers as multiples of the unit."""
        given = np.asarray(values, dtype=object)
        return object_array([self._integer(x) for x in given.flat], given.shape)

    def _integer(self, x: Any) -> int:
        if isinstance(x, int | Fraction):
            return round(x * (1 << self.bits))
        if hasattr(x, "_mpf_"):
            sign, mantissa, exponent, _ = x._mpf_
            shift = exponent + self.bits
            size = int(mantissa) << shift if shift >= 0 else int(mantissa) >> -shift
            return -size if sign else size
        return round(Fraction(float(x)) * (1 << self.bits))

    def zeros(self, shape: tuple[int, ...]) -> Array:
        """Zeros."""
        made = np.empty(shape, dtype=object)
        made.fill(0)
        return made

    def one(self) -> int:
        """The number 1."""
        return 1 << self.bits

    def multiply(self, a: Array, b: Array) -> Array:
        """A b, sample by sample."""
        if a.shape[-1] == 0:
            return self.zeros((*a.shape[:-1], b.shape[-1]))
        return np.stack([self._product(x, y) for x, y in zip(a, b, strict=True)])

    def _product(self, a: Array, b: Array) -> Array:
        """A b by the factor with more zeros: rows with entries in the same columns at once, and those columns alone."""
        left, right = a != 0, b != 0
        if left.sum() * right.size > right.sum() * left.size:
            return self._product(b.T, a.T).T
        result = self.zeros((len(a), b.shape[-1]))
        for rows, columns in _alike(left):
            (across,) = np.nonzero(right[columns].any(axis=0))
            if len(columns) and len(across):
                block = a[rows[:, None], columns] @ b[columns[:, None], across]
                result[rows[:, None], across] = block >> self.bits
        return result

    def times(self, factor: Fraction, a: Array) -> Array:
        """A multiple."""
        multiple = a * factor.numerator
        return multiple if factor.denominator == 1 else multiple // factor.denominator

    def inverse(self, a: Array) -> Array:
        """The inverse, by elimination with the largest pivot."""
        return np.stack([self._inverse(matrix) for matrix in a]) if a.shape[-1] else a

    def _inverse(self, a: Array) -> Array:
        order = len(a)
        work = np.concatenate([a, self.eye(order)], axis=1)
        for k in range(order):
            pivot = k + max(range(order - k), key=lambda i, k=k: abs(work[k + i, k]))
            if work[pivot, k] == 0:
                raise Singular
            if pivot != k:
                work[[k, pivot]] = work[[pivot, k]]
            work[k] = (work[k] << self.bits) // work[k, k]
            for i in range(order):
                if i != k and work[i, k] != 0:
                    work[i] -= (work[i, k] * work[k]) >> self.bits
        return work[:, order:]

    def cholesky(self, a: Array) -> Array:
        """The lower Cholesky factor."""
        return np.stack([self._cholesky(matrix) for matrix in a]) if a.shape[-1] else a

    def _cholesky(self, a: Array) -> Array:
        order = len(a)
        factor = self.zeros((order, order))
        for k in range(order):
            column = a[k:, k] - ((factor[k:, :k] @ factor[k, :k]) >> self.bits if k else 0)
            if column[0] <= 0:
                raise Singular
            factor[k, k] = math.isqrt(column[0] << self.bits)
            factor[k + 1 :, k] = (column[1:] << self.bits) // factor[k, k]
        return factor

    def pivots(self, a: Array) -> Array:
        """The pivots of an elimination, without their signs."""
        return np.stack([self._pivots(matrix.copy()) for matrix in a])

    def _pivots(self, work: Array) -> Array:
        found: list[int] = []
        positive = True
        for k in range(len(work)):
            pivot = k + max(range(len(work) - k), key=lambda i, k=k: abs(work[k + i, k]))
            if pivot != k:
                work[[k, pivot]] = work[[pivot, k]]
            if work[k, k] == 0:
                raise Singular
            positive ^= (pivot != k) ^ bool(work[k, k] < 0)
            found.append(abs(work[k, k]))
            for i in range(k + 1, len(work)):
                work[i] -= work[i, k] * work[k] // work[k, k]
        if not positive:
            raise Singular
        return object_array(found, (len(found),))

    def eye(self, order: int) -> Array:
        """I."""
        made = self.zeros((order, order))
        np.fill_diagonal(made, self.one())
        return made

    def scaled(self, factor: Array, a: Array) -> Array:
        """The multiple by a 1 × 1 matrix."""
        return (factor * a) >> self.bits

    def sizes(self, a: Array) -> Floats:
        """Absolute values, as floats."""
        return (np.abs(a) / self.one()).astype(np.float64) if a.size else np.zeros(a.shape)

    def norm(self, a: Array) -> Floats:
        """The Frobenius norm of each sample, as a float."""
        if not a.size:
            return np.zeros(len(a))
        unit = self.one()
        flat = a.reshape(len(a), -1)
        return np.array([math.isqrt(int(np.dot(row, row))) / unit for row in flat])
