"""Stacked equations made triangular by orthogonal transformations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from operator_algebra.backends.numpy.arrays import Block, Chosen, Flags, Scalars, Sizes
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

_ROUNDING = 1e-15
"""Singular values below so much of the largest are nothing but rounding."""

_VAGUE = 1e-2
"""What singular values below so much of the largest determine may be large by accident."""

_ROUNDED = 0.5
"""What rounding changes is at most so many eps of what is rounded."""


@dataclass(frozen=True)
class Relation:
    """What is left to say of some unknowns x, counted from x⁰, and of others y: A (x − x⁰) + B y = a."""

    own: Block
    others: Block
    constant: Block
    probe: Block
    sizes: Sizes
    origin: Block


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
    origin: Block
    """From where all unknowns are counted that are not given."""

    @property
    def relation(self) -> Relation:
        """What `rest` says, the given unknowns apart from the others."""
        width = self.triangle.shape[-1]
        free = self.sizes.shape[-1] - width
        return Relation(
            self.rest[..., :free],
            self.rest[..., free:],
            self.rest_constant,
            self.rest_probe,
            self.sizes[..., width:],
            self.origin[..., width:, :],
        )

    def solved(self, others: Block) -> Block:
        """The eliminated unknowns, from the others, both counted from their origin."""
        return self._solved(self.top_constant, others)

    def probed(self, others: Block) -> Block:
        """The eliminated unknowns where constants are rounding."""
        return self._solved(self.top_probe, others)

    def placed(self, unknowns: Block) -> Block:
        """Unknowns counted from zero."""
        return unknowns + self.origin

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


def triangularised(
    system: Block,
    right: Block,
    probe: Block,
    sizes: Sizes,
    origin: Block,
    width: int,
    given: int,
    salt: int | None,
) -> Triangle:
    """Eliminate the first `width` columns; those from `given` on are what the others respond to."""
    # Reflections keep columns apart, whatever their units, but not rows: equations of light bodies are brought to the
    # size of those of heavy ones, as far as the sizes of the unknowns allow.
    rows = _power_of_two((np.abs(system) * sizes[..., None, :]).max(axis=-1, initial=0.0))[..., :, None]
    mirrors = _Reflections(np.concatenate([system, right], axis=-1) / rows, sizes[..., :width])
    triangle, turned = mirrors.turned[..., :width, :width], mirrors.turned[..., width:]
    others = system.shape[-1] - width
    top, rest = turned[..., :width, :others], turned[..., width:, :others]
    top_constant, rest_constant = turned[..., :width, others:], turned[..., width:, others:]
    if salt is not None:
        free = given - width
        least = _Least(rest[..., :free], sizes[..., width:given])
        # Unknowns are counted from what they are if nothing arrives. Constants of whole subtrees would add up and
        # cancel; accelerations of heavy bodies would drown in the rounding of those of light ones.
        move, rest_constant = least.parted(rest_constant, _VAGUE)
        top_constant = top_constant - top[..., :free] @ move
        origin = stacked([origin[..., :width, :], origin[..., width:, :] + move])
        # Rounding is as large as the terms are in the end, after what cancels in them has cancelled.
        responses = _responses(triangle, mirrors.places, top, rest, sizes, given, least)
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
        top_constant=top_constant,
        top_probe=probe[..., :width, :],
        rest=rest,
        rest_constant=rest_constant,
        rest_probe=probe[..., width:, :],
        sizes=sizes[..., :given],
        logdet=np.log(np.abs(mantissa)).sum(axis=-1),
        exponent=exponent + np.log2(rows[..., :, 0]).sum(axis=-1),
        negative=mirrors.negative ^ ((diagonal < 0).sum(axis=-1) % 2 == 1),
        origin=origin,
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


def _responses(
    triangle: Block, places: Indices, top: Block, rest: Block, sizes: Sizes, given: int, least: _Least
) -> Sizes:
    """How large the unknowns before the given ones become when these have size one; never more than `sizes`."""
    width = places.shape[-1]
    free = given - width
    units = sizes[..., None, given:]
    answer = -least.solved(rest[..., free:] * units, _ROUNDING)
    driven = top[..., :free] @ answer + top[..., free:] * units
    inner = -_placed(solve(triangle, driven), places) if width else answer[..., :0, :]
    found = np.abs(np.concatenate([inner, answer], axis=-2)).max(axis=-1, initial=0.0)
    return np.fmin(found, sizes[..., :given])


class _Least:
    """Least solutions of equations, in units of the sizes of their unknowns."""

    def __init__(self, block: Block, sizes: Sizes) -> None:
        self._block, self._sizes = block, sizes[..., None]
        scaled = block * sizes[..., None, :]
        # What is not a number is told of by the triangle.
        finite = np.where(np.isfinite(scaled), scaled, 0.0)
        self._left, self._values, self._right = np.linalg.svd(finite, full_matrices=False)

    def solved(self, right: Block, share: float) -> Block:
        """Without singular values below a share of the largest."""
        large = self._large(share)
        inverse = np.divide(1.0, self._values[..., None], where=large, out=np.zeros(large.shape))
        return self._sizes * (adjoint(self._right) @ (inverse * (adjoint(self._left) @ right)))

    def parted(self, right: Block, share: float) -> tuple[Block, Block]:
        """Refined, and the right sides that smaller singular values have to do with."""
        found = self.solved(right, share)
        found = found + self.solved(right - self._block @ found, share)
        return found, self._left @ (~self._large(share) * (adjoint(self._left) @ right))

    def _large(self, share: float) -> Chosen:
        return (self._values > share * self._values.max(axis=-1, keepdims=True, initial=0.0))[..., None]


@lru_cache(maxsize=256)
def _signs(rows: int, count: int, salt: int) -> Numbers:
    """So many times what rounding does to rows, with columns of signs, other ones for each salt."""
    return _ROUNDED * drawn((salt, rows), (count, rows, PROBES))


def _power_of_two(scale: Sizes) -> Sizes:
    return np.exp2(np.round(np.log2(np.where((scale > 0) & np.isfinite(scale), scale, 1.0))))
