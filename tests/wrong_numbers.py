"""Arrays that look like numbers and are none: masked, text, dates, objects."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

_numpy: Any = np


def not_numbers(shape: tuple[int, ...]) -> dict[str, Any]:
    """Arrays of a shape whose entries would pass for ones if they were cast."""
    ones = np.ones(shape)
    return {
        "masked": _numpy.ma.array(ones, mask=np.arange(ones.size).reshape(shape) == 0),
        "nothing masked": _numpy.ma.array(ones),
        "text": ones.astype(str),
        "bytes": ones.astype(bytes),
        "date": ones.astype(int).astype("datetime64[s]"),
        "duration": ones.astype(int).astype("timedelta64[s]"),
        "objects": ones.astype(object),
        "fractions": np.full(shape, Fraction(1)),
        "decimals": np.full(shape, Decimal(1)),
        "records": np.zeros(shape, dtype=[("x", float)]),
        "list of text": ones.astype(str).tolist(),
        "None": None,
        "a mapping": {"x": 1.0},
        "too long": np.full(shape, 10**400).tolist(),
    }
