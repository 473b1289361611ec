"""Products of matrices that are mostly zeros, strip by strip."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_WIDE = 24  # rows or columns of a strip
_SMALL = 72  # rows or columns below which a product is found sooner than where its zeros are
_SPARED = 0.7  # where strips have more of the entries than this, all of them are multiplied

Floats = NDArray[np.float64]
Strip = tuple[slice, slice]


def multiplied(a: Floats, b: Floats) -> Floats:
    """A b, sample by sample; rows and columns that are zero beside a strip of the other, in all samples, are left out.

    >>> a, b = np.ones((1, 90, 90)), np.eye(90)[None]
    >>> bool((multiplied(a, b) == a).all() and (multiplied(b, a) == a).all())
    True
    """
    if a.shape[-1] < _SMALL or a.shape[-2] < _SMALL or b.shape[-1] < _SMALL:
        return a @ b
    right, of_right = _strips(np.asarray(b.any(axis=0)))
    left, of_left = _strips(np.asarray(a.any(axis=0)).T)
    if min(of_left, of_right) > _SPARED:
        return a @ b
    found = np.empty((*a.shape[:-1], b.shape[-1]))
    if of_right <= of_left:
        for columns, rows in right:
            np.matmul(a[..., rows], b[..., rows, columns], out=found[..., columns])
    else:
        for rows, columns in left:
            np.matmul(a[..., rows, columns], b[..., columns, :], out=found[..., rows, :])
    return found


def _strips(there: NDArray[np.bool_]) -> tuple[list[Strip], float]:
    """Columns side by side with the rows between which they are not zero, and which share of all entries that is."""
    rows, columns = there.shape
    starts = list(range(0, columns, _WIDE))
    several: NDArray[np.bool_] = np.logical_or.reduceat(there, starts, axis=1)
    first: NDArray[np.intp] = several.argmax(axis=0)
    behind: NDArray[np.intp] = several[::-1].argmax(axis=0)
    last: NDArray[np.intp] = np.where(several.any(axis=0), rows - behind, first)
    share = float((last - first).sum()) / (rows * len(starts))
    places: list[list[int]] = np.stack([first, last], axis=1).tolist()
    return [(slice(k, k + _WIDE), slice(i, j)) for k, (i, j) in zip(starts, places, strict=True)], share
