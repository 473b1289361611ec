"""The kinds of floats that generated code computes in, and what their sines and cosines are made of.

x = k π/2 + r with |r| ≤ π/4, where π/2 is the sum of three parts of which k times the first two is exact (Cody and
Waite, Software Manual for the Elementary Functions, 1980). The polynomials in r² are those of fdlibm (Sun, 1993) for
double precision, and of least largest error, by exchange (Remez), for single.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from operator_algebra.backends.pivots import SMALL

Name = Literal["float64", "float32"]


class Precision(NamedTuple):
    """A kind of floats."""

    name: Name
    """As NumPy calls it."""
    letter: str
    """As buffers do."""
    bits: int
    farthest: float
    """Angles up to this are reduced rightly."""
    least: float
    """A relative pivot below this is not trusted, wherever it stands."""
    round: float
    """3/2 of a power of two: what is added to it is rounded to an integer, which the last bits of the sum are."""
    turns: float
    quarter: tuple[float, float, float]
    """π/2, from its first digits to its last."""
    sine: tuple[float, ...]
    """Of (sin r / r − 1) / r², from the first power on."""
    cosine: tuple[float, ...]
    """Of (cos r − 1 + r²/2) / r⁴."""

    @property
    def bytes(self) -> int:
        """Of one number."""
        return self.bits // 8


DOUBLE = Precision(
    name="float64",
    letter="d",
    bits=64,
    farthest=1e6,
    least=0.0,
    round=6755399441055744.0,
    turns=0.6366197723675814,
    quarter=(1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21),
    sine=(
        -1.6666666666666632e-01,
        8.33333333332249e-03,
        -1.9841269829857949e-04,
        2.7557313707070068e-06,
        -2.5050760253406863e-08,
        1.58969099521155e-10,
    ),
    cosine=(
        4.1666666666666602e-02,
        -1.388888888887411e-03,
        2.480158728947673e-05,
        -2.7557314351390663e-07,
        2.087572321298175e-09,
        -1.1359647557788195e-11,
    ),
)
"""Sines and cosines are within three units of the last place, or 1e-27; two units up to a hundred."""

SINGLE = Precision(
    name="float32",
    letter="f",
    bits=32,
    farthest=1e4,
    least=SMALL,
    round=12582912.0,
    turns=0.6366197466850281,
    quarter=(1.5703125, 0.0004837512969970703, 7.549790126404332e-08),
    sine=(-0.16666655242443085, 0.008332177996635437, -0.00019517267355695367),
    cosine=(0.04166664555668831, -0.001388736767694354, 2.4438415493932553e-05),
)
"""Sines and cosines are within two units of the last place, or 1e-9. Four digits of seven may be lost at pivots."""

PRECISIONS: Mapping[Name, Precision] = {one.name: one for one in (DOUBLE, SINGLE)}
"""By name."""
