"""Forward dynamics: the derived program against dense algebra and other engines, at the same states."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

import numpy as np

import operator_algebra as oa
from benchmarks.measure import Row, measure, solve
from tests.oracles.pinocchio_models import KINDS, twin

TITLE = "Forward dynamics q̈ = ℳ⁻¹ (T − bias), one state a call"
MECHANISMS = ("pendulum", "arm7", "quadruped", "humanoid", "snake40")


def _candidates(model: oa.Model) -> dict[str, Callable[[], object]]:
    q, v = model.random(0)
    torque = np.ones(model.nv)
    derived = oa.compile(oa.dynamics.forward_dynamics, model)
    mass = oa.compile(oa.dense(oa.dynamics.mass_matrix), model)
    bias = oa.compile(oa.dynamics.bias, model)
    pull = np.zeros(6 * model.n)
    found: dict[str, Callable[[], object]] = {
        "derived": lambda: derived(q=q, v=v, T=torque, f_ext=pull),
        "dense solve": lambda: solve(mass(q=q), torque - bias(q=q, v=v, f_ext=pull)),
    }
    if find_spec("pinocchio") and all(body.joint.kind in KINDS for body in model.bodies):
        peer = twin(import_module("pinocchio"), model)
        state = (peer.q(q), peer.v(v), peer.v(torque))
        found["Pinocchio"] = lambda: peer.pin.aba(peer.model, peer.data, *state)
    return found


def rows() -> list[Row]:
    """One row for each mechanism of the gallery that is listed above."""
    models = [oa.load(name) for name in MECHANISMS]
    return [measure(f"{model.name}, {model.n} bodies", _candidates(model)) for model in models]
