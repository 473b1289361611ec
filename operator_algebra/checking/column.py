"""A vector on its way through a law: its entries, and what rounding may have done to them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from operator_algebra.checking.arithmetic import Array, Floats
from operator_algebra.meaning.evaluator import Worst, worst


@dataclass(frozen=True, eq=False)
class Column:
    """The entries of a vector, their sizes before cancellation, and the worst that was inverted on the way."""

    entries: Floats
    size: Floats
    worst: Worst = field(default_factory=Worst)

    @classmethod
    def of(cls, entries: Floats) -> Column:
        """A vector in which nothing cancelled."""
        return cls(entries, np.abs(entries))

    def where(self, kept: Array) -> Column:
        """The same on some of its places, zero elsewhere."""
        return Column(np.where(kept, self.entries, 0.0), np.where(kept, self.size, 0.0), self.worst)

    def __add__(self, other: Column) -> Column:
        return Column(self.entries + other.entries, self.size + other.size, worst(self.worst, other.worst))
