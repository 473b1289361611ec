"""Samples whose results left the range of floats although every argument is finite: which, and where it began."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from operator_algebra.backends.backend import Executable, Measured
from operator_algebra.calls.arguments import Arguments
from operator_algebra.errors import RangeError
from operator_algebra.models.model import Model
from operator_algebra.operators.inputs import Bound


def not_finite(results: Mapping[str, Any], lead: tuple[int, ...]) -> Any:
    """Which samples have a result that is not finite; None if none has, which costs one look at each result."""
    arrays = [array for result in results.values() for array in _arrays(result)]
    if all(np.isfinite(array).all() for array in arrays):
        return None
    bad = np.zeros(lead, dtype=bool)
    for array in arrays:
        bad |= ~np.isfinite(array).all(axis=tuple(range(len(lead), np.ndim(array))))
    return bad


def _arrays(result: Any) -> Iterable[Any]:
    return cast("list[Any]", result) if isinstance(result, list) else [result]


def without_pivot(pivots: Sequence[Measured], bad: Any, least: float) -> Any:
    """Which of the bad samples have no pivot below `least`: theirs are not numbers, because something overflowed."""
    lost: Any = np.zeros((), dtype=bool)
    for pivot in pivots:
        lost = lost | (pivot.measure < least).any(axis=-1)
    return bad & ~lost


def range_error(executable: Executable, model: Model, call: Arguments, bad: Any, result: object) -> RangeError:
    """The error for samples beyond the range of floats: the first value that leaves it, its joint, the sample."""
    samples = np.nonzero(bad.reshape(-1))[0].tolist() if bad.ndim else []
    place = tuple(index[0] for index in np.nonzero(bad)) if bad.ndim else ()
    name, body = executable.first_not_finite(*_one(call, place))
    joint = None if body is None else model.joint_names[body]
    where = f' at joint "{joint}"' if joint else ""
    where += f" in sample {samples[0]}" if samples else ""
    return RangeError(
        f"{name} leaves the range of floats{where}: the arguments are finite, their products are not. "
        "Check the sizes of q and the inputs, or scale them.",
        joints=[joint] if joint else [],
        samples=samples,
        result=result,
    )


def _one(call: Arguments, place: tuple[Any, ...]) -> tuple[Any, Any, Bound]:
    """The arguments of one sample."""

    def cut(array: Any, own: int) -> Any:
        return np.broadcast_to(array, (*call.lead, *array.shape[array.ndim - own :]))[place]

    values = {
        name: replace(
            value,
            dense=None if value.dense is None else cut(value.dense, 2),
            blocks=[cut(block, 2) for block in value.blocks],
        )
        for name, value in call.inputs.values.items()
    }
    rate = None if call.v is None else cut(call.v, 1)
    return cut(call.q, 1), rate, replace(call.inputs, values=values)
