"""Arrays of machine numbers from what a caller gives: in the precision and the field that they have."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from numbers import Number
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from operator_algebra.errors import InputError
from operator_algebra.spatial.arrays import ManifoldNamespace

Numbers = NDArray[Any]
"""Floats or complex numbers, of double precision or wider."""

Flags = NDArray[np.bool_]
"""Whether something is so, for each of several."""

Kind = np.dtype[Any]
"""A kind of number, as arrays know it; `object` for numbers that are not of a machine."""

Scalar = complex | Number | np.number[Any]
"""One number: of Python, of NumPy, or of a package for many digits."""

_arctan: Any = np.arctan

_KINDS = "biufc"
MOST = 2**28
"""Numbers of one array, or bodies over one batch: 2 GB of floats. A view may repeat its own any number of times."""
_DEEPEST = 64  # axes of an array


class NotNumeric(Exception):
    """A value is no array of machine numbers; the message says what it is. Caught and worded by the callers."""


def numeric(value: object) -> Numbers:
    """The value as an array of floats or complex numbers, of at least double precision.

    >>> numeric([1, 2]).dtype, numeric([1, 2j]).dtype
    (dtype('float64'), dtype('complex128'))
    """
    if _is_masked(value):
        raise NotNumeric("a masked array: fill what is missing")
    try:
        array: Numbers = np.asarray(value)
    except Exception:  # noqa: BLE001  a value of the caller's own may fail in any way
        raise NotNumeric("it has no shape") from None
    if array.size > MOST:
        raise InputError(
            f"an array of shape {array.shape} holds {array.size:.1e} numbers; one call takes up to {MOST:.1e}. "
            "Call with parts of the batch."
        )
    if array.dtype.kind not in _KINDS:
        raise NotNumeric(f"its entries are {array.dtype.name}")
    return array.astype(np.result_type(array.dtype, np.float64), copy=False)


def kind_of_masked() -> Any:
    """The class of masked arrays, or none of them as long as their module is not imported, which takes 5 ms.

    >>> isinstance([1.0], kind_of_masked())
    False
    """
    return getattr(sys.modules.get("numpy.ma"), "MaskedArray", ())


def _is_masked(value: object) -> bool:
    """Whether a masked array stands anywhere in nested lists, as deep as arrays can be."""
    masked = kind_of_masked()
    level: list[object] = [value]
    for _ in range(_DEEPEST):
        if any(isinstance(part, masked) for part in level):
            return True
        level = [inner for part in level if isinstance(part, list | tuple) for inner in cast("list[object]", part)]
        if not any(isinstance(part, (list, tuple, masked)) for part in level):
            break
    return False


def common_kind(arrays: list[Numbers]) -> Kind:
    """The narrowest kind of number that holds all of these, doubles at least."""
    return np.result_type(np.float64, *(array.dtype for array in arrays))


def manifold(kind: Kind) -> ManifoldNamespace:
    """The functions that `integrate` and `difference` call on numbers of this kind."""
    return cast(ManifoldNamespace, _ComplexNamespace() if kind.kind == "c" else np)


class _ComplexNamespace:
    """NumPy with the analytic continuation of the functions that it has for real numbers only."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def arctan2(y: Any, x: Any) -> Any:
        """The angle of (x, y) where the real parts are: 2 arctan(y / (r + x)), folded at x = 0."""
        back: Any = np.real(x) < 0.0
        ahead = x * (1 - 2 * back)
        angle = 2 * _arctan(y / (np.sqrt(ahead * ahead + y * y) + ahead))
        half_turn: Any = np.copysign(4 * _arctan(np.ones_like(back, dtype=y.real.dtype)), y.real)
        return (1 - 2 * back) * angle + back * half_turn


def is_plain(array: Numbers) -> bool:
    """Whether these are doubles: what compiled programs compute with."""
    return array.dtype == np.float64


AT_ONCE = 4096
"""Samples or bodies of a part: a call of NumPy is short beside its work, and what is used again is in the cache."""


def in_parts(count: int) -> Iterator[slice]:
    """So many in parts.

    >>> list(in_parts(5000))
    [slice(0, 4096, None), slice(4096, 5000, None)]
    """
    yield from (slice(start, min(start + AT_ONCE, count)) for start in range(0, count, AT_ONCE))
