"""How far loops go: for smaller or more varied mechanisms, and longer programs, other code is made in less time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Up to where loops are made.

    >>> EVERYWHERE.bodies, LIMITS.bodies
    (1, 64)
    """

    bodies: int = 64
    """From so many on loops are tried first: their code is made in the same time for any number of bodies."""
    kinds: int = 64
    """So many classes of bodies there are at most."""
    by_zeros: int = 16
    """If zeros make more than these, they are looked at only where a leaf may be absent."""
    sharing: int = 2
    """So many bodies share a piece of code, in the mean: of fewer it is not worth the time to make it."""
    operations: int = 60_000
    """Of all pieces: what the code generator makes in some seconds, for trees of any size with many kinds of joints."""

    def most_kinds(self, bodies: int) -> int:
        """Of so many bodies."""
        return min(self.kinds, bodies // self.sharing)


LIMITS = Limits()
EVERYWHERE = Limits(bodies=1, kinds=120, by_zeros=120, sharing=1, operations=10**6)
"""Loops wherever they can be, for any time that it takes to make them."""
