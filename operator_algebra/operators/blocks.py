"""BlockMatrix: the value of an operator on one mechanism at one configuration, block-sparse over its bodies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from numbers import Number
from typing import Literal, NamedTuple, NoReturn, cast, get_args

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from operator_algebra.arguments import choice, shown, told
from operator_algebra.errors import InputError, RangeError, SpaceMismatch
from operator_algebra.models.numeric import Kind, Scalar
from operator_algebra.operators.arrays import Anything, Block, Blocks, EntryPlaces, Indices, Norms, Pattern, Values
from operator_algebra.operators.blockdict import (
    BlockDict,
    Entries,
    Sparse,
    compressed,
    machine,
    placed,
    product,
    total,
)
from operator_algebra.operators.layout import Binding, Layout
from operator_algebra.operators.spaces import ONE, Type

Numbering = Literal["model", "paper"]
Place = int | str

DENSE_LIMIT = 2**31
"""Entries of the largest array that `dense` and `pattern` make: 16 GB of floats."""


_CHUNK = 8192
"""Blocks that are taken apart at a time: temporaries stay small for mechanisms of any size."""


class BlockGroup(NamedTuple):
    """Blocks of one shape, (m, r, c), and the block row and column of each."""

    rows: Indices
    cols: Indices
    blocks: Blocks


class BlockMatrix:
    """A matrix cut into blocks by the bodies of a mechanism, with the type of the operator whose value it is.

    `@ + -` and multiples check spaces, mechanism, configuration and axes; `[i, j]` is a block, by index or joint name.
    Floats are stored as scipy.sparse rows (no BLAS: threads do not change a bit), other numbers block by block.
    """

    __slots__ = ("binding", "cols", "data", "rows", "title", "type")

    __array_ufunc__ = None

    def __init__(
        self, type_: Type, rows: Layout, cols: Layout, data: Entries, binding: Binding, title: str = ""
    ) -> None:
        self.type = type_
        self.rows = rows
        self.cols = cols
        self.data = data
        self.binding = binding
        self.title = title

    # -- making ----------------------------------------------------------------------------------------------------

    @classmethod
    def from_groups(
        cls,
        type_: Type,
        rows: Layout,
        cols: Layout,
        groups: Iterable[BlockGroup],
        binding: Binding,
        dtype: Kind | type = float,
    ) -> BlockMatrix:
        """The matrix with these blocks and zeros elsewhere."""
        if np.dtype(dtype) == object:
            blocks = {
                (int(i), int(j)): np.asarray(block, dtype=object)
                for group in groups
                for i, j, block in zip(group.rows, group.cols, group.blocks, strict=True)
            }
            return cls(type_, rows, cols, BlockDict(rows, cols, blocks), binding)
        pieces = [piece for group in groups for piece in _entries(rows, cols, group)]
        shape = (rows.size, cols.size)
        if not pieces:
            return cls(type_, rows, cols, compressed(sp.csr_array(shape, dtype=dtype)), binding)
        i, j, values = (np.concatenate(part) for part in zip(*pieces, strict=True))
        return cls(type_, rows, cols, placed(values.astype(dtype), i, j, shape), binding)

    @classmethod
    def from_dense(
        cls, type_: Type, rows: Layout, cols: Layout, values: ArrayLike, binding: Binding, title: str = ""
    ) -> BlockMatrix:
        """The matrix with these entries."""
        array: Block = np.asarray(values).reshape(rows.size, cols.size)
        if array.dtype == object:
            keys = [(i, j) for i in range(rows.count) for j in range(cols.count)]
            data: Entries = BlockDict(rows, cols, {(i, j): array[rows.part(i), cols.part(j)] for i, j in keys})
        else:
            data = compressed(array)
        return cls(type_, rows, cols, data, binding, title)

    def like(self, data: Entries, type_: Type | None = None) -> BlockMatrix:
        """Other entries in the same place."""
        return BlockMatrix(type_ or self.type, self.rows, self.cols, data, self.binding)

    def titled(self, title: str, type_: Type | None = None) -> BlockMatrix:
        """The same value under the name of what it is the value of."""
        return BlockMatrix(type_ or self.type, self.rows, self.cols, self.data, self.binding, title)

    # -- algebra ---------------------------------------------------------------------------------------------------

    def __matmul__(self, other: object) -> BlockMatrix:
        other = self._operand(other, "compose")
        if self.type.domain != other.type.codomain:
            raise SpaceMismatch(
                f"cannot compose a value {self.type} with a value {other.type}: the second delivers "
                f"{other.type.codomain}, the first takes {self.type.domain}."
            )
        type_ = Type(other.type.domain, self.type.codomain)
        return BlockMatrix(type_, self.rows, other.cols, product(self.data, other.data), self.binding)

    def __add__(self, other: object) -> BlockMatrix:
        other = self._operand(other, "add")
        if self.type != other.type:
            raise SpaceMismatch(f"cannot add a value {self.type} and a value {other.type}: their spaces differ.")
        return self.like(total(self.data, other.data))

    def __sub__(self, other: object) -> BlockMatrix:
        return self + (-1 * self._operand(other, "subtract"))

    def __neg__(self) -> BlockMatrix:
        return -1 * self

    def __mul__(self, factor: object) -> BlockMatrix:
        if isinstance(factor, bool) or not isinstance(factor, Number):
            raise InputError(
                f"* multiplies a value by a number, not by {told(factor)}. Write A @ B for a product of operators."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            product = self.scaled(factor)
        if not product.finite and self.finite:
            raise RangeError(f"{shown(factor)} times a value {self.type} is too large for floats. Change its units.")
        return product

    def scaled(self, factor: Scalar) -> BlockMatrix:
        """The multiple by a number of any kind, also where it leaves the range of floats."""
        if isinstance(self.data, BlockDict):
            return self.like(self.data * factor)
        plain = isinstance(factor, complex | float | np.inexact)
        return self.like(self.data * (factor if plain else machine_number(factor, self.dtype)))

    def __rmul__(self, factor: object) -> BlockMatrix:
        return self * factor

    def __rmatmul__(self, other: object) -> NoReturn:
        self._operand(other, "compose")
        raise AssertionError(other)

    @property
    def T(self) -> BlockMatrix:
        """The adjoint."""
        data = self.data.T if isinstance(self.data, BlockDict) else compressed(self.data.T)
        return BlockMatrix(self.type.T, self.cols, self.rows, data, self.binding)

    def inverse(self) -> BlockMatrix:
        """The inverse, block by block if the matrix is block-diagonal."""
        from operator_algebra.operators.inversion import invert

        return invert(self)

    def _operand(self, other: object, what: str) -> BlockMatrix:
        if not isinstance(other, BlockMatrix):
            raise InputError(
                f"cannot {what} an operator's value and {told(other)}. "
                "Take its array with .dense() or .sparse(), or evaluate the whole formula."
            )
        self.binding.check(other.binding, what)
        return other

    # -- looking ---------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows.size, self.cols.size

    @property
    def dtype(self) -> Kind:
        """The kind of number."""
        return self.data.dtype

    @property
    def stored(self) -> Sparse:
        """The machine numbers as they are stored, not copied."""
        return machine(self.data)

    @property
    def exact(self) -> bool:
        """Whether the entries are Python numbers rather than machine floats."""
        return isinstance(self.data, BlockDict)

    @property
    def finite(self) -> bool:
        """Whether every entry is finite."""
        return self.exact or bool(np.isfinite(self.stored.data).all())

    @property
    def nnz(self) -> int:
        """Number of stored blocks."""
        return len(self.data.blocks) if isinstance(self.data, BlockDict) else self.norms().nnz

    def dense(self, numbering: Numbering = "model") -> Anything:
        """The entries as an array: (rows, columns), (rows,) for a vector, and 0-d for a number.

        `numbering="paper"` puts the bodies in reverse order, tips first.
        """
        self._affordable(self.rows.size * self.cols.size)
        values = self.data.toarray()
        if _paper(numbering):
            values = values[self.rows.reversed_order][:, self.cols.reversed_order]
        if self.type.domain != ONE:
            return values
        return values[0, 0, ...] if self.type.codomain == ONE else values[:, 0]

    def sparse(self) -> Sparse:
        """The entries as a scipy.sparse array in compressed rows."""
        if isinstance(self.data, BlockDict):
            raise InputError("exact entries have no scipy.sparse form. Use dense(), or evaluate with floats.")
        return self.data.copy()

    def pattern(self, numbering: Numbering = "model") -> Pattern:
        """Which blocks are not zero: (block rows, block columns)."""
        self._affordable(self.rows.count * self.cols.count)
        result = np.zeros((self.rows.count, self.cols.count), dtype=np.bool_)
        rows, cols = self.places()
        result[rows, cols] = True
        if _paper(numbering):
            result = result[:: -1 if self.rows.attached else 1, :: -1 if self.cols.attached else 1]
        return result

    def __getitem__(self, places: tuple[Place, Place]) -> Block:
        if not isinstance(places, tuple) or len(places) != 2:  # pyright: ignore[reportUnnecessaryIsInstance, reportUnnecessaryComparison]
            raise InputError(f"a block stands at two places, not at {told(places)}. Write value[i, j].")
        i = self.binding.place(places[0], self.rows.count)
        j = self.binding.place(places[1], self.cols.count)
        if isinstance(self.data, BlockDict):
            empty = np.full((self.rows.sizes[i], self.cols.sizes[j]), 0, dtype=object)
            return np.array(self.data.blocks.get((i, j), empty))
        return self.data[self.rows.part(i), :][:, self.cols.part(j)].toarray()

    def places(self) -> tuple[Indices, Indices]:
        """Block row and block column of each stored block."""
        if isinstance(self.data, BlockDict):
            keys = np.array(sorted(self.data.blocks), dtype=np.intp).reshape(-1, 2)
            return keys[:, 0], keys[:, 1]
        norms = self.norms().tocoo()
        return norms.row.astype(np.intp), norms.col.astype(np.intp)

    def norms(self) -> Sparse:
        """Frobenius norm of each block, a scipy.sparse array (block rows, block columns)."""
        shape = (self.rows.count, self.cols.count)
        if isinstance(self.data, BlockDict):
            items = self.data.blocks.items()
            values = [float(sum(abs(x) ** 2 for x in block.flat)) ** 0.5 for _, block in items]
            where = np.array([key for key, _ in items], dtype=np.intp).reshape(-1, 2).T
            return placed(np.array(values), where[0], where[1], shape)
        entries = self.data.tocoo()
        block = self.rows.owner[entries.row] * self.cols.count + self.cols.owner[entries.col]
        places, which = np.unique(block[entries.data != 0], return_inverse=True)
        values = np.abs(entries.data[entries.data != 0])
        # Each block is measured by its largest entry: no square overflows or vanishes.
        largest, squares = np.zeros(len(places), values.dtype), np.zeros(len(places), values.dtype)
        np.maximum.at(largest, which, values)
        np.add.at(squares, which, (values / largest[which]) ** 2)
        with np.errstate(over="ignore"):
            return placed(largest * np.sqrt(squares), *np.divmod(places, self.cols.count), shape)

    def blocks_at(self, rows: Indices, cols: Indices) -> list[Block]:
        """The blocks at distinct places, as a list of arrays."""
        if isinstance(self.data, BlockDict):
            return [self[int(i), int(j)] for i, j in zip(rows, cols, strict=True)]
        parts = [self._blocks_at(rows[k : k + _CHUNK], cols[k : k + _CHUNK]) for k in range(0, len(rows), _CHUNK)]
        return [block for part in parts for block in part]

    def _blocks_at(self, rows: Indices, cols: Indices) -> list[Block]:
        heights, widths = self.rows.sizes[rows], self.cols.sizes[cols]
        start = np.concatenate([[0], np.cumsum(heights * widths)])
        flat = np.zeros(int(start[-1]), dtype=self.dtype)
        wanted = rows * self.cols.count + cols
        order = np.argsort(wanted)
        first, last = self.rows.offsets[rows.min()], self.rows.offsets[rows.max() + 1]
        entries = self.stored[int(first) : int(last)].tocoo()
        i, j = self.rows.owner[first:last][entries.row], self.cols.owner[entries.col]
        if len(i):
            key = i * self.cols.count + j
            near = np.minimum(np.searchsorted(wanted[order], key), len(wanted) - 1)
            found = wanted[order][near] == key
            which = order[near[found]]
            row = entries.row[found] + first - self.rows.offsets[i[found]]
            col = entries.col[found] - self.cols.offsets[j[found]]
            flat[start[which] + row * widths[which] + col] = entries.data[found]
        stops = start.tolist()
        shapes = zip(stops, stops[1:], heights.tolist(), widths.tolist(), strict=False)
        return [flat[a:b].reshape(r, c) for a, b, r, c in shapes]

    def diagonal_blocks(self) -> list[Block]:
        """The blocks (k, k)."""
        k = np.arange(self.rows.count, dtype=np.intp)
        return self.blocks_at(k, k)

    def diagonal_norms(self) -> Norms:
        """Frobenius norms of the blocks (k, k)."""
        return self.diagonal().norms().diagonal()

    def diagonal(self) -> BlockMatrix:
        """The block-diagonal part."""
        if isinstance(self.data, BlockDict):
            kept = {(i, j): block for (i, j), block in self.data.blocks.items() if i == j}
            return self.like(BlockDict(self.rows, self.cols, kept))
        entries = self.data.tocoo()
        kept = self.rows.owner[entries.row] == self.cols.owner[entries.col]
        where = (entries.row[kept], entries.col[kept])
        return self.like(placed(entries.data[kept], *where, self.shape))

    def _affordable(self, entries: int) -> None:
        if entries > DENSE_LIMIT:
            raise InputError(
                f"{self._summary()}: an array of {entries:.1e} entries is too large. "
                "Use sparse(), single blocks [i, j], or apply the operator to a vector."
            )

    def _summary(self) -> str:
        blocks = f"{self.rows.count}×{self.cols.count} blocks of {self.rows.words()}×{self.cols.words()}"
        total = self.rows.count * self.cols.count
        return f"{self.shape[0]}×{self.shape[1]}, {blocks}, {self.nnz} of {total} stored"

    def __repr__(self) -> str:
        from operator_algebra.operators.drawing import one_line

        return one_line(self.title, repr(self.type), self._summary(), self.binding)

    def _repr_html_(self) -> str:
        from operator_algebra.operators.drawing import fragment

        return fragment(repr(self), self.places(), (self.rows.count, self.cols.count))


def machine_number(factor: Scalar, kind: Kind) -> float | np.floating:
    """A rational number as the nearest of a kind; of what is wider than doubles, within two roundings."""
    real = np.finfo(kind).dtype.type
    try:
        exact = Fraction(cast("Fraction", factor))
        return float(exact) if real is np.float64 else real(str(exact.numerator)) / real(str(exact.denominator))
    except (OverflowError, ValueError, TypeError):
        raise InputError(f"{shown(factor)} has no value in floats, so it multiplies none.") from None


def group_by_size(rows: Layout, cols: Layout, blocks: Sequence[Block], i: Indices, j: Indices) -> list[BlockGroup]:
    """Single blocks and their places, gathered into groups of one shape."""
    shapes = rows.sizes[i] * (int(cols.sizes.max(initial=0)) + 1) + cols.sizes[j]
    groups: list[BlockGroup] = []
    for shape in np.unique(shapes):
        (which,) = np.nonzero(shapes == shape)
        groups.append(BlockGroup(i[which], j[which], np.array([blocks[w] for w in which.tolist()])))
    return groups


def _entries(rows: Layout, cols: Layout, group: BlockGroup) -> Iterator[tuple[EntryPlaces, EntryPlaces, Values]]:
    """Row, column and value of the entries that are not zero."""
    blocks = np.asarray(group.blocks)
    small = max(rows.size, cols.size) < 2**31
    kind = np.int32 if small else np.int64
    for start in range(0, len(group.rows), _CHUNK):
        part = slice(start, start + _CHUNK)
        values = blocks[part]
        body, row, col = np.nonzero(values)
        i = (rows.offsets[group.rows[part]][body] + row).astype(kind)
        j = (cols.offsets[group.cols[part]][body] + col).astype(kind)
        yield i, j, values[body, row, col]


def _paper(numbering: str) -> bool:
    return choice(numbering, "numbering", get_args(Numbering)) == "paper"
