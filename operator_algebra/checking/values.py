"""What the judge finds of an expression: an array, sizes on demand, and the worst that was inverted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from operator_algebra.checking.arithmetic import Array, Floats
from operator_algebra.expressions.nodes import Expr

_LONGEST_WAIT = 50


class Value:
    """An array (samples, rows, columns), the sizes of its entries before cancellation, and the worst condition.

    `size` is the same formula in absolute values; `culprit` is what had the worst condition when it was inverted. A
    size that is a function is computed when it is first asked for, from those of the values in `of`.
    """

    __slots__ = ("_before", "_size", "_waiting", "array", "condition", "culprit")

    def __init__(
        self,
        array: Array,
        size: Floats | Callable[[], Floats],
        condition: Floats,
        culprit: Expr | None = None,
        of: Sequence[Value] = (),
    ) -> None:
        self.array = array
        self.condition = condition
        self.culprit = culprit
        self._size = size
        self._before: Floats | None = None
        self._waiting = 0
        if callable(size):
            for value in of:
                if value._waiting >= self._waiting:
                    self._waiting = value._waiting + 1
            if self._waiting > _LONGEST_WAIT:  # the stack of Python is short
                _ = self.size

    @property
    def size(self) -> Floats:
        """The sizes of the entries before cancellation."""
        if callable(self._size):
            self._size, self._waiting = self._size(), 0
        return self._size

    @property
    def before(self) -> Floats:
        """The norm of each sample before cancellation."""
        before = self._before
        if before is None:
            before = self._before = np.sqrt(np.einsum("sij,sij->s", self.size, self.size))
        return before


def total(parts: Sequence[Value]) -> Value:
    """The sum of values."""
    array = parts[0].array
    for part in parts[1:]:
        array = array + part.array
    return Value(array, lambda: _summed([part.size for part in parts]), *worst(parts), of=parts)


def chosen(here: Array, first: Value, second: Value) -> Value:
    """One value at some of the samples, another at the rest."""
    there, condition = here[:, None, None], np.where(here, first.condition, second.condition)
    culprit = (first if here[np.argmax(condition)] else second).culprit
    array = np.where(there, first.array, second.array)
    return Value(array, lambda: np.where(there, first.size, second.size), condition, culprit, [first, second])


def _summed(sizes: Sequence[Floats]) -> Floats:
    result = sizes[0]
    for size in sizes[1:]:
        result = result + size
    return result


def worst(parts: Sequence[Value]) -> tuple[Floats, Expr | None]:
    """The worst condition among values at each sample, and what had it."""
    condition, culprit = parts[0].condition, parts[0].culprit
    for part in parts[1:]:
        # Where nothing is to blame, nothing was inverted, and there is no condition.
        if part.culprit is not None and part.condition is not condition and (part.condition > condition).any():
            condition, culprit = np.maximum(condition, part.condition), part.culprit
    return condition, culprit
