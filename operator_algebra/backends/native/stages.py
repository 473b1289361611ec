"""Long lists of operations as stages, each done for some vectors of samples before the next.

Code that is longer than the cache of instructions comes from farther away each time it runs; a stage stays there for
all its vectors, none of which waits for another. What later stages read stands in memory between them, at the places of
the tape. A stage ends where little is read later.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from operator_algebra.backends.scalar.tape import Tape

LONG = 1000
"""Operations of a tape, up to which there is one stage."""
BESIDE = 4
"""So many vectors of samples are computed stage by stage."""
_SIZE, _APART = 250, 100
"""Operations of a stage, and how many more or fewer there may be."""
_ROOM = 2**19
"""Bytes of memory between stages."""


@dataclass(frozen=True)
class Stage:
    """Operations from one to another, and of those the ones whose results are read later."""

    start: int
    stop: int
    kept: frozenset[int]


def stages(tape: Tape, bytes_of: int, given: Mapping[int, Sequence[Tile]]) -> list[Stage]:
    """The stages of a tape, with vectors of so many bytes; none where it is short, or memory would be too large.

    After some of the operations tiles of results are `given`.
    """
    count = len(tape.entries)
    if count <= LONG or places(tape) * bytes_of * BESIDE > _ROOM:
        return []
    last = _last_readers(tape, given)
    live = _live(last)
    cuts = [0]
    while count - cuts[-1] > _SIZE + _APART:
        start = cuts[-1] + _SIZE
        cuts.append(min(range(start - _APART, start + _APART), key=live.__getitem__))
    cuts.append(count)
    return [Stage(a, b, frozenset(i for i in range(a, b) if last[i] >= b)) for a, b in pairwise(cuts)]


def places(tape: Tape) -> int:
    """Where arguments, their sines and cosines, and results of operations stand, and a sum of results behind them."""
    return tape.arguments + 2 * len(tape.turned) + tape.rows + 1


class Tile(NamedTuple):
    """Some numbers of an array of results, from a column on."""

    array: int
    start: int
    places: tuple[int, ...]


def ready(tape: Tape, sizes: Sequence[int], lanes: int) -> dict[int, list[Tile]]:
    """After which operations tiles of results can be given: memory is written meanwhile.

    Those that wait for nothing are spread among the operations, the first before all, at -1.
    """
    made = {entry.place: i for i, entry in enumerate(tape.entries)}
    found: dict[int, list[Tile]] = {}
    early: list[Tile] = []
    offset = 0
    for array, size in enumerate(sizes):
        for start in range(0, size, lanes):
            tile = Tile(array, start, tape.results[offset + start : offset + min(start + lanes, size)])
            last = max(made.get(place, -1) for place in tile.places)
            (early if last < 0 else found.setdefault(last, [])).append(tile)
        offset += size
    for i, tile in enumerate(early):
        found.setdefault(len(tape.entries) * i // len(early) - 1, []).append(tile)
    return found


def _last_readers(tape: Tape, given: Mapping[int, Sequence[Tile]]) -> list[int]:
    """For each operation the last one by which its result is read; one behind all for what is kept for good."""
    count = len(tape.entries)
    last, made = list(range(count)), dict[int, int]()
    for i, entry in enumerate(tape.entries):
        for place in (entry.a, entry.b):
            if place in made:
                last[made[place]] = i
        made[entry.place] = i
    for i, several in given.items():
        for place in (place for tile in several for place in tile.places if place in made):
            last[made[place]] = max(last[made[place]], i)
    for place in (*tape.positive, *tape.lost):
        if place in made:
            last[made[place]] = count
    return last


def _live(last: Sequence[int]) -> list[int]:
    """How many results of earlier operations are read from each operation on."""
    changes = [0] * (len(last) + 2)
    for i, reader in enumerate(last):
        changes[i + 1] += 1
        changes[reader + 1] -= 1
    return list(accumulate(changes))
