"""Inputs of a formula once they are checked: their blocks, and the block sizes of the spaces that they use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Protocol

import numpy as np

from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.operators.arrays import SampleBlock, SampleVector
from operator_algebra.operators.layout import Layout, Layouts
from operator_algebra.operators.spaces import FORCE, ONE, Type
from operator_algebra.operators.structure import Structure

DEFAULTS: dict[str, Type] = {"f_ext": ONE >> FORCE}
"""Inputs that are zero when they are not given."""


class Declared(Protocol):
    """What binding asks of a symbol."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> Type: ...
    @property
    def structure(self) -> Structure: ...


@dataclass(frozen=True, eq=False)
class InputValue:
    """A checked input: `dense` (..., rows, columns) for vectors and whole operators, else one block per body.

    Blocks are (..., r, c): of body k for a block-diagonal operator, of the edge from k to its parent for a hop.
    """

    type: Type
    structure: Structure
    rows: Layout
    cols: Layout
    dense: SampleBlock | None = None
    blocks: list[SampleBlock] = field(default_factory=list[SampleBlock])

    @property
    def entries(self) -> SampleVector:
        """Those of a vector, (..., rows)."""
        assert self.dense is not None
        return self.dense[..., 0]

    def by_body(self) -> list[SampleBlock]:
        """One block (..., r, c) per body; of a column, the rows of the body."""
        if self.dense is None:
            return self.blocks
        if self.rows.attached == self.cols.attached:
            return [self.dense]
        return [self.of_body(k) for k in range(self.rows.count if self.rows.attached else self.cols.count)]

    def of_body(self, k: int) -> SampleBlock:
        """The block of a body; all of what belongs to none."""
        if self.dense is None:
            return self.blocks[k]
        if self.rows.attached == self.cols.attached:
            return self.dense
        return self.dense[..., self.rows.part(k), :] if self.rows.attached else self.dense[..., :, self.cols.part(k)]


@dataclass(frozen=True, eq=False)
class Bound:
    """The inputs of a formula by name, and the block sizes of every space that they use."""

    values: Mapping[str, InputValue]
    layouts: Mapping[str, Layout]
    absent: frozenset[str] = frozenset()
    """The inputs that were not given, whose values are those by default."""

    def arrays(self) -> Iterator[tuple[str, SampleBlock]]:
        """Every array that was given, with the name of its input."""
        for name, value in self.values.items():
            for array in value.blocks if value.dense is None else [value.dense]:
                yield name, array


def model_layouts(model: Model) -> Layouts:
    """Block sizes of the spaces that every model has, by size family."""
    return Layouts(
        {
            "spatial": Layout.of(np.full(model.n, 6)),
            "joint": Layout.of(model.columns.nv),
            "one": Layout.of([1], attached=False),
            "rounding": Layout.of([2], attached=False),
            "ground": Layout.of([6], attached=False),
        }
    )


def unmentioned(what: str, name: str, takes: Sequence[str]) -> InputError:
    """The error for a value whose name a formula does not know, with the name that may have been meant."""
    near = [one for one in takes if one.lower() == name.lower()] or get_close_matches(name, takes, n=2)
    remedy = f"Did you mean {' or '.join(near)}? It" if near else "Leave it out: it"
    return InputError(f"{what} does not mention {name}; it was given. {remedy} takes {', '.join(takes)}.")
