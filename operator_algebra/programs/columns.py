"""A column of blocks by a walk: inward from its body, turned at every body on the way, and outward to the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from operator_algebra.programs.instructions import Hop
from operator_algebra.programs.matrices import Matrix, Numbers
from operator_algebra.programs.records import Ref, Row
from operator_algebra.programs.walk import Walk

Vectors = list[Matrix | None]


@dataclass(frozen=True)
class Columns:
    """What a walk reads: values at a body, leaves on the edge of a body to its parent."""

    walk: Walk
    parent: Sequence[int]
    numbers: Numbers
    get: Callable[[Ref, int], Matrix]
    hop: Callable[[Hop, int], Matrix]

    def column(self, j: int, rows: Iterable[int]) -> dict[int, Matrix | None]:
        """The blocks of column j at some rows, and at all bodies that carry these; None is zero."""
        walk, nothing = self.walk, self._row([None] * len(self.walk.outward), j)
        sent, out, down = self._row(walk.s_x, j), self._row((walk.out_x,), j), self._row(walk.d_x, j)
        local = {j: (out, down)}
        arriving = {j: self._through(walk.theta, j, sent)}
        for child, k in pairwise(self._path(j)):
            z = self._hopped(walk.inward, child, sent)
            sent = self._through(walk.s_z, k, z)
            local[k] = self._through((walk.out_z,), k, z), self._through(walk.d_z, k, z)
            arriving[k] = self._through(walk.theta, k, sent)
        found: dict[int, Matrix | None] = {}
        leaving: dict[int, Vectors] = {-1: nothing}
        for k in sorted({body for row in rows for body in self._path(row)}):
            beta = arriving[k] if k in arriving else self._hopped(walk.outward, k, leaving[self.parent[k]])
            out, down = local.get(k, ([None], nothing))
            (found[k],) = map(self._plus, out, self._through((walk.out_beta,), k, beta))
            leaving[k] = list(map(self._plus, down, self._through(walk.d_beta, k, beta)))
        return found

    def _path(self, k: int) -> list[int]:
        """A body and all that carry it, inward."""
        path: list[int] = []
        while k >= 0:
            path.append(k)
            k = self.parent[k]
        return path

    def _row(self, refs: Sequence[Ref | None], k: int) -> Vectors:
        return [None if ref is None else self.get(ref, k) for ref in refs]

    def _through(self, grid: Sequence[Row], k: int, vectors: Vectors) -> Vectors:
        """The blocks of a grid times vectors."""
        rows = (zip(self._row(row, k), vectors, strict=True) for row in grid)
        products = ([self.numbers.product(a, x) for a, x in row if a is not None and x is not None] for row in rows)
        return [reduce(self._plus, row, None) for row in products]

    def _hopped(self, hops: Sequence[Hop], edge: int, vectors: Vectors) -> Vectors:
        """What passes an edge."""
        passing = zip(hops, vectors, strict=True)
        return [None if x is None else self.numbers.product(self.hop(hop, edge), x) for hop, x in passing]

    def _plus(self, a: Matrix | None, b: Matrix | None) -> Matrix | None:
        return b if a is None else a if b is None else self.numbers.sum([a, b], a.height, a.width)
