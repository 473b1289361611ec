"""Functions of machine code in this process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import cast

Entry = Callable[[int, int, int, bytes], int]
"""First sample, the one behind the last of this call, the last of all, and the table of addresses."""
BEHIND = 64
"""Bytes behind the last flag that are written, too: a vector of flags is written at once."""
_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


@dataclass(frozen=True, eq=False)
class Loaded:
    """Functions, and what holds their code."""

    address: Callable[[str], int]
    """Of the function of a name."""
    holds: object
    kept: str | None = None
    """The name by which a later process finds the code; None if it is not kept, or cannot be loaded without LLVM."""

    @cached_property
    def entry(self) -> Entry:
        """The function `kernel`."""
        return cast("Entry", _PROTOTYPE(self.address("kernel")))
