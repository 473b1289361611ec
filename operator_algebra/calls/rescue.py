"""A second run of those samples of a batch whose local pivots were small or lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.backends.backend import Measured, Run
from operator_algebra.backends.pivots import refined_share
from operator_algebra.calls.diagnosis import singular_samples
from operator_algebra.models.arrays import Indices
from operator_algebra.models.numeric import Numbers


def least_pivots(pivots: tuple[Measured, ...], lead: tuple[int, ...]) -> Numbers:
    """For each place along the first axis of a batch its smallest pivot of a body, relative; not a number if one is."""
    return _least((pivot for pivot in pivots if pivot.attached), lead)


def least_share(pivots: tuple[Measured, ...], lead: tuple[int, ...]) -> Numbers:
    """For each place along the first axis of a batch the least share of the compliance that springs leave."""
    return _least((pivot for pivot in pivots if pivot.springs), lead)


def _least(pivots: Iterable[Measured], lead: tuple[int, ...]) -> Numbers:
    least: Numbers = np.ones(lead)
    for pivot in pivots:
        least = np.minimum(least, pivot.measure.min(axis=-1, initial=1.0))
    wide = np.atleast_1d(least)
    return wide.min(axis=tuple(range(1, wide.ndim)), initial=1.0)


def settled(run: Run, samples: Indices, lead: tuple[int, ...]) -> Run:
    """The shares that springs leave, of samples that were refined."""
    again = _some(samples, lead)[..., None]
    return replace(
        run,
        pivots=tuple(
            replace(p, measure=np.where(again, refined_share(p.measure), p.measure)) if p.springs else p
            for p in run.pivots
        ),
    )


def _some(samples: Indices, lead: tuple[int, ...]) -> NDArray[np.bool_]:
    """Which samples of a batch stand at some places along its first axis."""
    again = np.ones(lead, dtype=bool)
    if lead:
        again[...] = False
        again[samples] = True
    return again


def singular_places(pivots: tuple[Measured, ...], lead: tuple[int, ...]) -> Any:
    """The places along the first axis of a batch with a sample that is singular."""
    bad = np.atleast_1d(np.broadcast_to(singular_samples(pivots), lead))
    return np.nonzero(bad.any(axis=tuple(range(1, bad.ndim))))[0]


def replaced(plain: Run, samples: Any, lead: tuple[int, ...], second: Run) -> Run:
    """Replace the results of some samples by those of a second run. Results have the axes of the batch, `lead`."""
    return replace(plain, results={n: _put(v, samples, lead, second.results[n]) for n, v in plain.results.items()})


def rescued(plain: Run, samples: Any, lead: tuple[int, ...], second: Run) -> Run:
    """The same, and the pivots of the second run for those samples; where both fail, the plain pivots say where."""
    pivots = tuple(replace(p, measure=_placed(p.measure, samples, lead)) for p in second.pivots)
    failed: Any = np.broadcast_to(singular_samples(pivots), lead)
    told = failed & np.broadcast_to(singular_samples(plain.pivots), lead)
    again = _some(samples, lead)
    own = tuple(replace(p, measure=np.where((again & ~told)[..., None], np.inf, p.measure)) for p in plain.pivots)
    pivots = tuple(replace(p, measure=np.where(told[..., None], np.inf, p.measure)) for p in pivots)
    return replace(replaced(plain, samples, lead, second), pivots=own + pivots)


def _placed(measure: Any, samples: Any, lead: tuple[int, ...]) -> Any:
    """The measures of some samples among those of all; the others are no matter of concern."""
    if not lead:
        return measure
    whole = np.full((*lead, measure.shape[-1]), np.inf)
    whole[samples] = measure
    return whole


def _put(value: Any, samples: Any, lead: tuple[int, ...], found: Any) -> Any:
    if isinstance(value, list):
        return [_put(block, samples, lead, own) for block, own in zip(value, found, strict=True)]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if not lead:
        return found
    # Logarithms of negative determinants are complex.
    whole = np.array(value, dtype=np.result_type(value, found))
    whole[samples] = found
    return whole
