"""Sparse block storage for entries that scipy.sparse does not know: rationals, multiprecision numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from operator_algebra.models.numeric import Kind, Scalar
from operator_algebra.operators.arrays import Block, Dense, EntryPlaces, Values
from operator_algebra.operators.layout import Layout

Key = tuple[int, int]

Sparse: TypeAlias = "sp.csr_array[Any, tuple[int, int]]"
"""Machine numbers in compressed rows."""

_rows: Callable[..., Sparse] = sp.csr_array


_FILLED = 1 << 14
"""Entries from which on a filled matrix is better multiplied as an array."""


class BlockDict:
    """Blocks of Python numbers by their place; zero blocks are not stored."""

    __slots__ = ("blocks", "cols", "rows")

    __array_ufunc__ = None

    blocks: dict[Key, Block]

    def __init__(self, rows: Layout, cols: Layout, blocks: Mapping[Key, Block]) -> None:
        self.rows = rows
        self.cols = cols
        self.blocks = {key: block for key, block in blocks.items() if np.any(block != 0)}

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows.size, self.cols.size

    @property
    def dtype(self) -> Kind:
        return np.dtype(object)

    @property
    def nnz(self) -> int:
        return sum(block.size for block in self.blocks.values())

    def by_row(self) -> dict[int, list[tuple[int, Block]]]:
        """The blocks of each row."""
        rows: dict[int, list[tuple[int, Block]]] = {}
        for (i, j), block in self.blocks.items():
            rows.setdefault(i, []).append((j, block))
        return rows

    def __matmul__(self, other: BlockDict) -> BlockDict:
        right = other.by_row()
        result: dict[Key, Block] = {}
        for (i, j), block in self.blocks.items():
            for k, factor in right.get(j, ()):
                term = block @ factor
                result[i, k] = result[i, k] + term if (i, k) in result else term
        return BlockDict(self.rows, other.cols, result)

    def __add__(self, other: BlockDict) -> BlockDict:
        result = dict(self.blocks)
        for key, block in other.blocks.items():
            result[key] = result[key] + block if key in result else block
        return BlockDict(self.rows, self.cols, result)

    def __mul__(self, factor: Scalar) -> BlockDict:
        return BlockDict(self.rows, self.cols, {key: block * factor for key, block in self.blocks.items()})

    @property
    def T(self) -> BlockDict:
        """The transposed matrix."""
        return BlockDict(self.cols, self.rows, {(j, i): block.T for (i, j), block in self.blocks.items()})

    def toarray(self) -> Dense:
        """All entries, zeros included."""
        result = np.full(self.shape, 0, dtype=object)
        for (i, j), block in self.blocks.items():
            result[self.rows.part(i), self.cols.part(j)] = block
        return result


Entries: TypeAlias = "BlockDict | Sparse"
"""The entries of a block matrix."""


def product(left: Entries, right: Entries) -> Entries:
    """The matrix product of entries of one sort."""
    if isinstance(left, BlockDict) and isinstance(right, BlockDict):
        return left @ right
    return multiplied(machine(left), machine(right))


def multiplied(left: Sparse, right: Sparse) -> Sparse:
    """The product of machine numbers; of filled matrices as arrays, in a tenth of the time or less."""
    if not _is_filled(right) or left.nnz < left.shape[0] or not _is_finite(left, right):
        return left @ right
    return compressed((left.toarray() if _is_filled(left) else left) @ right.toarray())


def _is_filled(entries: Sparse) -> bool:
    return entries.nnz > _FILLED and 4 * entries.nnz > entries.shape[0] * entries.shape[1]


def _is_finite(*several: Sparse) -> bool:
    """Whether a zero stays one when it is multiplied out."""
    return all(bool(np.isfinite(entries.data).all()) for entries in several)


def total(left: Entries, right: Entries) -> Entries:
    """The sum of entries of one sort."""
    if isinstance(left, BlockDict) and isinstance(right, BlockDict):
        return left + right
    return machine(left) + machine(right)


def machine(entries: Entries) -> Sparse:
    """The entries as rows of machine numbers, which they are stored as."""
    assert not isinstance(entries, BlockDict)
    return entries


def exact(entries: Entries) -> BlockDict:
    """The entries as blocks of Python numbers, which they are stored as."""
    assert isinstance(entries, BlockDict)
    return entries


def compressed(entries: Dense | sp.sparray) -> Sparse:
    """The rows of a dense matrix, or of a sparse one of any format."""
    return _rows(entries)


def placed(values: Values, rows: EntryPlaces, cols: EntryPlaces, shape: tuple[int, int]) -> Sparse:
    """The matrix with these entries, those at one place added."""
    return _rows((values, (rows, cols)), shape=shape)
