"""A program for one model and one form of arguments as generated code, for single calls and for batches."""

from __future__ import annotations

import gc
import math
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import numpy as np

from operator_algebra.backends.backend import Result
from operator_algebra.backends.scalar.python import PythonKernel, python_kernel, python_source
from operator_algebra.backends.scalar.signature import Signature, given
from operator_algebra.backends.scalar.tape import Flags, Tape
from operator_algebra.backends.scalar.trace import Laid, Traced, trace
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
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

    def __init__(self, program: Program, model: Model, signature: Signature) -> None:
        self._of = program, model, signature
        with _uncollected():
            traced = trace(program, model, signature)
            self._arguments = model.nq + sum(
                block.shape[-2] * block.shape[-1]
                for block in given(Bound(signature.values, signature.layouts, signature.absent))
            )
            self._tape = Tape.of(traced, self._arguments)
        self.results: Sequence[Laid] = traced.results
        """How results are laid out."""
        self._python: PythonKernel | None = None
        self._calls = 0

    @property
    def source(self) -> str:
        """The Python function for one configuration."""
        return python_source(self._again(), self._arguments)

    def _again(self) -> Traced:
        """The graph, which is not kept: it takes ten times the memory of the tape, and many kernels are."""
        with _uncollected():
            return trace(*self._of)

    def single(self, arguments: Sequence[float]) -> list[float] | None:
        """The entries of the results at one configuration; None where they may not be trusted."""
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

    def batch(self, arguments: Numbers) -> tuple[Flags, Numbers]:
        """Which samples may be trusted, and the entries of their results; arguments and entries (…, samples)."""
        count = arguments.shape[1]
        if self._python is None and _VERY_FEW < count <= _FEW:
            self._counted(count)
        if count > (_VERY_FEW if self._python is None else _FEW):
            return self._tape.batch(arguments)
        good, entries = np.zeros(count, dtype=bool), np.empty((len(self._tape.results), count))
        for i, sample in enumerate(arguments.T.tolist()):
            found = self.single(sample)
            if found is not None:
                good[i], entries[:, i] = True, found
        return good, entries

    def laid_out(self, entries: Numbers, lead: tuple[int, ...]) -> dict[str, Result]:
        """Results as arrays, from entries (…, samples)."""
        found: dict[str, Result] = {}
        start = 0
        for laid in self.results:
            arrays: list[Numbers] = []
            for shape in laid.shapes:
                stop = start + math.prod(shape)
                arrays.append(np.ascontiguousarray(entries[start:stop].T).reshape((*lead, *shape)))
                start = stop
            found[laid.name] = arrays if laid.listed else arrays[0]
        return found
