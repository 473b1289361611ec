"""The samples of a mechanism beside each other, as trees of one forest: what is done once is done for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from operator_algebra import symbols
from operator_algebra.checking.inputs import draw, user_sizes
from operator_algebra.checking.scene import Sample
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.models.changes import mirrored
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.arrays import Indices, OfBodies, Rotations
from operator_algebra.operators.blockdict import Sparse, compressed
from operator_algebra.operators.blocks import BlockGroup, BlockMatrix
from operator_algebra.operators.inputs import model_layouts
from operator_algebra.operators.layout import Binding, Layout
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.leaves import LeafValues, places
from operator_algebra.operators.spaces import Space
from operator_algebra.spatial.arrays import Axes


class Beside:
    """The leaves of a model at several samples, and inputs drawn for them.

    Body k of sample s is body s n + k. Spaces of no body are those of one sample: what leads from one to the bodies has
    the rows of all samples below each other, what leads there has their columns beside each other.
    """

    parent: OfBodies
    level: OfBodies

    def __init__(self, model: Model, samples: Sequence[Sample]) -> None:
        self.model = model
        self.samples = tuple(samples)
        count = len(self.samples)
        tree = np.array(model.parent, dtype=np.intp)
        first = np.repeat(model.n * np.arange(count, dtype=np.intp), model.n)
        self.parent = np.where(np.tile(tree, count) >= 0, np.tile(tree, count) + first, -1)
        self.level = np.tile(np.array(model.level, dtype=np.intp), count)
        self.frames: tuple[Axes, ...] = tuple(sample.frame for sample in self.samples)
        self.binding = Binding(model, model.name, model.joint_names * count, self.frames[0])
        self.dtype = np.dtype(np.float64)
        self._tree = tree
        self._leaves = [(chosen, self._values(chosen, frame)) for frame, chosen in self._by_frame().items()]
        self._one: dict[str, Layout] = model_layouts(model)
        self._all: dict[str, Layout] = {}
        self._drawn: dict[Symbol, BlockMatrix] = {}

    def _by_frame(self) -> dict[Axes, Indices]:
        chosen: dict[Axes, list[int]] = {}
        for k, frame in enumerate(self.frames):
            chosen.setdefault(frame, []).append(k)
        return {frame: np.array(numbers, dtype=np.intp) for frame, numbers in chosen.items()}

    def _values(self, chosen: Indices, frame: Axes) -> LeafValues:
        samples = [self.samples[int(k)] for k in chosen]
        q: Numbers = np.stack([sample.q for sample in samples])
        v: Numbers = np.stack([sample.v for sample in samples])
        return LeafValues(self.model, q, v, frame)

    @cached_property
    def rotations(self) -> Rotations:
        """The axes of each body in those of the base, (samples, bodies, 3, 3)."""
        result = np.empty((len(self.samples), self.model.n, 3, 3))
        for chosen, leaves in self._leaves:
            result[chosen] = leaves.absolute[0]
        return result

    @cached_property
    def mirrored(self) -> tuple[Model, Indices]:
        """The mechanism with siblings in the opposite order, and where each of its bodies stands here."""
        return mirrored(self.model)

    def one(self, space: Space) -> Layout:
        """Block sizes of a space on one sample; those of a user's space are drawn."""
        if space.sizes not in self._one:
            self._one[space.sizes] = Layout.of(user_sizes(space, self.model.n), attached=space.attached)
        return self._one[space.sizes]

    def layout(self, space: Space) -> Layout:
        """Block sizes of a space on all samples."""
        if space.sizes not in self._all:
            one = self.one(space)
            alike = not one.attached or len(self.samples) == 1
            self._all[space.sizes] = one if alike else Layout.of(np.tile(one.sizes, len(self.samples)))
        return self._all[space.sizes]

    def value(self, symbol: Symbol) -> BlockMatrix:
        """The value of a leaf, or of an input, drawn once."""
        rows, cols = self.layout(symbol.type.codomain), self.layout(symbol.type.domain)
        if symbol.leaf is not None:
            groups = [group for chosen, leaves in self._leaves for group in self._placed(symbol.leaf, chosen, leaves)]
            return BlockMatrix.from_groups(symbol.type, rows, cols, groups, self.binding)
        if symbol not in self._drawn:
            drawn = self._below_each_other(symbol) if rows.attached else self._beside_each_other(symbol)
            self._drawn[symbol] = BlockMatrix(symbol.type, rows, cols, compressed(drawn), self.binding)
        return self._drawn[symbol]

    def _below_each_other(self, symbol: Symbol) -> sp.sparray:
        parts = self.drawn(symbol)
        return sp.block_diag(parts, format="csr") if symbol.type.domain.attached else sp.vstack(parts, format="csr")

    def _beside_each_other(self, symbol: Symbol) -> sp.sparray:
        assert symbol.type.domain.attached or len(self.samples) == 1
        return sp.hstack(self.drawn(symbol), format="csr")

    def drawn(self, symbol: Symbol) -> list[Sparse]:
        """An input at each sample."""
        if symbol is symbols.v:
            return [compressed(np.asarray(sample.v)[:, None]) for sample in self.samples]
        rows, cols = self.one(symbol.type.codomain).sizes, self.one(symbol.type.domain).sizes
        return [draw(symbol, rows, cols, self._tree, sample.seed) for sample in self.samples]

    def _placed(self, leaf: Leaf, chosen: Indices, leaves: LeafValues) -> Iterator[BlockGroup]:
        first = self.model.n * chosen[:, None]
        for bodies, blocks in leaves.groups(leaf):
            listed, rows, cols = places(leaf, bodies, self._tree)
            here = blocks[..., listed, :, :]
            count = len(chosen) * len(listed)
            every = np.broadcast_to(here, (len(chosen), *here.shape[-3:])).reshape(count, *here.shape[-2:])
            down = rows + (0 if leaf.stands == "ground edge" else first)
            across = cols + (0 if leaf.stands == "column" else first)
            where = (len(chosen), len(listed))
            yield BlockGroup(np.broadcast_to(down, where).ravel(), np.broadcast_to(across, where).ravel(), every)
