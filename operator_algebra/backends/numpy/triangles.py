"""Equations of one body, stacked and made triangular by orthogonal transformations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from operator_algebra.backends.numpy.arrays import Block, Flags, Scalars, Sizes
from operator_algebra.backends.numpy.blocks import adjoint, solve
from operator_algebra.backends.numpy.levels import Indices
from operator_algebra.backends.signs import drawn
from operator_algebra.models.numeric import Numbers

_LARGE = 0.3
"""A column is as good as the largest if it is larger than so much of it."""

_SPARSE = 64
"""So many stacked rows are mostly zeros."""

PROBES = 4
"""So many columns of signs: that each of them nearly cancels, to one part in a hundred, happens once in 10⁸ times."""

_ROUNDED = 0.5
"""What rounding changes is at most so many eps of what is rounded."""


class Equations:
    """Block equations Σ block · unknown = constant; unknowns stand in columns in the order of their making."""

    def __init__(self) -> None:
        self._rows = 0
        self._columns = 0
        self._blocks: list[tuple[slice, slice, Block]] = []
        self._constants: list[tuple[slice, Block]] = []
        self._probes: list[tuple[slice, Block]] = []
        self._sizes: list[tuple[slice, Sizes | float]] = []
        self._defined: list[tuple[slice, slice]] = []

    @property
    def width(self) -> int:
        """How many scalar unknowns there are."""
        return self._columns

    def columns(self, sizes: Iterable[int]) -> list[slice]:
        """Places for unknowns of these sizes."""
        places: list[slice] = []
        for size in sizes:
            places.append(slice(self._columns, self._columns + size))
            self._columns += size
        return places

    def known(self, columns: Iterable[slice], magnitudes: Sizes | float) -> None:
        """Say how large some unknowns are: (..., width), or one number."""
        start = 0
        for column in columns:
            stop = start + column.stop - column.start
            self._sizes.append(
                (column, magnitudes[..., start:stop] if isinstance(magnitudes, np.ndarray) else magnitudes)
            )
            start = stop

    def add(
        self,
        rows: int,
        terms: Iterable[tuple[slice, Block]],
        constant: Block | None = None,
        *,
        probe: Block | None = None,
        defines: slice | None = None,
    ) -> None:
        """One more block row, with what earlier rounding left in it; it may be the definition of an unknown."""
        where = slice(self._rows, self._rows + rows)
        self._rows += rows
        self._blocks.extend((where, column, block) for column, block in terms)
        if constant is not None:
            self._constants.append((where, constant))
        if probe is not None:
            self._probes.append((where, probe))
        if defines is not None:
            self._defined.append((where, defines))

    def triangularised(self, width: int, given: int, salt: int | None = None) -> Triangle:
        """Eliminate the first `width` columns; those from `given` on are what the others respond to.

        Constants as large as rounding come along if there is a salt, of signs that are independent of those of others.
        """
        constants = [block for _, block in self._constants]
        count = next((block.shape[-1] for block in constants if block.shape[-1] != 1), 1)
        lead = np.broadcast_shapes(
            *(block.shape[:-2] for _, _, block in self._blocks), *(block.shape[:-2] for block in constants)
        )
        system = np.zeros((*lead, self._rows, self._columns))
        for where, column, block in self._blocks:
            system[..., where, column] += block
        right = np.zeros((*lead, self._rows, count))
        for where, block in self._constants:
            right[..., where, :] += block
        probe = np.zeros((*lead, self._rows, PROBES))
        for where, block in self._probes:
            probe[..., where, :] += block
        sizes = self._magnitudes(np.abs(system), given)
        return _triangularised(system, right, probe, sizes, width, given, salt)

    def _magnitudes(self, system: Block, given: int) -> Sizes:
        """How large each unknown is if the given ones have size one, by its definition or by what it balances."""
        sizes = np.zeros((*system.shape[:-2], self._columns))
        sizes[..., given:] = 1.0
        for column, magnitude in self._sizes:
            sizes[..., column] = magnitude
        known = [column for column, _ in self._sizes]
        defined = [(row, column) for row, column in self._defined if column.stop <= given and column not in known]
        for last in (False, True):
            for _ in defined:
                for row, column in defined:
                    others = system[..., row, :].copy()
                    others[..., column] = 0.0
                    found = (others * sizes[..., None, :]).max(axis=-1, initial=0.0)
                    sizes[..., column] = np.where(sizes[..., column] > 0.0, sizes[..., column], found)
            if not last:
                sizes = np.where(sizes > 0.0, sizes, _balanced(system, sizes))
        return np.where(sizes > 0.0, sizes, 1.0)


def _balanced(system: Block, sizes: Sizes) -> Sizes:
    """The sizes of unknowns at which they matter first in an equation whose size is known."""
    largest = (system * sizes[..., None, :]).max(axis=-1, initial=0.0)
    limits = np.where((system > 0.0) & (largest[..., None] > 0.0), largest[..., None] / system, np.inf)
    least = limits.min(axis=-2, initial=np.inf)
    return np.where(np.isfinite(least), least, 0.0)


@dataclass(frozen=True)
class Triangle:
    """What a body's equations say once their first unknowns are eliminated.

    `rest` and `rest_constant` speak of the other unknowns alone; `triangle`, `top` and `top_constant` give the
    eliminated ones, in the order of their elimination. `top_probe` and `rest_probe` are the same for constants as large
    as rounding is, in units of it and with several columns of signs.
    """

    triangle: Block
    kept: Scalars
    """The least entry of its diagonal beside what rounding makes of it in the mean, in units of eps; at most 1."""
    places: Indices
    """Where the eliminated unknowns stand in the order of their elimination."""
    top: Block
    top_constant: Block
    top_probe: Block
    rest: Block
    rest_constant: Block
    rest_probe: Block
    sizes: Sizes
    """How large the eliminated unknowns are, and those that are not given, if the given ones have size one."""
    logdet: Scalars
    exponent: Scalars
    negative: Flags
    """Whether the determinant of the eliminated part is negative, with the rows of the rest in their order."""

    def solved(self, others: Block) -> Block:
        """The eliminated unknowns, from the others."""
        return self._solved(self.top_constant, others)

    def probed(self, others: Block) -> Block:
        """The eliminated unknowns where constants are rounding."""
        return self._solved(self.top_probe, others)

    def _solved(self, constant: Block, others: Block) -> Block:
        known = constant - self.top @ others if self.top.shape[-1] else constant
        return _placed(solve(self.triangle, known), self.places)


def _placed(unknowns: Block, places: Indices) -> Block:
    """Unknowns in the order of their making, from the order of their elimination."""
    lead = np.broadcast_shapes(unknowns.shape[:-2], places.shape[:-1])
    unknowns = np.broadcast_to(unknowns, (*lead, *unknowns.shape[-2:]))
    return np.take_along_axis(unknowns, np.broadcast_to(places[..., None], unknowns.shape), axis=-2)


def stacked(parts: Sequence[Block]) -> Block:
    """Column blocks on top of each other, their leading axes broadcast."""
    lead = np.broadcast_shapes(*(part.shape[:-2] for part in parts))
    return np.concatenate([np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in parts], axis=-2)


def _triangularised(
    system: Block, right: Block, probe: Block, sizes: Sizes, width: int, given: int, salt: int | None
) -> Triangle:
    # Reflections keep columns apart, whatever their units, but not rows: equations of light bodies are brought to the
    # size of those of heavy ones, as far as the sizes of the unknowns allow.
    rows = _power_of_two((np.abs(system) * sizes[..., None, :]).max(axis=-1, initial=0.0))[..., :, None]
    mirrors = _Reflections(np.concatenate([system, right], axis=-1) / rows, sizes[..., :width])
    triangle, turned = mirrors.turned[..., :width, :width], mirrors.turned[..., width:]
    others = system.shape[-1] - width
    top, rest = turned[..., :width, :others], turned[..., width:, :others]
    if salt is not None:
        # Rounding is as large as the terms are in the end, after what cancels in them has cancelled.
        responses = _responses(triangle, mirrors.places, top, rest, sizes, given)
        expected = np.concatenate([responses, sizes[..., given:]], axis=-1)
        noise = (np.abs(system) * expected[..., None, :]).max(axis=-1, initial=0.0)[..., None]
        signs = _signs(noise.shape[-2], width + 1, salt)
        probe = mirrors.rounded((probe + signs[-1] * noise) / rows, expected, signs)
    diagonal = np.diagonal(triangle, axis1=-2, axis2=-1)
    # Powers of two are counted apart: their logarithms would be rounded one by one, and mostly cancel.
    exponents = np.round(np.log2(np.where(diagonal == 0, 1.0, np.abs(diagonal))))
    mantissa, exponent = diagonal * np.exp2(-exponents), exponents.sum(axis=-1)
    return Triangle(
        triangle=triangle,
        kept=mirrors.kept(),
        places=mirrors.places,
        top=top,
        top_constant=turned[..., :width, others:],
        top_probe=probe[..., :width, :],
        rest=rest,
        rest_constant=turned[..., width:, others:],
        rest_probe=probe[..., width:, :],
        sizes=sizes[..., :given],
        logdet=np.log(np.abs(mantissa)).sum(axis=-1),
        exponent=exponent + np.log2(rows[..., :, 0]).sum(axis=-1),
        negative=mirrors.negative ^ ((diagonal < 0).sum(axis=-1) % 2 == 1),
    )


class _Reflections:
    """Reflections I − β v v* and orders of rows and columns that make the first columns of a matrix triangular.

    With the largest entry on the diagonal in each column, small rows lose no digits to large ones, provided that large
    columns are turned before small ones and the reflections are applied one after the other: the entries of their
    product are right to rounding only. Columns are as large as their unknowns make them.
    [Cox and Higham, Stability of Householder QR factorization for weighted least squares problems, 1998]
    """

    def __init__(self, matrix: Block, sizes: Sizes) -> None:
        lead, height, width = matrix.shape[:-2], matrix.shape[-2], sizes.shape[-1]
        samples = math.prod(lead)
        work = np.array(matrix).reshape(samples, *matrix.shape[-2:])
        sizes = np.array(np.broadcast_to(sizes, (*lead, width))).reshape(samples, width)
        rows = np.arange(height, dtype=np.intp)
        left = np.ones(work.shape[:-1])
        rank = np.zeros(work.shape[:-1]) + rows + width
        columns = np.tile(np.arange(width, dtype=np.intp), (len(work), 1))
        self._steps: list[tuple[Block, Block]] = []
        terms = np.zeros((samples, width, work.shape[-1]))
        for j in range(width):
            lengths = np.abs(work[..., j:width] * left[..., None]).max(axis=-2, initial=0.0) * sizes[..., j:]
            # The first that is large, so that ties within rounding don't change the order.
            other = j + (lengths >= _LARGE * lengths.max(axis=-1, keepdims=True)).argmax(axis=-1)
            if (other != j).any():
                for table in (work, sizes, columns, terms):
                    _swap(table, j, other)
            v = work[..., j] * left
            chosen = rows == (np.abs(v) + 1e-300 * left).argmax(axis=-1)[..., None]
            pivot = (v * chosen).sum(axis=-1)[..., None]
            length = np.sqrt((v * v).sum(axis=-1))[..., None]
            v = v + chosen * np.copysign(length, pivot)
            beta = 1.0 / np.where(length > 0.0, length * (length + np.abs(pivot)), np.inf)
            turned = _rows_of(v)
            terms[:, j, j:] = beta * (np.abs(v[:, None, turned]) @ np.abs(work[:, turned, j:]))[:, 0]
            self._apply(work[..., j:], v[..., None], beta[..., None], turned)
            self._steps.append((v.reshape(*lead, height, 1), beta.reshape(*lead, 1, 1)))
            rank = np.where(chosen, j, rank)
            left = np.where(chosen, 0.0, left)
        self._order = np.argsort(rank, axis=-1).reshape(*lead, height)
        self._columns = columns.reshape(*lead, width)
        self.places = np.argsort(self._columns, axis=-1)
        self.turned = self._sorted(work.reshape(*lead, *work.shape[-2:]))
        self.turned[..., :, :width] = np.triu(self.turned[..., :, :width])
        self._sizes = sizes.reshape(*lead, 1, width)
        self._first = np.take_along_axis(matrix, self._columns[..., None, :], axis=-1)
        self._terms = terms.reshape(*lead, *terms.shape[1:])
        """β |v|* |A| of each step, which rounds |v| times as much."""

    @staticmethod
    def _apply(block: Block, v: Block, beta: Block, turned: Indices | slice = slice(None)) -> None:
        v = v[..., turned, :]
        block[..., turned, :] -= v * (beta * (np.swapaxes(v, -1, -2) @ block[..., turned, :]))

    def kept(self) -> Scalars:
        """The least entry of the diagonal beside what rounding makes of it, in units of eps; at most 1.

        Rounding E of the matrix or of what a step made of it changes an entry R(j, j) by q* E x, where
        x = R⁻¹ e R(j, j) for unit vectors e, and q = Q e of the steps that come after it. In the mean over independent
        signs of E(i, c) this is the root of Σ q(i)² E(i, c)² x(c)².
        """
        width = self._sizes.shape[-1]
        first, terms, triangle = (
            a[..., :width] * self._sizes for a in (self._first, self._terms, self.turned[..., :width, :])
        )
        diagonal = np.diagonal(triangle, axis1=-2, axis2=-1)
        unit = np.eye(width)
        x = solve(triangle + unit * (diagonal == 0.0)[..., None, :], unit * diagonal[..., None, :])
        q = np.zeros((*self._order.shape, width))
        np.put_along_axis(q, self._order[..., None, :width], 1.0, axis=-2)
        parts = np.square(terms) @ np.square(x)
        lost = np.zeros(diagonal.shape)
        for j in reversed(range(width)):
            v, beta = self._steps[j]
            turned, later = _rows_of(v[..., 0]), q[..., j:]
            reached = np.square(v[..., turned, :] * later[..., turned, :]).sum(axis=-2)
            lost[..., j:] += reached * parts[..., j, j:]
            self._apply(later, v, beta, turned)
        lost += (adjoint(np.square(first)) @ np.square(q) * np.square(x)).sum(axis=-2)
        lost = _ROUNDED * np.sqrt(lost)
        share = np.abs(diagonal) / np.where(lost > 0.0, lost, np.where(diagonal == 0.0, 1.0, np.abs(diagonal)))
        return np.fmin.reduce(share, axis=-1, initial=1.0)

    def _sorted(self, block: Block) -> Block:
        return np.take_along_axis(block, self._order[..., None], axis=-2)

    def rounded(self, block: Block, unknowns: Sizes, signs: Numbers) -> Block:
        """Other columns, changed like the matrix, with what each step rounds where unknowns are as large as said."""
        width = self._sizes.shape[-1]
        own = np.take_along_axis(unknowns[..., :width], self._columns, axis=-1)
        sizes = np.concatenate([own, unknowns[..., width:]], axis=-1)
        noise = (self._terms[..., : sizes.shape[-1]] * sizes[..., None, :]).max(axis=-1, initial=0.0)
        work = np.array(block)
        for j, (v, beta) in enumerate(self._steps):
            self._apply(work, v, beta, _rows_of(v[..., 0]))
            work += signs[j] * np.abs(v) * noise[..., j, None, None]
        return self._sorted(work)

    @property
    def negative(self) -> Flags:
        """Whether the determinant of the whole change is −1: it is the product of those of reflections and swaps."""
        mirrors = sum((beta[..., 0, 0] > 0.0) for _, beta in self._steps)
        return (_inversions(self._order) + _inversions(self.places) + mirrors) % 2 == 1


def _rows_of(vectors: Sizes) -> Indices | slice:
    """The rows in which any vector has an entry: of large stacked equations most have few."""
    if vectors.shape[-1] < _SPARSE:
        return slice(None)
    return np.flatnonzero(vectors.any(axis=tuple(range(vectors.ndim - 1))))


def _swap(table: Numbers | Indices, one: int, others: Indices) -> None:
    """Swap a column with another one in each sample."""
    sample = np.arange(len(table))
    column = table[..., one].copy()
    table[..., one] = table[sample, ..., others]
    table[sample, ..., others] = column


def _inversions(order: Indices) -> Indices:
    """How many pairs stand in the wrong order."""
    return np.triu(order[..., :, None] > order[..., None, :], 1).sum(axis=(-2, -1))


def _responses(triangle: Block, places: Indices, top: Block, rest: Block, sizes: Sizes, given: int) -> Sizes:
    """How large the unknowns before the given ones become when these have size one; never more than `sizes`."""
    width = places.shape[-1]
    free = given - width
    units = sizes[..., None, given:]
    answer = np.zeros((*rest.shape[:-2], free, units.shape[-1]))
    if free:
        own = sizes[..., width:given, None]
        block = rest[..., :free] * np.swapaxes(own, -1, -2)
        inverse = np.linalg.pinv(np.where(np.isfinite(block), block, 0.0))
        answer = -own * (inverse @ (rest[..., free:] * units))
    driven = top[..., :free] @ answer + top[..., free:] * units
    inner = -_placed(solve(triangle, driven), places) if width else answer[..., :0, :]
    found = np.abs(np.concatenate([inner, answer], axis=-2)).max(axis=-1, initial=0.0)
    return np.fmin(found, sizes[..., :given])


@lru_cache(maxsize=256)
def _signs(rows: int, count: int, salt: int) -> Numbers:
    """So many times what rounding does to rows, with columns of signs, other ones for each salt."""
    return _ROUNDED * drawn((salt, rows), (count, rows, PROBES))


def _power_of_two(scale: Sizes) -> Sizes:
    return np.exp2(np.round(np.log2(np.where((scale > 0) & np.isfinite(scale), scale, 1.0))))
