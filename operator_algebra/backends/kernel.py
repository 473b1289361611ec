"""A program for one model and one form of arguments as generated code, for single calls and for batches."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

import numpy as np

from operator_algebra.backends.native.emit import native_text
from operator_algebra.backends.native.make import native_kernel
from operator_algebra.backends.native.run import Computed
from operator_algebra.backends.ready import Ready
from operator_algebra.backends.scalar.graph import Untraceable, operations
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.backends.scalar.python import PythonKernel, python_kernel, python_source
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.trace import trace
from operator_algebra.backends.scalar.traced import Traced
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Flags, Numbers
from operator_algebra.programs.program import Program

CALLS = 100
"""So many samples, of small batches too, are computed from the tape before a Python function is made of it.

To make it takes as long as it saves in so many.
"""
_FEW = 24
"""So many samples take a Python function less time than a call of NumPy for each operation."""
_VERY_FEW = 3
"""The same where there is no function yet."""
WORTH = 65_536
"""So many samples of batches are computed from the tape before machine code is made of it: that takes as long."""
KEPT = 8_192
"""The same before it is looked whether such machine code is kept from another process."""
MachineCode = Literal["at once", "when worth it", "never"]
"""When it is made: in the first call, once the time that it takes was spent without it, or never."""
ALONE = 16
"""A sample on its own takes as long from the tape, or in Python, as so many in a batch."""


@contextmanager
def _uncollected() -> Generator[None]:
    """Without the search for unused rings of objects: none comes about here, and it takes as long as the work."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Kernel(Ready):
    """The traced program; a sample has the same bits in all of its forms."""

    def __init__(
        self,
        program: Program,
        model: Model,
        signature: Signature,
        *,
        machine_code: MachineCode = "when worth it",
        precision: Precision = DOUBLE,
        keep: Callable[[Kernel], None] | None = None,
    ) -> None:
        self._of = program, model, signature, precision
        with _uncollected():
            traced = trace(*self._of)
            given = (model.nq, *signature.sizes)
            self._arguments = sum(given)
            self._tape = Tape.of(traced, self._arguments)
        super().__init__(given, traced.results, precision, bodies=model.n, length=len(self._tape.entries))
        self._python: PythonKernel | None = None
        self._calls = 0
        self._work = 0
        self._looked = 0
        self._when: MachineCode = machine_code
        self._keep = keep
        if precision is not DOUBLE:
            self._worked(0)
            if self._native is None:
                raise Untraceable(f"{precision.name} is machine code, which there is none of")

    @property
    def source(self) -> str:
        """The Python function for one configuration."""
        return python_source(self._again(), self._arguments)

    @property
    def ir(self) -> str:
        """The text of which machine code is made, for one sample at a time."""
        return native_text(self._tape, self.given, self._sizes, 1, self._of[3])

    @property
    def angles(self) -> int:
        """Of how many arguments it takes sines and cosines."""
        return len(self._tape.turned)

    @property
    def operations(self) -> Mapping[str, int]:
        """How many operations of each kind the results take; what tells whether they may be trusted is not counted."""
        return operations(self._again().entries)

    def _again(self) -> Traced:
        """The graph, which is not kept: it takes ten times the memory of the tape, and many kernels are."""
        with _uncollected():
            return trace(*self._of)

    def single(self, arguments: Sequence[float]) -> list[float] | None:
        """The entries of the results at one configuration; None where they may not be trusted."""
        self._worked(ALONE)
        return self._once(arguments)

    def _once(self, arguments: Sequence[float]) -> list[float] | None:
        run = self._python or self._counted(1)
        try:
            good, entries = run(arguments)
        except (ArithmeticError, ValueError):  # a pivot is zero, a root negative
            return None
        return entries if good else None

    def _counted(self, samples: int) -> PythonKernel:
        self._calls += samples
        if self._calls <= CALLS:
            return self._tape.single
        self._python = python_kernel(self._again(), self._arguments)
        return self._python

    def _worked(self, samples: int) -> None:
        """Make machine code once the time that it takes was spent without it."""
        self._work += samples
        now = self._when == "at once"
        worth = now or self._work >= WORTH
        passed = (now or self._work >= KEPT) + worth
        if passed > self._looked and self._native is None and self._when != "never":
            self._looked = passed
            with _uncollected():
                self._native = native_kernel(self._tape, self.given, self._sizes, self._of[3], make=worth)
            if self._native is not None and self._keep is not None:
                self._keep(self)

    def batch(self, given: Sequence[Numbers], count: int, threads: int = 1) -> Computed:
        """The results of some samples.

        q and the inputs are arrays (samples, numbers); one with a single row belongs to every sample.
        """
        if self._native is None:
            self._worked(count if count > _FEW else ALONE * count)
        if self._native is not None:
            return self._by_machine(self._native, given, count, threads)
        rows = np.empty((self._arguments, count))
        start = 0
        for size, array in zip(self.given, given, strict=True):
            rows[start : start + size] = array.T
            start += size
        good, entries = self._from_rows(rows)
        return Computed(bool(good.all()), good, list(map(np.ascontiguousarray, self._parted(entries.T))))

    def _from_rows(self, arguments: Numbers) -> tuple[Flags, Numbers]:
        """The same without machine code; arguments and entries (…, samples)."""
        count = arguments.shape[1]
        if self._python is None and _VERY_FEW < count <= _FEW:
            self._counted(count)
        if count > (_VERY_FEW if self._python is None else _FEW):
            return self._tape.batch(arguments)
        good, entries = np.zeros(count, dtype=bool), np.empty((len(self._tape.results), count))
        for i, sample in enumerate(arguments.T.tolist()):
            found = self._once(sample)
            if found is not None:
                good[i], entries[:, i] = True, found
        return good, entries

    def _parted(self, entries: Numbers) -> list[Numbers]:
        """The columns of each array of the results."""
        stops = np.cumsum(self._sizes).tolist()
        return [entries[:, stop - size : stop] for size, stop in zip(self._sizes, stops, strict=True)]
