"""Calls that Python makes of machine code with no line of Python between: arrays tested, their addresses taken.

The functions are machine code of their own, `door.ll`, the same for every kernel. A buffer tells where an array lies,
what it holds, and how its rows follow each other. What does not fit is not refused here but left to others, who say
what is wrong.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import prod
from re import MULTILINE, findall
from struct import pack
from typing import cast

import numpy as np

from operator_algebra.backends.native.machine import Loaded, machine
from operator_algebra.backends.native.run import BoundCall, address
from operator_algebra.backends.native.store import code_of
from operator_algebra.models.numeric import Numbers

Door = Callable[[object, object, dict[str, object]], Numbers | None]
"""Takes q, an array for the result or None, and the inputs by name; None where the call has to go another way."""

_ARRAYS, _AXES = 16, 3
"""Most arrays that are given, and most axes of a result, for which there is room."""
_WITH_ARRAY, _WITHOUT = 0x80, 0x04
"""How Python calls: with an array of arguments, or without any."""


class _Method(ctypes.Structure):
    """What Python knows of a function of machine code."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


class _Table(bytes):
    """Words that machine code reads, most of them addresses, and what these are addresses of."""

    kept: object


@dataclass(frozen=True, eq=False)
class Doors:
    """The two functions, and what holds their code."""

    door: _Method
    bound: _Method
    code: Loaded

    def of(
        self, kernel: Loaded, given: Sequence[tuple[str, int]], result: Sequence[int], *, quiet: int, most: int
    ) -> Door | None:
        """The call of a kernel with arrays of so many numbers in a row, q first; one result of so many axes.

        Up to `quiet` samples Python waits; `most` are taken at once.
        """
        sizes = [size for _, size in given]
        if not all((*sizes, *result)) or len(given) > _ARRAYS or len(result) > _AXES:
            return None
        named = [number for name, size in given for number in (id(name), size)]
        empty = cast("object", np.empty)
        objects = (None, np.ndarray, empty)
        lengths = [*result, *[0] * (_AXES - len(result))]
        words = [kernel.address("kernel"), quiet, *map(id, objects), most, len(given), len(result), 8 * prod(result)]
        return self._made(self.door, [*words, *lengths, *named], (self, kernel, given, objects))

    def of_arrays(
        self, call: BoundCall, out: Numbers, other: Callable[[], object], *, quiet: int
    ) -> Callable[[], None]:
        """A call without arguments that writes its one result; where that may not be trusted it calls the other."""
        (result,) = call.results
        places = (address(out), address(result), result.nbytes)
        words = [call.code.address("kernel"), quiet, id(None), id(other), call.samples, *places]
        return self._made(self.bound, words, (self, call, out, other), call.table)

    def _made(self, method: _Method, words: Sequence[int], kept: object, rest: bytes = b"") -> Callable[..., None]:
        table = _Table(pack(f"{len(words)}q", *words) + rest)
        table.kept = kept
        return _new_function(ctypes.byref(method), table, None)


_new_function = ctypes.pythonapi.PyCFunction_NewEx
_new_function.restype = ctypes.py_object
_new_function.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)


@cache
def doors() -> Doors | None:
    """The functions; None where there is no machine code, or where Python is another than they are written for."""
    here = machine()
    threads_are_free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    if here is None or sys.implementation.name != "cpython" or threads_are_free or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    text = files("operator_algebra.backends.native").joinpath("door.ll").read_text(encoding="utf-8")
    for name in findall(r"^declare .* @(Py\w+)", text, flags=MULTILINE):
        here.know(name, ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0)
    code = code_of(text, here)
    if code is None:
        return None
    door = _Method(b"call", code.address("door"), _WITH_ARRAY, None)
    return Doors(door, _Method(b"bound", code.address("bound"), _WITHOUT, None), code)
