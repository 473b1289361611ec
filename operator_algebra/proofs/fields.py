"""Exact arithmetic on stacks of matrices, (samples, rows, columns): residues modulo a prime, and fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import isqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.int64]
"""Residues; or integers and fractions of Python, which tools cannot tell from them."""
Mask: TypeAlias = NDArray[np.bool_]

SMALL = 65519
"""A prime below 2¹⁶: reciprocals and roots are looked up."""
LARGE = 268435399
"""A prime below 2²⁸: 128 products of residues are added without overflow."""

_TABLES = 2**17
_TERMS = 128
_WHOLE = 2**53
"""Up to here floats are whole numbers, and sums of them exact."""


class Field:
    """What an exact model is computed in. `settled` brings entries to their shortest form after every operation."""

    def array(self, values: Sequence[object] | Array) -> Array:
        """Rational numbers as numbers of this field."""
        raise NotImplementedError

    def settled(self, a: Array) -> Array:
        """The same numbers in their shortest form."""
        raise NotImplementedError

    def reciprocals(self, a: Array) -> Array:
        """1/x for each entry; 0 for 0."""
        raise NotImplementedError

    def square_roots(self, a: Array) -> tuple[Array, Mask]:
        """A root of each entry, the same for equal entries, and whether there is one other than zero."""
        raise NotImplementedError

    def scaled(self, factor: Fraction, a: Array) -> Array:
        """A rational multiple."""
        raise NotImplementedError

    def zeros(self, *shape: int) -> Array:
        """Zeros."""
        return np.zeros(shape, dtype=self.array([]).dtype)

    def identity(self, samples: int, size: int) -> Array:
        """The identity, for each sample."""
        made = self.zeros(samples, size, size)
        made[:, np.arange(size), np.arange(size)] = 1
        return made

    def product(self, a: Array, b: Array) -> Array:
        """The matrix product, sample by sample."""
        inner = a.shape[-1]
        if inner <= _TERMS:
            return self.settled(a @ b)
        parts = (self.settled(a[:, :, k : k + _TERMS] @ b[:, k : k + _TERMS]) for k in range(0, inner, _TERMS))
        return self.settled(sum(parts, start=self.zeros(len(a), a.shape[1], b.shape[2])))

    def inverses(self, a: Array) -> tuple[Array, Mask]:
        """The inverses by Gauss and Jordan, and which matrices have one."""
        count, n = a.shape[:2]
        if n == 1:
            return self.reciprocals(a), np.asarray(a[:, 0, 0] != 0)
        sound = np.ones(count, dtype=np.bool_)
        every: Array = np.asarray(range(count), dtype=np.int64)
        work = np.concatenate([a, self.identity(count, n)], axis=2)
        for k in range(n):
            best = k + np.argmax(work[:, k:, k] != 0, axis=1)
            chosen, moved = work[every, best], work[:, k].copy()
            work[every, best] = moved
            sound &= np.asarray(chosen[:, k] != 0)
            row = self.settled(chosen * self.reciprocals(chosen[:, k])[:, None])
            factors = work[:, :, k].copy()
            work = self.settled(work - factors[:, :, None] * row[:, None, :])
            work[:, k] = row
        return work[:, :, n:], sound

    def determinants(self, a: Array) -> Array:
        """The determinants, by Gauss; zero where a pivot is."""
        count, n = a.shape[:2]
        every: Array = np.asarray(range(count), dtype=np.int64)
        work, result = a, self.array([1] * count)
        for k in range(n):
            best = k + np.argmax(work[:, k:, k] != 0, axis=1)
            pivot, moved = work[every, best], work[:, k].copy()
            work = work.copy()
            work[every, best] = moved
            result = self.settled(result * pivot[:, k] * np.where(best == k, 1, -1))
            row = self.settled(pivot * self.reciprocals(pivot[:, k])[:, None])
            work = self.settled(work - work[:, :, k, None] * row[:, None, :])
        return result

    def factors(self, a: Array) -> tuple[Array, Mask]:
        """Lower triangular L with L L* = a, and for which matrices this field has one that is regular."""
        count, n = a.shape[:2]
        sound = np.ones(count, dtype=np.bool_)
        made = self.zeros(count, n, n)
        for j in range(n):
            known = made[:, :, :j]
            rest = self.settled(a[:, j:, j] - np.einsum("mij,mj->mi", known[:, j:], known[:, j]))
            pivot, fine = self.square_roots(rest[:, 0])
            sound &= fine
            made[:, j, j] = pivot
            made[:, j + 1 :, j] = self.settled(rest[:, 1:] * self.reciprocals(pivot)[:, None])
        return made, sound


class Residues(Field):
    """The integers modulo a prime. What is other than zero here is other than zero in fractions.

    >>> sevenths = Residues(7)
    >>> sevenths.array([Fraction(1, 3), -1]).tolist()
    [5, 6]
    """

    def __init__(self, prime: int) -> None:
        self.prime = prime
        self._tables = _tables(prime) if prime < _TABLES else None

    def array(self, values: Sequence[object] | Array) -> Array:
        """Integers and fractions as residues."""
        if isinstance(values, np.ndarray) and values.dtype != object:
            return values % self.prime
        made: NDArray[np.object_] = np.asarray(values, dtype=object)
        flat = [x if isinstance(x, int) else self._residue(x) for x in made.ravel().tolist()]
        return np.asarray(flat, dtype=np.int64).reshape(made.shape) % self.prime

    def _residue(self, x: Fraction) -> int:
        return x.numerator * pow(x.denominator, -1, self.prime) % self.prime

    def product(self, a: Array, b: Array) -> Array:
        """The matrix product, sample by sample: in floats, of which libraries are fast, where these are exact."""
        if self.prime**2 * a.shape[-1] >= _WHOLE:
            return super().product(a, b)
        return self.settled((a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64))

    def settled(self, a: Array) -> Array:
        """Residues from 0 to p − 1."""
        return a % self.prime

    def scaled(self, factor: Fraction, a: Array) -> Array:
        """A rational multiple."""
        return self.settled(a * self._residue(factor))

    def reciprocals(self, a: Array) -> Array:
        """1/x for each entry; 0 for 0."""
        if self._tables is not None:
            return self._tables[0][a]
        found = [pow(x, -1, self.prime) if x else 0 for x in a.ravel().tolist()]
        return np.asarray(found, dtype=np.int64).reshape(a.shape)

    def square_roots(self, a: Array) -> tuple[Array, Mask]:
        """The smaller of both roots."""
        assert self._tables is not None, "roots are taken modulo small primes"
        found = self._tables[1][a]
        return found, np.asarray(found != 0)


@cache
def _tables(prime: int) -> tuple[Array, Array]:
    """Reciprocals, and the smaller root of each square; 0 where there is none."""
    inverses = [0, 1]
    for x in range(2, prime):
        inverses.append(-(prime // x) * inverses[prime % x] % prime)
    half = np.arange(1, (prime + 1) // 2, dtype=np.int64)
    roots = np.zeros(prime, dtype=np.int64)
    roots[half * half % prime] = half
    return np.asarray(inverses, dtype=np.int64), roots


class Fractions(Field):
    """The rational numbers; whole ones are kept as integers, which are faster."""

    def array(self, values: Sequence[object] | Array) -> Array:
        """Numbers of Python as they are."""
        return _exact(np.asarray(values, dtype=object))

    def product(self, a: Array, b: Array) -> Array:
        """The matrix product, sample by sample, of matrices with many zeros."""
        made = self.zeros(len(a), a.shape[1], b.shape[2])
        for result, left, right in zip(made, a.tolist(), b.tolist(), strict=True):
            sparse = [[(j, x) for j, x in enumerate(row) if x] for row in right]
            for i, row in enumerate(left):
                for k, x in enumerate(row):
                    for j, y in sparse[k] if x else ():
                        result[i, j] += x * y
        return self.settled(made)

    def settled(self, a: Array) -> Array:
        """Fractions without denominator as integers."""
        return _each(_whole, a)

    def scaled(self, factor: Fraction, a: Array) -> Array:
        """A rational multiple."""
        return self.settled(_exact(np.asarray(a * _exact(np.asarray(factor, dtype=object)))))

    def reciprocals(self, a: Array) -> Array:
        """1/x for each entry; 0 for 0."""
        return _each(lambda x: _whole(1 / Fraction(x)) if x else 0, a)

    def square_roots(self, a: Array) -> tuple[Array, Mask]:
        """The positive root."""
        found = _each(_root, a)
        return found, np.asarray(found != 0)


def _exact(a: NDArray[np.object_] | Array) -> Array:
    return a  # pyright: ignore[reportReturnType]


def _each(function: Callable[[int | Fraction], int | Fraction], a: Array) -> Array:
    made = np.empty(a.shape, dtype=object)
    made.ravel()[:] = [function(x) for x in a.ravel().tolist()]
    return _exact(made)


def _whole(x: int | Fraction) -> int | Fraction:
    return x.numerator if x.denominator == 1 else x


def _root(x: int | Fraction) -> int | Fraction:
    """The positive root of a square; 0 of everything else."""
    if x <= 0:
        return 0
    found = Fraction(isqrt(x.numerator), isqrt(x.denominator))
    return _whole(found) if found * found == x else 0
