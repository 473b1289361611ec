"""Memory beside which nothing may be touched."""

from __future__ import annotations

import ctypes
import mmap
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CAN = sys.platform.startswith("linux")
"""Whether pages are protected as Linux does it."""


def fenced(array: NDArray[Any], *, before: bool = False) -> NDArray[Any]:
    """The same numbers in memory that ends where a page begins which may not be touched, or begins where one ends."""
    page = mmap.PAGESIZE
    size = -(-array.nbytes // page) * page
    memory = mmap.mmap(-1, size + page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    closed = start if before else start + size
    offset = page if before else size - array.nbytes
    found = np.frombuffer(memory, dtype=array.dtype, count=array.size, offset=offset).reshape(array.shape)
    found[...] = array
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(closed), page, 0) == 0
    return found
