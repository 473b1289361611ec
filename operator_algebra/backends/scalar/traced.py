"""What tracing gives: results as nodes, and what tells whether their numbers may be trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast

from operator_algebra.backends.laid import Laid
from operator_algebra.backends.scalar.graph import Node, operations
from operator_algebra.programs.interpret import Result
from operator_algebra.programs.matrices import Matrix

F = TypeVar("F")
_SPARED = 0.99
"""Of several forms the first stays where another does not take less than such a part of its operations."""


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

    @property
    def length(self) -> int:
        """How many operations that takes."""
        return sum(operations(self.wanted).values())


def laid_out(name: str, result: Result) -> tuple[Laid, list[Node]]:
    """The layout of a result, and its entries."""
    if isinstance(result, Matrix):
        return Laid(name, ((result.height, result.width),), False), [x for row in result.rows for x in row]
    if not isinstance(result, list):
        return Laid(name, ((),), False), [result]
    several = cast("list[Node | Matrix]", result)
    blocks = [one for one in several if isinstance(one, Matrix)]
    if not blocks:
        return Laid(name, ((len(several),),), False), [one for one in several if isinstance(one, Node)]
    shapes = tuple((block.height, block.width) for block in blocks)
    entries = [x for block in blocks for row in block.rows for x in row]
    if len(set(shapes)) == 1:
        return Laid(name, ((len(blocks), *shapes[0]),), False), entries
    return Laid(name, shapes, True), entries


def shortest(forms: Sequence[F], length: Callable[[F], int]) -> F:
    """The form with the fewest operations, which are counted only if there are several."""
    if len(forms) == 1:
        return forms[0]
    lengths = [length(form) for form in forms]
    least = min(lengths)
    return forms[lengths.index(least) if least < _SPARED * lengths[0] else 0]
