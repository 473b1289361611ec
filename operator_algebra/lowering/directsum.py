"""The space of stacked blocks."""

from __future__ import annotations

from collections.abc import Iterable

from operator_algebra.operators.spaces import Space, counted_by


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


def summands(space: Space) -> list[Space]:
    """The spaces that a direct sum is made of; any other space is its own."""
    if counted_by(space) is not None or "+" not in space.sizes:
        return [space]
    return [Space(sizes, sizes, sizes) for sizes in space.sizes.split("+")]
