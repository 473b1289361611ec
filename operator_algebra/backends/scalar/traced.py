"""What tracing gives: results as nodes, and what tells whether their numbers may be trusted."""

from __future__ import annotations

from dataclasses import dataclass

from operator_algebra.backends.scalar.graph import Node

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Laid:
    """How a result is laid out: the shapes of its arrays, one alone or a list of them."""

    name: str
    shapes: tuple[Shape, ...]
    listed: bool


@dataclass(frozen=True)
class Traced:
    """Results as nodes, their entries one after the other.

    The numbers are right where all of `positive` are greater than zero, and where the sum of `lost` stays below one: so
    few digits are lost at pivots that nobody has to be told.
    """

    results: tuple[Laid, ...]
    entries: tuple[Node, ...]
    positive: tuple[Node, ...]
    lost: tuple[Node, ...]

    @property
    def wanted(self) -> tuple[Node, ...]:
        """All that a kernel computes."""
        return (*self.entries, *self.positive, *self.lost)
