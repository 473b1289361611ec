"""Blocks for pairs of bodies: each column of an operator A is a sample, A times a unit vector, in the lanes of loops.

What a column shares with the others is computed for each anew; so the work is the size of the result times what a body
takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from operator_algebra.backends.code import Code
from operator_algebra.backends.laid import Laid
from operator_algebra.backends.loops.limits import LIMITS, Limits
from operator_algebra.backends.loops.run import loop_kernel
from operator_algebra.backends.native.run import Computed
from operator_algebra.backends.scalar.graph import Untraceable
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.sizes import place_of
from operator_algebra.errors import OperatorAlgebraError
from operator_algebra.expressions.build import vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import body_of
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.inputs import InputValue
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.program import Output, Program

_TOGETHER = 1024
"""So many columns are computed in one call."""


def loop_code(
    program: Program, model: Model, signature: Signature, limits: Limits = LIMITS, precision: Precision = DOUBLE
) -> Code:
    """The loops of a program, column by column where a result has blocks for pairs of bodies."""
    if all(output.walk is None for output in program.outputs):
        return loop_kernel(program, model, signature, limits, precision)
    if len(program.outputs) > 1:
        raise Untraceable("one of several results has blocks for pairs of bodies")
    return PairKernel(program, model, signature, limits, precision)


class PairKernel(Code):
    """All blocks of an operator, or one, by the columns that it has."""

    def __init__(
        self, program: Program, model: Model, signature: Signature, limits: Limits, precision: Precision
    ) -> None:
        self.kind = np.dtype(precision.name)
        (output,) = program.outputs
        e = body_of(output.formula)
        self._rows, self._columns = (_part(output, i, space, model, signature) for i, space in enumerate(_sides(e)))
        self._symmetric = e.structure.symmetric and not output.places
        applied = _applied(program, e)
        one, own = signature.layouts["one"], signature.layouts[e.type.domain.sizes]
        (symbol,) = {*applied.accepts} - {*program.accepts}
        self._width = own.size
        unit = InputValue(symbol.type, symbol.structure, own, one, dense=np.zeros((self._width, 1)))
        values = {**signature.values, symbol.name: unit}
        form = Signature(values, signature.layouts, signature.absent)
        self._kernel = loop_kernel(applied, model, form, limits, precision)
        self.given = self._kernel.given[:-1]
        shape = self._rows.stop - self._rows.start, self._columns.stop - self._columns.start
        self.results = [Laid(output.name, (shape,), False)]
        self._sizes = [shape[0] * shape[1]]

    def batch(self, given: Sequence[Numbers], count: int, threads: int = 1) -> Computed:
        """The results of some samples, as by a `LoopKernel`."""
        ((height, width),) = self.results[0].shapes
        found, good = np.empty((count * width, height), dtype=self.kind), np.ones(count, dtype=np.bool_)
        for start in range(0, count * width, _TOGETHER):
            places = np.arange(start, min(start + _TOGETHER, count * width))
            samples, columns = places // width, places % width
            units = np.zeros((len(places), self._width), dtype=self.kind)
            units[np.arange(len(places)), self._columns.start + columns] = 1.0
            arrays = [array if len(array) == 1 else array[samples] for array in given]
            _, trusted, (whole,) = self._kernel.batch([*arrays, units], len(places), threads)
            found[places] = whole[:, self._rows]
            good[samples[~trusted]] = False
        blocks = found.reshape(count, width, height)
        blocks = _mirrored(blocks) if self._symmetric else blocks.swapaxes(1, 2)
        return Computed(bool(good.all()), good, [blocks.reshape(count, height * width)])

    @property
    def source(self) -> str:
        """The code for one column, as LLVM IR."""
        return self._kernel.source

    @property
    def operations(self) -> Mapping[str, int]:
        """Those of a column for each of them."""
        columns = self._columns.stop - self._columns.start
        return {name: columns * count for name, count in self._kernel.operations.items()}


def _sides(e: Expr) -> tuple[Space, Space]:
    return e.type.codomain, e.type.domain


def _applied(program: Program, e: Expr) -> Program:
    """The operator times a vector that is given."""
    taken = {symbol.name for symbol in program.accepts}
    name = "column"
    while name in taken:
        name += "_"
    try:
        x = vector(name, e.type.domain)
        applied = lower(e @ x, zeros=frozenset(program.absent), method=cast("Method", program.method))
    except OperatorAlgebraError as error:
        raise Untraceable(f"the operator is not applied to vectors: {error}") from None
    if {symbol.name for symbol in applied.accepts} - taken != {name}:
        raise Untraceable("the operator applied to a vector reads what the program does not")
    return applied


def _part(output: Output, side: int, space: Space, model: Model, signature: Signature) -> slice:
    """The rows or columns that are asked for."""
    layout: Layout | None = signature.layouts.get(space.sizes)
    if layout is None or space.parts:
        raise Untraceable("a result has rows or columns of several spaces")
    return layout.part(place_of(model, output.places[side])) if output.places else slice(0, layout.size)


def _mirrored(columns: Numbers) -> Numbers:
    """One triangle, twice: what is symmetric is so to the bit."""
    low, high = np.tril_indices(columns.shape[-1], -1)
    columns[:, high, low] = columns[:, low, high]
    return columns
