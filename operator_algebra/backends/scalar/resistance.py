"""How much inertia a body has at the least, with all that hangs on it, wherever the joints stand.

Let V be the velocity of a body, and all joints free. What moves beyond a joint has no less energy than is left of its
inertia where the joint may choose its rates, and then its place. So from the tips inward and from the base outward each
body hands on to its neighbours what it and all others behind it have together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from operator_algebra.backends.scalar.graph import Node
from operator_algebra.models.arrays import Indices
from operator_algebra.models.numeric import Numbers as Floats
from operator_algebra.programs.matrices import Matrix

_TURNS = 5
"""Turns by parts of a whole one, over which squares of sines and cosines have their mean."""
_TINY = 1e-6
"""Such a part of what is left is not counted, for rounding."""
_ROUNDED = 1e-13
"""What is no larger beside the largest may be nothing but rounding."""
_SHARE, _ROUNDS = 0.2, 2
"""The part of its inertia that a body lends to its parent, and another to its children; how often that is done."""
_ANGULAR, _LINEAR = slice(0, 3), slice(3, 6)

Flags = NDArray[np.bool_]


class Unknown(Exception):
    """What would have to be a number is none, or not positive definite."""


@dataclass(frozen=True)
class Edge:
    """What a joint leaves where it is, and the shift to the parent at one of its places; or several that are alike."""

    phi: Floats
    pinned: bool
    """Whether the origin of the body stays at one point of the parent."""
    turns: int
    """About how many axes it turns."""
    axis: Floats
    """The axis where it is one, through the origin of the body; it stands still in both bodies."""

    def inward(self, inertia: Floats) -> Floats:
        """What the parent has of the inertia of the body."""
        handed: Floats = self.phi @ self.kept(inertia) @ _T(self.phi)
        return handed

    def outward(self, inertia: Floats) -> Floats:
        """What the body has of the inertia of the parent."""
        back = np.linalg.inv(self.phi)
        return self.kept(back @ inertia @ _T(back))

    def kept(self, inertia: Floats) -> Floats:
        """What is left of an inertia beyond the joint, in all of its places.

        What slides is left free, since a turn can move it anywhere: its energy is that about its center of mass.
        """
        left = inertia if self.pinned else _beside(inertia, _ANGULAR, _LINEAR)
        if self.turns == 0:
            return left
        if self.turns == 1:
            return _turned(left, np.broadcast_to(self.axis, (*left.shape[:-2], 3)))
        mass = np.linalg.eigvalsh(_beside(left, _LINEAR, _ANGULAR)[..., _LINEAR, _LINEAR])[..., 0]
        least: Floats = np.maximum(0.0, mass) * (1.0 - _TINY)
        return least[..., None, None] * np.diag([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])


def resistances(inertia: Sequence[Floats], parent: Sequence[int], edges: Mapping[int, Edge]) -> list[Floats]:
    """For each body N with V* N V no more than the energy of all, twice, whatever moves beside it.

    Nothing is known of what other edges hand on.
    """
    whole = list(inertia)
    handed: dict[int, Floats] = {}
    for k in reversed(range(len(parent))):
        if k in edges:
            handed[k] = edges[k].inward(whole[k])
            whole[parent[k]] = whole[parent[k]] + handed[k]
    for k in range(len(parent)):
        if k in edges:
            whole[k] = whole[k] + edges[k].outward(whole[parent[k]] - handed[k])
    return whole


def shared(inertia: Floats, parent: Indices, edges: Sequence[tuple[Indices, Edge]]) -> Floats:
    """For each body N with Σ V* N V no more than the energy of all, twice: neighbours lend a part of what they have.

    Of bodies with edges that are alike come the numbers of the bodies.
    """
    children = np.zeros(len(inertia))
    inner = np.zeros(len(inertia), dtype=bool)
    for bodies, _ in edges:
        np.add.at(children, parent[bodies], 1.0)
        inner[bodies] = True
    left = (1.0 - _SHARE * inner - _SHARE * (children > 0.0))[:, None, None]
    for _ in range(_ROUNDS):
        found: Floats = left * inertia
        for bodies, edge in edges:
            above = parent[bodies]
            np.add.at(found, above, edge.inward(_SHARE * inertia[bodies]))
            found[bodies] += edge.outward((_SHARE / children[above])[:, None, None] * inertia[above])
        inertia = found
    return inertia


def _T(blocks: Floats) -> Floats:
    return blocks.swapaxes(-1, -2)


def _beside(inertia: Floats, kept: slice, free: slice) -> Floats:
    """What is left of one half of an inertia where the other half of a motion is free, if it is definite there."""
    found = np.zeros_like(inertia)
    own = inertia[..., free, free]
    definite = _definite(own)
    own = np.where(definite, own, np.eye(3))
    left = inertia[..., kept, kept] - _T(inertia[..., free, kept]) @ np.linalg.solve(own, inertia[..., free, kept])
    found[..., kept, kept] = np.where(definite, left, 0.0)
    return found


def _turned(inertia: Floats, axis: Floats) -> Floats:
    """What is left of an inertia beyond a hinge about an axis through the origin, at the least and for every angle.

    X = M − M H* (H M H*)⁻¹ H M is what cannot be turned away from. Its mean over all turns about the axis, times the
    largest λ for which X is no less, is the same seen from both sides of the hinge.
    """
    H = np.concatenate([axis, np.zeros_like(axis)], axis=-1)[..., None, :]
    about = H @ inertia @ _T(H)
    resists = about > 0.0
    X: Floats = inertia - inertia @ _T(H) @ H @ inertia / np.where(resists, about, 1.0)
    mean: Floats = np.mean([turn @ X @ _T(turn) for turn in _turns(axis)], axis=0)
    there = np.flatnonzero(np.diagonal(inertia, axis1=-2, axis2=-1).reshape(-1, 6).any(axis=0))
    across = np.zeros((*inertia.shape[:-1], len(there) - 1)) if len(there) else np.zeros((*inertia.shape[:-1], 0))
    if len(there):
        across[..., there, :] = _T(np.linalg.svd(H[..., there])[2][..., 1:, :])
    beyond = _T(across) @ mean @ across
    definite = resists & _definite(beyond)
    root = np.linalg.inv(np.linalg.cholesky(np.where(definite, beyond, np.eye(across.shape[-1]))))
    sizes = np.linalg.eigvalsh(root @ (_T(across) @ X @ across) @ _T(root))
    least = np.maximum(0.0, np.min(sizes, axis=-1, initial=1.0) - _TINY)[..., None, None]
    return np.where(definite, least, 0.0) * mean


def _definite(blocks: Floats) -> Flags:
    """Which of some blocks are positive definite, by far more than rounding, (…, 1, 1)."""
    sizes = np.linalg.eigvalsh(blocks)
    most = np.max(np.abs(sizes), axis=-1, initial=0.0)
    found: Flags = (np.min(sizes, axis=-1, initial=np.inf) > _ROUNDED * most)[..., None, None]
    return found


def moving(maps: Iterable[Matrix], hops: Iterable[Matrix]) -> list[int]:
    """The entries that a motion of any body may have: V(k) = φ* V(parent) + H* times rates, looking at zeros alone.

    Blocks are those of H, and of φ on the edges, as nodes; in a plane three entries of six are left.
    """
    found, edges = np.zeros(6, dtype=bool), np.zeros((6, 6), dtype=bool)
    for block in maps:
        for row in block.rows:
            found |= _filled(row)
    for block in hops:
        edges |= [_filled(row) for row in block.rows]
    while (more := found | edges[found].any(axis=0)).sum() > found.sum():
        found = more
    return np.flatnonzero(found).tolist()


def _filled(row: Iterable[Node]) -> list[bool]:
    return [not (x.known and x.value == 0.0) for x in row]


def _turns(axis: Floats) -> list[Floats]:
    """Both halves turned about axes by equal steps."""
    unit = axis / np.linalg.norm(axis, axis=-1, keepdims=True)
    cross: Floats = np.cross(np.eye(3), unit[..., None, :])
    found: list[Floats] = []
    for q in (2.0 * np.pi * np.arange(_TURNS) / _TURNS).tolist():
        turn = np.zeros((*axis.shape[:-1], 6, 6))
        turn[..., _ANGULAR, _ANGULAR] = np.eye(3) + np.sin(q) * cross + (1 - np.cos(q)) * cross @ cross
        turn[..., _LINEAR, _LINEAR] = turn[..., _ANGULAR, _ANGULAR]
        found.append(turn)
    return found
