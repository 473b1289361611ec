"""Dynamics of many states in one call, as machine code and without it, beside another engine at the same states."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

import operator_algebra as oa
from benchmarks.measure import Floats, Row, agreeing, measure, text
from benchmarks.peers import pinocchio
from operator_algebra.backends import kernel
from operator_algebra.backends.floats import build

SIZES = (1, 1024, 16384)
MECHANISMS = ("arm7", "humanoid")
TASKS = {
    "inverse dynamics": (oa.dynamics.inverse_dynamics, ("v", "qdd"), "rnea", "rneaInParallel"),
    "forward dynamics": (oa.dynamics.forward_dynamics, ("v", "T"), "aba", "abaInParallel"),
    "mass matrix": (oa.dense(oa.dynamics.mass_matrix), (), "crba", ""),
}


@contextmanager
def _machine_code(after: float) -> Generator[None]:
    """Machine code is made after so many samples."""
    usual, kernel.WORTH = kernel.WORTH, after
    try:
        yield
    finally:
        kernel.WORTH = usual


def _row(model: oa.Model, task: str, count: int) -> Row:
    formula, names, alone, together = TASKS[task]
    rng = np.random.default_rng(0)
    q = model.integrate(model.neutral(), rng.standard_normal((count, model.nv)))
    values: dict[str, Any] = {name: rng.standard_normal((count, model.nv)) for name in names}
    native = oa.compile(formula, model)
    plain = replace(native, _executable=build(native.program, model, "body"))
    with _machine_code(after=1):
        result = native(q=q, **values)
    found: dict[str, Callable[[], object]] = {
        "machine code": lambda: native(q=q, **values),
        "NumPy calls": lambda: plain(q=q, **values),
    }
    peer = pinocchio(model)
    if peer is not None:
        pin, twin, data = peer.pin, peer.model, peer.data
        states = [(peer.q(q[k]), *(peer.v(value[k]) for value in values.values())) for k in range(count)]
        one = getattr(pin, alone)
        found["Pinocchio, a call each"] = lambda: [one(twin, data, *state) for state in states]
        in_our_order = peer.v if names else peer.matrix
        each = np.array([in_our_order(np.array(one(twin, data, *state))) for state in states])
        agreeing(f"{model.name}, {task}", result.reshape(count, -1), each.reshape(count, -1))
        if together:
            columns: list[Floats] = [np.asfortranarray(np.array(part).T) for part in zip(*states, strict=True)]
            many, pool, out = getattr(pin, together), pin.ModelPool(twin, 1), np.empty((model.nv, count), order="F")
            found["Pinocchio, one call"] = lambda: many(1, pool, *columns, out)
    with _machine_code(after=math.inf):
        agreeing(f"{model.name}, {task}", result.reshape(count, -1), plain(q=q, **values).reshape(count, -1))
        return measure(f"{model.name}, {task}, {count}", found)


def report() -> str:
    """Three tasks on two robots in batches of growing size, on one thread."""
    rows = [_row(oa.load(name), task, count) for name in MECHANISMS for task in TASKS for count in SIZES]
    return text("Batches of states, the time of the whole batch on one thread", rows)
