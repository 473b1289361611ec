"""Machine code is made of a tape where that is worth its time, in the form that is done first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from time import perf_counter

from operator_algebra.backends.native.emit import native_text, staged_text
from operator_algebra.backends.native.machine import machine
from operator_algebra.backends.native.run import NativeKernel
from operator_algebra.backends.native.store import code_of
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.backends.scalar.tape import Tape

_ROUNDS = 8
"""Calls by which the faster form is found."""
_CLEAR = 5000
"""Operations of a tape, above which it is faster stage by stage in any case."""
LARGEST = 40_000
"""Operations of a tape, above which the code generator takes several seconds."""


def native_kernel(
    tape: Tape, given: Sequence[int], results: Sequence[int], precision: Precision = DOUBLE, *, make: bool = True
) -> NativeKernel | None:
    """The machine code of a tape; None without llvmlite, for large tapes, and for those with logarithms.

    Without `make` it is only looked for among what is kept.
    """
    if len(tape.entries) > LARGEST or any(entry.operation == "log" for entry in tape.entries):
        return None
    here = machine()
    if here is None:
        return None
    lanes = here.lanes * DOUBLE.bits // precision.bits
    forms = (tape, given, results, lanes, precision)
    staged = staged_text(*forms)
    texts = [native_text(*forms)] if staged is None or len(tape.entries) <= _CLEAR else []
    texts += [] if staged is None else [staged]
    codes = [code_of(text, make=make) for text in texts]
    return fastest([NativeKernel(code, given, results, precision) for code in codes if code is not None])


def fastest(several: Sequence[NativeKernel]) -> NativeKernel | None:
    """Of kernels that do the same the one that is done first; which one that is depends on more than their lengths."""
    if len(several) < 2:
        return several[0] if several else None
    calls = [kernel.tried() for kernel in several]
    least = [math.inf] * len(calls)
    for _ in range(_ROUNDS):
        for i, call in enumerate(calls):
            start = perf_counter()
            call()
            least[i] = min(least[i], perf_counter() - start)
    return several[least.index(min(least))]
