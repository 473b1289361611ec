"""Calls that Python makes of machine code with no line of Python between: arrays tested, their addresses taken.

The functions are machine code of their own, `door.ll`, the same for every kernel. A buffer tells where an array lies
and how its rows follow each other; what it holds is told by the kind of its numbers, which stands in the array, or by
the buffer where that is not the usual object. What does not fit is not refused here but left to others, who say what
is wrong.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from re import MULTILINE, findall
from struct import pack
from typing import NamedTuple, cast

import numpy as np

from operator_algebra.backends.native.entry import PLAIN, Enterable, enter
from operator_algebra.backends.native.loaded import BEHIND, Loaded
from operator_algebra.backends.native.run import BoundCall, address
from operator_algebra.backends.native.store import code_of, written
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.models.numeric import Numbers

_ARRAYS, _AXES = 16, 3
"""Most arrays that are given, and most axes of a result, for which there is room."""
_WITHOUT = 0x04
"""How Python calls: without arguments."""
_KIND = 56
"""Where in an array NumPy keeps what kind its numbers are of, as all that is compiled with its headers reads it."""


class _Method(ctypes.Structure):
    """What Python knows of a function of machine code."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


class Table(bytes):
    """Words that machine code reads, most of them addresses, and what these are addresses of."""

    kept: object

    @classmethod
    def of(cls, words: Sequence[int], kept: object, rest: bytes = b"") -> Table:
        """The words, and bytes that follow them."""
        table = cls(pack(f"{len(words)}q", *words) + rest)
        table.kept = kept
        return table


class Door(NamedTuple):
    """A function for the calls of an object, and the table that it reads."""

    function: int
    table: Table

    def open(self, one: Enterable) -> None:
        """From now on calls of this object go through the door."""
        enter(one, self.function, self.table)


class Doors(NamedTuple):
    """The two functions, and what holds their code."""

    door: int
    bound: _Method
    code: Loaded

    def of(
        self,
        kernel: Loaded,
        given: Sequence[tuple[str, int]],
        result: Sequence[int],
        other: Callable[..., object],
        precision: Precision = DOUBLE,
        *,
        quiet: int,
        most: int,
    ) -> Door | None:
        """The call of a kernel with arrays of so many numbers in a row, q first, by name; one result of so many axes.

        Up to `quiet` samples Python waits; `most` are taken at once. What is not as plain as that, or may not be
        trusted, is asked of the other function.
        """
        sizes = [size for _, size in given]
        if not all((*sizes, *result)) or len(given) > _ARRAYS or len(result) > _AXES:
            return None
        # Python has each name of an argument once, so its address tells it.
        names = [sys.intern(name) for name in (*(name for name, _ in given), "out")]
        named = [number for name, size in zip(names, (*sizes, 0), strict=True) for number in (id(name), size)]
        objects = (None, np.ndarray, cast("object", np.empty), other)
        kind = np.dtype(precision.name)
        lengths = [*result, *[0] * (_AXES - len(result))]
        words = [kernel.address("kernel"), quiet, *map(id, objects), most, len(given), len(result)]
        words += [precision.bytes * prod(result), ord(precision.letter), precision.bytes]
        words += [0 if precision is DOUBLE else id(kind), id(kind)]
        return Door(self.door, Table.of([*words, *lengths, *named], (self, kernel, names, objects, kind)))

    def of_arrays(
        self, call: BoundCall, out: Numbers, other: Callable[[], object], *, quiet: int
    ) -> Callable[[], None]:
        """A call without arguments that writes its one result; where that may not be trusted it calls the other."""
        (result,) = call.results
        places = (address(out), address(result), result.nbytes)
        words = [call.code.address("kernel"), quiet, id(None), id(other), call.samples, *places]
        table = Table.of(words, (self, call, out, other), call.table)
        return _new_function(ctypes.byref(self.bound), table, None)


_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.restype = ctypes.py_object
_new_function.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)


@cache
def doors() -> Doors | None:
    """The functions; None where there is no machine code, or for a Python or NumPy that they are not written for."""
    if not PLAIN or not _shows_kinds():
        return None
    text = written("door.ll")
    text = text.replace("BEHIND", str(BEHIND)).replace("KIND", str(_KIND))
    outside = {name: _place(name) for name in findall(r"^declare .* @(Py\w+)", text, flags=MULTILINE)}
    code = code_of(text, outside)
    if code is None:
        return None
    return Doors(code.address("door"), _Method(b"bound", code.address("bound"), _WITHOUT, None), code)


def _place(name: str) -> int:
    """The address of a function of Python's."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def _shows_kinds() -> bool:
    """Whether arrays have the address of the kind of their numbers where it is looked for."""
    if np.ndarray.__basicsize__ < _KIND + ctypes.sizeof(ctypes.c_void_p):
        return False
    several = (np.empty(0), np.ones((2, 3), dtype=np.float32).T, np.arange(9)[::2], np.zeros(2, dtype=[("a", float)]))
    return all(ctypes.c_void_p.from_address(id(one) + _KIND).value == id(one.dtype) for one in several)
