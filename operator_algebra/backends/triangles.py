"""Equations of one body, stacked and made triangular by orthogonal transformations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from operator_algebra.backends.kernels import solve


class Equations:
    """Block equations Σ block · unknown = constant; unknowns stand in columns in the order of their making."""

    def __init__(self) -> None:
        self._rows = 0
        self._columns = 0
        self._blocks: list[tuple[slice, slice, Any]] = []
        self._constants: list[tuple[slice, Any]] = []

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

    def add(self, rows: int, terms: Iterable[tuple[slice, Any]], constant: Any = None) -> None:
        """One more block row."""
        where = slice(self._rows, self._rows + rows)
        self._rows += rows
        self._blocks.extend((where, column, block) for column, block in terms)
        if constant is not None:
            self._constants.append((where, constant))

    def triangularised(self, width: int) -> Triangle:
        """Eliminate the first `width` columns."""
        given = [block for _, block in self._constants]
        count = next((block.shape[-1] for block in given if block.shape[-1] != 1), 1)
        lead = np.broadcast_shapes(*(block.shape[:-2] for _, _, block in self._blocks), *(b.shape[:-2] for b in given))
        system = np.zeros((*lead, self._rows, self._columns))
        for where, column, block in self._blocks:
            system[..., where, column] += block
        right = np.zeros((*lead, self._rows, count))
        for where, block in self._constants:
            right[..., where, :] += block
        return _triangularised(system, right, width)


@dataclass(frozen=True)
class Triangle:
    """What a body's equations say once their first unknowns are eliminated.

    `rest` and `rest_constant` speak of the other unknowns alone; `triangle`, `top` and `top_constant` give the
    eliminated ones, up to `scales`.
    """

    triangle: Any
    top: Any
    top_constant: Any
    rest: Any
    rest_constant: Any
    scales: Any
    logdet: Any
    measure: Any
    turn: Any
    """The orthogonal factor; its determinant is 1 or −1."""

    @property
    def negative(self) -> Any:
        """Whether the determinant of the eliminated part is negative, with the rows of the rest in their order."""
        diagonal = np.diagonal(self.triangle, axis1=-2, axis2=-1)
        return (np.linalg.det(self.turn) < 0) ^ ((diagonal < 0).sum(axis=-1) % 2 == 1)

    def solved(self, others: Any) -> Any:
        """The eliminated unknowns, from the others."""
        known = self.top_constant - self.top @ others if self.top.shape[-1] else self.top_constant
        return self.scales[..., :, None] * solve(self.triangle, known)


def stacked(parts: Sequence[Any]) -> Any:
    """Column blocks on top of each other, their leading axes broadcast."""
    lead = np.broadcast_shapes(*(part.shape[:-2] for part in parts))
    return np.concatenate([np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in parts], axis=-2)


def _triangularised(system: Any, right: Any, width: int) -> Triangle:
    rows, scales = _balanced(system)
    system = rows[..., :, None] * system * scales[..., None, :]
    q, r = np.linalg.qr(system[..., :width], mode="complete")
    # Only the eliminated unknowns keep their own units; what is handed on is in the units of the caller.
    outer = system[..., width:] / scales[..., None, width:]
    turned = np.swapaxes(q, -1, -2) @ np.concatenate([outer, rows[..., :, None] * right], axis=-1)
    others = system.shape[-1] - width
    triangle = r[..., :width, :]
    # The diagonal of the triangle does not show how near to singular it is. The least singular value does, if columns
    # have length one: it says how much of a column the others leave.
    lengths = np.linalg.norm(triangle, axis=-2, keepdims=True)
    balanced = triangle / np.where(lengths > 0, lengths, 1.0)
    finite: Any = np.isfinite(balanced).all(axis=(-2, -1))
    values = np.linalg.svd(np.where(finite[..., None, None], balanced, 0.0), compute_uv=False)
    measure: Any = np.where(finite, values[..., -1] if width else np.ones(values.shape[:-1]), np.nan)
    pivots = np.log(np.abs(np.diagonal(triangle, axis1=-2, axis2=-1))).sum(axis=-1)
    return Triangle(
        triangle=triangle,
        top=turned[..., :width, :others],
        top_constant=turned[..., :width, others:],
        rest=turned[..., width:, :others],
        rest_constant=turned[..., width:, others:],
        scales=scales[..., :width],
        logdet=pivots - np.log(rows).sum(axis=-1) - np.log(scales[..., :width]).sum(axis=-1),
        measure=measure,
        turn=q,
    )


def _balanced(system: Any) -> tuple[Any, Any]:
    """Powers of two for rows and columns that bring all entries near one.

    Bodies of very different masses meet in one system; without this the orthogonal transformations would round the
    equations of the light ones by the size of the heavy ones.
    """
    rows, columns = np.ones(system.shape[:-1]), np.ones((*system.shape[:-2], system.shape[-1]))
    size = np.abs(system)
    for _ in range(4):
        scaled = rows[..., :, None] * size * columns[..., None, :]
        largest_in_row, largest_in_column = scaled.max(axis=-1, initial=0.0), scaled.max(axis=-2, initial=0.0)
        rows = rows / _root_of(largest_in_row)
        columns = columns / _root_of(largest_in_column)
    return _power_of_two(rows), _power_of_two(columns)


def _root_of(size: Any) -> Any:
    positive: Any = (size > 0) & np.isfinite(size)
    return np.sqrt(np.asarray(np.where(positive, size, 1.0), dtype=np.float64))


def _power_of_two(scale: Any) -> Any:
    return np.exp2(np.round(np.log2(np.asarray(scale, dtype=np.float64))))
