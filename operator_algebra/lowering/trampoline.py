"""Recursion without the call stack, for formulas nested thousands of levels deep."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

R = TypeVar("R")

Steps = Generator[Any, Any, R]
"""A recursive function written as a generator: `x = yield recurse(part)` stands for `x = recurse(part)`."""


def run(steps: Steps[R]) -> R:
    """Run a recursive generator to its result."""
    stack: list[Steps[Any]] = [steps]
    value: Any = None
    while stack:
        try:
            call = stack[-1].send(value)
        except StopIteration as finished:
            stack.pop()
            value = finished.value
        else:
            stack.append(call)
            value = None
    return value
