"""A second run by orthogonal elimination, of those samples of a batch whose local pivots were lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from operator_algebra.backends.backend import Pivot, Run
from operator_algebra.backends.diagnosis import DOUBTFUL, singular_samples


def lost_samples(pivots: tuple[Pivot, ...], lead: tuple[int, ...]) -> Any:
    """Where along the first axis of a batch a pivot of a body lost so much that its digits cannot be trusted."""
    lost: Any = np.zeros(lead, dtype=bool)
    for pivot in pivots:
        if pivot.attached:
            lost = lost | ~(pivot.measure >= DOUBTFUL).all(axis=-1)
    wide = np.atleast_1d(lost)
    return np.nonzero(wide.any(axis=tuple(range(1, wide.ndim))))[0]


def rescued(plain: Run, lost: Any, lead: tuple[int, ...], again: Callable[[Any], Run]) -> Run:
    """Replace the lost samples by those that `again` computes; where both fail, the plain pivots say where.

    Results have the axes of the batch, `lead`.
    """
    second = again(lost)
    results = {name: _put(value, lost, lead, second.results[name]) for name, value in plain.results.items()}
    pivots = tuple(replace(p, measure=_placed(p.measure, lost, lead)) for p in second.pivots)
    failed = singular_samples(pivots)
    there = tuple(replace(p, measure=np.where(failed[..., None], p.measure, np.inf)) for p in plain.pivots)
    told_by_plain = failed.any() and np.array_equal(np.broadcast_to(singular_samples(there), lead), failed)
    return Run(results, there if told_by_plain else pivots)


def _placed(measure: Any, lost: Any, lead: tuple[int, ...]) -> Any:
    """The measures of some samples among those of all; the others are no matter of concern."""
    if not lead:
        return measure
    whole = np.full((*lead, measure.shape[-1]), np.inf)
    whole[lost] = measure
    return whole


def _put(value: Any, lost: Any, lead: tuple[int, ...], found: Any) -> Any:
    if isinstance(value, list):
        return [_put(block, lost, lead, own) for block, own in zip(value, found, strict=True)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if not lead:
        return _signed(found, value)
    whole = np.array(value)
    whole[lost] = _signed(found, whole[lost])
    return whole


def _signed(value: Any, plain: Any) -> Any:
    """A log |determinant| with the sign that the plain pivots told."""
    return value + 1j * plain.imag if np.iscomplexobj(plain) and np.isfinite(plain).all() else value
