"""Where the blocks of a value stand during a run: one array per shape of body, bodies first, then the batch."""

from __future__ import annotations

import numpy as np

from operator_algebra.backends.numpy.arrays import Block, Blocks
from operator_algebra.backends.numpy.levels import Group, Levels

UNWRITTEN: Blocks = np.empty((0, 0, 0))
"""Stands where no block was written yet."""


class Stored:
    """The blocks of one value, (bodies of the shape, *batch, rows, columns) for each shape; grows with the batch."""

    __slots__ = ("arrays", "levels")

    def __init__(self, levels: Levels, arrays: list[Blocks] | None = None) -> None:
        self.levels = levels
        self.arrays: list[Blocks] = arrays if arrays is not None else [UNWRITTEN] * len(levels.shapes)

    def read(self, group: Group) -> Blocks:
        """The blocks of a group."""
        return self.arrays[group.shape][group.where]

    def at(self, k: int) -> Block:
        """The block of one body."""
        return self.arrays[int(self.levels.shape_of[k])][int(self.levels.place_of[k])]

    def write(self, group: Group, blocks: Blocks) -> None:
        """Set the blocks of a group, each on its own in memory.

        Products of blocks whose rows are scattered take another road, which rounds differently: sums with what is the
        same in all samples would scatter them in a batch, but not in one sample.
        """
        array = self.arrays[group.shape]
        count = len(self.levels.shapes[group.shape])
        if count == group.count:
            self.arrays[group.shape] = np.ascontiguousarray(blocks)
            return
        if array is UNWRITTEN:
            array = np.empty((count, *blocks.shape[1:]))
            self.arrays[group.shape] = array
        elif array.shape[1:] != blocks.shape[1:]:
            wide = np.broadcast_shapes(array.shape[1:], blocks.shape[1:])
            if wide != array.shape[1:]:
                array = np.array(np.broadcast_to(array, (count, *wide)), order="C")
                self.arrays[group.shape] = array
        array[group.where] = blocks
