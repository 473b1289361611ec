"""Blocks as callers give them: put side by side, made of scalars, recognised in a list, described in a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.arguments import shown
from operator_algebra.operators.arrays import Anything, DiagonalBlocks, Diagonals, SampleBlock
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import ONE, Type


def shape_of(value: object) -> tuple[int, ...]:
    """The shape that NumPy sees in a value."""
    return np.shape(cast("ArrayLike", value))


def array_of(value: object) -> Anything | None:
    """The value if it is an array."""
    return cast("Anything", value) if isinstance(value, np.ndarray) else None


def free_axis(type_: Type, layouts: Mapping[str, Layout]) -> int:
    """Along which axis blocks that meet at one body are put side by side."""
    return -1 if type_.codomain.sizes in layouts else -2


def join(parts: list[SampleBlock], axis: int) -> SampleBlock:
    """The blocks of one body as one."""
    return parts[0] if len(parts) == 1 else np.concatenate(same_lead(parts), axis=axis)


def same_lead(blocks: list[SampleBlock]) -> list[SampleBlock]:
    """Blocks with the same leading axes."""
    lead = np.broadcast_shapes(*{block.shape[:-2] for block in blocks})
    return [np.broadcast_to(block, (*lead, *block.shape[-2:])) for block in blocks]


def scalar_blocks(values: Diagonals) -> DiagonalBlocks:
    """Diagonal blocks with these entries."""
    return values[..., :, None] * np.eye(values.shape[-1])


def lists_blocks(value: object, rows: Layout, cols: Layout) -> bool:
    """Whether a value is a list with a block, or a batch of them, for every body."""
    if not isinstance(value, list | tuple) or len(cast("Sequence[object]", value)) != rows.count:
        return False
    sizes = zip(rows.sizes.tolist(), cols.sizes.tolist(), strict=True)
    blocks = zip(cast("Sequence[object]", value), sizes, strict=True)
    return all((array := array_of(block)) is not None and array.shape[-2:] == size for block, size in blocks)


def bodies_first(value: object) -> Sequence[object] | None:
    """The blocks of a value, one after the other; None if it holds none.

    A list has a block, or a batch of them, for each body. An array is (..., bodies, r, c): leading axes are a batch.
    """
    array = array_of(value)
    if array is not None:
        return list(np.moveaxis(array, -3, 0)) if array.ndim > 3 else list(array) if array.ndim else None
    return cast("Sequence[object]", value) if isinstance(value, Sequence) else None


def expected_shape(type_: Type, rows: Layout, cols: Layout, *, batch: bool) -> str:
    """The shape that an array should have; spaces of one number have no axis."""
    inner = [str(layout.size) for layout, space in ((rows, type_.codomain), (cols, type_.domain)) if space != ONE]
    parts = ["...", *inner] if batch else inner
    return f"({parts[0]},)" if len(parts) == 1 and not batch else f"({', '.join(parts)})"


def describe(value: object) -> str:
    """What was given, in a few words."""
    array = array_of(value)
    if array is not None:
        return f"shape {array.shape}"
    if isinstance(value, Sequence):
        return f"{len(cast('Sequence[object]', value))} blocks"
    return f"the value {shown(value)}"
