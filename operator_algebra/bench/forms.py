"""The forms in which generated code runs, chosen on purpose; a user gets one after the other."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from operator_algebra.backends.floats import Floats
from operator_algebra.backends.kernel import Kernel, MachineCode
from operator_algebra.backends.scalar.precision import PRECISIONS
from operator_algebra.backends.scalar.sine import reduced
from operator_algebra.calls.compiled import Compiled

_COUNTED = frozenset({"add", "subtract", "multiply", "reciprocal"})


def anew(compiled: Compiled, machine_code: MachineCode = "at once") -> Compiled:
    """The same program with code of its own: machine code from the first call on, or never any."""
    precision = PRECISIONS[compiled.dtype]
    of = compiled.program, compiled.model, compiled.frame
    return replace(compiled, _executable=Floats(*of, machine_code=machine_code, precision=precision))


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
    code = Floats(compiled.program, compiled.model, compiled.frame, machine_code="never")
    replace(compiled, _executable=code)(**arguments)
    (kernel,) = code.kernels or (None,)
    if not isinstance(kernel, Kernel):
        return math.inf
    plain = sum(count for kind, count in kernel.operations.items() if kind in _COUNTED)
    return plain + turning() * kernel.angles
