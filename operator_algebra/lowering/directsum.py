"""The space of stacked blocks."""

from __future__ import annotations

from collections.abc import Iterable

from operator_algebra.operators.spaces import Space


def direct_sum(spaces: Iterable[Space]) -> Space:
    """The direct sum; one space alone is itself."""
    listed = tuple(spaces)
    if len(listed) == 1:
        return listed[0]
    return Space(
        " ⊕ ".join(space.name for space in listed),
        " ⊕ ".join(space.dual_name for space in listed),
        "+".join(space.sizes for space in listed),
    )
