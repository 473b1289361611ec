"""Mechanisms whose mass matrix is singular or nearly so, by what makes it so, and healthy ones beside them."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import metadata

import numpy as np
from numpy.typing import NDArray

from operator_algebra.errors import ModelError, OperatorAlgebraWarning
from operator_algebra.models.families import chain, random_joint, random_tree
from operator_algebra.models.gallery import available, load
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.backends.loops.rods import rods
from tests.euler_angles import Tilted
from tests.models.formats.urdf.robots import load_quietly, robot_files
from tests.strategies import ALL_JOINTS, random_body

Rng = np.random.Generator
Floats = NDArray[np.float64]
MOVING = tuple(kind for kind in ALL_JOINTS if kind != "fixed")
LIGHT = (0.0, 0.0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)
"""Masses of links beside one of 1 kg."""


NEAR = (0.0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0)
"""Angles between axes of one joint, in radians."""


@dataclass(frozen=True)
class Sample:
    """A mechanism in a pose."""

    family: str
    model: Model
    q: Floats


def redundant_point(rng: Rng) -> Model:
    """Revolute joints, three to six, that move one point mass at the end."""
    return _carrier(rng, ["revolute"] * int(rng.integers(3, 7)), Inertia(1.0, _box(rng)))


def redundant_body(rng: Rng) -> Model:
    """Revolute joints, six to nine, that move one rigid body at the end."""
    return _carrier(rng, ["revolute"] * int(rng.integers(6, 10)), _body(rng))


def redundant_joints(rng: Rng) -> Model:
    """Joints of any kind with about six degrees of freedom or more that move one rigid body at the end."""
    kinds: list[str] = []
    while sum(random_joint(kind, rng).nv for kind in kinds) < 6 or rng.random() < 0.3:
        kinds.append(str(rng.choice(MOVING)))
    return _carrier(rng, kinds, _body(rng))


def few_masses(rng: Rng) -> Model:
    """A random tree with any joints, in which most bodies are light or without mass; tips have some."""
    model = random_tree(int(rng.integers(4, 13)), joints=ALL_JOINTS, seed=int(rng.integers(2**31)))
    share, light = float(rng.choice([0.3, 0.6, 0.9])), float(rng.choice(LIGHT))

    def weighed(k: int, body: Body) -> Body:
        if model.children[k] and rng.random() < share:
            return replace(body, inertia=_scaled(body.inertia, light))
        if rng.random() < 0.3:
            return replace(body, inertia=Inertia(1.0, _box(rng)))
        return body

    return _loose(model.name, [weighed(k, body) for k, body in enumerate(model.bodies)])


def point_on_hinges(rng: Rng) -> Model:
    """A point mass on two or three hinges with axes along x, y and z, without offsets or with some."""
    axes = rng.permutation(np.eye(3))[: int(rng.integers(2, 4))].tolist()
    bodies = [
        Body(
            f"link{k}",
            f"link{k - 1}" if k else None,
            Joint.revolute(axis),
            Placement(translation=_box(rng) if rng.random() < 0.3 else (0.0, 0.0, 0.0)),
            Inertia(1.0, (0.5, 0.0, 0.0) if rng.random() < 0.5 else _box(rng)) if k == len(axes) - 1 else Inertia(),
        )
        for k, axis in enumerate(axes)
    ]
    return _loose("hinges", bodies)


def gimbal(rng: Rng) -> Model:
    """Three orthogonal hinges through one point with a body in the innermost ring, other rings light."""
    light = float(rng.choice(LIGHT))
    axes = [(0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)]
    if rng.random() < 0.3:
        axes.append((0.0, 1.0, 0.0))
    ring = _scaled(Inertia(1.0, (0.0, 0.0, 0.0), (0.01, 0.012, 0.015)), light)
    bodies = [
        Body(
            f"ring{k}",
            f"ring{k - 1}" if k else None,
            Joint.revolute(axis),
            inertia=_body(rng) if k == len(axes) - 1 else ring,
        )
        for k, axis in enumerate(axes)
    ]
    return _loose("gimbal", bodies)


def uneven_chain(rng: Rng) -> Model:
    """A chain whose masses grow or fall evenly towards the tip, up to twelve powers of ten in all."""
    n, spread = int(rng.integers(3, 16)), float(rng.choice([-12.0, -6.0, -3.0, 3.0, 6.0, 12.0]))
    bodies = [random_body(k, k - 1, str(rng.choice(MOVING)), rng) for k in range(n)]
    return Model(
        name="uneven",
        bodies=[
            replace(body, inertia=_scaled(body.inertia, 10.0 ** (spread * (k / (n - 1) - 0.5))))
            for k, body in enumerate(bodies)
        ],
    )


def one_heavy(rng: Rng) -> Model:
    """A long chain of light links with one heavy body somewhere."""
    n = int(rng.integers(8, 31))
    kinds = [str(rng.choice(MOVING)) for _ in range(n)] if rng.random() < 0.5 else ["revolute"] * n
    light, heavy = float(rng.choice(LIGHT[2:])), int(rng.integers(n))
    bodies = [random_body(k, k - 1, kind, rng) for k, kind in enumerate(kinds)]
    return Model(
        name="one_heavy",
        bodies=[b if k == heavy else replace(b, inertia=_scaled(b.inertia, light)) for k, b in enumerate(bodies)],
    )


def spread_tree(rng: Rng) -> Model:
    """A random tree with any joints and masses over up to 10^±12."""
    n, spread = int(rng.integers(3, 31)), float(rng.choice([3.0, 6.0, 12.0]))
    return random_tree(n, joints=ALL_JOINTS, mass_spread=spread, seed=int(rng.integers(2**31)))


def healthy_tree(rng: Rng) -> Model:
    """A random tree with any joints and ordinary masses."""
    return random_tree(int(rng.integers(1, 31)), joints=ALL_JOINTS, seed=int(rng.integers(2**31)))


def robot(rng: Rng) -> Model:
    """A model of the gallery."""
    return load(str(rng.choice(available())))


def long_chain(rng: Rng) -> Model:
    """A chain of three hundred bodies."""
    return chain(300, joint=["revolute", "universal", "spherical"], seed=int(rng.integers(2**31)))


def oblique(rng: Rng) -> Model:
    """A random tree, one joint of which moves its body in fewer ways than it has rates, or nearly so.

    That of a user is as near to a gimbal lock as is drawn, in its neutral pose; the axes of a universal one are as near
    to each other, in every pose.
    """
    n = int(rng.integers(1, 6))
    tree = random_tree(n, joints=ALL_JOINTS, seed=int(rng.integers(2**31)))
    place, near = int(rng.integers(n)), float(rng.choice(NEAR))
    if rng.random() < 0.5:
        axis = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
        aside = np.cross(axis, rng.standard_normal(3))
        beside = axis + max(near, 1e-5) * aside / np.linalg.norm(aside)
        joint = Joint.universal(axis.tolist(), beside.tolist(), name="oblique")
    else:
        joint = Tilted(name="oblique", tilt=math.pi / 2 + near * float(rng.choice([-1.0, 1.0])))
    bodies = [replace(body, joint=joint) if k == place else body for k, body in enumerate(tree.bodies)]
    return _loose("oblique", bodies)


def thin_rods(rng: Rng) -> Model:
    """Rods in a chain or a tree, thin or not, aligned or nearly so, with tips of any mass."""
    return rods(int(rng.integers(3, 13)), int(rng.integers(2**31)))


DOUBTFUL: dict[str, Callable[[Rng], Model]] = {
    "redundant point": redundant_point,
    "redundant body": redundant_body,
    "redundant joints": redundant_joints,
    "few masses": few_masses,
    "point on hinges": point_on_hinges,
    "gimbal": gimbal,
    "uneven chain": uneven_chain,
    "one heavy": one_heavy,
    "spread tree": spread_tree,
}
AXES: dict[str, Callable[[Rng], Model]] = {"oblique": oblique, "thin rods": thin_rods}
"""Where what is lost depends on how axes stand."""
HEALTHY: dict[str, Callable[[Rng], Model]] = {"healthy tree": healthy_tree, "robot": robot}


def sample(family: str, seed: int) -> Sample:
    """One mechanism of a family in a random, a neutral, or a nearly neutral or rectangular pose."""
    rng = np.random.default_rng([seed, *family.encode()])
    model = (DOUBTFUL | AXES | HEALTHY)[family](rng)
    q, _ = model.random(int(rng.integers(2**31)))
    if family not in HEALTHY:
        kind = rng.random()
        if kind < 0.25:
            q = model.neutral()
        elif kind < 0.5:
            q = _special(model, rng)
    return Sample(family, model, q)


def installed_robots() -> Iterator[Sample]:
    """The robots of the package example-robot-data, where it is installed, in a neutral and in a random pose."""
    with suppress(metadata.PackageNotFoundError):
        metadata.version("example-robot-data")
        for name, path in sorted(robot_files().items()):
            with suppress(ModelError):
                model = load_quietly(path)
                yield Sample(name, model, model.neutral())
                yield Sample(name, model, model.random(0)[0])


def _special(model: Model, rng: Rng) -> Floats:
    """Near the neutral pose, right angles in some joints of one degree of freedom."""
    q = model.neutral()
    tiny = float(rng.choice([0.0, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2]))
    for body, part in zip(model.bodies, model.q_slices, strict=True):
        if body.joint.nq == body.joint.nv:
            turned = rng.random() < 0.5 and body.joint.nv == 1
            q[part] += (math.pi / 2 if turned else 0.0) + tiny * rng.standard_normal(body.joint.nq)
    return q


def _carrier(rng: Rng, kinds: Sequence[str], tip: Inertia) -> Model:
    """A chain with one body at its tip, all others without mass or as light as is drawn."""
    light = float(rng.choice(LIGHT))
    bodies = [random_body(k, k - 1, kind, rng) for k, kind in enumerate(kinds)]
    carried = [replace(body, inertia=_scaled(body.inertia, light)) for body in bodies[:-1]]
    return _loose("carrier", [*carried, replace(bodies[-1], inertia=tip)])


def _loose(name: str, bodies: Sequence[Body]) -> Model:
    """The model, also where a tip without inertia is what a strict model refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperatorAlgebraWarning)
        return Model(name=name, bodies=bodies, strict=False)


def _scaled(inertia: Inertia, factor: float) -> Inertia:
    if not factor:
        return Inertia()
    moments = (np.asarray(inertia.inertia_at_com) * factor).tolist()
    return Inertia(inertia.mass * factor, inertia.com, moments)


def _body(rng: Rng) -> Inertia:
    size = rng.uniform(0.1, 0.6, 3).tolist()
    return Inertia.box(float(rng.uniform(0.5, 2.0)), size, _box(rng))


def _box(rng: Rng) -> tuple[float, float, float]:
    x, y, z = rng.uniform(-0.5, 0.5, 3).tolist()
    return (x, y, z)
