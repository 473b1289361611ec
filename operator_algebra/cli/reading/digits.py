"""Random values with few digits, for closed forms: these compute with what is written, digit by digit."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product
from typing import Any, cast

import numpy as np

from operator_algebra.models.model import Model

_DIGITS = 2
_TENTHS = ((10, 0, 0, 0), (5, 5, 5, 5), (1, 1, 7, 7), (1, 3, 3, 9), (1, 5, 5, 7), (2, 4, 4, 8), (0, 0, 6, 8))
"""Quadruples of whole numbers whose squares add up to 100, up to order and sign."""


def few_digits(model: Model, values: dict[str, Any]) -> dict[str, Any]:
    """Numbers, blocks and q to two digits behind the point; quaternions to one, so that they are of length one.

    >>> from operator_algebra.models.gallery import load
    >>> few_digits(load("planar2r"), {"q": [0.12345, 2.0], "T": [1.0, 0.999]})
    {'q': array([0.12, 2.  ]), 'T': array([1., 1.])}
    """
    rounded = {name: _rounded(value) for name, value in values.items()}
    for group in model.joint_groups:
        if "q" in rounded and group.kind_class.quaternion is not None:
            for place in group.q[:, group.kind_class.quaternion]:
                rounded["q"][place] = _unit(np.asarray(values["q"])[place])
    return rounded


def _rounded(value: Any) -> Any:
    """An array, or blocks by joint or in a list, of which some may be None."""
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value)
        return {name: _rounded(block) for name, block in named.items()}
    if isinstance(value, list) and not all(isinstance(one, float) for one in cast("list[Any]", value)):
        return [_rounded(block) for block in cast("list[Any]", value)]
    return None if value is None else np.round(np.asarray(value, dtype=np.float64), _DIGITS)


def _unit(quaternion: Any) -> Any:
    """The nearest quaternion of length one in tenths."""
    return _quaternions()[np.argmax(_quaternions() @ quaternion)]


@cache
def _quaternions() -> Any:
    found = {
        tuple(s * x for s, x in zip(signs, order, strict=True))
        for tenths in _TENTHS
        for order in permutations(tenths)
        for signs in product((1, -1), repeat=4)
    }
    return np.array(sorted(found)) / 10.0
