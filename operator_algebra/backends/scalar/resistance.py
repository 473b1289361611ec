"""How much inertia a body has at the least, with all that hangs on it, wherever the joints stand.

Let V be the velocity of a body, and all joints free. What moves beyond a joint has no less energy than is left of its
inertia where the joint may choose its rates, and then its place. So from the tips inward and from the base outward each
body hands on to its neighbours what it and all others behind it have together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from operator_algebra.backends.scalar.graph import Node
from operator_algebra.models.numeric import Numbers as Floats
from operator_algebra.programs.matrices import Matrix

_TURNS = 5
"""Turns by parts of a whole one, over which squares of sines and cosines have their mean."""
_TINY = 1e-6
"""Such a part of what is left is not counted, for rounding."""
_ANGULAR, _LINEAR = slice(0, 3), slice(3, 6)


class Unknown(Exception):
    """What would have to be a number is none, or not positive definite."""


@dataclass(frozen=True)
class Edge:
    """What a joint leaves where it is, and the shift to the parent at one of its places."""

    phi: Floats
    pinned: bool
    """Whether the origin of the body stays at one point of the parent."""
    turns: int
    """About how many axes it turns."""
    axis: Floats
    """The axis where it is one, through the origin of the body; it stands still in both bodies."""

    def inward(self, inertia: Floats) -> Floats:
        """What the parent has of the inertia of the body."""
        handed: Floats = self.phi @ self.kept(inertia) @ self.phi.T
        return handed

    def outward(self, inertia: Floats) -> Floats:
        """What the body has of the inertia of the parent."""
        back = np.linalg.inv(self.phi)
        return self.kept(back @ inertia @ back.T)

    def kept(self, inertia: Floats) -> Floats:
        """What is left of an inertia beyond the joint, in all of its places.

        What slides is left free, since a turn can move it anywhere: its energy is that about its center of mass.
        """
        left = inertia if self.pinned else _beside(inertia, _ANGULAR, _LINEAR)
        if self.turns == 0:
            return left
        if self.turns == 1:
            return _turned(left, self.axis)
        mass = np.linalg.eigvalsh(_beside(left, _LINEAR, _ANGULAR)[_LINEAR, _LINEAR])[0]
        return max(0.0, mass) * (1.0 - _TINY) * np.diag([0.0, 0.0, 0.0, 1.0, 1.0, 1.0])


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


def _beside(inertia: Floats, kept: slice, free: slice) -> Floats:
    """What is left of one half of an inertia where the other half of a motion is free, if it is definite there."""
    found = np.zeros((6, 6))
    try:
        root = np.linalg.inv(np.linalg.cholesky(inertia[free, free])) @ inertia[free, kept]
    except np.linalg.LinAlgError:
        return found
    found[kept, kept] = inertia[kept, kept] - root.T @ root
    return found


def _turned(inertia: Floats, axis: Floats) -> Floats:
    """What is left of an inertia beyond a hinge about an axis through the origin, at the least and for every angle.

    X = M − M H* (H M H*)⁻¹ H M is what cannot be turned away from. Its mean over all turns about the axis, times the
    largest λ for which X is no less, is the same seen from both sides of the hinge.
    """
    H = np.concatenate([axis, np.zeros(3)])[None, :]
    about = float((H @ inertia @ H.T)[0, 0])
    if about <= 0.0:
        return np.zeros((6, 6))
    X: Floats = inertia - inertia @ H.T @ H @ inertia / about
    mean: Floats = np.mean([turn @ X @ turn.T for turn in _turns(axis)], axis=0)
    there = np.flatnonzero(np.diagonal(inertia))
    across = np.zeros((6, len(there) - 1))
    across[there] = np.linalg.svd(H[:, there])[2][1:].T
    try:
        root = np.linalg.inv(np.linalg.cholesky(across.T @ mean @ across))
    except np.linalg.LinAlgError:
        return np.zeros((6, 6))
    least = float(np.linalg.eigvalsh(root @ (across.T @ X @ across) @ root.T)[0])
    return max(0.0, least - _TINY) * mean


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
    """Both halves turned about an axis by equal steps."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angles = 2.0 * np.pi * np.arange(_TURNS) / _TURNS
    return [np.kron(np.eye(2), np.eye(3) + np.sin(q) * cross + (1 - np.cos(q)) * cross @ cross) for q in angles]
