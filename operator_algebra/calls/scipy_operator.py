"""The one place that knows SciPy's LinearOperator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse.linalg import LinearOperator

Apply = Callable[[Any], Any]


def linear_operator(shape: tuple[int, int], apply: Apply, apply_adjoint: Apply) -> LinearOperator:
    """An operator from functions that take real vectors (..., columns), the leading axes being a batch."""
    from scipy.sparse.linalg import LinearOperator

    def on_vector(function: Apply) -> Apply:
        return lambda x: _by_parts(function, np.ravel(x))

    def on_columns(function: Apply) -> Apply:
        return lambda X: _by_parts(function, np.asarray(X).T).T

    made: Any = LinearOperator
    return made(
        shape,
        matvec=on_vector(apply),
        rmatvec=on_vector(apply_adjoint),
        matmat=on_columns(apply),
        rmatmat=on_columns(apply_adjoint),
        dtype=np.dtype(np.float64),
    )


def _by_parts(function: Apply, x: Any) -> Any:
    """A real operator on complex vectors, as in `expm_multiply(1j * A, x)`: their real and imaginary parts in turn."""
    if not np.iscomplexobj(x):
        return function(x)
    return function(np.real(x)) + 1j * function(np.imag(x))
