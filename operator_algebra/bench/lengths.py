"""Chains of growing length: the derived program costs O(N), the dense solve O(N³)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from operator_algebra.bench.measure import measure, text
from operator_algebra.bench.peers import pinocchio
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.query import dense
from operator_algebra.models.families import chain
from operator_algebra.models.model import Model
from operator_algebra.symbols import H, M, T, inv, phi

LENGTHS = (10, 30, 100, 300, 1000)


def _candidates(model: Model) -> dict[str, Callable[[], object]]:
    q, _ = model.random(0)
    torque = np.ones(model.nv)
    mass_matrix = H @ phi @ M @ phi.T @ H.T
    derived = compile_program(inv(mass_matrix) @ T, model)
    mass = compile_program(dense(mass_matrix), model)
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
    rows = [measure(f"{n} bodies", _candidates(chain(n, seed=0))) for n in LENGTHS]
    return text("x = (H φ M φ* H*)⁻¹ T on chains, one state a call", rows)
