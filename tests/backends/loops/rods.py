"""Mechanisms of thin rods: hinges across them, aligned or nearly so, tips of any mass; chains in a plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement

Floats = NDArray[np.float64]


def _some_turn(rng: np.random.Generator, size: float) -> Placement:
    """A twist about x, and roll, pitch and yaw of a size after it."""
    twist = float(rng.choice([0.0, 0.5 * np.pi, rng.uniform(-np.pi, np.pi)]))
    one = Placement.from_rpy((twist, 0.0, 0.0))
    other = Placement.from_rpy((size * rng.uniform(-1.0, 1.0, 3)).tolist())
    return Placement((np.asarray(other.rotation) @ np.asarray(one.rotation)).tolist(), (1.0, 0.0, 0.0))


def _rod(rng: np.random.Generator, radius: float, tilt: float) -> Inertia:
    mass = float(rng.uniform(0.5, 2.0))
    along = 0.5 * mass * radius**2
    found = Inertia(mass, (0.5, 0.0, 0.0), (along, mass / 12.0 + along / 2.0, mass / 12.0 + along / 2.0))
    place = Placement.from_rpy((tilt * rng.uniform(-1.0, 1.0, 3)).tolist(), (tilt * rng.uniform(-1.0, 1.0, 3)).tolist())
    return found.moved(place) if tilt else found


def _joint(kind: str, axis: tuple[float, float, float], armature: float) -> Joint:
    match kind:
        case "revolute":
            return Joint.revolute(axis, armature=armature)
        case "prismatic":
            return Joint.prismatic(axis, armature=armature)
        case "helical":
            return Joint.helical(axis, pitch=0.3, armature=armature)
        case "spherical":
            return Joint.spherical()
        case _:
            return Joint.fixed()


def rods(n: int, seed: int) -> Model:
    """A chain or a tree of n rods; how thin they are and how far from aligned is the same for all of them."""
    rng = np.random.default_rng((7, seed))
    radius = float(rng.choice([0.0, 1e-9, 1e-6, 1e-3, 0.02, 0.05, 0.1, 0.3]))
    tilt = float(rng.choice([0.0, 0.0, 1e-9, 1e-6, 1e-4, 1e-2, 0.1]))
    branching, others = float(rng.choice([0.0, 0.0, 0.3])), float(rng.choice([0.0, 0.0, 0.2]))
    tip, armature = 10.0 ** float(rng.choice([0, 0, -6, -3, 3, 6])), float(rng.choice([0.0, 0.0, 1e-3, 1.0]))
    plain = rng.random() < 0.4
    bend = float(rng.choice([tilt, tilt, np.pi]))  # how links stand on each other
    bodies: list[Body] = []
    for k in range(n):
        turn = 0.5 * np.pi * (k % 2) if plain else rng.uniform(-np.pi, np.pi)
        kind = "revolute" if rng.random() >= others else str(rng.choice(["fixed", "prismatic", "spherical", "helical"]))
        axis = Placement.from_rpy((tilt * rng.uniform(-1.0, 1.0, 3)).tolist()).apply((0.0, np.cos(turn), np.sin(turn)))
        if plain:
            axis = (0.0, float(k % 2), float((k + 1) % 2))
        joint = _joint(kind, axis, armature)
        parent = int(rng.integers(k)) if k and rng.random() < branching else k - 1
        place = Placement(translation=(1.0, 0.0, 0.0)) if plain else _some_turn(rng, bend)
        inertia = _rod(rng, 0.3 if kind == "spherical" else radius, 0.0 if plain else tilt)
        if k == n - 1:
            ball = tip * np.array([0.02, 0.02, 0.02])
            inertia = inertia + Inertia(tip, (1.0, 0.0, 0.0), ball.tolist())
        bodies.append(Body(f"rod{k}", f"rod{parent}" if k else None, joint, place, inertia))
    return Model(name=f"rods{seed}", bodies=bodies)


def in_a_plane(n: int, axis: tuple[float, float, float], seed: int) -> Model:
    """Rods with hinges along one axis of coordinates; masses, sizes and places are random."""
    rng = np.random.default_rng(seed)
    bodies = [
        Body(
            f"link{k}",
            f"link{k - 1}" if k else None,
            Joint.revolute(axis),
            Placement(translation=rng.uniform(-1.0, 1.0, 3).tolist()),
            _rod(rng, float(10.0 ** rng.uniform(-4.0, -1.0)), 0.0),
        )
        for k in range(n)
    ]
    return Model(name=f"plane{seed}", bodies=bodies)
