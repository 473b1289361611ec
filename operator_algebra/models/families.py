"""Mechanisms with parameters: regular chains, random trees."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from operator_algebra.arguments import choice, items, shown, whole
from operator_algebra.errors import ModelError, explain
from operator_algebra.models.configurations import generator
from operator_algebra.models.joints.axis import random_direction
from operator_algebra.models.joints.joint import JOINT_KINDS, Joint, Options, Rows, joint_class, make_joint
from operator_algebra.models.model import Model
from operator_algebra.models.seedlings import BLOCK, Bodies, Seedlings
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.reals import real
from operator_algebra.spatial.transforms import Placement

DEFAULT_JOINTS = ("revolute", "prismatic", "spherical", "cylindrical", "universal", "fixed")
MOST = 10**7
"""Bodies of the largest mechanism that is made from a number: it takes some fifteen gigabytes."""


def chain(n: int, *, joint: str | Sequence[str] = "revolute", seed: int | None = None) -> Model:
    """A chain of n bodies; kinds of joints are taken in turn.

    Without a seed the links are equal rods of 1 m and 1 kg along x, and axes alternate between z and y; with a seed
    axes, placements and inertias are random.

    >>> chain(3, joint=["revolute", "prismatic"])
    Model chain3   3 bodies   2 revolute, 1 prismatic   nq 3, nv 3   fixed base
    """
    n = _count(n)
    kinds = _kinds([joint] if isinstance(joint, str) else joint)
    parents = range(-1, n - 1)
    if seed is not None:
        rng = generator(seed)
        return forest(f"chain{n}", parents, (kinds * -(-n // len(kinds)))[:n], rng, 0.0)
    rod = Inertia.cylinder(1.0, 0.05, 1.0, com=(0.5, 0.0, 0.0), axis=0)
    seedlings = Seedlings(n)
    for start in range(0, n, BLOCK):
        several = range(start, min(start + BLOCK, n))
        place = np.zeros((len(several), 3))
        place[:, 0] = 1.0
        place[0, 0] = float(start > 0)
        alike = Bodies(*map(np.array, (np.eye(3), place, rod.mass, rod.com, rod.inertia_at_com)))
        own = [kinds[k % len(kinds)] for k in several]
        options: dict[str, list[Options]] = {}
        for k, kind in zip(several, own, strict=True):
            options.setdefault(kind, []).append(joint_class(kind).chain_options(k))
        seedlings.add(own, {kind: _columns(given) for kind, given in options.items()}, alike)
    return seedlings.grown(f"chain{n}", parents)


def random_tree(
    n: int,
    *,
    joints: Sequence[str] = DEFAULT_JOINTS,
    branching: float = 0.5,
    mass_spread: float = 0.0,
    seed: int,
) -> Model:
    """A random tree of n bodies.

    Each body hangs, with the probability `branching`, on any earlier body, else on the one before it: 0 gives a chain.
    `mass_spread` scatters masses over ± so many powers of ten.

    >>> random_tree(5, branching=0.0, seed=1).parent
    (-1, 0, 1, 2, 3)
    """
    n = _count(n)
    branching, mass_spread = _share(branching, "branching", 1.0), _share(mass_spread, "mass_spread", 12.0)
    kinds = _kinds(joints)
    rng = generator(seed)
    parents = [-1]
    for k in range(1, n):
        parents.append(int(rng.integers(k)) if rng.random() < branching else k - 1)
    drawn = [kinds[int(rng.integers(len(kinds)))] for _ in range(n)]
    return forest(f"tree{n}_{seed}", parents, drawn, rng, mass_spread)


def random_joint(kind: str, rng: np.random.Generator, *, name: str = "") -> Joint:
    """A joint of this kind with random axes."""
    return make_joint(kind, name=name, **joint_class(kind).random_options(rng))


def random_inertia(rng: np.random.Generator, *, scale: float = 1.0) -> Inertia:
    """The inertia of a homogeneous box of random size, place and direction, its mass near `scale`."""
    mass = scale * float(rng.uniform(0.5, 2.0))
    size = rng.uniform(0.1, 0.6, 3).tolist()
    axis, angle = random_direction(rng), float(rng.uniform(-math.pi, math.pi))
    place = Placement.from_axis_angle(axis, angle, rng.uniform(-0.3, 0.3, 3).tolist())
    return Inertia.box(mass, size).moved(place)


def forest(
    name: str, parents: Sequence[int], kinds: Sequence[str], rng: np.random.Generator, mass_spread: float = 0.0
) -> Model:
    """The forest with these parents (−1 is the ground) and kinds of joints; all else is random.

    >>> forest("pair", [-1, -1], ["revolute", "fixed"], np.random.default_rng(0))
    Model pair   2 bodies   1 revolute, 1 fixed   nq 1, nv 1   2 fixed bases
    """
    seedlings = Seedlings(len(parents))
    for start in range(0, len(parents), BLOCK):
        seedlings.draw(kinds[start : start + BLOCK], rng, mass_spread)
    return seedlings.grown(name, parents)


def _columns(options: Sequence[Options]) -> dict[str, Rows]:
    """Options of many joints, one row each."""
    return {field: np.array([one[field] for one in options], dtype=np.float64) for field in options[0]}


def _share(value: object, what: str, most: float) -> float:
    try:
        number = real(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0.0 <= number <= most:
        raise ModelError(explain(f"{what} is {shown(value)}", "random_tree", f"Give a number from 0 to {most:g}."))
    return number


def _count(n: object) -> int:
    return whole(n, "the number of bodies", least=1, most=MOST, error=ModelError)


def _kinds(kinds: object) -> list[str]:
    given = items(kinds, "the kinds of joints", "names", error=ModelError)
    if not given:
        raise ModelError(explain("no kinds of joints are given", remedy=f"Use {', '.join(JOINT_KINDS)}."))
    return [choice(kind, "kind of joint", JOINT_KINDS, error=ModelError) for kind in given]
