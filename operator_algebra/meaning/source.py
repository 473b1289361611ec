"""Where an evaluation takes its leaves from: a mechanism at a configuration."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from operator_algebra.expressions.nodes import Symbol
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Kind, common_kind
from operator_algebra.operators.arrays import Indices, OfBodies, SampleBlock
from operator_algebra.operators.blocks import BlockGroup, BlockMatrix, group_by_size
from operator_algebra.operators.inputs import Bound, InputValue
from operator_algebra.operators.layout import Binding, Layout
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.leaves import LeafBlocks, LeafValues, places
from operator_algebra.operators.spaces import Space


class Source(Protocol):
    """What an evaluation asks: the tree, block sizes, and the values of leaves and inputs."""

    @property
    def binding(self) -> Binding: ...
    @property
    def parent(self) -> OfBodies: ...
    @property
    def level(self) -> OfBodies: ...
    @property
    def dtype(self) -> Kind: ...
    def layout(self, space: Space) -> Layout:
        """Block sizes of a space."""
        ...

    def value(self, symbol: Symbol) -> BlockMatrix:
        """The value of a leaf or an input."""
        ...


def edge_ends(flow: str, parent: OfBodies) -> tuple[Indices, Indices, Indices]:
    """The bodies that are not roots, and the block rows and columns of a hop that belong to their edges."""
    (below,) = np.nonzero(parent >= 0)
    below = below.astype(np.intp)
    above = parent[below]
    return (below, above, below) if flow == "inward" else (below, below, above)


class OneOf:
    """The tree and the block sizes of one of several mechanisms that stand beside each other."""

    def __init__(self, source: Source, several: int) -> None:
        self.source = source
        self.several = several
        self.binding = source.binding
        self.dtype = source.dtype
        self.parent: OfBodies = source.parent[: len(source.parent) // several]
        self.level: OfBodies = source.level[: len(source.parent) // several]

    def layout(self, space: Space) -> Layout:
        """Block sizes of a space."""
        whole = self.source.layout(space)
        return Layout.of(whole.sizes[: len(self.parent)]) if whole.attached else whole

    def value(self, symbol: Symbol) -> BlockMatrix:
        """The value of a leaf or an input, of all of them."""
        return self.source.value(symbol)


class ModelSource:
    """The leaves of a model at (q, v), and checked inputs."""

    parent: OfBodies
    level: OfBodies

    def __init__(self, model: Model, leaves: LeafValues, inputs: Bound) -> None:
        self.model = model
        self.leaves = leaves
        self.inputs = inputs
        self.binding = Binding(model, model.name, model.joint_names, leaves.frame, leaves.q)
        self.parent = np.array(model.parent, dtype=np.intp)
        self.level = np.array(model.level, dtype=np.intp)
        self.dtype: Kind = common_kind([leaves.q, *(array for _, array in inputs.arrays())])

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
        blocks: list[SampleBlock] = value.blocks
        if value.structure.hop:
            below, rows, cols = edge_ends(value.structure.flow, self.parent)
            blocks = [value.blocks[k] for k in below.tolist()]
        groups = group_by_size(value.rows, value.cols, blocks, rows, cols)
        return BlockMatrix.from_groups(symbol.type, value.rows, value.cols, groups, self.binding, self.dtype)
