"""What rounding does to pivots in the mean, as covariances carried from the tips to the base in dense 6 × 6 algebra."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.model import Model
from operator_algebra.operators.leaf_factors import body_classes, factors
from operator_algebra.symbols import E_phi, H, M

Floats = NDArray[np.float64]
_ROOT_EPS = 2.0**-26


class Blocks(NamedTuple):
    """A mechanism where it stands: the hop to the parent, H, inertia and armature of each body."""

    parent: tuple[int, ...]
    hops: list[Floats]
    maps: list[Floats]
    inertias: list[Floats]
    joined: list[Floats]

    @classmethod
    def of(cls, model: Model, q: Floats) -> Blocks:
        """From the leaves of the model, in the axes of bodies."""
        found = cls(tuple(model.parent), *([np.zeros((0, 0))] * model.n for _ in range(4)))
        assert E_phi.leaf is not None
        assert H.leaf is not None
        assert M.leaf is not None
        for of in body_classes(model):
            for i, k in enumerate(of.bodies.tolist()):
                one = of.alone(i)
                own = q[one.q]
                placement, motion = factors(E_phi.leaf, one, own, None, np)
                found.hops[k] = placement.block(np) @ motion.block(np)
                found.maps[k] = np.reshape(factors(H.leaf, one, own, None, np)[-1].block(np), (-1, 6))
                found.inertias[k] = factors(M.leaf, one, own, None, np)[-1].block(np)
                found.joined[k] = np.diag(model.arrays.armature[model.v_slices[k]])
        return found


def spread(model: Model, q: Floats) -> tuple[Floats, Floats]:
    """For each body the diagonal of P, and tr(D⁻¹ H S H*) where signs of size one round each entry like its root."""
    return carried(Blocks.of(model, q))


def carried(blocks: Blocks) -> tuple[Floats, Floats]:
    """The same for blocks."""
    n = len(blocks.parent)
    P = [inertia.copy() for inertia in blocks.inertias]
    S = [np.zeros((6, 6)) for _ in range(n)]
    lost = np.zeros(n)
    for k in reversed(range(n)):
        rounded, h, joined = np.diag(np.diag(P[k])), blocks.maps[k], blocks.joined[k]
        S[k] += rounded
        inverse = np.linalg.inv(h @ P[k] @ h.T + joined)
        gain = P[k] @ h.T @ inverse
        kept = np.eye(6) - gain @ h
        lost[k] = np.trace(inverse @ h @ S[k] @ h.T)
        parent, hop = blocks.parent[k], blocks.hops[k]
        if parent >= 0:
            again = 1.0 if len(h) < 2 else _ROOT_EPS**2
            P[parent] += hop @ kept @ P[k] @ kept.T @ hop.T
            P[parent] += hop @ gain @ joined @ gain.T @ hop.T
            S[parent] += hop @ (kept @ S[k] @ kept.T + again * rounded) @ hop.T
    return np.array([np.diag(one) for one in P]), lost
