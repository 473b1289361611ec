"""Sine and cosine by additions and multiplications alone: the same bits in every form of the code, on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, TypeVar, cast

import numpy as np

from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.models.numeric import Numbers

FARTHEST = DOUBLE.farthest
"""Angles up to this are reduced rightly in double precision."""
ROUND = DOUBLE.round
"""What is added to it is rounded to an integer."""


class Summand(Protocol):
    """What the formula asks of a number."""

    def __add__(self, other: Self | float, /) -> Self: ...
    def __sub__(self, other: Self | float, /) -> Self: ...
    def __mul__(self, other: Self | float, /) -> Self: ...


N = TypeVar("N", bound=Summand)


def reduced(x: N, precision: Precision = DOUBLE) -> tuple[N, N, N]:
    """k + `round`, sin r and cos r."""
    first, second, third = precision.quarter
    rounded = x * precision.turns + precision.round
    k = rounded - precision.round
    r = x - k * first - k * second - k * third
    z = r * r
    sine, cosine = _polynomial(z, precision.sine), _polynomial(z, precision.cosine)
    return rounded, r + r * z * sine, z * -0.5 + 1.0 + z * z * cosine


def _polynomial(z: N, coefficients: Sequence[float]) -> N:
    *lower, second, last = coefficients
    found = z * last + second
    for coefficient in reversed(lower):
        found = found * z + coefficient
    return found


def turned(x: float) -> tuple[float, float]:
    """Sine and cosine of a finite number.

    >>> turned(0.0), turned(-7.0) == (-turned(7.0)[0], turned(7.0)[1])
    ((0.0, 1.0), True)
    """
    rounded, s, c = reduced(x)
    quarter = int(rounded - ROUND) & 3
    if not quarter:
        return s, c
    if quarter == 1:
        return c, -s
    return (-s, -c) if quarter == 2 else (-c, s)


def turned_rows(x: Numbers) -> tuple[Numbers, Numbers]:
    """Sines and cosines of an array."""
    rounded, s, c = (cast("Numbers", part) for part in reduced(cast("Summand", x)))
    k = rounded.view(np.int64)
    odd = (k & 1).astype(bool)
    return _signed(np.where(odd, c, s), k), _signed(np.where(odd, s, c), k + 1)


def _signed(x: Numbers, k: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> Numbers:
    """With the other sign where the second bit of k is set."""
    return (x.view(np.int64) ^ ((k & 2) << 62)).view(np.float64)
