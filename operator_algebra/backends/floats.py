"""The "numpy" backend: programs run as generated code, as loops on large mechanisms; what is neither is interpreted.

Generated code tells of each sample whether its numbers may be trusted. Where a pivot is small or something is not
finite, the sample is interpreted: what is measured, mended and said is the same with and without generated code.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import cast

import numpy as np

from operator_algebra.arguments import Redundant
from operator_algebra.backends.backend import Result, Run
from operator_algebra.backends.chunks import in_a_row, lead_of, row_or_one, samples
from operator_algebra.backends.kernel import Kernel, MachineCode
from operator_algebra.backends.loops.code import LoopCode
from operator_algebra.backends.loops.limits import LIMITS, Limits
from operator_algebra.backends.loops.pairs import loop_code
from operator_algebra.backends.numpy.execute import Interpreter
from operator_algebra.backends.scalar.graph import Untraceable, operations
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.backends.scalar.signature import Key, Signature, given
from operator_algebra.backends.scalar.trace import trace
from operator_algebra.models.arrays import Indices
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.inputs import Bound
from operator_algebra.programs.cost import cost
from operator_algebra.programs.program import Program
from operator_algebra.spatial.arrays import Axes

MOST = 150_000
"""Operations of blocks, by the cost of the program, up to which code is generated: some tenths of a second."""
WIDER = 3
"""So many times `MOST` for fewer bodies: they cost so much where a result has a block for each pair of them."""
_KEPT = 16
"""Kernels, one for each form of arguments."""


def build(program: Program, model: Model, frame: str, redundant: Redundant = "raise") -> Floats:
    """Make a program ready for a model."""
    return Floats(program, model, cast("Axes", frame), redundant)


class Floats:
    """A program for one model, with its kernels.

    Whether there is one is decided by program, model and form of the arguments alone: a sample has the same bits in
    every call and in every batch.
    """

    def __init__(
        self,
        program: Program,
        model: Model,
        frame: Axes,
        redundant: Redundant = "raise",
        *,
        machine_code: MachineCode = "when worth it",
        loops: Limits = LIMITS,
        precision: Precision = DOUBLE,
    ) -> None:
        self.interpreted = Interpreter(program, model, frame, redundant)
        self._made_from = program, model, frame, redundant
        self.precision = precision
        self._program = program
        self._model = model
        self._traceable = frame == "body"  # factors of leaves are those of body axes
        self._loops = loops
        self._long = model.n >= loops.bodies
        self._machine_code: MachineCode = machine_code
        self._kernels: dict[Key, Kernel | LoopCode | None] = {}

    def anew(self, precision: Precision) -> Floats:
        """The same program with code of another precision, none of which is made yet."""
        return Floats(*self._made_from, machine_code=self._machine_code, loops=self._loops, precision=precision)

    @property
    def source(self) -> str:
        """The functions that were generated so far."""
        made = [kernel.source for kernel in self.kernels]
        return "\n\n".join(made) or self.interpreted.source

    @property
    def kernels(self) -> list[Kernel | LoopCode]:
        """The code that was made so far, for each form of arguments that was met."""
        return [kernel for kernel in self._kernels.values() if kernel is not None]

    def operations(self, inputs: Bound) -> dict[str, int] | None:
        """How many scalar operations of each kind the results take for arguments of this form, if that is a list."""
        signature = Signature.of(inputs)
        if not self._traceable or not self._small(signature):
            return None
        try:
            traced = trace(self._program, self._model, signature)
        except Untraceable:
            return None
        return operations(traced.entries)

    def kernel(self, inputs: Bound) -> Kernel | LoopCode | None:
        """The code for arguments of this form, if there is any."""
        if not self._traceable:
            return None
        signature = Signature.of(inputs)
        if signature.key not in self._kernels:
            if len(self._kernels) >= _KEPT:
                self._kernels.clear()
            self._kernels[signature.key] = self._made(signature)
        return self._kernels[signature.key]

    def _made(self, signature: Signature) -> Kernel | LoopCode | None:
        if self._long:
            for precision in dict.fromkeys((self.precision, DOUBLE)):
                with suppress(Untraceable):
                    return loop_code(self._program, self._model, signature, self._loops, precision)
        if self._small(signature):
            with suppress(Untraceable):
                how: MachineCode = self._machine_code if self.precision is DOUBLE else "at once"
                made = self._program, self._model, signature
                return Kernel(*made, machine_code=how, precision=self.precision)
        return None

    def _small(self, signature: Signature) -> bool:
        """Whether a list of all operations may be made, which knows what a user's spaces have at each body."""
        model, most = self._model, MOST if self._long else WIDER * MOST
        if model.n > most:
            return False
        own = {name: layout for name, layout in signature.layouts.items() if name not in ("joint", "spatial")}
        sizes = {x: -(-layout.size // model.n) if layout.attached else layout.size for x, layout in own.items()}
        return cost(self._program, model, sizes).total <= most

    def __call__(self, q: Numbers, v: Numbers | None, inputs: Bound) -> Run:
        """Run at one or many configurations."""
        kernel = self.kernel(inputs)
        if kernel is None:
            return self.interpreted(q, v, inputs)
        lead = lead_of(q, v, inputs)
        rows = [row_or_one(q, lead, 1), *(row_or_one(block, lead, 2) for block in given(inputs))]
        with np.errstate(over="ignore"):  # what is too large then is not trusted
            flat = [
                row.reshape(len(row), size).astype(kernel.kind, copy=False)
                for row, size in zip(rows, kernel.given, strict=True)
            ]
        whole, good, arrays = kernel.batch(flat, int(np.prod(lead, dtype=np.intp)))
        if whole:
            return Run(kernel.laid_out(arrays, lead))
        if not lead:
            return self.interpreted(q, v, inputs)
        (doubtful,) = np.nonzero(~good)
        second = self.interpreted(*samples(*in_a_row(q, v, inputs, lead), doubtful, 1))
        plain = kernel.laid_out(arrays, (len(good),))
        results = {name: _joined(value, second.results[name], doubtful, lead) for name, value in plain.items()}
        pivots = (replace(p, measure=_placed(p.measure, doubtful, lead)) for p in second.pivots)
        return Run(results, tuple(pivots))

    def first_not_finite(self, q: Numbers, v: Numbers | None, inputs: Bound) -> tuple[str, int | None]:
        """The first value, by name and body, that is not finite at one configuration."""
        return self.interpreted.first_not_finite(q, v, inputs)


def _joined(plain: Result, second: Result, places: Indices, lead: tuple[int, ...]) -> Result:
    """Results, some of whose samples come from a second run, with the axes of the batch."""
    if isinstance(plain, list):
        assert isinstance(second, list)
        return [_put(one, other, places, lead) for one, other in zip(plain, second, strict=True)]
    assert not isinstance(second, list)
    return _put(plain, second, places, lead)


def _put(plain: Numbers, second: Numbers, places: Indices, lead: tuple[int, ...]) -> Numbers:
    whole = plain.astype(np.result_type(plain, second))  # logarithms of negative determinants are complex
    whole[places] = second
    return whole.reshape((*lead, *whole.shape[1:]))


def _placed(measure: Numbers, places: Indices, lead: tuple[int, ...]) -> Numbers:
    """Measures of some samples among those of all; the others are no matter of concern."""
    whole = np.full((int(np.prod(lead, dtype=np.intp)), measure.shape[-1]), np.inf)
    whole[places] = measure
    return whole.reshape((*lead, measure.shape[-1]))
