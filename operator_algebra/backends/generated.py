"""Programs that run as generated code; what it does not trust is interpreted.

Generated code tells of each sample whether its numbers may be trusted. Where a pivot is small or something is not
finite, the sample is interpreted: what is measured, mended and said is the same with and without generated code.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np

from operator_algebra.backends.backend import Executable, Result, Run
from operator_algebra.backends.chunks import in_a_row, lead_of, row_or_one, samples
from operator_algebra.backends.code import Code
from operator_algebra.backends.scalar.precision import Precision
from operator_algebra.backends.scalar.signature import Signature, given
from operator_algebra.models.arrays import Indices
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.inputs import Bound


class Generated(ABC):
    """A program for one model, with code for each form of arguments that is met."""

    precision: Precision
    """Of the code."""

    @property
    @abstractmethod
    def source(self) -> str:
        """The functions that were generated so far."""

    @property
    @abstractmethod
    def interpreted(self) -> Executable:
        """The same without generated code."""

    @abstractmethod
    def code(self, signature: Signature) -> Code | None:
        """The code for arguments of this form, if there is any."""

    @abstractmethod
    def operations(self, inputs: Bound) -> dict[str, int] | None:
        """How many scalar operations of each kind the results take for such arguments, if that is a list."""

    def kernel(self, inputs: Bound) -> Code | None:
        """The code for arguments like these, if there is any."""
        return self.code(Signature.of(inputs))

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
            return Run(kernel.laid_out(arrays, lead), trusted=kernel.kind.name == self.precision.name)
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
