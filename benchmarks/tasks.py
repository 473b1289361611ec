"""What else is asked of a mechanism, one state a call: inverse dynamics, the mass matrix, its inverse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import operator_algebra as oa
from benchmarks.measure import Row, measure, text
from benchmarks.peers import pinocchio

MECHANISMS = ("arm7", "humanoid")


def _rows(model: oa.Model) -> list[Row]:
    q, v = model.random(0)
    qdd = np.ones(model.nv)
    mass = oa.dynamics.mass_matrix
    force = oa.compile(oa.dynamics.inverse_dynamics, model)
    matrix = oa.compile(oa.dense(mass), model)
    inverse = oa.compile(oa.dense(oa.inv(mass)), model)
    diagonal = oa.compile(oa.diag(oa.inv(mass)), model)
    tasks: dict[str, dict[str, Callable[[], object]]] = {
        "inverse dynamics": {"derived": lambda: force(q=q, v=v, qdd=qdd)},
        "mass matrix": {"derived": lambda: matrix(q=q)},
        "inverse mass matrix": {"derived": lambda: inverse(q=q)},
        "diagonal of the inverse": {"derived": lambda: diagonal(q=q)},
    }
    peer = pinocchio(model)
    if peer is not None:
        pin, twin, data = peer.pin, peer.model, peer.data
        at, rate, gain = peer.q(q), peer.v(v), peer.v(qdd)
        tasks["inverse dynamics"]["Pinocchio"] = lambda: pin.rnea(twin, data, at, rate, gain)
        tasks["mass matrix"]["Pinocchio"] = lambda: pin.crba(twin, data, at)
        tasks["inverse mass matrix"]["Pinocchio"] = lambda: pin.computeMinverse(twin, data, at)
        tasks["diagonal of the inverse"]["Pinocchio"] = lambda: pin.computeMinverse(twin, data, at).diagonal()
    return [measure(f"{model.name}, {task}", candidates) for task, candidates in tasks.items()]


def report() -> str:
    """Each task on each mechanism."""
    return text("Other tasks, one state a call", [row for name in MECHANISMS for row in _rows(oa.load(name))])
