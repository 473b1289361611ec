"""What rounding does to pivots in the mean, as covariances carried from the tips to the base in dense 6 × 6 algebra."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.model import Model
from operator_algebra.operators.leaf_factors import body_classes, factors
from operator_algebra.symbols import E_phi, H, M

Floats = NDArray[np.float64]
_ROOT_EPS = 2.0**-26


def spread(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """For each body the diagonal of P, and tr(D⁻¹ H S H*) where signs of size one round each entry like its root."""
    hops: dict[int, Floats] = {}
    maps: dict[int, Floats] = {}
    inertias: dict[int, Floats] = {}
    assert E_phi.leaf is not None
    assert H.leaf is not None
    assert M.leaf is not None
    for of in body_classes(model):
        for i, k in enumerate(of.bodies.tolist()):
            one = of.alone(i)
            own = q[one.q]
            placement, motion = factors(E_phi.leaf, one, own, None, np)
            hops[k] = placement.block(np) @ motion.block(np)
            maps[k] = np.reshape(factors(H.leaf, one, own, None, np)[-1].block(np), (-1, 6))
            inertias[k] = factors(M.leaf, one, own, None, np)[-1].block(np)
    P = [inertias[k].copy() for k in range(model.n)]
    S = [np.zeros((6, 6)) for _ in range(model.n)]
    lost = np.zeros(model.n)
    for k in reversed(range(model.n)):
        rounded, h = np.diag(np.diag(P[k])), maps[k]
        S[k] += rounded
        joined = np.diag(model.arrays.armature[model.v_slices[k]])
        inverse = np.linalg.inv(h @ P[k] @ h.T + joined)
        gain = P[k] @ h.T @ inverse
        kept = np.eye(6) - gain @ h
        lost[k] = np.trace(inverse @ h @ S[k] @ h.T)
        parent = model.parent[k]
        if parent >= 0:
            again = 1.0 if len(h) < 2 else _ROOT_EPS**2
            P[parent] += hops[k] @ kept @ P[k] @ kept.T @ hops[k].T
            P[parent] += hops[k] @ gain @ joined @ gain.T @ hops[k].T
            S[parent] += hops[k] @ (kept @ S[k] @ kept.T + again * rounded) @ hops[k].T
    return np.array([np.diag(one) for one in P]), lost
