"""Forward dynamics of many states in one call, beside as many calls of other engines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import operator_algebra as oa
from benchmarks.measure import Row, measure, text
from benchmarks.peers import pinocchio

SIZES = (1, 16, 256, 4096)


def _row(model: oa.Model, count: int) -> Row:
    rng = np.random.default_rng(0)
    q = model.integrate(model.neutral(), rng.standard_normal((count, model.nv)))
    v, torque = rng.standard_normal((2, count, model.nv))
    derived = oa.compile(oa.dynamics.forward_dynamics, model)
    found: dict[str, Callable[[], object]] = {"derived": lambda: derived(q=q, v=v, T=torque)}
    peer = pinocchio(model)
    if peer is not None:
        states = [(peer.q(a), peer.v(b), peer.v(c)) for a, b, c in zip(q, v, torque, strict=True)]
        found["Pinocchio"] = lambda: [peer.pin.aba(peer.model, peer.data, *state) for state in states]
    return measure(f"{model.name}, {count} states", found)


def report() -> str:
    """The humanoid in batches of growing size."""
    model = oa.load("humanoid")
    return text("Forward dynamics of a batch, the time of the whole batch", [_row(model, count) for count in SIZES])
