"""The one place that knows SciPy's LinearOperator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

Apply = Callable[[Any], Any]


def linear_operator(shape: tuple[int, int], apply: Apply, apply_adjoint: Apply) -> LinearOperator:
    """An operator from functions that take vectors (..., columns), the leading axes being a batch."""
    from scipy.sparse.linalg import LinearOperator

    def on_vector(function: Apply) -> Apply:
        return lambda x: function(np.ravel(x))

    def on_columns(function: Apply) -> Apply:
        return lambda X: function(np.asarray(X).T).T

    made: Any = LinearOperator
    return made(
        shape,
        matvec=on_vector(apply),
        rmatvec=on_vector(apply_adjoint),
        matmat=on_columns(apply),
        rmatmat=on_columns(apply_adjoint),
        dtype=np.dtype(np.float64),
    )
