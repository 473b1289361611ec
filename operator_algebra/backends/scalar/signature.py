"""The form of the arguments of a call: which there are and what their blocks are, hence which kernel fits them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.inputs import Bound, InputValue
from operator_algebra.operators.layout import Layout

if TYPE_CHECKING:
    from operator_algebra.backends.scalar.graph import Graph

Key = tuple[object, ...]


@dataclass(frozen=True, eq=False)
class Signature:
    """Inputs as examples of their form; those that are absent are zero."""

    values: Mapping[str, InputValue]
    layouts: Mapping[str, Layout]
    absent: frozenset[str]

    @classmethod
    def of(cls, inputs: Bound) -> Signature:
        """Of the inputs of a call."""
        return cls(inputs.values, inputs.layouts, inputs.absent)

    @cached_property
    def key(self) -> Key:
        """What makes kernels differ."""
        forms = tuple((name, *(block.shape[-2:] for block in arrays(value))) for name, value in self.values.items())
        sizes = tuple((name, layout.attached, layout.sizes.tobytes()) for name, layout in sorted(self.layouts.items()))
        return forms, sizes, self.absent

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers each array has that is given."""
        blocks = given(Bound(self.values, self.layouts, self.absent))
        return tuple(block.shape[-2] * block.shape[-1] for block in blocks)

    def nodes(self, graph: Graph, start: int) -> dict[str, InputValue]:
        """The inputs as arrays of nodes, numbered from `start` on in the order of `rows`."""
        found: dict[str, InputValue] = {}
        for name, value in self.values.items():
            made: list[Numbers] = []
            for block in arrays(value):
                shape = block.shape[-2:]
                count = 0 if name in self.absent else shape[0] * shape[1]
                block_nodes = np.full(shape, graph.zero, dtype=object)
                block_nodes.ravel()[:count] = [graph.input(place) for place in range(start, start + count)]
                made.append(block_nodes)
                start += count
            dense = None if value.dense is None else made[0]
            found[name] = replace(value, dense=dense, blocks=made if dense is None else [])
        return found


def arrays(value: InputValue) -> Sequence[Numbers]:
    """The arrays of an input."""
    return value.blocks if value.dense is None else [value.dense]


def given(inputs: Bound) -> Iterator[Numbers]:
    """The arrays that are arguments of a kernel, (..., rows, columns) each."""
    for name, value in inputs.values.items():
        if name not in inputs.absent:
            yield from arrays(value)
