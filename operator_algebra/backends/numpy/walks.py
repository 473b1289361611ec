"""Blocks of an operator by walks over the tree: inward from the column's body, turned, and outward to the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from operator_algebra.backends.numpy.arrays import Block
from operator_algebra.backends.numpy.levels import Indices
from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout
from operator_algebra.programs.instructions import Hop
from operator_algebra.programs.records import Ref
from operator_algebra.programs.walk import Blocks, Grid, Walk

Kernel = Callable[[int], Block]


@dataclass(frozen=True)
class Walker:
    """The blocks of a transfer on one model: `get` gives the block of a value at a body, `hop` those of a leaf hop."""

    model: Model
    transfer: Walk
    rows: Layout
    columns: Layout
    get: Callable[[Ref], Kernel]
    hop: Callable[[Hop], Sequence[Block]]

    def dense(self) -> Block:
        """The whole matrix, (..., rows, columns)."""
        return _Dense(self).run()

    def block(self, i: int, j: int) -> Block:
        """The block of row body i and column body j."""
        return _block(self, i, j)

    def row_at(self, refs: Blocks, k: int) -> list[Block | None]:
        """The blocks of a row at a body; None is zero."""
        return [None if ref is None else self.get(ref)(k) for ref in refs]

    def grid_at(self, refs: Grid, k: int) -> list[list[Block | None]]:
        """The blocks of a grid at a body."""
        return [self.row_at(row, k) for row in refs]


def _times(matrices: Sequence[Block | None], vectors: Sequence[Block | None]) -> Block | None:
    """Σ matrices[i] vectors[i], where None is zero."""
    total: Block | None = None
    for matrix, vector in zip(matrices, vectors, strict=True):
        if matrix is not None and vector is not None:
            part = matrix @ vector
            total = part if total is None else total + part
    return total


def _plus(a: Block | None, b: Block | None) -> Block | None:
    return b if a is None else a if b is None else a + b


def _block(walker: Walker, i: int, j: int) -> Block:
    t, parent = walker.transfer, walker.model.parent
    above_i: dict[int, int] = {}
    child, body = -1, i
    while body >= 0:
        above_i[body] = child
        child, body = body, parent[body]
    zero = np.zeros((int(walker.rows.sizes[i]), int(walker.columns.sizes[j])))
    inward = [walker.hop(hop) for hop in t.inward]
    k, w = j, None
    sent = walker.row_at(t.s_x, j)
    out, down = (None if t.out_x is None else walker.get(t.out_x)(j)), walker.row_at(t.d_x, j)
    while k not in above_i:
        child, k = k, parent[k]
        if k < 0:
            return zero
        w = [None if m is None else U[child] @ m for U, m in zip(inward, sent, strict=True)]
        sent = [_times(row, w) for row in walker.grid_at(t.s_z, k)]
        out, down = _times(walker.row_at(t.out_z, k), w), [_times(row, w) for row in walker.grid_at(t.d_z, k)]
    arriving = [_times(row, sent) for row in walker.grid_at(t.theta, k)]
    while True:
        out = _plus(out, _times(walker.row_at(t.out_beta, k), arriving))
        if k == i:
            return zero if out is None else out + zero
        down = [_plus(d, _times(row, arriving)) for d, row in zip(down, walker.grid_at(t.d_beta, k), strict=True)]
        k = above_i[k]
        outward = [walker.hop(hop)[k] for hop in t.outward]
        arriving = [None if d is None else D @ d for D, d in zip(outward, down, strict=True)]
        out, down = None, [None] * len(t.outward)


class _Dense:
    """All columns at once: those of a subtree on the way in, those that can be non-zero on the way out."""

    def __init__(self, walker: Walker) -> None:
        self.walker = walker
        self.model = walker.model
        self.t = walker.transfer
        self.inward = [walker.hop(hop) for hop in self.t.inward]
        self.outward = [walker.hop(hop) for hop in self.t.outward]
        self.stop = self._subtree_ends()
        self.sent: list[list[Block | None]] = [[] for _ in range(self.model.n)]
        self.local: list[tuple[Block | None, list[Block | None]]] = [(None, [])] * self.model.n
        self.returns = any(ref is not None for row in (*self.t.theta, *self.t.d_z) for ref in row)

    def _subtree_ends(self) -> list[int]:
        """Bodies are stored depth first: the subtree of k is k … stop[k] − 1."""
        stop = list(range(1, self.model.n + 1))
        for k in range(self.model.n - 1, -1, -1):
            parent = self.model.parent[k]
            if parent >= 0:
                stop[parent] = max(stop[parent], stop[k])
        return stop

    def _joined(self, own: Block | None, rows: int, k: int, parts: Sequence[Block | None]) -> Block | None:
        """The columns of k itself and of its children side by side; None if all are zero."""
        if own is None and all(part is None for part in parts):
            return None
        offsets = self.walker.columns.offsets
        widths = [int(self.walker.columns.sizes[k])] + [
            int(offsets[self.stop[c]] - offsets[c]) for c in self.model.children[k]
        ]
        cells = [
            np.zeros((rows, width)) if part is None else part for part, width in zip([own, *parts], widths, strict=True)
        ]
        lead = np.broadcast_shapes(*(cell.shape[:-2] for cell in cells))
        return np.concatenate([np.broadcast_to(cell, (*lead, *cell.shape[-2:])) for cell in cells], axis=-1)

    def _up(self, k: int) -> None:
        walker, t = self.walker, self.t
        incoming = [
            [None if m is None else U[c] @ m for U, m in zip(self.inward, self.sent[c], strict=True)]
            for c in self.model.children[k]
        ]
        s_x, s_z = walker.row_at(t.s_x, k), walker.grid_at(t.s_z, k)
        d_x, d_z = walker.row_at(t.d_x, k), walker.grid_at(t.d_z, k)
        out_x = None if t.out_x is None else walker.get(t.out_x)(k)
        out_z = walker.row_at(t.out_z, k)

        def joined(own: Block | None, through: Sequence[Block | None]) -> Block | None:
            parts = [_times(through, w) for w in incoming]
            rows = next((part.shape[-2] for part in (own, *parts) if part is not None), 0)
            return self._joined(own, rows, k, parts)

        self.sent[k] = [joined(own, through) for own, through in zip(s_x, s_z, strict=True)]
        self.local[k] = (joined(out_x, out_z), [joined(own, row) for own, row in zip(d_x, d_z, strict=True)])

    def run(self) -> Block:
        model, walker, t = self.model, self.walker, self.t
        offsets = walker.columns.offsets
        for k in range(model.n - 1, -1, -1):
            self._up(k)
        blocks: list[tuple[int, Indices, Block | None]] = []
        arriving: list[tuple[Indices, list[Block | None]]] = [
            (np.zeros(0, dtype=np.intp), [None] * len(t.outward))
        ] * model.n
        for k in range(model.n):
            outside, beta = arriving[k]
            inside = np.arange(int(offsets[k]), int(offsets[self.stop[k]]), dtype=np.intp)
            own_beta = [_times(row, self.sent[k]) for row in walker.grid_at(t.theta, k)]
            out_beta, d_beta = walker.row_at(t.out_beta, k), walker.grid_at(t.d_beta, k)
            local_out, local_down = self.local[k]
            blocks.append((k, inside, _plus(local_out, _times(out_beta, own_beta))))
            blocks.append((k, outside, _times(out_beta, beta)))
            down_in = [_plus(d, _times(row, own_beta)) for d, row in zip(local_down, d_beta, strict=True)]
            down_out = [_times(row, beta) for row in d_beta]
            for c in model.children[k]:
                arriving[c] = self._handed_on(k, c, inside, outside, down_in, down_out)
            arriving[k] = (outside[:0], [])
        return self._assembled(blocks)

    def _handed_on(
        self,
        k: int,
        c: int,
        inside: Indices,
        outside: Indices,
        down_in: list[Block | None],
        down_out: list[Block | None],
    ) -> tuple[Indices, list[Block | None]]:
        """What reaches child c: its columns are all that can answer, without those of its own subtree."""
        offsets = self.walker.columns.offsets
        if self.returns:
            keep = (inside < offsets[c]) | (inside >= offsets[self.stop[c]])
        else:
            keep = inside < offsets[k + 1]
        columns = np.concatenate([outside, inside[keep]])
        result: list[Block | None] = []
        for hops, d_in, d_out in zip(self.outward, down_in, down_out, strict=True):
            some = d_out if d_in is None else d_in
            if some is None:
                result.append(None)
                continue
            rows = some.shape[-2]
            left = np.zeros((rows, len(outside))) if d_out is None else d_out
            right = np.zeros((rows, int(keep.sum()))) if d_in is None else d_in[..., keep]
            lead = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
            both = [np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in (left, right)]
            result.append(hops[c] @ np.concatenate(both, axis=-1))
        return columns, result

    def _assembled(self, blocks: list[tuple[int, Indices, Block | None]]) -> Block:
        rows, columns = self.walker.rows, self.walker.columns
        lead = np.broadcast_shapes(*{block.shape[:-2] for _, _, block in blocks if block is not None})
        whole = np.zeros((*lead, rows.size, columns.size))
        for k, where, block in blocks:
            if block is not None and len(where):
                whole[..., rows.part(k), where] = block
        return whole
