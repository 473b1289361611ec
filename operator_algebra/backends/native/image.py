"""Machine code as it stands in memory: kept as such, and put there without LLVM."""

from __future__ import annotations

import ctypes
import mmap
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from operator_algebra.backends.native.loaded import Loaded

LINE = 64
"""Bytes of a line of the cache, with which each part starts."""
_MARK = b"\x7fimage 1"
_HEAD = struct.Struct("<8s3I")
_NAMED = struct.Struct("<QqI")


class Absolute(NamedTuple):
    """An address of eight bytes that is known once it is known where all stands."""

    place: int
    name: str
    """Of a function outside; empty for the image itself."""
    addend: int


class Image(NamedTuple):
    """The bytes in memory, what is where in them, and what is missing."""

    memory: bytes
    functions: Mapping[str, int]
    absolute: Sequence[Absolute]

    @classmethod
    def checked(cls, memory: bytes, functions: Mapping[str, int], absolute: Sequence[Absolute]) -> Image | None:
        """An image all of whose places are inside of it; None if they are not."""
        inside = all(0 <= place < len(memory) for place in functions.values())
        filled = all(0 <= one.place <= len(memory) - 8 for one in absolute)
        own = all(one.name or 0 <= one.addend <= len(memory) for one in absolute)
        return cls(memory, functions, absolute) if functions and inside and filled and own else None

    def __bytes__(self) -> bytes:
        """Its file."""
        named = [(place, 0, name) for name, place in self.functions.items()]
        named += [(place, addend, name) for place, name, addend in self.absolute]
        told = [_NAMED.pack(place, addend, len(name)) + name.encode("ascii") for place, addend, name in named]
        head = _HEAD.pack(_MARK, len(self.memory), len(self.functions), len(self.absolute))
        return b"".join((head, *told, self.memory))

    @classmethod
    def read(cls, data: bytes) -> Image | None:
        """The image of a file; None if it is none."""
        try:
            mark, size, functions, absolute = _HEAD.unpack_from(data)
            if mark != _MARK:
                return None
            at = _HEAD.size
            named: list[Absolute] = []
            for _ in range(functions + absolute):
                place, addend, length = _NAMED.unpack_from(data, at)
                at += _NAMED.size + length
                named.append(Absolute(place, data[at - length : at].decode("ascii"), addend))
        except (struct.error, ValueError):
            return None
        if len(data) != at + size:
            return None
        return cls.checked(data[at:], {one.name: one.place for one in named[:functions]}, named[functions:])


def stand(image: Image, outside: Mapping[str, int]) -> Loaded | None:
    """Put an image into memory of its own, which is first written and then run, never both.

    It calls functions of the C library and others at these addresses. None where one is missing, or the system does
    not let it.
    """
    process = ctypes.CDLL(None)
    try:
        flags, writable = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE
        memory = mmap.mmap(-1, len(image.memory), flags=flags, prot=writable)
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        memory[:] = image.memory
        for place, name, addend in image.absolute:
            known = start if not name else outside.get(name) or ctypes.cast(process[name], ctypes.c_void_p).value or 0
            struct.pack_into("<Q", memory, place, (known + addend) % 2**64)
    except (OSError, AttributeError):
        return None
    protect = process.mprotect
    protect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    if protect(start, len(image.memory), mmap.PROT_READ | mmap.PROT_EXEC):
        return None
    places = {name: start + place for name, place in image.functions.items()}
    return Loaded(places.__getitem__, memory)
