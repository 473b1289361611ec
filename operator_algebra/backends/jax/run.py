"""Loops in JAX: batches of samples, compiled for few numbers of them, in double precision whatever is set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import cast

import numpy as np

from operator_algebra.backends.jax.library import Array, library
from operator_algebra.backends.jax.scan import Scans
from operator_algebra.backends.loops.limits import Limits
from operator_algebra.backends.loops.piece_code import PieceCode
from operator_algebra.backends.loops.pieces import cut
from operator_algebra.backends.native.run import Computed
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.programs.program import Program

SCANS = Limits(bodies=1, kinds=48, by_zeros=6, sharing=1, operations=20_000)
"""JAX takes milliseconds to compile an operation, whatever its zeros save when it runs."""
WIDTHS = (1, 8, 64, 512)
"""Samples of a call of compiled code; each of them is compiled anew, so others are filled up to these."""
_COLUMNS = 50
"""About so many numbers a body reads of the mechanism."""
_MEMORY = 2**28
"""Bytes of what bodies keep and read, above which fewer samples are computed at a time."""


class JaxKernel(PieceCode):
    """A program for one model and one form of arguments."""

    kind = np.dtype(np.float64)

    def __init__(self, program: Program, model: Model, signature: Signature) -> None:
        super().__init__(cut(program, model, signature, columns="everywhere", limits=SCANS), program, model, signature)
        self.refuse_long(SCANS)
        self._jax = library()
        self.function = Scans(self, self._jax)
        """Of the entries of q and of each input: whether they may be trusted, and the entries of each result."""

    @cached_property
    def vectorized(self) -> Callable[..., tuple[Array, ...]]:
        """The same with leading axes, compiled by JAX when it is called."""
        given = ",".join(f"(g{i})" for i in range(1 + len(self.inputs)))
        results = "".join(f",(r{i})" for i in range(len(self._sizes)))
        vectorized = self._jax.numpy.vectorize(self.function, signature=f"{given}->(){results}")
        return cast("Callable[..., tuple[Array, ...]]", self._jax.jit(vectorized))

    def batch(self, given: Sequence[Numbers], count: int, threads: int = 1) -> Computed:
        """The results of some samples; JAX has threads of its own."""
        del threads
        arrays = [np.broadcast_to(array, (count, array.shape[1])) for array in self.joined(given)]
        results, good = [np.empty((count, size)) for size in self._sizes], np.empty(count, dtype=np.bool_)
        width = self._width(count)
        for start in range(0, count, width):
            stop = min(start + width, count)
            filled = np.minimum(np.arange(start, start + width), count - 1)
            with self._jax.enable_x64(True):
                flags, *found = self.vectorized(*(array[filled] for array in arrays))
            good[start:stop] = np.asarray(flags)[: stop - start]
            for result, array in zip(results, found, strict=True):
                result[start:stop] = np.asarray(array)[: stop - start]
        return Computed(bool(good.all()), good, results)

    def _width(self, count: int) -> int:
        """How many samples are computed at a time."""
        each = 8 * self.model.n * (2 * len(self.cut.read) + _COLUMNS)
        fitting = [width for width in WIDTHS if width * each <= _MEMORY] or [1]
        return next((width for width in fitting if width >= count), fitting[-1])

    @property
    def source(self) -> str:
        """The function of one configuration, as JAX prints what it has traced."""
        given = self.joined([np.zeros((1, size)) for size in self.given])
        with self._jax.enable_x64(True):
            return str(self._jax.make_jaxpr(self.function)(*(array[0] for array in given)))
