"""What came of a call: its result, what it warned of, what it raised."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

from operator_algebra.errors import OperatorAlgebraError


class Outcome(NamedTuple):
    """A result, that which an error carries included."""

    result: Any
    warned: tuple[str, ...]
    error: OperatorAlgebraError | None


def outcome(run: Callable[[], Any]) -> Outcome:
    """Call a function of no arguments."""
    error: OperatorAlgebraError | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = run()
        except OperatorAlgebraError as raised:
            result, error = getattr(raised, "result", None), raised
    return Outcome(result, tuple(str(one.message) for one in caught), error)
