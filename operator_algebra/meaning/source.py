"""Where an evaluation takes its leaves from: a mechanism at a configuration, or given blocks of any kind of number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import common_kind
from operator_algebra.operators.bind import Bound, InputValue
from operator_algebra.operators.blockdict import BlockDict
from operator_algebra.operators.blocks import BlockGroup, BlockMatrix, group_by_size
from operator_algebra.operators.layout import Binding, Indices, Layout
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.leaves import LeafBlocks, LeafValues, places
from operator_algebra.operators.spaces import Space


class Source(Protocol):
    """What an evaluation asks: the tree, block sizes, and the values of leaves and inputs."""

    @property
    def binding(self) -> Binding: ...
    @property
    def parent(self) -> Indices: ...
    @property
    def level(self) -> Indices: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    def layout(self, space: Space) -> Layout:
        """Block sizes of a space."""
        ...

    def value(self, symbol: Symbol) -> BlockMatrix:
        """The value of a leaf or an input."""
        ...


def edge_ends(flow: str, parent: Indices) -> tuple[Indices, Indices, Indices]:
    """The bodies that are not roots, and the block rows and columns of a hop that belong to their edges."""
    (below,) = np.nonzero(parent >= 0)
    below = below.astype(np.intp)
    above = parent[below]
    return (below, above, below) if flow == "inward" else (below, below, above)


class ModelSource:
    """The leaves of a model at (q, v), and checked inputs."""

    def __init__(self, model: Model, leaves: LeafValues, inputs: Bound) -> None:
        self.model = model
        self.leaves = leaves
        self.inputs = inputs
        self.binding = Binding(model, model.name, model.joint_names, leaves.frame, leaves.q)
        self.parent: Indices = np.array(model.parent, dtype=np.intp)
        self.level: Indices = np.array(model.level, dtype=np.intp)
        self.dtype: np.dtype[Any] = common_kind([leaves.q, *(array for _, array in inputs.arrays())])

    def layout(self, space: Space) -> Layout:
        """Block sizes of a space; those of a user's space come with the values of the inputs."""
        return self.inputs.layouts[space.sizes]

    def value(self, symbol: Symbol) -> BlockMatrix:
        """The value of a leaf or an input."""
        rows, cols = self.layout(symbol.type.codomain), self.layout(symbol.type.domain)
        if symbol.leaf is None:
            return self._input(symbol, self.inputs.values[symbol.name])
        groups = [self._placed(symbol.leaf, group) for group in self.leaves.groups(symbol.leaf)]
        return BlockMatrix.from_groups(symbol.type, rows, cols, groups, self.binding, self.dtype)

    def _placed(self, leaf: Leaf, group: LeafBlocks) -> BlockGroup:
        listed, rows, cols = places(leaf, group.bodies, self.parent)
        return BlockGroup(rows, cols, group.blocks[listed])

    def _input(self, symbol: Symbol, value: InputValue) -> BlockMatrix:
        if value.dense is not None:
            entries = value.dense.astype(self.dtype)
            return BlockMatrix.from_dense(symbol.type, value.rows, value.cols, entries, self.binding)
        rows = cols = np.arange(len(self.parent), dtype=np.intp)
        blocks = value.blocks
        if value.structure.hop:
            below, rows, cols = edge_ends(value.structure.flow, self.parent)
            blocks = [blocks[k] for k in below.tolist()]
        groups = group_by_size(value.rows, value.cols, blocks, rows, cols)
        return BlockMatrix.from_groups(symbol.type, value.rows, value.cols, groups, self.binding, self.dtype)


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
        self.parent: Indices = np.array(parent, dtype=np.intp)
        level: list[int] = []
        for p in parent:
            level.append(level[p] + 1 if p >= 0 else 0)
        self.level: Indices = np.array(level, dtype=np.intp)
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
