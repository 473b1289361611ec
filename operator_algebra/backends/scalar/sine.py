"""Sine and cosine by additions and multiplications alone: the same bits in every form of the code, on every machine.

x = k π/2 + r with |r| ≤ π/4, where π/2 is the sum of three parts of which k times the first two is exact (Cody and
Waite, Software Manual for the Elementary Functions, 1980). The polynomials in r² are those of fdlibm (Sun, 1993).
"""

from __future__ import annotations

from typing import Protocol, Self, TypeVar, cast

import numpy as np

from operator_algebra.models.numeric import Numbers

FARTHEST = 1e6
"""Angles up to this are reduced rightly: sine and cosine are within three units of the last place, or 1e-27.

Two units up to a hundred.
"""
ROUND = 6755399441055744.0
"""3/2 of 2⁵²: what is added to it is rounded to an integer, whose last bits are then those of the sum."""

_TURNS = 0.6366197723675814
_FIRST, _SECOND, _THIRD = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
_S1, _S2, _S3 = -1.6666666666666632e-01, 8.33333333332249e-03, -1.9841269829857949e-04
_S4, _S5, _S6 = 2.7557313707070068e-06, -2.5050760253406863e-08, 1.58969099521155e-10
_C1, _C2, _C3 = 4.1666666666666602e-02, -1.388888888887411e-03, 2.480158728947673e-05
_C4, _C5, _C6 = -2.7557314351390663e-07, 2.087572321298175e-09, -1.1359647557788195e-11


class Summand(Protocol):
    """What the formula asks of a number."""

    def __add__(self, other: Self | float, /) -> Self: ...
    def __sub__(self, other: Self | float, /) -> Self: ...
    def __mul__(self, other: Self | float, /) -> Self: ...


N = TypeVar("N", bound=Summand)


def reduced(x: N) -> tuple[N, N, N]:
    """k + `ROUND`, sin r and cos r."""
    rounded = x * _TURNS + ROUND
    k = rounded - ROUND
    r = x - k * _FIRST - k * _SECOND - k * _THIRD
    z = r * r
    sine = ((((z * _S6 + _S5) * z + _S4) * z + _S3) * z + _S2) * z + _S1
    cosine = ((((z * _C6 + _C5) * z + _C4) * z + _C3) * z + _C2) * z + _C1
    return rounded, r + r * z * sine, z * -0.5 + 1.0 + z * z * cosine


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
