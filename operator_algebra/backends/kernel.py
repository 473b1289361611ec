"""A program for one model and one form of arguments as generated code, for single calls and for batches."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

import numpy as np

from operator_algebra.backends.backend import Result
from operator_algebra.backends.native.door import Door, doors
from operator_algebra.backends.native.emit import native_text
from operator_algebra.backends.native.run import Computed, NativeKernel, native_kernel
from operator_algebra.backends.scalar.graph import Untraceable, operations
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.backends.scalar.python import PythonKernel, python_kernel, python_source
from operator_algebra.backends.scalar.signature import Signature, given
from operator_algebra.backends.scalar.tape import Flags, Tape
from operator_algebra.backends.scalar.trace import trace
from operator_algebra.backends.scalar.traced import Laid, Traced
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import MOST, Numbers
from operator_algebra.operators.inputs import Bound
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
SHORT = 500_000
"""Operations of machine code, on one sample each, that take less than ten microseconds."""
SHARE = 8_000_000
"""The same of a tenth of a millisecond: a thread is started in less than half of that."""
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


class Kernel:
    """The traced program; a sample has the same bits in all of its forms."""

    def __init__(
        self,
        program: Program,
        model: Model,
        signature: Signature,
        *,
        machine_code: MachineCode = "when worth it",
        precision: Precision = DOUBLE,
    ) -> None:
        self._of = program, model, signature, precision
        self.kind = np.dtype(precision.name)
        """Of the numbers that it takes and gives."""
        with _uncollected():
            traced = trace(*self._of)
            blocks = given(Bound(signature.values, signature.layouts, signature.absent))
            self.given = (model.nq, *(block.shape[-2] * block.shape[-1] for block in blocks))
            """How many numbers q and each input have."""
            self._arguments = sum(self.given)
            self._tape = Tape.of(traced, self._arguments)
        self.results: Sequence[Laid] = traced.results
        """How results are laid out."""
        self._sizes = [math.prod(shape) for laid in self.results for shape in laid.shapes]
        self._python: PythonKernel | None = None
        self._calls = 0
        self._native: NativeKernel | None = None
        self._work = 0
        self._looked = 0
        self._when: MachineCode = machine_code
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

    @property
    def native(self) -> bool:
        """Whether there is machine code."""
        return self._native is not None

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

    def batch(self, given: Sequence[Numbers], count: int, threads: int = 1) -> Computed:
        """The results of some samples.

        q and the inputs are arrays (samples, numbers); one with a single row belongs to every sample.
        """
        if self._native is None:
            self._worked(count if count > _FEW else ALONE * count)
        if self._native is not None:
            return self._native(given, count, min(threads, count // self._share))
        rows = np.empty((self._arguments, count))
        start = 0
        for size, array in zip(self.given, given, strict=True):
            rows[start : start + size] = array.T
            start += size
        good, entries = self._from_rows(rows)
        return Computed(bool(good.all()), good, list(map(np.ascontiguousarray, self._parted(entries.T))))

    def door(self, names: Sequence[str], other: Callable[..., object], threads: int = 1) -> Door | None:
        """The call of machine code with vectors of these names; None as long as there is none, or for many results.

        It takes no batch that several threads share; such calls, and odd ones, go to the other function.
        """
        opened = doors() if self._native is not None and self._one else None
        if self._native is None or opened is None:
            return None
        given = list(zip(("q", *names), self.given, strict=True))
        (shape,) = self.results[0].shapes
        most = MOST // self._of[1].n if threads == 1 else 2 * self._share - 1
        return opened.of(self._native.code, given, shape, other, self._of[3], quiet=self._quiet, most=most)

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

    @property
    def _one(self) -> bool:
        """Whether the result is one array."""
        return len(self.results) == 1 and not self.results[0].listed

    @property
    def _share(self) -> int:
        """Samples that are worth a thread of their own."""
        return max(1, SHARE // max(1, len(self._tape.entries)))

    @property
    def _quiet(self) -> int:
        """Samples for which other threads wait rather than that the lock changes hands."""
        return SHORT // max(1, len(self._tape.entries))

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

    def laid_out(self, arrays: Sequence[Numbers], lead: tuple[int, ...]) -> dict[str, Result]:
        """Results with the axes of the batch and their own, from arrays (samples, entries)."""
        found: dict[str, Result] = {}
        rest = iter(arrays)
        for laid in self.results:
            own = [next(rest).reshape((*lead, *shape)) for shape in laid.shapes]
            found[laid.name] = own if laid.listed else own[0]
        return found

    def one(self, entries: Sequence[float]) -> dict[str, Result]:
        """Results of one configuration, from its entries."""
        return self.laid_out(self._parted(np.array(entries)[None, :]), ())

    def _parted(self, entries: Numbers) -> list[Numbers]:
        """The columns of each array of the results."""
        stops = np.cumsum(self._sizes).tolist()
        return [entries[:, stop - size : stop] for size, stop in zip(self._sizes, stops, strict=True)]
