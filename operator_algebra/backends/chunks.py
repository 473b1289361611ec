"""Long batches in pieces that fit a cache: results are the same, numbers stand closer together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from operator_algebra.backends.backend import Result, Run
from operator_algebra.models.arrays import Indices
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.inputs import Bound, InputValue

Part = slice | Indices | Sequence[int]
"""Some samples of a batch."""

BODIES_AT_ONCE = 16_384
"""How many bodies, counted over the batch, one piece may have: some tens of megabytes."""


def split(
    q: Numbers, v: Numbers | None, inputs: Bound, bodies: int
) -> Iterator[tuple[Numbers, Numbers | None, Bound, int]]:
    """Pieces of the first axis of the batch: q, v, inputs, and the number of axes of the batch."""
    lead = lead_of(q, v, inputs)
    axes = len(lead)
    per_sample = bodies * int(np.prod(lead[1:], dtype=np.intp)) if lead else bodies
    size = max(1, BODIES_AT_ONCE // max(1, per_sample))
    if not lead or lead[0] <= size:
        yield q, v, inputs, axes
        return
    for start in range(0, lead[0], size):
        yield *samples(q, v, inputs, slice(start, start + size), axes), axes


def lead_of(q: Numbers, v: Numbers | None, inputs: Bound) -> tuple[int, ...]:
    """The axes of the batch."""
    leads = [np.shape(q)[:-1], () if v is None else np.shape(v)[:-1], *map(_lead, inputs.values.values())]
    return np.broadcast_shapes(*leads)


def in_a_row(
    q: Numbers, v: Numbers | None, inputs: Bound, lead: tuple[int, ...]
) -> tuple[Numbers, Numbers | None, Bound]:
    """The arguments of a batch with one axis, each sample with all of its own."""
    values = {
        name: replace(
            value,
            dense=None if value.dense is None else row_of(value.dense, lead, 2),
            blocks=[row_of(block, lead, 2) for block in value.blocks],
        )
        for name, value in inputs.values.items()
    }
    return row_of(q, lead, 1), None if v is None else row_of(v, lead, 1), replace(inputs, values=values)


def row_of(array: Numbers, lead: tuple[int, ...], own: int) -> Numbers:
    """An array with the axes of the batch as one; the last `own` axes belong to each sample."""
    shape = array.shape[array.ndim - own :]
    return np.broadcast_to(array, (*lead, *shape)).reshape(int(np.prod(lead, dtype=np.intp)), *shape)


def row_or_one(array: Numbers, lead: tuple[int, ...], own: int) -> Numbers:
    """The same; one row where it belongs to every sample."""
    outer = array.ndim - own
    return (
        array.reshape(1, *array.shape[outer:]) if all(n == 1 for n in array.shape[:outer]) else row_of(array, lead, own)
    )


def samples(
    q: Numbers, v: Numbers | None, inputs: Bound, part: Part, axes: int
) -> tuple[Numbers, Numbers | None, Bound]:
    """The arguments of some samples: a slice, or places, along the first of the `axes` of the batch."""
    values = {name: _sliced(value, part, axes) for name, value in inputs.values.items()}
    v_part = None if v is None else _cut(v, part, axes + 1)
    return _cut(q, part, axes + 1), v_part, replace(inputs, values=values)


def _lead(value: InputValue) -> tuple[int, ...]:
    blocks = value.blocks if value.dense is None else [value.dense]
    return np.broadcast_shapes(*{np.shape(block)[:-2] for block in blocks})


def _cut(array: Numbers, part: Part, rank: int) -> Numbers:
    """A piece of the first axis, if the array has that axis and it is not to be broadcast."""
    return array[part] if array.ndim == rank and array.shape[0] > 1 else array


def _sliced(value: InputValue, part: Part, axes: int) -> InputValue:
    if value.dense is not None:
        return replace(value, dense=_cut(value.dense, part, axes + 2))
    return replace(value, blocks=[_cut(block, part, axes + 2) for block in value.blocks])


def joined(parts: Sequence[Run]) -> Run:
    """The results of all pieces, one after the other."""
    if len(parts) == 1:
        return parts[0]
    results = {name: _join([part.results[name] for part in parts]) for name in parts[0].results}
    pivots = tuple(
        replace(
            pivot,
            measure=_join([part.pivots[i].measure for part in parts]),
            dependent=next((part.pivots[i].dependent for part in parts if part.pivots[i].dependent), ()),
        )
        for i, pivot in enumerate(parts[0].pivots)
    )
    return Run(results, pivots)


def _join(pieces: Sequence[Result]) -> Result:
    lists = [piece for piece in pieces if isinstance(piece, list)]
    if lists:
        return [_joined_arrays([blocks[k] for blocks in lists]) for k in range(len(lists[0]))]
    return _joined_arrays([piece for piece in pieces if not isinstance(piece, list)])


def _joined_arrays(pieces: Sequence[Numbers]) -> Numbers:
    first = pieces[0]
    if np.shape(first)[:1] == (1,) and all(np.array_equal(piece, first, equal_nan=True) for piece in pieces):
        return first  # it does not depend on the first axis, or could just as well not
    return np.concatenate(pieces, axis=0)
