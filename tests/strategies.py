"""Random mechanisms and configurations for property tests: hypothesis shrinks the tree and the kinds of joints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra.models.families import random_inertia, random_joint
from operator_algebra.models.joints.joint import JOINT_KINDS
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement

ALL_JOINTS = tuple(JOINT_KINDS)
FIRST_JOINTS = ("revolute", "prismatic", "spherical", "floating", "fixed")


@st.composite
def mechanisms(
    draw: st.DrawFn,
    *,
    joints: Sequence[str] = ALL_JOINTS,
    min_bodies: int = 1,
    max_bodies: int = 7,
    forest: bool = True,
    armature: bool = False,
    mass_spread: float = 0.0,
) -> Model:
    """Forests with any kind of joint, random axes, placements and inertias."""
    n = draw(st.integers(min_bodies, max_bodies))
    kinds = [draw(st.sampled_from(joints)) for _ in range(n)]
    parents = [-1] + [draw(st.integers(-1 if forest else 0, k - 1)) for k in range(1, n)]
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    bodies = [random_body(k, parents[k], kinds[k], rng, armature=armature, spread=mass_spread) for k in range(n)]
    return Model(name=f"random{n}", bodies=bodies)


@st.composite
def configurations(draw: st.DrawFn, model: Model) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Coordinates and rates of a model: neutral and at rest in the simplest case."""
    seed = draw(st.integers(0, 2**20))
    return (model.neutral(), np.zeros(model.nv)) if seed == 0 else model.random(seed)


@st.composite
def placements(draw: st.DrawFn) -> Placement:
    """Any pose."""
    return random_placement(np.random.default_rng(draw(st.integers(0, 2**20))))


def random_body(
    k: int, parent: int, kind: str, rng: np.random.Generator, *, armature: bool = False, spread: float = 0.0
) -> Body:
    """Body k of a random mechanism."""
    joint = random_joint(kind, rng, name=f"joint{k}")
    if armature and joint.nv:
        joint = replace(joint, armature=tuple(rng.uniform(0.0, 0.5, joint.nv).tolist()))
    inertia: Inertia = random_inertia(rng, scale=10.0 ** float(rng.uniform(-spread, spread)))
    return Body(f"body{k}", f"body{parent}" if parent >= 0 else None, joint, random_placement(rng), inertia)


def random_placement(rng: np.random.Generator) -> Placement:
    """A pose with any rotation and a translation within a cube of 1 m."""
    return Placement.from_quaternion(rng.standard_normal(4).tolist(), rng.uniform(-0.5, 0.5, 3).tolist())
