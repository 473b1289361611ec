"""Objects whose calls go to a function of machine code as soon as there is one, with no line of Python between.

Python calls an object at an address that stands in it, if its type says where (PEP 590). Types of Python leave no room
for addresses, so the first of those below is made as C makes them. As long as the address is null, calls are as usual.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import TYPE_CHECKING, cast

_HEAD, _WORD = 16, 8
"""Bytes in front of what an object holds, and of an address."""
_FLAGS, _MAY_HAVE_KINDS, _IS_CALLED_AT_AN_ADDRESS = 1 << 18, 1 << 10, 1 << 11
_MEMBERS, _NUMBER, _READ_ONLY = 72, 19, 1

PLAIN = (
    sys.implementation.name == "cpython" and ctypes.sizeof(ctypes.c_void_p) == _WORD and object.__basicsize__ == _HEAD
)
"""Whether objects of this Python are laid out as is written here; their heads are longer without a lock, or traced."""


class _Member(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("kind", ctypes.c_int),
        ("place", ctypes.c_ssize_t),
        ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )


class _Slot(ctypes.Structure):
    _fields_ = (("number", ctypes.c_int), ("value", ctypes.c_void_p))


class _Specification(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("size", ctypes.c_int),
        ("of_items", ctypes.c_int),
        ("flags", ctypes.c_uint),
        ("slots", ctypes.POINTER(_Slot)),
    )


def _made(name: str, base: type, size: int, flags: int, slots: list[_Slot]) -> type:
    """A type as C makes it."""
    make = ctypes.pythonapi.PyType_FromSpecWithBases
    make.restype, make.argtypes = ctypes.py_object, (ctypes.POINTER(_Specification), ctypes.py_object)
    listed = (_Slot * (len(slots) + 1))(*slots, _Slot(0, None))
    return make(ctypes.byref(_Specification(name.encode(), size, 0, _FLAGS | flags, listed)), (base,))


if TYPE_CHECKING or not PLAIN:

    class Room:
        """Where there is none."""

        __slots__ = ()

else:
    Room = _made(f"{__name__}.Room", object, _HEAD + _WORD, _MAY_HAVE_KINDS, [])


class Enterable(Room):
    """What may be given a function of machine code for its calls, and a table that this function reads."""

    __slots__ = ("_table",)
    _table: object
    """Stands behind the address, where the function finds it."""


@cache
def _entered(kind: type[Enterable]) -> type[Enterable]:
    """The same type, whose objects are called at the address in them."""
    kept = b"__vectorcalloffset__"
    members = (_Member * 2)(_Member(kept, _NUMBER, _HEAD, _READ_ONLY, None), _Member())
    flags = _MAY_HAVE_KINDS | _IS_CALLED_AT_AN_ADDRESS
    slot = _Slot(_MEMBERS, ctypes.cast(members, ctypes.c_void_p))
    made = _made(f"{kind.__module__}.{kind.__qualname__}", kind, 0, flags, [slot])
    made.__doc__ = kind.__doc__
    return cast("type[Enterable]", made)


def enter(one: Enterable, function: int, table: object) -> None:
    """From now on the calls of an object go to the function at an address."""
    object.__setattr__(one, "_table", table)
    kind = type(one)
    if not kind.__flags__ & _IS_CALLED_AT_AN_ADDRESS:
        object.__setattr__(one, "__class__", _entered(kind))
    _address(one).value = function


def leave(one: Enterable) -> None:
    """From now on they do not."""
    if PLAIN:
        _address(one).value = None


def _address(one: Enterable) -> ctypes.c_void_p:
    return ctypes.c_void_p.from_address(id(one) + _HEAD)
