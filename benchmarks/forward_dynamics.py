"""Forward dynamics: the derived program against dense algebra and other engines, at the same states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import operator_algebra as oa
from benchmarks.measure import measure, text
from benchmarks.peers import pinocchio

MECHANISMS = ("pendulum", "arm7", "quadruped", "humanoid", "snake40")


def _candidates(model: oa.Model) -> dict[str, Callable[[], object]]:
    q, v = model.random(0)
    torque = np.ones(model.nv)
    derived = oa.compile(oa.dynamics.forward_dynamics, model)
    mass = oa.compile(oa.dense(oa.dynamics.mass_matrix), model)
    bias = oa.compile(oa.dynamics.bias, model)

    def solved() -> object:
        return np.linalg.solve(np.asarray(mass(q=q), dtype=np.float64), np.asarray(torque - bias(q=q, v=v)))

    found: dict[str, Callable[[], object]] = {"derived": lambda: derived(q=q, v=v, T=torque), "dense solve": solved}
    peer = pinocchio(model)
    if peer is not None:
        state = (peer.q(q), peer.v(v), peer.v(torque))
        found["Pinocchio"] = lambda: peer.pin.aba(peer.model, peer.data, *state)
    return found


def report() -> str:
    """One row for each mechanism of the gallery that is listed above."""
    models = [oa.load(name) for name in MECHANISMS]
    rows = [measure(f"{model.name}, {model.n} bodies", _candidates(model)) for model in models]
    return text("Forward dynamics q̈ = ℳ⁻¹ (T − bias), one state a call", rows)
