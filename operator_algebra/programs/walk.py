"""The blocks of an operator as seen by one body: how it answers to itself, to its children and to its parent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from operator_algebra.programs.instructions import Hop
from operator_algebra.programs.records import Ref

Blocks = tuple[Ref | None, ...]
Grid = tuple[Blocks, ...]
Port = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Walk:
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

    def map(self, change: Callable[[Ref], Ref | None]) -> Walk:
        """The same over other values."""

        def one(ref: Ref | None) -> Ref | None:
            return None if ref is None else change(ref)

        def row(refs: Blocks) -> Blocks:
            return tuple(one(ref) for ref in refs)

        def grid(rows: Grid) -> Grid:
            return tuple(row(refs) for refs in rows)

        return Walk(
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

    def only(self, inward: Sequence[int], outward: Sequence[int]) -> Walk:
        """The same through some of its shifts; before `theta` is known."""

        def row(refs: Blocks, kept: Sequence[int]) -> Blocks:
            return tuple(refs[i] for i in kept)

        def grid(rows: Grid, first: Sequence[int], second: Sequence[int]) -> Grid:
            return tuple(row(rows[i], second) for i in first)

        return Walk(
            tuple(self.inward[i] for i in inward),
            tuple(self.outward[j] for j in outward),
            self.out_x,
            row(self.out_z, inward),
            row(self.out_beta, outward),
            row(self.s_x, inward),
            grid(self.s_z, inward, inward),
            row(self.d_x, outward),
            grid(self.d_z, outward, inward),
            grid(self.d_beta, outward, outward),
            (),
        )

    def needed(self) -> tuple[list[int], list[int]]:
        """The shifts, inward and outward, that carry something from the input to the output."""
        cells: list[tuple[Port, Port]] = []
        for rows, to, source in ((self.s_z, "s", "s"), (self.d_z, "d", "s"), (self.d_beta, "d", "d")):
            cells += [((to, a), (source, b)) for a, row in enumerate(rows) for b, ref in enumerate(row) if ref]
        starts: list[Port] = [("s", i) for i, ref in enumerate(self.s_x) if ref]
        starts += [("d", j) for j, ref in enumerate(self.d_x) if ref]
        ends: list[Port] = [("s", i) for i, ref in enumerate(self.out_z) if ref]
        ends += [("d", j) for j, ref in enumerate(self.out_beta) if ref]
        used = _closure(starts, [(source, to) for to, source in cells]) & _closure(ends, cells)
        inward = [i for i in range(len(self.inward)) if ("s", i) in used]
        return inward, [j for j in range(len(self.outward)) if ("d", j) in used]

    def refs(self) -> tuple[Ref, ...]:
        """Every value that is read."""
        rows = (self.out_z, self.out_beta, self.s_x, self.d_x, *self.s_z, *self.d_z, *self.d_beta, *self.theta)
        return tuple(ref for ref in (self.out_x, *(ref for row in rows for ref in row)) if ref is not None)


def _closure(start: Iterable[Port], steps: Iterable[tuple[Port, Port]]) -> set[Port]:
    """All that is reached."""
    following: dict[Port, list[Port]] = {}
    for one, other in steps:
        following.setdefault(one, []).append(other)
    found = set(start)
    pending = list(found)
    while pending:
        for port in following.get(pending.pop(), ()):
            if port not in found:
                found.add(port)
                pending.append(port)
    return found
