"""Numbers that a mechanism is made of, as floats; what only looks like a number is refused."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any

from operator_algebra.arguments import items, shown


def real(value: Any) -> float:
    """A real number as a float; `TypeError` for text, truth values, dates, masked and complex numbers.

    −0 becomes 0, so that equal values print, and hash, alike.
    """
    if type(value) is float or type(value) is int:
        return float(value) + 0.0
    try:
        if getattr(value, "shape", None) == () and not hasattr(value, "mask"):
            value = value.item()
        if not isinstance(value, bool) and isinstance(value, Real):
            return float(value) + 0.0
    except Exception:  # noqa: BLE001  a value of the caller's own may fail in any way
        pass
    raise TypeError(f"{shown(value)} is not a real number")


def reals(values: Iterable[Any]) -> tuple[float, ...]:
    """Real numbers as floats; `TypeError` for what `real` refuses, and for arrays that are masked or hold no reals."""
    kind = getattr(getattr(values, "dtype", None), "kind", "f")
    if hasattr(values, "mask") or kind not in "iuf":
        raise TypeError("the array is masked, or does not hold real numbers")
    return tuple([real(value) for value in items(values, "a list of numbers", "numbers", error=TypeError)])


def near_one(values: Iterable[float]) -> tuple[float, ...]:
    """The vector times the power of two that brings its largest entry to between ½ and 1: lengths are exact there."""
    given = tuple(values)
    exponent = math.frexp(max(map(abs, given)))[1]
    return tuple([math.ldexp(value, -exponent) for value in given])
