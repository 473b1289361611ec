"""A traced program as machine code, for vectors of any width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.applications import dynamics
from operator_algebra.backends.kernel import Kernel
from operator_algebra.backends.native.emit import native_text, staged_text
from operator_algebra.backends.native.machine import Machine, machine
from operator_algebra.backends.native.run import NativeKernel
from operator_algebra.backends.native.store import code_of
from operator_algebra.backends.scalar.graph import Graph
from operator_algebra.backends.scalar.signature import Signature, given
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.trace import Traced
from operator_algebra.lowering.lower import lower
from operator_algebra.models.gallery import load
from operator_algebra.operators.vanishing import vanishing
from tests.backends.scalar.calls import Call

Floats = NDArray[np.float64]


def code(
    tape: Tape, arrays: Sequence[int], results: Sequence[int], lanes: int | None = None, *, staged: bool = False
) -> NativeKernel:
    """The machine code of a tape, vector by vector or stage by stage."""
    text = (staged_text if staged else native_text)(tape, arrays, results, lanes or here().lanes)
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


def here() -> Machine:
    """LLVM, which is there."""
    found = machine()
    assert found is not None
    return found


def tape_of(factor: float = 0.5) -> Tape:
    """Three operations on one number."""
    graph = Graph()
    x = graph.input(0)
    return Tape.of(Traced((), (x * factor + x.sin(),), (), ()), 1)


def text_of(factor: float = 0.5) -> str:
    """The module of these."""
    return native_text(tape_of(factor), [1], [1], here().lanes)


def kernel_of_arm() -> tuple[Kernel, Call]:
    """Inverse dynamics of the arm, and a call of it."""
    model = load("arm7")
    program = lower(dynamics.inverse_dynamics, zeros=vanishing(model))
    call = Call.of(program, model, model.random(0)[0], {name: np.ones(7) for name in ("v", "qdd")})
    return Kernel(call.program, call.model, Signature.of(call.inputs)), call
