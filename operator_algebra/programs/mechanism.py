"""A mechanism as a program sees it: a tree of bodies with block sizes, and nothing that has a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from operator_algebra.errors import InputError
from operator_algebra.operators.spaces import Space

_OF_NO_BODY = {"one": (1,), "rounding": (2,)}


@dataclass(frozen=True)
class Mechanism:
    """A tree: the parent of each body, −1 for the ground, and its block sizes by family of spaces, such as "joint".

    A parent stands before its children. A family that belongs to no body has one size; `names` are those of the joints.
    """

    parent: tuple[int, ...]
    sizes: Mapping[str, Sequence[int]]
    names: tuple[str, ...] = ()

    @property
    def bodies(self) -> range:
        """All bodies, base to tips."""
        return range(len(self.parent))

    @cached_property
    def children(self) -> Sequence[Sequence[int]]:
        """The bodies that hang on each body."""
        found: list[list[int]] = [[] for _ in self.parent]
        for k, parent in enumerate(self.parent):
            if parent >= 0:
                found[parent].append(k)
        return found

    def size(self, space: Space, k: int) -> int:
        """The block size of a space at a body."""
        if space.parts:
            return sum(self.size(part, k) for part in space.parts)
        if space.counted is not None:
            sizes, place = self._sizes(space.counted.family), space.counted.place
            return sum(sizes) if place is None else sizes[self.place(place)]
        return self._sizes(space.sizes)[k if space.attached else 0]

    def whole(self, space: Space) -> int:
        """The size of a space over all bodies."""
        return sum(self.size(space, k) for k in self.bodies) if space.attached else self.size(space, 0)

    def place(self, name: int | str) -> int:
        """The body that an index or the name of a joint means."""
        try:
            return self.bodies[self.names.index(name) if isinstance(name, str) else name]
        except (ValueError, IndexError):
            raise InputError(f"there is no body {name!r} among {len(self.parent)}.") from None

    def _sizes(self, family: str) -> Sequence[int]:
        found = self.sizes.get(family) or _OF_NO_BODY.get(family)
        if found is None:
            raise InputError(f"the block sizes of {family} are not known. Give them with the mechanism.")
        return found
