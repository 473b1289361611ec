"""A traced program as machine code, for vectors of any width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.backends.native.emit import native_text, staged_text
from operator_algebra.backends.native.machine import machine
from operator_algebra.backends.native.run import NativeKernel
from operator_algebra.backends.native.store import code_of
from operator_algebra.backends.scalar.signature import given
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.trace import Traced
from tests.backends.scalar.calls import Call

pytest.importorskip("llvmlite")

Floats = NDArray[np.float64]


def code(
    tape: Tape, arrays: Sequence[int], results: Sequence[int], lanes: int | None = None, *, staged: bool = False
) -> NativeKernel:
    """The machine code of a tape, vector by vector or stage by stage."""
    here = machine()
    assert here is not None
    text = (staged_text if staged else native_text)(tape, arrays, results, lanes or here.lanes)
    assert text is not None
    found = code_of(text)
    assert found is not None
    return NativeKernel(found, arrays, results)


def of_traced(traced: Traced, arguments: int, lanes: int | None = None) -> tuple[Tape, NativeKernel]:
    """Tape and machine code of a graph, with all arguments in one array and all entries in another."""
    tape = Tape.of(traced, arguments)
    return tape, code(tape, [arguments], [len(traced.entries)], lanes)


def arrays_of(call: Call, count: int, seed: int = 0) -> list[Floats]:
    """Samples around the arguments of a call, an array for q and each input."""
    rng = np.random.default_rng(seed)
    blocks = [call.q, *given(call.inputs)]
    return [block.reshape(1, -1) + 0.1 * rng.standard_normal((count, block.size)) for block in blocks]


def same(tape: Tape, kernel: NativeKernel, arrays: Sequence[Any]) -> bool:
    """Whether machine code and tape give the same flags, and the same bits where numbers may be trusted."""
    count = max(map(len, arrays))
    _, good, results = kernel(arrays, count)
    rows = np.concatenate([np.broadcast_to(one, (count, one.shape[1])) for one in arrays], axis=1).T
    trusted, entries = tape.batch(np.ascontiguousarray(rows))
    found = np.concatenate(results, axis=1)[trusted]
    return np.array_equal(good, trusted) and np.array_equal(bits(found), bits(entries.T[trusted]))


def bits(array: Any) -> NDArray[np.int64]:
    """Numbers as integers."""
    return np.ascontiguousarray(array).view(np.int64)
