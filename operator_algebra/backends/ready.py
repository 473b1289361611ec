"""Machine code of a list of operations, with what it takes and gives: made in this process, or kept by another."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from operator_algebra.backends.code import Code
from operator_algebra.backends.laid import Laid
from operator_algebra.backends.native.door import Door, doors
from operator_algebra.backends.native.run import Computed, NativeKernel
from operator_algebra.backends.scalar.precision import Precision
from operator_algebra.models.numeric import MOST, Numbers

SHORT = 500_000
"""Operations of machine code, on one sample each, that take less than ten microseconds."""
SHARE = 8_000_000
"""The same of a tenth of a millisecond: a thread is started in less than half of that."""


class Ready(Code):
    """A list of so many operations for mechanisms of so many bodies; `_native` is its machine code, once there is."""

    def __init__(
        self,
        given: tuple[int, ...],
        results: Sequence[Laid],
        precision: Precision,
        *,
        bodies: int,
        length: int,
        native: NativeKernel | None = None,
    ) -> None:
        self.kind = np.dtype(precision.name)
        self.given = given
        self.results = results
        self.precision = precision
        self.bodies = bodies
        self.length = length
        self._sizes = [math.prod(shape) for laid in results for shape in laid.shapes]
        self._native = native

    @property
    def native(self) -> bool:
        """Whether there is machine code."""
        return self._native is not None

    @property
    def kept(self) -> str | None:
        """The name of the file of the machine code, if it is kept."""
        return None if self._native is None else self._native.code.kept

    def door(self, names: Sequence[str], other: Callable[..., object], threads: int = 1) -> Door | None:
        """The call of machine code with vectors of these names; None as long as there is none, or for many results.

        It takes no batch that several threads share; such calls, and odd ones, go to the other function.
        """
        opened = doors() if self._native is not None and self._one else None
        if self._native is None or opened is None:
            return None
        given = list(zip(("q", *names), self.given, strict=True))
        (shape,) = self.results[0].shapes
        most = MOST // self.bodies if threads == 1 else 2 * self._share - 1
        return opened.of(self._native.code, given, shape, other, self.precision, quiet=self._quiet, most=most)

    def bound(
        self, given: Sequence[Numbers], count: int, out: Numbers, other: Callable[[], object], threads: int = 1
    ) -> Callable[[], None] | None:
        """The call of machine code with the addresses of arrays whose rows have no gaps; None as with a door.

        Where numbers may not be trusted it calls the other function instead.
        """
        opened = doors() if self._native is not None and self._one else None
        if self._native is None or opened is None:
            return None
        call, many = self._native.bound(given, count), min(threads, count // self._share)
        if many < 2:
            return opened.of_arrays(call, out, other, quiet=self._quiet)

        def shared() -> None:
            if call.shared(many):
                out[...] = call.results[0].reshape(out.shape)
            else:
                other()

        return shared

    def _by_machine(self, native: NativeKernel, given: Sequence[Numbers], count: int, threads: int) -> Computed:
        return native(given, count, min(threads, count // self._share))

    @property
    def _one(self) -> bool:
        """Whether the result is one array."""
        return len(self.results) == 1 and not self.results[0].listed

    @property
    def _share(self) -> int:
        """Samples that are worth a thread of their own."""
        return max(1, SHARE // max(1, self.length))

    @property
    def _quiet(self) -> int:
        """Samples for which other threads wait rather than that the lock changes hands."""
        return SHORT // max(1, self.length)
