"""The blocks of an operator as seen by one body: how it answers to itself, to its children and to its parent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from operator_algebra.lowering.values import Hop, Ref

Blocks = tuple[Ref | None, ...]
Grid = tuple[Blocks, ...]


@dataclass(frozen=True, slots=True)
class Transfer:
    """The blocks that a walk needs; i counts what goes inward (messages s), j what goes outward (d, arriving as β).

    out = out_x x + Σ out_z[i] z_i + Σ out_beta[j] β_j,   s_i and d_j alike,   β_j = Σ theta[j][i] s_i.
    """

    inward: tuple[Hop, ...]
    outward: tuple[Hop, ...]
    out_x: Ref | None
    out_z: Blocks
    out_beta: Blocks
    s_x: Blocks
    s_z: Grid
    d_x: Blocks
    d_z: Grid
    d_beta: Grid
    theta: Grid

    def map(self, change: Callable[[Ref], Ref | None]) -> Transfer:
        """The same over other values."""

        def one(ref: Ref | None) -> Ref | None:
            return None if ref is None else change(ref)

        def row(refs: Blocks) -> Blocks:
            return tuple(one(ref) for ref in refs)

        def grid(rows: Grid) -> Grid:
            return tuple(row(refs) for refs in rows)

        return Transfer(
            self.inward,
            self.outward,
            one(self.out_x),
            row(self.out_z),
            row(self.out_beta),
            row(self.s_x),
            grid(self.s_z),
            row(self.d_x),
            grid(self.d_z),
            grid(self.d_beta),
            grid(self.theta),
        )

    def refs(self) -> tuple[Ref, ...]:
        """Every value that is read."""
        rows = (self.out_z, self.out_beta, self.s_x, self.d_x, *self.s_z, *self.d_z, *self.d_beta, *self.theta)
        return tuple(ref for ref in (self.out_x, *(ref for row in rows for ref in row)) if ref is not None)
