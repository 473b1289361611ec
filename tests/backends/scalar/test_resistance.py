"""How much a body resists: no more than the energy of all that moves, at every place of every joint."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.backends.scalar.resistance import Edge, resistances
from tests.rounding import rounding
from tests.strategies import random_body

Floats = NDArray[np.float64]


def turned(axis: Floats, q: float) -> Floats:
    """Both halves turned about an axis, by Rodrigues' formula."""
    x, y, z = axis.tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    found: Floats = np.zeros((6, 6))
    found[:3, :3] = found[3:, 3:] = np.eye(3) + np.sin(q) * cross + (1 - np.cos(q)) * cross @ cross
    return found


AXIS = np.array([0.0, 0.6, 0.8])
KINDS = {  # where the joint may be, and its rates: turns and slides in the axes of the body
    "fixed": (True, 0, np.zeros((0, 6))),
    "revolute": (True, 1, np.r_[AXIS, 0.0, 0.0, 0.0][None, :]),
    "spherical": (True, 3, np.eye(6)[:3]),
    "prismatic": (False, 0, np.r_[0.0, 0.0, 0.0, AXIS][None, :]),
    "cylindrical": (False, 1, np.stack([np.r_[AXIS, 0.0, 0.0, 0.0], np.r_[0.0, 0.0, 0.0, AXIS]])),
    "floating": (False, 3, np.eye(6)),
}


def somewhere(kind: str, phi: Floats, rng: np.random.Generator) -> Floats:
    """The hop at a place of the joint, whose first place is φ."""
    turns, lever = KINDS[kind][1], np.zeros(3) if KINDS[kind][0] else AXIS * rng.uniform(-3.0, 3.0)
    if kind == "floating":
        lever = rng.uniform(-3.0, 3.0, 3)
    axis: Floats = AXIS if turns == 1 else rng.standard_normal(3)
    turn = turned(axis / np.linalg.norm(axis), float(rng.uniform(-4.0, 4.0)) if turns else 0.0)
    shift = np.eye(6)
    shift[:3, 3:] = np.cross(np.eye(3), lever)
    found: Floats = phi @ shift @ turn
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("mass", [1e-3, 1.0, 1e3])
def test_no_body_resists_more_than_all_have_energy(kind: str, mass: float) -> None:
    """Of a body, its parent and what hangs beside it, whatever their rates, at many places."""
    pinned, turns, H = KINDS[kind]
    told, n = 0, 7 + len(H)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        M = [scale * random_body(0, -1, "revolute", rng).inertia.matrix() for scale in (1.0, mass, 1.0)]
        phi = somewhere("floating", np.eye(6), rng)
        edges = {1: Edge(phi, pinned, turns, AXIS), 2: Edge(np.eye(6), True, 1, AXIS)}
        N = resistances(M, (-1, 0, 0), edges)
        told += bool(np.linalg.norm(N[0] - M[0]) and np.linalg.norm(N[1] - M[1]))
        for _ in range(20):
            parent = np.eye(6, n)
            body = somewhere(kind, phi, rng).T @ parent
            body[:, 6:-1] += H.T
            beside = parent + np.outer(np.r_[AXIS, 0.0, 0.0, 0.0], np.eye(n)[-1])
            moved: Floats = np.stack([parent, body, beside])
            energy: Floats = np.einsum("bij,bik,bkl->jl", moved, np.stack(M), moved)
            for J, resistance in zip(moved[:2], N[:2], strict=True):
                left = np.linalg.eigvalsh(energy - J.T @ resistance @ J)
                assert left[0] >= -rounding(float(np.abs(energy).max()), terms=1000)
    assert told == 8 * (kind != "floating")


def test_what_turns_and_slides_everywhere_hands_on_nothing() -> None:
    M = random_body(0, -1, "revolute", np.random.default_rng(0)).inertia.matrix()
    assert not Edge(np.eye(6), False, 3, np.zeros(3)).kept(M).any()
    assert not Edge(np.eye(6), True, 1, AXIS).kept(np.zeros((6, 6))).any()
    for pinned, turns in ((True, 0), (True, 3), (False, 0), (False, 1)):
        assert not Edge(np.eye(6), pinned, turns, AXIS).kept(np.zeros((6, 6))).any()
