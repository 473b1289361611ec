"""Where the numbers of bodies stand in the arrays of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from operator_algebra.backends.backend import Result
from operator_algebra.backends.laid import Laid
from operator_algebra.backends.scalar.graph import Untraceable
from operator_algebra.backends.scalar.signature import arrays
from operator_algebra.backends.sizes import block_size, place_of
from operator_algebra.models.arrays import Indices
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.inputs import InputValue
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.program import Output, Program


@dataclass(frozen=True)
class Given:
    """An input: how many arrays it has, where the numbers of each body start, and its columns if they are of bodies."""

    arrays: int
    starts: Indices
    columns: tuple[int, int] | None = None

    @classmethod
    def of(cls, value: InputValue) -> Given:
        """One block for each body, row by row; of columns of bodies, column by column."""
        several = arrays(value)
        if value.dense is None:
            return cls(len(several), _starts(np.array([one.shape[-2] * one.shape[-1] for one in several])))
        height, width = value.dense.shape[-2:]
        if value.cols.attached:
            return cls(1, _starts(value.cols.sizes * height), (height, width))
        return cls(1, _starts(value.rows.sizes * width if value.rows.attached else np.zeros(1, dtype=np.intp)))

    def joined(self, several: Sequence[Numbers]) -> Numbers:
        """The numbers of the samples in one array, (samples, numbers)."""
        if len(several) > 1:
            count = max(map(len, several))
            wide = [np.broadcast_to(one, (count, one.shape[1])) for one in several]
            return np.concatenate(wide, axis=1)
        (one,) = several
        return one if self.columns is None else one.reshape(-1, *self.columns).swapaxes(1, 2).reshape(len(one), -1)


@dataclass(frozen=True)
class Found:
    """A result: where the numbers of each body start in an array (samples, numbers), and what becomes of it."""

    laid: Laid
    starts: Indices
    turned: bool
    """Whether its rows are columns."""

    @property
    def size(self) -> int:
        """How many numbers it has, with those behind it that are not asked for."""
        return int(self.starts[-1])

    @classmethod
    def of(cls, program: Program, output: Output, model: Model, layouts: Mapping[str, Layout]) -> Found:
        """As the interpreter lays it out."""
        assert output.ref is not None
        value = program.computed[output.ref.value].value
        height, width = (_sizes(space, model, layouts) for space in (value.type.codomain, value.type.domain))
        if not value.attached:
            rows, columns = int(height[0]), int(width[0])
            rows, columns = (columns, rows) if output.ref.star else (rows, columns)
            alone = value.type.domain.sizes == "one"
            shape = () if alone and value.type.codomain.sizes == "one" else (rows,) if alone else (rows, columns)
            return cls(Laid(output.name, (shape,), False), np.array([0, rows * columns]), False)
        if output.kind == "blocks":
            rows, columns = (width, height) if output.ref.star else (height, width)
            bodies = max(len(rows), len(columns))
            pairs = [(int(r), int(c)) for r, c in np.broadcast(np.resize(rows, bodies), np.resize(columns, bodies))]
            same = len(set(pairs)) == 1
            shapes = ((bodies, *pairs[0]),) if same else tuple(pairs)
            return cls(Laid(output.name, shapes, not same), _starts(np.array([r * c for r, c in pairs])), False)
        if value.type.domain.attached:
            raise Untraceable("a result has a column for each body")
        columns = int(width[0])
        if output.kind == "picked":
            if output.ref.star:
                raise Untraceable("the rows of one body are taken from what has columns for all")
            k = place_of(model, output.places[0])
            shape = (int(height[k]), columns)
            starts = np.full(model.n + 1, shape[0] * columns, dtype=np.int64)  # the others stand behind it
            starts[k], starts[-1] = 0, (shape[0] + int(height.max())) * columns
            return cls(Laid(output.name, (shape,), False), starts, False)
        shape = (int(height.sum()),) if output.kind == "vector" else (int(height.sum()), columns)
        shape = shape[::-1] if output.ref.star else shape
        return cls(Laid(output.name, (shape,), False), _starts(height * columns), output.ref.star)

    def result(self, array: Numbers, lead: tuple[int, ...]) -> Result:
        """The result with the axes of the batch."""
        if self.laid.listed:
            parts = zip(pairwise(self.starts.tolist()), self.laid.shapes, strict=True)
            return [array[..., start:stop].reshape((*lead, *shape)) for (start, stop), shape in parts]
        (shape,) = self.laid.shapes
        array = array[..., : int(np.prod(shape, dtype=np.intp))]
        if self.turned:
            return array.reshape((*lead, *shape[::-1])).swapaxes(-1, -2)
        return array.reshape((*lead, *shape))


def _starts(sizes: Indices) -> Indices:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _sizes(space: Space, model: Model, layouts: Mapping[str, Layout]) -> Indices:
    """The sizes of the blocks of a space, one if it belongs to no body."""
    if space.counted is not None:
        return np.array([block_size(model, layouts, space, 0)])
    if space.parts:
        return np.sum([_sizes(part, model, layouts) for part in space.parts], axis=0)
    fixed = {"one": 1, "rounding": 2}.get(space.sizes)
    return layouts[space.sizes].sizes if fixed is None else np.array([fixed])
