"""Long lists of cases: a part of them runs each time, all of them with `pytest -m "slow or not slow"`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def some(cases: Iterable[Any], each: int) -> list[Any]:
    """Every so many cases as they are, the others marked as slow."""
    listed = [case if isinstance(case, tuple) else (case,) for case in cases]
    marks = [() if place % each == 0 else (pytest.mark.slow,) for place in range(len(listed))]
    return [pytest.param(*case, marks=mark) for case, mark in zip(listed, marks, strict=True)]
