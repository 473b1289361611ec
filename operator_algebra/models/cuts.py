"""What belongs to each joint, cut out of vectors and matrices of a whole mechanism."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.model import Model


def joint_blocks(model: Model, whole: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """The blocks on the diagonal of a matrix (nv, nv), one for each joint.

    >>> from operator_algebra.models.families import chain
    >>> [block.tolist() for block in joint_blocks(chain(2), np.array([[1.0, 2.0], [3.0, 4.0]]))]
    [[[1.0]], [[4.0]]]
    """
    return [whole[part, part] for part in model.v_slices]


def joint_at(slices: Sequence[slice], place: int) -> int:
    """The joint whose slice holds an entry of q or of v.

    >>> from operator_algebra.models.families import chain
    >>> joint_at(chain(3, joint="cylindrical").v_slices, 4)
    2
    """
    return next(k for k, part in enumerate(slices) if part.start <= place < part.stop)
