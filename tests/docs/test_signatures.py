"""What the reference says a call takes and gives: arrays by their name, in all forms in which Sphinx writes them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import operator_algebra as oa
from operator_algebra.operators.blocks import BlockMatrix

sphinx: Any = pytest.importorskip("sphinx.util.inspect")
short: Any = pytest.importorskip("docs.extensions.signatures").short

WORDS = ("dtype[float", "dtype[~", "_Buffer", "_NestedSequence", "<", "Annotated")


def shown(call: Callable[..., Any]) -> str:
    return short(sphinx.stringify_signature(sphinx.signature(call), unqualified_typehints=True))


@pytest.mark.parametrize("call", [oa.evaluate, oa.simulate, oa.Event, oa.Film, oa.Model.integrate, BlockMatrix.places])
def test_arrays_are_called_so(call: Callable[..., Any]) -> None:
    found = shown(call)
    assert "ndarray" in found or "ArrayLike" in found
    assert not any(word in found for word in WORDS)
    assert next(iter(inspect.signature(call).parameters)) in found


def test_what_stands_beside_is_kept() -> None:
    assert "v: ~numpy.typing.ArrayLike | None = None" in shown(oa.evaluate)
    assert "inputs: ~collections.abc.Mapping[str, object] = ...)" in shown(oa.Event)
