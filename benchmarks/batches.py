"""Dynamics of many states in one call, beside as many calls of another engine, and beside its own call for batches."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import operator_algebra as oa
from benchmarks.measure import Floats, Row, agreeing, measure, text
from benchmarks.peers import pinocchio

SIZES = (1, 16, 256, 4096)
MECHANISMS = ("arm7", "humanoid")
TASKS = {
    "inverse": (oa.dynamics.inverse_dynamics, "qdd", "rnea", "rneaInParallel"),
    "forward": (oa.dynamics.forward_dynamics, "T", "aba", "abaInParallel"),
}


def _row(model: oa.Model, task: str, count: int) -> Row:
    formula, name, alone, together = TASKS[task]
    rng = np.random.default_rng(0)
    q = model.integrate(model.neutral(), rng.standard_normal((count, model.nv)))
    v, x = rng.standard_normal((2, count, model.nv))
    derived = oa.compile(formula, model)
    found: dict[str, Callable[[], object]] = {"derived": lambda: derived(q=q, v=v, **{name: x})}
    peer = pinocchio(model)
    if peer is not None:
        states = [(peer.q(a), peer.v(b), peer.v(c)) for a, b, c in zip(q, v, x, strict=True)]
        columns: list[Floats] = [np.asfortranarray(np.array(part).T) for part in zip(*states, strict=True)]
        one, pool = getattr(peer.pin, alone), peer.pin.ModelPool(peer.model, 1)
        many, result = getattr(peer.pin, together), np.empty((model.nv, count), order="F")

        def in_parallel() -> Floats:
            many(1, pool, *columns, result)
            return result

        found["Pinocchio, a call each"] = lambda: [one(peer.model, peer.data, *state) for state in states]
        found["Pinocchio, one call"] = in_parallel
        # Its call for batches computes in axes of the base, and is further off.
        each = np.array([peer.v(one(peer.model, peer.data, *state)) for state in states])
        agreeing(f"{model.name}, {task}", derived(q=q, v=v, **{name: x}), each)
    return measure(f"{model.name}, {task} dynamics, {count}", found)


def report() -> str:
    """Inverse and forward dynamics of two robots in batches of growing size, on one thread."""
    rows = [_row(oa.load(name), task, count) for name in MECHANISMS for task in TASKS for count in SIZES]
    return text("Batches of states, the time of the whole batch on one thread", rows)
