"""The forms in which generated code runs, chosen on purpose; a user gets one after the other."""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from operator_algebra.backends import kernel
from operator_algebra.backends.floats import build
from operator_algebra.calls.compiled import Compiled

_COUNTED = frozenset({"add", "subtract", "multiply", "reciprocal"})


@contextmanager
def machine_code(*, at_once: bool) -> Generator[None]:
    """Machine code is made in the first batch, or never."""
    usual = kernel.WORTH, kernel.KEPT
    kernel.WORTH, kernel.KEPT = (1, 1) if at_once else (math.inf, math.inf)
    try:
        yield
    finally:
        kernel.WORTH, kernel.KEPT = usual


def anew(compiled: Compiled) -> Compiled:
    """The same program with code of its own, none of which is made yet."""
    return replace(compiled, _executable=build(compiled.program, compiled.model, compiled.frame))


def counted(compiled: Compiled, **arguments: Any) -> float:
    """How many additions, multiplications and reciprocals a call takes but for sines; infinite if it is interpreted."""
    code = build(compiled.program, compiled.model, compiled.frame)
    with machine_code(at_once=False):
        replace(compiled, _executable=code)(**arguments)
    counts = [kernel.operations.items() for kernel in code.kernels]
    return sum(count for kind, count in counts[0] if kind in _COUNTED) if counts else math.inf
