"""Chains of growing length: the derived program costs O(N), the dense solve O(N³)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import operator_algebra as oa
from benchmarks.measure import measure, text
from benchmarks.peers import pinocchio
from operator_algebra.symbols import H, M, T, inv, phi

LENGTHS = (10, 30, 100, 300, 1000)


def _candidates(model: oa.Model) -> dict[str, Callable[[], object]]:
    q, _ = model.random(0)
    torque = np.ones(model.nv)
    mass_matrix = H @ phi @ M @ phi.T @ H.T
    derived = oa.compile(inv(mass_matrix) @ T, model)
    mass = oa.compile(oa.dense(mass_matrix), model)
    found: dict[str, Callable[[], object]] = {
        "derived": lambda: derived(q=q, T=torque),
        "dense solve": lambda: np.linalg.solve(np.asarray(mass(q=q), dtype=np.float64), torque),
    }
    peer = pinocchio(model)
    if peer is not None:
        state = (peer.q(q), np.zeros(model.nv), torque)
        found["Pinocchio (with bias)"] = lambda: peer.pin.aba(peer.model, peer.data, *state)
    return found


def report() -> str:
    """One row for each length."""
    rows = [measure(f"{n} bodies", _candidates(oa.chain(n, seed=0))) for n in LENGTHS]
    return text("x = (H φ M φ* H*)⁻¹ T on chains, one state a call", rows)
