"""The "numpy" backend: programs run as generated code, as loops on large mechanisms; what is neither is interpreted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, partial
from typing import cast

from operator_algebra.arguments import Redundant
from operator_algebra.backends.code import Code
from operator_algebra.backends.generated import Generated
from operator_algebra.backends.kernel import Kernel, MachineCode
from operator_algebra.backends.loops.limits import LIMITS, Limits
from operator_algebra.backends.loops.pairs import loop_code
from operator_algebra.backends.numpy.execute import Interpreter
from operator_algebra.backends.scalar.graph import Untraceable, operations
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.backends.scalar.signature import Key, Signature
from operator_algebra.backends.scalar.trace import trace
from operator_algebra.models.model import Model
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
Keep = Callable[[Key, Kernel], None]
"""What is told of a form of arguments for which there is machine code."""


def build(program: Program, model: Model, frame: str, redundant: Redundant = "raise") -> Floats:
    """Make a program ready for a model."""
    return Floats(program, model, cast("Axes", frame), redundant)


class Floats(Generated):
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
        keep: Keep | None = None,
    ) -> None:
        self._made_from = program, model, frame, redundant
        self.precision = precision
        self._program = program
        self._model = model
        self._traceable = frame == "body"  # factors of leaves are those of body axes
        self._loops = loops
        self._long = model.n >= loops.bodies
        self._machine_code: MachineCode = machine_code
        self._keep = keep
        self._kernels: dict[Key, Code | None] = {}

    @property
    def interpreted(self) -> Interpreter:
        """The same without generated code."""
        return self._interpreter

    @cached_property
    def _interpreter(self) -> Interpreter:
        return Interpreter(*self._made_from)

    def anew(self, precision: Precision, keep: Keep | None = None) -> Floats:
        """The same program with code of another precision, none of which is made yet; `keep` is told of what is."""
        return Floats(
            *self._made_from, machine_code=self._machine_code, loops=self._loops, precision=precision, keep=keep
        )

    @property
    def source(self) -> str:
        """The functions that were generated so far."""
        made = [kernel.source for kernel in self.kernels]
        return "\n\n".join(made) or self.interpreted.source

    @property
    def kernels(self) -> list[Code]:
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

    def code(self, signature: Signature) -> Code | None:
        """The code for arguments of this form, if there is any."""
        if not self._traceable:
            return None
        if signature.key not in self._kernels:
            if len(self._kernels) >= _KEPT:
                self._kernels.clear()
            self._kernels[signature.key] = self._made(signature)
        return self._kernels[signature.key]

    def _made(self, signature: Signature) -> Code | None:
        if self._long:
            for precision in dict.fromkeys((self.precision, DOUBLE)):
                with suppress(Untraceable):
                    return loop_code(self._program, self._model, signature, self._loops, precision)
        if self._small(signature):
            with suppress(Untraceable):
                how: MachineCode = self._machine_code if self.precision is DOUBLE else "at once"
                made = self._program, self._model, signature
                keep = None if self._keep is None else partial(self._keep, signature.key)
                return Kernel(*made, machine_code=how, precision=self.precision, keep=keep)
        return None

    def _small(self, signature: Signature) -> bool:
        """Whether a list of all operations may be made, which knows what a user's spaces have at each body."""
        model, most = self._model, MOST if self._long else WIDER * MOST
        if model.n > most:
            return False
        own = {name: layout for name, layout in signature.layouts.items() if name not in ("joint", "spatial")}
        sizes = {x: -(-layout.size // model.n) if layout.attached else layout.size for x, layout in own.items()}
        return cost(self._program, model, sizes).total <= most
