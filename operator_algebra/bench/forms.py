"""The forms in which generated code runs, chosen on purpose; a user gets one after the other."""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from operator_algebra.backends import kernel
from operator_algebra.backends.floats import build
from operator_algebra.backends.kernel import Kernel
from operator_algebra.backends.scalar.sine import reduced
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


class _Counted:
    """A number that counts what is done with it and with what comes of it."""

    def __init__(self, done: list[int]) -> None:
        self._done = done

    def _counted(self, _: object) -> _Counted:
        self._done.append(1)
        return self

    __add__ = __sub__ = __mul__ = _counted


def turning() -> int:
    """How many additions and multiplications the sine and cosine of one angle take.

    >>> turning()
    38
    """
    done: list[int] = []
    reduced(_Counted(done))
    return len(done)


def counted(compiled: Compiled, **arguments: Any) -> float:
    """How many additions, multiplications and reciprocals a call takes, those of sines too; infinite if interpreted."""
    code = build(compiled.program, compiled.model, compiled.frame)
    with machine_code(at_once=False):
        replace(compiled, _executable=code)(**arguments)
    (kernel,) = code.kernels or (None,)
    if not isinstance(kernel, Kernel):
        return math.inf
    plain = sum(count for kind, count in kernel.operations.items() if kind in _COUNTED)
    return plain + turning() * kernel.angles
