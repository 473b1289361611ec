"""Bodies that move as one, and what rounding does at them: bounded by quadratic forms in the roots of entries of P."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from operator_algebra.backends.scalar.graph import Node
from operator_algebra.models.numeric import Numbers as Floats
from operator_algebra.programs.matrices import Matrix

Key = tuple[int, int]
"""The entry of P at a body: the body and the place on the diagonal."""

_TURNS = 5
"""Turns by parts of a whole one, over which squares of sines and cosines have their mean."""
_INWARD, _OUTWARD = 0.3, 0.15
"""The shares of inertia that bodies lend to their parents, and then to each child."""
_TINY = 1e-6
"""A root is taken to be no smaller beside others."""


class Unknown(Exception):
    """What would have to be a number is none, or not positive definite."""


@dataclass
class Lump:
    """Bodies that are joined rigidly: their inertia, and the u that they have, over roots of entries of P."""

    inertia: Floats
    moved: Sequence[int]
    """The entries that motions may have."""
    keys: list[Key] = field(default_factory=list[Key])
    inside: list[Floats] = field(default_factory=list[Floats])
    """For each key the column of u in each of the columns of signs, without the w⁺ of its own joint, (columns, 6)."""
    whole: list[Floats] = field(default_factory=list[Floats])
    """The same with it."""
    unsigned: list[Floats] = field(default_factory=list[Floats])
    """What else u may be, of which only sizes are known."""

    def add(self, key: Key, inside: Floats, whole: Floats, unsigned: Floats) -> None:
        """One more column."""
        self.keys.append(key)
        self.inside.append(inside)
        self.whole.append(whole)
        self.unsigned.append(unsigned)

    def sizes(self, usual: Mapping[Key, float]) -> Floats:
        """Usual roots of the entries, none much smaller than another."""
        found = np.array([usual[key] for key in self.keys])
        return np.maximum(found, _TINY * found.max())

    def value(self, form: Floats, usual: Mapping[Key, float]) -> float:
        """What the form usually is."""
        sizes = self.sizes(usual)
        return float(sizes @ form @ sizes)

    def weigh(self, form: Floats, usual: Mapping[Key, float], weights: dict[Key, float]) -> None:
        """Add the weights of entries by which the form is bounded: there it is the same."""
        sizes = self.sizes(usual)
        for key, weight in zip(self.keys, (form @ sizes / sizes).tolist(), strict=True):
            weights[key] = weights.get(key, 0.0) + weight

    def form(self) -> Floats:
        """A bound of u* M⁻¹ u, mean over the columns of signs, as a form in roots that are not negative."""
        seen = np.ix_(self.moved, self.moved)
        try:
            root = np.linalg.inv(np.linalg.cholesky(self.inertia[seen]))
        except np.linalg.LinAlgError:
            raise Unknown from None
        weight = np.zeros_like(self.inertia)
        weight[seen] = root.T @ root
        y = np.abs(np.stack(self.unsigned, axis=-1))
        found: list[Floats] = []
        for several in (self.inside, self.whole):
            x = np.stack(several, axis=-1)
            exact = np.maximum(np.mean(x.swapaxes(-1, -2) @ weight @ x, axis=0), 0.0)
            mixed = (np.abs(x) + y / 2).swapaxes(-1, -2) @ np.abs(weight) @ y
            found.append(exact + np.mean(mixed + mixed.swapaxes(-1, -2), axis=0))
        return np.maximum(*found)


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


def lent(inertia: Floats, axis: Floats) -> Floats:
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
    across: Floats = np.linalg.svd(H)[2][1:].T
    try:
        root = np.linalg.inv(np.linalg.cholesky(across.T @ mean @ across))
    except np.linalg.LinAlgError:
        return np.zeros((6, 6))
    least = float(np.linalg.eigvalsh(root @ (across.T @ X @ across) @ root.T)[0])
    return max(0.0, least - _TINY) * mean


class Hinge(NamedTuple):
    """A turn about an axis through the origin of a body, and the shift to its parent at any angle."""

    axis: Floats
    phi: Floats

    def inward(self, body: Lump, parent: Lump) -> None:
        """A share of the inertia of the body counts for its parent: V* M V is no less than what both have then."""
        parent.inertia = parent.inertia + self.phi @ self._share(body, body.inertia, _INWARD) @ self.phi.T

    def outward(self, body: Lump, parent: Lump) -> None:
        """A share of the inertia of the parent counts for the body."""
        back = np.linalg.inv(self.phi)
        body.inertia = body.inertia + self._share(parent, back @ parent.inertia @ back.T, _OUTWARD)

    def _share(self, giver: Lump, inertia: Floats, share: float) -> Floats:
        giver.inertia = (1.0 - share) * giver.inertia
        return share * lent(inertia, self.axis)


def _turns(axis: Floats) -> list[Floats]:
    """Both halves turned about an axis by equal steps."""
    x, y, z = axis / np.linalg.norm(axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angles = 2.0 * np.pi * np.arange(_TURNS) / _TURNS
    return [np.kron(np.eye(2), np.eye(3) + np.sin(q) * cross + (1 - np.cos(q)) * cross @ cross) for q in angles]
