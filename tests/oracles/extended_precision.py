"""Inverse and forward dynamics sweep by sweep in many digits, from the same leaves as the program that is judged."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.model import Model
from operator_algebra.operators import leaf
from operator_algebra.operators.leaves import LeafValues

Floats = NDArray[np.float64]
DIGITS: Any = import_module("mpmath").mp.clone()
"""Arithmetic with fifty digits."""
DIGITS.dps = 50
_frompyfunc: Any = np.frompyfunc
_each: Any = _frompyfunc(DIGITS.mpf, 1, 1)


def exact(values: Any) -> Any:
    """An array of floats as an array of numbers with many digits."""
    return _each(np.asarray(values, dtype=np.float64))


def rounded(values: Any) -> Floats:
    """Back to floats."""
    return np.asarray(values, dtype=np.float64)


@dataclass(frozen=True)
class Leaves:
    """Hops to the parent, joint maps, inertias and armature of every body, and the terms that do not depend on q̈."""

    model: Model
    hop: list[Any]
    joint: list[Any]
    inertia: list[Any]
    armature: list[Any]
    product: list[Any]
    gyroscopic: list[Any]

    @classmethod
    def at(cls, model: Model, q: Floats, v: Floats) -> Leaves:
        leaves = LeafValues(model, q, v)
        hop, joint = [exact(block) for block in leaves.blocks(leaf.E_phi)], [exact(b) for b in leaves.blocks(leaf.H)]
        joint_rate = [exact(block) for block in leaves.blocks(leaf.H_dot)]
        inertia, ground = (
            [exact((block + block.T) / 2) for block in leaves.blocks(leaf.M)],
            leaves.blocks(leaf.a_ground),
        )
        armature = [exact(np.diag(model.arrays.armature[part])) for part in model.v_slices]
        velocity: list[Any] = []
        product: list[Any] = []
        gyroscopic: list[Any] = []
        for k, p in enumerate(model.parent):
            rate = exact(v[model.v_slices[k]])
            own = joint[k].T @ rate
            velocity.append(own if p < 0 else hop[k].T @ velocity[p] + own)
            turn = cross(velocity[k])
            product.append(turn @ own + joint_rate[k].T @ rate + exact(ground[k][:, 0]))
            gyroscopic.append(-turn.T @ (inertia[k] @ velocity[k]))
        return cls(model, hop, joint, inertia, armature, product, gyroscopic)


def cross(twist: Any) -> Any:
    """The matrix of the motion cross product."""
    zero = np.zeros((3, 3), dtype=object)
    angular, linear = _skew(twist[:3]), _skew(twist[3:])
    return np.concatenate([np.concatenate([angular, zero], 1), np.concatenate([linear, angular], 1)], 0)


def _skew(a: Any) -> Any:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], dtype=object)


def inverse_dynamics(leaves: Leaves, qdd: Any) -> Any:
    """The joint forces of an acceleration, which may have many digits itself."""
    model = leaves.model
    acceleration: list[Any] = []
    for k, p in enumerate(model.parent):
        own = leaves.joint[k].T @ qdd[model.v_slices[k]] + leaves.product[k]
        acceleration.append(own if p < 0 else leaves.hop[k].T @ acceleration[p] + own)
    force = [leaves.inertia[k] @ acceleration[k] + leaves.gyroscopic[k] for k in range(model.n)]
    T = np.zeros(model.nv, dtype=object)
    for k in reversed(range(model.n)):
        part = model.v_slices[k]
        T[part] = leaves.joint[k] @ force[k] + leaves.armature[k] @ qdd[part]
        p = model.parent[k]
        if p >= 0:
            force[p] = force[p] + leaves.hop[k] @ force[k]
    return T


def forward_dynamics(leaves: Leaves, T: Floats) -> Any:
    """The joint accelerations, by the articulated-body sweeps."""
    model = leaves.model
    articulated, bias = list(leaves.inertia), list(leaves.gyroscopic)
    gain: list[Any] = [None] * model.n
    rest: list[Any] = [None] * model.n
    for k in reversed(range(model.n)):
        part, H = model.v_slices[k], leaves.joint[k]
        through = articulated[k] @ H.T
        inverse = inverted(H @ through + leaves.armature[k])
        shifted = bias[k] + articulated[k] @ leaves.product[k]
        gain[k] = through @ inverse
        rest[k] = inverse @ (exact(T[part]) - H @ shifted)
        p = model.parent[k]
        if p >= 0:
            E = leaves.hop[k]
            carried = articulated[k] - gain[k] @ through.T
            # Whatever the number of digits, a skew part that is left in grows from joint to joint.
            articulated[p] = articulated[p] + E @ ((carried + carried.T) / 2) @ E.T
            bias[p] = bias[p] + E @ (shifted + through @ rest[k])
    acceleration: list[Any] = []
    qdd = np.zeros(model.nv, dtype=object)
    for k, p in enumerate(model.parent):
        arriving = exact(np.zeros(6)) if p < 0 else leaves.hop[k].T @ acceleration[p]
        own = rest[k] - gain[k].T @ arriving
        qdd[model.v_slices[k]] = own
        acceleration.append(arriving + leaves.joint[k].T @ own + leaves.product[k])
    return qdd


def inverted(block: Any) -> Any:
    """The inverse of a small definite block, by elimination."""
    n = len(block)
    work = np.concatenate([block, exact(np.eye(n))], axis=1)
    for k in range(n):
        work[k] = work[k] / work[k, k]
        for i in range(n):
            if i != k:
                work[i] = work[i] - work[i, k] * work[k]
    return work[:, n:]
