"""Where the unknowns of a body stand among the columns of its equations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from operator_algebra.backends.numpy.arrays import Block


@dataclass(frozen=True)
class Places:
    """Columns of the unknowns of one body: its members, the sums it gathers, what arrives.

    Members that it sends stand behind the others and the sums, next to what arrives.
    """

    own: list[slice]
    gathered: list[slice]
    sent: list[slice]
    received: list[slice]


def span(places: Sequence[slice]) -> slice:
    """The place of all together."""
    return slice(places[0].start, places[-1].stop) if places else slice(0)


def columns_in(places: Sequence[slice]) -> int:
    """How many columns all together have."""
    return places[-1].stop - places[0].start if places else 0


def split(block: Block, places: Iterable[slice]) -> list[tuple[slice, Block]]:
    """The columns of a block, one part for each place."""
    parts: list[tuple[slice, Block]] = []
    start = 0
    for place in places:
        stop = start + place.stop - place.start
        parts.append((place, block[..., start:stop]))
        start = stop
    return parts
