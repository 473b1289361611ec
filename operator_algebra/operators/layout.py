"""Where the blocks of a space stand in its vectors, and to which mechanism and configuration a value belongs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.arguments import quoted, shown, whole
from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.operators.arrays import BlockSizes, Coordinates, OfEntries, Starts


@dataclass(frozen=True, eq=False)
class Layout:
    """Block sizes of a space on one model: one block per body, or a single one that belongs to no body."""

    sizes: BlockSizes
    attached: bool

    @classmethod
    def of(cls, sizes: ArrayLike, *, attached: bool = True) -> Layout:
        """A layout from a list of block sizes."""
        return cls(np.asarray(sizes, dtype=np.intp), attached)

    @cached_property
    def offsets(self) -> Starts:
        """Where each block starts; the last entry is the size of the whole."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.intp)

    @cached_property
    def owner(self) -> OfEntries:
        """The block of each entry."""
        return np.repeat(np.arange(self.count, dtype=np.intp), self.sizes)

    @property
    def size(self) -> int:
        """Number of entries."""
        return int(self.offsets[-1])

    @property
    def count(self) -> int:
        """Number of blocks."""
        return len(self.sizes)

    def part(self, i: int) -> slice:
        """Where block i stands."""
        return slice(int(self.offsets[i]), int(self.offsets[i + 1]))

    def matches(self, other: Layout) -> bool:
        """Whether both cut a vector in the same way."""
        return self is other or (self.attached == other.attached and np.array_equal(self.sizes, other.sizes))

    @cached_property
    def reversed_order(self) -> OfEntries:
        """The entries with the blocks in reverse order, the order within each block kept: the papers' numbering."""
        if not self.attached:
            return np.arange(self.size, dtype=np.intp)
        return np.argsort(-self.owner, kind="stable").astype(np.intp)

    def words(self) -> str:
        """The block sizes, "6" or "1–3"."""
        if not self.count:
            return "0"
        least, most = int(self.sizes.min()), int(self.sizes.max())
        return str(most) if least == most else f"{least}–{most}"


class Layouts(dict[str, Layout]):
    """Layouts by family of block sizes; asked for one that is not known, it says how it becomes known."""

    def __missing__(self, sizes: str) -> Layout:
        raise InputError(
            f"the block sizes of {sizes} are not known: no input of the formula has that space. "
            "Put an input operator of that space into the formula; its value brings the sizes."
        )


@dataclass(frozen=True, eq=False)
class Binding:
    """The mechanism, configuration and axes for which a value was computed."""

    model: object
    name: str
    joint_names: tuple[str, ...]
    frame: str
    q: Coordinates | None = None

    def check(self, other: Binding, what: str) -> None:
        """Refuse to mix values of different mechanisms, configurations or axes."""
        if self is other:
            return
        if self.frame != other.frame:
            raise SpaceMismatch(
                f"cannot {what} a value in {self.frame} axes and one in {other.frame} axes. "
                "Evaluate both with the same frame=, or the whole formula at once."
            )
        if self.model is not other.model and self.model != other.model:
            raise SpaceMismatch(
                f"cannot {what} a value of {self.name} and one of {other.name}: they belong to different mechanisms. "
                "Evaluate both on the same model."
            )
        if self.q is not other.q and (self.q is None or other.q is None or not np.array_equal(self.q, other.q)):
            raise SpaceMismatch(
                f"cannot {what} values of {self.name} at two configurations: their q differ. "
                "Evaluate both with the same q, or the whole formula at once."
            )

    def place(self, key: int | str, count: int) -> int:
        """The block that an index or a joint name means."""
        if isinstance(key, str):
            if key not in self.joint_names:
                known = ", ".join(self.joint_names[:8]) + (", …" if len(self.joint_names) > 8 else "")
                raise SpaceMismatch(f"{self.name} has no joint {quoted(key)}. Its joints are {known}.")
            return self.joint_names.index(key)
        key = whole(key, "the place of a block, an index or the name of a joint,")
        if not -count <= key < count:
            raise SpaceMismatch(
                f"there is no block {shown(key)}: {count} blocks are numbered from 0. {self.name} has no more."
            )
        return int(key) % count
