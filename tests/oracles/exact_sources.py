"""Leaves in any kind of number: those of another source converted, or blocks that belong to no model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.meaning.source import Source
from operator_algebra.operators.arrays import OfBodies
from operator_algebra.operators.blockdict import BlockDict
from operator_algebra.operators.blocks import BlockMatrix
from operator_algebra.operators.layout import Binding, Layout
from operator_algebra.operators.spaces import Space


class ConvertedSource:
    """The same leaves as another source in another kind of number: fractions.Fraction, mpmath.mpf.

    Evaluating a formula on it repeats the same algebra without rounding, or with as many digits as one likes.
    """

    def __init__(self, source: Source, convert: Callable[[float], Any]) -> None:
        self.binding = source.binding
        self.parent = source.parent
        self.level = source.level
        self.dtype: np.dtype[Any] = np.dtype(object)
        self._source = source
        self._convert = convert

    def layout(self, space: Space) -> Layout:
        """Block sizes of a space."""
        return self._source.layout(space)

    def value(self, symbol: Symbol) -> BlockMatrix:
        """The value of a leaf or an input, entry by entry converted."""
        value = self._source.value(symbol)
        rows, cols = value.places()
        convert = np.frompyfunc(lambda x: self._convert(float(x)), 1, 1)
        found = zip(rows.tolist(), cols.tolist(), value.blocks_at(rows, cols), strict=True)
        blocks = {(i, j): convert(block) for i, j, block in found}
        return value.like(BlockDict(value.rows, value.cols, blocks))


class GivenSource:
    """A tree with given values of the leaves, by name: exact rational mechanisms that belong to no model."""

    def __init__(
        self,
        parent: Sequence[int],
        layouts: Mapping[str, Layout],
        values: Mapping[str, Mapping[tuple[int, int], Any]],
        *,
        name: str = "given",
    ) -> None:
        self.parent: OfBodies = np.array(parent, dtype=np.intp)
        level: list[int] = []
        for p in parent:
            level.append(level[p] + 1 if p >= 0 else 0)
        self.level: OfBodies = np.array(level, dtype=np.intp)
        self.dtype: np.dtype[Any] = np.dtype(object)
        self.binding = Binding(self, name, tuple(f"joint{k}" for k in range(len(level))), "body")
        self._layouts = layouts
        self._values = values

    def layout(self, space: Space) -> Layout:
        """Block sizes of a space."""
        return self._layouts[space.sizes]

    def value(self, symbol: Symbol) -> BlockMatrix:
        """The blocks that were given under this name."""
        if symbol.name not in self._values:
            raise InputError(f"{symbol.name} was not given. Given: {', '.join(self._values)}.")
        rows, cols = self.layout(symbol.type.codomain), self.layout(symbol.type.domain)
        blocks = {key: np.asarray(block, dtype=object) for key, block in self._values[symbol.name].items()}
        return BlockMatrix(symbol.type, rows, cols, BlockDict(rows, cols, blocks), self.binding)
