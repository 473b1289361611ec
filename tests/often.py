"""What would take long each time: parts of long lists, all of them with `pytest -m "slow or not slow"`; backends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import pytest


def backend_for(case: int) -> str:
    """To generate code takes longer than one call: every fourth case runs on it, the others are read as written."""
    return "interpreter" if case % 4 else "auto"


def some(cases: Iterable[Any], each: int) -> list[Any]:
    """Every so many cases as they are, the others marked as slow."""
    found: list[Any] = []
    for place, case in enumerate(cases):
        values = cast("tuple[Any, ...]", case) if isinstance(case, tuple) else (case,)
        found.append(pytest.param(*values, marks=() if place % each == 0 else (pytest.mark.slow,)))
    return found
