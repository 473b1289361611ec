"""Random vectors that every law begins with, and what expressions make of them: found once, while there is room."""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np

from operator_algebra.checking.column import Column
from operator_algebra.expressions.nodes import Expr
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import Space

_ROOM = 4_000_000  # numbers that are kept
_FEW = 16  # columns; of more at once nothing is kept

Bodies = tuple[int, ...] | None


class Vectors:
    """The vectors of some samples, by their seeds; what is made of one is kept as long as that is."""

    def __init__(self, seeds: Sequence[int]) -> None:
        self._seeds = tuple(seeds)
        self._drawn: dict[tuple[int, Space, Bodies], Column] = {}
        self._made: WeakKeyDictionary[Column, dict[Expr, Column]] = WeakKeyDictionary()
        self._room = _ROOM
        self._passed = 0

    def begin(self) -> None:
        """Start anew with the first random numbers."""
        self._passed = 0
        if self._room <= 0:
            self._drawn.clear()
            self._room = _ROOM

    def random(self, space: Space, layout: Layout, bodies: Bodies) -> Column:
        """A random vector, on a few bodies alone if they are given."""
        key = self._passed, space, bodies
        if key not in self._drawn:
            self._drawn[key] = self._draw(layout, bodies)
        self._passed += layout.size
        return self._drawn[key]

    def _draw(self, layout: Layout, bodies: Bodies) -> Column:
        drawn = [np.random.default_rng([seed, 1]).standard_normal(self._passed + layout.size) for seed in self._seeds]
        values = np.stack(drawn)[:, self._passed :, None]
        if bodies is not None and layout.attached:
            values = np.where(np.isin(layout.owner, bodies)[:, None], values, 0.0)
        return Column.of(values)

    def known(self, e: Expr, x: Column) -> Column | None:
        """The value of e times vectors, if it was kept."""
        made = self._made.get(x)
        return None if made is None else made.get(e)

    def kept(self, e: Expr, x: Column, result: Column) -> Column:
        """The value of e times vectors, which is kept if there is room."""
        if self._room > 0 and x.entries.shape[-1] <= _FEW and result is not x:  # what is x would keep itself
            self._made.setdefault(x, {})[e] = result
            self._room -= result.entries.size
        return result
