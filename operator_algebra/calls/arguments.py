"""The arguments of one call of a program: checked, in the one kind of number that it holds, and parts of a batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from operator_algebra.backends import chunks
from operator_algebra.errors import InputError
from operator_algebra.models.numeric import MOST, is_plain
from operator_algebra.operators.inputs import Bound


@dataclass(frozen=True, eq=False)
class Arguments:
    """Coordinates, rates where the joint map moves, and inputs; `lead` are the axes of the batch."""

    q: Any
    v: Any
    inputs: Bound
    lead: tuple[int, ...]

    def some(self, samples: Sequence[int]) -> Arguments:
        """Those of some places along the first axis of the batch; the same if there is no batch."""
        if not self.lead:
            return self
        return Arguments(
            *chunks.samples(self.q, self.v, self.inputs, samples, len(self.lead)), (len(samples), *self.lead[1:])
        )


def refuse_wide(what: str, q: Any, inputs: Bound) -> None:
    """Programs store doubles: an imaginary part, or more digits, would be lost."""
    for name, array in (("q", q), *inputs.arrays()):
        if not is_plain(array):
            raise InputError(
                f"{name} of {what} is {array.dtype.name}; compiled programs compute with float64. "
                "Use evaluate, which computes in the kind of number that it is given."
            )


def refuse_long(what: str, lead: tuple[int, ...], bodies: int) -> None:
    """Small arguments may broadcast to a batch that no memory holds."""
    samples = math.prod(lead)
    if samples * bodies > MOST:
        raise InputError(
            f"the batch of {what} has {samples:.1e} samples {lead} of {bodies} bodies; one call takes up to {MOST:.1e} "
            "bodies, counted over the batch. Call with parts of it."
        )


def leading_axes(q: Any, inputs: Bound) -> tuple[int, ...]:
    """The axes of the batch, to which those of every argument broadcast."""
    shapes: dict[str, tuple[int, ...]] = {"q": q.shape[:-1]}
    for name, value in inputs.values.items():
        blocks = value.blocks if value.dense is None else [value.dense]
        shapes[name] = np.broadcast_shapes(*{np.shape(block)[:-2] for block in blocks})
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        listed = ", ".join(f"{name} {shape}" for name, shape in shapes.items() if shape)
        raise InputError(
            f"the leading axes of the arguments do not fit together: {listed}. Give equal axes, or axes of length 1."
        ) from None
