"""Small matrices over any field, row by row: floats, fractions, many digits, complex numbers, rational functions.

The algebra of blocks without numpy: what a number can do is said by `Numbers`, everything else follows.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from operator import mul
from typing import Any

from operator_algebra.errors import InputError

Number = Any
Rows = Sequence[Sequence[Number]]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of equal `width`, which says how wide a matrix without rows is."""

    rows: Rows
    width: int

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def T(self) -> Matrix:
        """The transpose; of complex numbers, too, no conjugate is taken."""
        return Matrix(list(zip(*self.rows, strict=True)) if self.rows else [()] * self.width, len(self.rows))

    def part(self, start: int, count: int) -> Matrix:
        """Some of the rows."""
        return Matrix(self.rows[start : start + count], self.width)


def stacked(parts: Sequence[Matrix], width: int) -> Matrix:
    """Matrices of one width, one below the other."""
    return Matrix([row for part in parts for row in part.rows], width)


def beside(parts: Sequence[Matrix]) -> Matrix:
    """Matrices of one height side by side."""
    rows = [[x for row in pieces for x in row] for pieces in zip(*(part.rows for part in parts), strict=True)]
    return Matrix(rows, sum(part.width for part in parts))


def _unknown(_: object) -> Number:
    raise InputError("these numbers have no roots and no logarithms. Give numbers that have.")


@dataclass(frozen=True)
class Numbers:
    """A field: how a rational number is written in it, and what else it can do.

    `log` is the logarithm of the size of a product. `weight` ranks pivots, the largest first. `settled` writes a number
    in its shortest form. Numbers that are not `rounded` need no guard against rounding: no averages, no Joseph's form.

    >>> from decimal import Decimal
    >>> decimals = Numbers(lambda x: Decimal(x.numerator) / x.denominator, sqrt=Decimal.sqrt)
    >>> decimals.inverse(Matrix([[decimals.of(Fraction(8))]], 1)).rows
    [[Decimal('0.125')]]
    """

    of: Callable[[Fraction], Number]
    sqrt: Callable[[Number], Number] = _unknown
    log: Callable[[Sequence[Number]], Number] = _unknown
    weight: Callable[[Number], Any] = abs
    settled: Callable[[Number], Number] | None = None
    rounded: bool = True

    @cached_property
    def zero(self) -> Number:
        """0."""
        return self.of(Fraction(0))

    @cached_property
    def one(self) -> Number:
        """1."""
        return self.of(Fraction(1))

    def zeros(self, height: int, width: int) -> Matrix:
        """The zero matrix."""
        return Matrix([[self.zero] * width] * height, width)

    def identity(self, size: int) -> Matrix:
        """The identity."""
        return Matrix([[self.one if i == j else self.zero for j in range(size)] for i in range(size)], size)

    def matrix(self, made: Iterable[Iterable[Number]], width: int) -> Matrix:
        """A matrix of numbers in their shortest form."""
        if self.settled is None:
            return Matrix([list(row) for row in made], width)
        return Matrix([list(map(self.settled, row)) for row in made], width)

    def dot(self, a: Iterable[Number], b: Iterable[Number]) -> Number:
        """Σ a b."""
        return sum(map(mul, a, b), start=self.zero)

    def largest(self, row: Iterable[Number]) -> Number:
        """The size of the largest of some numbers; 0 of none."""
        sizes = [abs(x) for x in row]
        return max(sizes) if sizes else self.zero

    def product(self, *factors: Matrix) -> Matrix:
        """A product, multiplied out from the right."""
        return reduce(lambda right, left: self._times(left, right), reversed(factors))

    def _times(self, a: Matrix, b: Matrix) -> Matrix:
        columns = b.T.rows
        return self.matrix(([self.dot(row, column) for column in columns] for row in a.rows), b.width)

    def sum(self, parts: Sequence[Matrix], height: int, width: int) -> Matrix:
        """A sum; of nothing it is zero."""
        if len(parts) < 2:
            return parts[0] if parts else self.zeros(height, width)
        added = (map(sum, zip(*rows, strict=True)) for rows in zip(*(part.rows for part in parts), strict=True))
        return self.matrix(added, width)

    def less(self, a: Matrix, left: Matrix, right: Matrix) -> Matrix:
        """A − left right."""
        columns = right.T.rows
        lines = zip(a.rows, left.rows, strict=True)
        less = ([x - self.dot(row, column) for x, column in zip(own, columns, strict=True)] for own, row in lines)
        return self.matrix(less, a.width)

    def scaled(self, factor: Number, a: Matrix) -> Matrix:
        """A multiple."""
        return Matrix([[factor * x for x in row] for row in a.rows], a.width)

    def averaged(self, a: Matrix) -> Matrix:
        """(a + a*) / 2: exactly its own adjoint, as every use of that assumes."""
        return self.scaled(self.of(Fraction(1, 2)), self.sum([a, a.T], a.height, a.width))

    # -- square matrices -------------------------------------------------------------------------------------------

    def inverse(self, a: Matrix) -> Matrix:
        """The inverse, by Gauss and Jordan; `ZeroDivisionError` if there is none."""
        n = a.height
        work = [[*row, *unit] for row, unit in zip(a.rows, self.identity(n).rows, strict=True)]
        for k in range(n):
            scale, _ = self._eliminated(work, k, [i for i in range(n) if i != k])
            work[k] = self._settled(x * scale for x in work[k])
        return Matrix([row[n:] for row in work], n)

    def determinant(self, a: Matrix) -> Number:
        """The determinant, by Gauss."""
        work, result = [list(row) for row in a.rows], self.one
        for k in range(a.height):
            try:
                _, moved = self._eliminated(work, k, range(k + 1, a.height))
            except ZeroDivisionError:
                return self.zero
            (result,) = self._settled([result * (-work[k][k] if moved else work[k][k])])
        return result

    def root(self, a: Matrix) -> Matrix:
        """The Cholesky factor L, L L* = a; `ZeroDivisionError` if a pivot is zero."""
        n = a.height
        factor = [[self.zero] * n for _ in range(n)]
        for j in range(n):
            rest = self._settled(a.rows[i][j] - self.dot(factor[i][:j], factor[j][:j]) for i in range(j, n))
            if not rest[0]:
                raise ZeroDivisionError
            factor[j][j] = self.sqrt(rest[0])
            scale = self.one / factor[j][j]
            for i, x in enumerate(self._settled(x * scale for x in rest[1:])):
                factor[j + 1 + i][j] = x
        return Matrix(factor, n)

    def _eliminated(self, work: list[list[Number]], k: int, rows: Iterable[int]) -> tuple[Number, bool]:
        """Clear column k in some rows with the best row from k on; the inverse of its pivot, and whether it moved."""
        candidates = [i for i in range(k, len(work)) if work[i][k]]
        if not candidates:
            raise ZeroDivisionError
        best = max(candidates, key=lambda i: self.weight(work[i][k]))
        work[k], work[best] = work[best], work[k]
        inverse = self.one / work[k][k]
        for i in rows:
            if work[i][k]:
                (ratio,) = self._settled([work[i][k] * inverse])
                work[i] = self._settled(a - ratio * b for a, b in zip(work[i], work[k], strict=True))
        return inverse, best != k

    def _settled(self, numbers: Iterable[Number]) -> list[Number]:
        return list(numbers if self.settled is None else map(self.settled, numbers))


def _square_root(x: Fraction) -> Fraction:
    """The root of the square of a rational number."""
    found = Fraction(math.isqrt(abs(x.numerator)), math.isqrt(x.denominator))
    if found * found != x:
        raise InputError(f"{x} has no root among the rational numbers. Interpret over floats, or over more digits.")
    return found


FLOATS = Numbers(float, math.sqrt, lambda factors: math.fsum(math.log(abs(x)) for x in factors))
COMPLEX = Numbers(complex, cmath.sqrt, lambda factors: sum(map(cmath.log, factors), start=0j))
RATIONALS = Numbers(Fraction, _square_root, rounded=False)
