"""Calls of machine code with arrays of unusual kinds, and at unusual addresses."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends.kernel import Kernel
from tests.backends.native.doors import NAMES, arguments, entered, expected, kernel_of
from tests.backends.native.machine_code import Floats, bits

pytest.importorskip("llvmlite")


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return kernel_of(dynamics.inverse_dynamics, NAMES)


@pytest.fixture(scope="module")
def door(kernel: Kernel) -> Any:
    return entered(kernel, NAMES)


def test_kinds_of_numbers_that_are_not_the_usual_object(kernel: Kernel, door: Any) -> None:
    """NumPy makes others as it reads arrays from files, and for what is written beside them."""
    beside: Any = np.dtype(np.float64, metadata={"unit": "rad"})
    assert beside is not np.dtype(np.float64)
    for shape in ((), (9,)):
        q, inputs = arguments(shape)
        wanted = expected(kernel, q, inputs)
        others = {name: x.astype(beside) for name, x in inputs.items()}
        out = np.full(q.shape, np.nan).astype(beside)
        assert np.array_equal(bits(door(q=q.astype(beside), out=None, **others)), bits(wanted))
        assert door(q=pickle.loads(pickle.dumps(q)), out=out, **inputs) is out
        assert np.array_equal(bits(out), bits(wanted))


def test_results_between_words(kernel: Kernel, door: Any) -> None:
    q, inputs = arguments((9,))
    out = between_words(np.zeros((9, 7)))
    assert door(q=q, out=out, **inputs) is out
    assert np.array_equal(bits(out.copy()), bits(expected(kernel, q, inputs)))


def between_words(x: Floats) -> Floats:
    """The same numbers at addresses where no words stand."""
    room = np.zeros(x.nbytes + 8, dtype=np.uint8)
    found = room[4 : 4 + x.nbytes].view(x.dtype).reshape(x.shape)
    found[...] = x
    assert not found.flags.aligned
    return found


@pytest.mark.parametrize("shape", [(), (5,)])
def test_arguments_between_words_are_left_alone(shape: tuple[int, ...], door: Any) -> None:
    q, inputs = arguments(shape)
    others = [between_words]
    if shape:
        others.append(lambda x: np.lib.stride_tricks.as_strided(np.zeros(100), x.shape, (60, 8)))
    for change in others:
        assert door(q=change(q), out=None, **inputs) is None
        for name in NAMES:
            assert door(q=q, out=None, **{**inputs, name: change(inputs[name])}) is None


def test_a_kind_that_is_changed_between_calls_is_seen(door: Any) -> None:
    q, inputs = arguments((5,))
    changing: Any = q
    assert door(q=changing, out=None, **inputs) is not None
    changing.dtype = np.int64
    assert door(q=changing, out=None, **inputs) is None
