"""Random values of the inputs of a law, with the structure that they were declared with."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp

from operator_algebra.checking.arithmetic import Floats, span
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.models.arrays import Indices
from operator_algebra.operators.arrays import Pattern
from operator_algebra.operators.blockdict import Sparse, compressed, placed
from operator_algebra.operators.spaces import Space
from operator_algebra.operators.structure import Structure

_DENSE = 2000


def user_sizes(space: Space, bodies: int) -> Indices:
    """Block sizes of a user's own space: one or two per body, always the same for the same name."""
    if space.sizes == "ground":
        return np.array([6], dtype=np.intp)
    rng = np.random.default_rng([zlib.crc32(space.sizes.encode()), bodies])
    return rng.integers(1, 3, bodies if space.attached else 1).astype(np.intp)


def draw(symbol: Symbol, rows: Indices, cols: Indices, parent: Indices, seed: int) -> Sparse:
    """A random value of an input: a scipy.sparse array, with entries where its structure allows them."""
    shape = (int(rows.sum()), int(cols.sum()))
    if not _is_local(symbol, rows, cols, parent):
        return compressed(draw_dense(symbol, rows, cols, parent, seed))
    found: list[tuple[Indices, Indices, Floats]] = []
    drawn = _blocks(symbol, rows, cols, parent, seed)
    for i, j, block in drawn:
        down: Indices = np.repeat(span(block.shape[0]), block.shape[1])
        across: Indices = np.tile(span(block.shape[1]), block.shape[0])
        found.append((down + i, across + j, block.ravel()))
    if not found:
        return compressed(sp.csr_array(shape))
    i, j, values = (np.concatenate(part) for part in zip(*found, strict=True))
    return placed(values, i, j, shape)


def draw_dense(symbol: Symbol, rows: Indices, cols: Indices, parent: Indices, seed: int) -> Floats:
    """The same as a NumPy array."""
    shape = (int(rows.sum()), int(cols.sum()))
    if _is_local(symbol, rows, cols, parent):
        result = np.zeros(shape)
        drawn = _blocks(symbol, rows, cols, parent, seed)
        for i, j, block in drawn:
            result[i : i + block.shape[0], j : j + block.shape[1]] = block
        return result
    structure = _structure(symbol)
    if structure.flow == "zero":
        return np.zeros(shape)
    attached = _attached(symbol, rows, cols, parent)
    values = _rng(symbol, seed).uniform(-1.0, 1.0, shape)
    if attached and structure.flow in ("inward", "outward", "related"):
        values = np.where(_reach(structure.flow, parent)[_owner(rows)][:, _owner(cols)], values, 0.0)
    same = _owner(rows)[:, None] == _owner(cols)[None, :] if attached and max(shape) <= _DENSE else None
    return _signed(structure, values, same)


def _structure(symbol: Symbol) -> Structure:
    assert symbol.declared is not None
    return symbol.declared


def _rng(symbol: Symbol, seed: int) -> np.random.Generator:
    return np.random.default_rng([seed, zlib.crc32(symbol.name.encode())])


def _attached(symbol: Symbol, rows: Indices, cols: Indices, parent: Indices) -> bool:
    return len(rows) == len(parent) and len(cols) == len(parent) and symbol.type.domain.attached


def _is_local(symbol: Symbol, rows: Indices, cols: Indices, parent: Indices) -> bool:
    structure = _structure(symbol)
    return _attached(symbol, rows, cols, parent) and (structure.flow == "diagonal" or structure.hop)


def _signed(structure: Structure, values: Floats, same: Pattern | None) -> Floats:
    """The declared sign; identity or zero blocks on the diagonal where they were declared."""
    if structure.semidefinite:
        values = values @ values.T + (0.5 * np.eye(len(values)) if structure.definite else 0.0)
    elif structure.symmetric:
        values = values + values.T
    if same is not None and structure.unit:
        values = np.where(same, np.eye(len(values)), values)
    elif same is not None and structure.strict:
        values = np.where(same, 0.0, values)
    return values


def _blocks(
    symbol: Symbol, rows: Indices, cols: Indices, parent: Indices, seed: int
) -> Iterator[tuple[int, int, Floats]]:
    """The blocks of a block-diagonal operator or a hop, with their first row and column."""
    structure, rng = _structure(symbol), _rng(symbol, seed)
    count = len(rows)
    at_row, at_col = np.arange(count), np.arange(count)
    if structure.hop:
        (below,) = np.nonzero(np.asarray(parent) >= 0)
        above = np.asarray(parent)[below]
        at_row, at_col = (above, below) if structure.flow == "inward" else (below, above)
    row_starts, col_starts = np.cumsum(rows) - rows, np.cumsum(cols) - cols
    for i, j in zip(at_row.tolist(), at_col.tolist(), strict=True):
        values = rng.uniform(-1.0, 1.0, (int(rows[i]), int(cols[j])))
        yield int(row_starts[i]), int(col_starts[j]), _signed(structure, values, None)


def _owner(sizes: Indices) -> Indices:
    return np.repeat(np.arange(len(sizes)), sizes)


def _reach(flow: str, parent: Indices) -> Pattern:
    """Which pairs of bodies an operator of this flow may join."""
    above = np.asarray(parent)
    count = len(above)
    edges = (np.arange(count)[:, None] == above[None, :]) & (above >= 0)
    reach = np.eye(count, dtype=bool)
    while True:
        wider = reach | (edges @ reach)
        if np.array_equal(wider, reach):
            break
        reach = wider
    return {"inward": reach, "outward": reach.T, "related": reach | reach.T}[flow]
