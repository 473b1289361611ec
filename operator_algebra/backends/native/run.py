"""Machine code of a tape, called with the addresses of arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from struct import Struct
from typing import NamedTuple, cast

import numpy as np

from operator_algebra.backends.native.crew import Batch
from operator_algebra.backends.native.loaded import BEHIND, Loaded
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.models.numeric import Flags, Kind, Numbers

_TRIED = 128
"""Samples by which the time of a call is measured."""
_FLOATS = np.dtype(np.float64)
_BYTE = ctypes.c_char


class Computed(NamedTuple):
    """What some samples give: whether all numbers may be trusted, which of them, and results (samples, entries)."""

    whole: bool
    good: Flags
    results: list[Numbers]


class NativeKernel:
    """The tape for arrays of so many columns each, given and computed; samples are rows."""

    def __init__(
        self, code: Loaded, given: Sequence[int], results: Sequence[int], precision: Precision = DOUBLE
    ) -> None:
        self.code = code
        self._kind = np.dtype(precision.name)
        self._given = tuple(given)
        self._results = tuple(results)
        self._packed = Struct(f"{2 * len(self._given) + len(self._results) + 1}q").pack

    def __call__(self, given: Sequence[Numbers], count: int, threads: int = 1) -> Computed:
        """The results of some samples; an array with one row belongs to every sample."""
        call = self.bound(given, count)
        return Computed(call() if threads < 2 else call.shared(threads), call.good, call.results)

    def tried(self) -> BoundCall:
        """A call with numbers of no meaning, by which its time is measured."""
        arrays = [np.full((_TRIED, size), 0.5, dtype=self._kind) for size in self._given]
        return self.bound(arrays, _TRIED)

    def bound(self, given: Sequence[Numbers], count: int) -> BoundCall:
        """The same for what the arrays hold later; where rows have gaps, for what they hold now."""
        results = [np.empty((count, size), dtype=self._kind) for size in self._results]
        good = np.empty(count + BEHIND, dtype=np.bool_)[:count]
        arrays = [in_rows(array, count, size, self._kind) for array, size in zip(given, self._given, strict=True)]
        table: list[int] = []
        for array in arrays:
            table.append(address(array))
            table.append(array.strides[0] if len(array) > 1 else 0)
        for result in results:
            table.append(address(result))
        return BoundCall(self.code, arrays, count, self._packed(*table, address(good)), good, results)


class BoundCall(NamedTuple):
    """A call with all its addresses, and the arrays that they are of, which may not be resized."""

    code: Loaded
    arrays: Sequence[Numbers]
    samples: int
    table: bytes
    good: Flags
    results: list[Numbers]

    def __call__(self) -> bool:
        """Compute the results; whether all of them may be trusted."""
        return self.part(0, self.samples)

    def part(self, first: int, stop: int) -> bool:
        """The same for some of the samples."""
        return first >= stop or bool(self.code.entry(first, stop, self.samples - 1, self.table))

    def shared(self, threads: int) -> bool:
        """The same by several threads."""
        return Batch(self.code, self.samples, self.samples - 1, [self.table] * threads, self).computed()


def in_rows(array: Numbers, count: int, size: int, kind: Kind = _FLOATS) -> Numbers:
    """The array, each of whose rows is in one piece of memory; machine code reads what it is told to."""
    if array.ndim != 2 or array.shape[1] != size or len(array) not in (1, count):
        raise ValueError(f"an array has shape {array.shape} where ({count}, {size}) is read")
    found = array if array.dtype is kind else array.astype(kind, casting="safe")
    return found if size < 2 or found.strides[1] == found.itemsize else np.ascontiguousarray(found)


def address(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> int:
    """Of the first entry, if there is one; the short way is for what may be written and has no gaps."""
    if not array.size:
        return 0
    try:
        return ctypes.addressof(_BYTE.from_buffer(cast("bytearray", array)))
    except (TypeError, ValueError):
        return array.__array_interface__["data"][0]
