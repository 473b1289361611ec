"""The same mechanism in other axes: what joints feel is the same, and turns are planar."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from operator_algebra.backends.frames import bound_to_axes, framed
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.joints.joint import Joint, make_joint
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.leaf_factors import BodyClass, body_classes
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.rounding import apart, rounding, size
from tests.strategies import ALL_JOINTS

WITH_AXES = ["revolute", "prismatic", "helical", "cylindrical", "universal"]
AXES = ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0))
PLAIN = [
    Placement.from_rpy(turn, (0.3, 0.0, 0.2))
    for turn in ((0.0, 0.0, 0.0), (np.pi / 2, 0.0, 0.0), (0.0, np.pi, np.pi / 2))
]


def mass_matrix(model: Model, classes: tuple[BodyClass, ...], seed: int) -> np.ndarray:
    """Σ J* M J over the bodies, by the poses and inertias of classes: dense, without operators."""
    q, _ = model.random(seed)
    rotation, position = np.empty((model.n, 3, 3)), np.empty((model.n, 3))
    axes: dict[int, np.ndarray] = {}
    inertias: dict[int, tuple[float, np.ndarray, np.ndarray]] = {}
    for of in classes:
        turned, moved = of.joint.transform(q[of.q], np)
        maps = np.broadcast_to(of.joint.motion_map(q[of.q], np), (len(of.bodies), 6, of.v.shape[1]))
        for i, k in enumerate(of.bodies.tolist()):
            rotation[k] = of.rotation[i] @ turned[i]
            position[k] = of.translation[i] + of.rotation[i] @ moved[i]
            axes[k] = maps[i]
            inertias[k] = float(of.mass[i]), of.com[i], of.inertia_at_com[i]
    found = np.zeros((model.nv, model.nv))
    for k in range(model.n):
        jacobian, turn, arm = np.zeros((6, model.nv)), np.eye(3), np.zeros(3)  # of body k, seen from body j
        j = k
        mass, com, inertia = inertias[k]
        while j >= 0:
            angular, linear = axes[j][:3], axes[j][3:]
            point = arm + turn @ com
            jacobian[:3, model.v_slices[j]] = turn.T @ angular
            jacobian[3:, model.v_slices[j]] = turn.T @ (linear + np.cross(angular, point, axis=0))
            turn, arm = rotation[j] @ turn, position[j] + rotation[j] @ arm
            j = model.parent[j]
        found += mass * jacobian[3:].T @ jacobian[3:] + jacobian[:3].T @ inertia @ jacobian[:3]
    return found


def oblique() -> Model:
    """Hinges that are nearly parallel, parallel, opposite and at right angles, one after the other and beside."""
    tilted = ((0.0, 0.0, 1.0), (0.0, 1e-9, 1.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0), (0.3, -0.4, 0.5))
    rod = Inertia.cylinder(1.0, 0.1, 1.0, com=(0.5, 0.1, 0.0), axis=0)
    place = Placement.from_rpy((0.3, 0.2, -0.1), (1.0, 0.2, 0.0))
    chained = [
        Body(f"a{i}", i - 1, make_joint("revolute", name=f"a{i}", axis=axis), place if i == 2 else Placement(), rod)
        for i, axis in enumerate(tilted)
    ]
    beside = [
        Body(f"b{i}", 1, make_joint("revolute", name=f"b{i}", axis=axis), Placement(translation=(0.0, 1.0, 0.0)), rod)
        for i, axis in enumerate(tilted)
    ]
    return Model(name="oblique", bodies=[*chained, *beside])


def quarters(tilt: float) -> Model:
    """Hinges about axes of coordinates, at quarter turns; one placement is tilted by an angle."""
    rod = Inertia.cylinder(1.0, 0.1, 1.0, com=(0.5, 0.1, 0.2), axis=0)
    turns = [
        (0.0, 0.0, 0.0),
        (np.pi / 2, 0.0, 0.0),
        (0.0, -np.pi / 2, 0.0),
        (tilt, 2 * tilt, tilt),
        (0.0, 0.0, np.pi / 2),
    ]
    turns.append((np.pi / 2, 0.0, np.pi / 2))
    axes = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    bodies = [
        Body(
            f"a{i}",
            i - 1,
            make_joint("revolute", name=f"a{i}", axis=axis),
            Placement.from_rpy(turn, (0.3, 0.2, 0.1)),
            rod,
        )
        for i, (axis, turn) in enumerate(zip(axes, turns, strict=True))
    ]
    return Model(name="quarters", bodies=bodies)


def partly_oblique(seed: int) -> Model:
    """A random tree in which most placements and axes are those of coordinates."""
    tree, rng = random_tree(12, joints=WITH_AXES, seed=seed), np.random.default_rng(seed)
    bodies = [
        body
        if rng.random() < 0.3
        else replace(body, joint=replace(body.joint, **along(body.joint, rng)), placement=PLAIN[rng.integers(3)])
        for body in tree.bodies
    ]
    return Model(name=f"partly_oblique{seed}", bodies=bodies)


def along(joint: Joint, rng: np.random.Generator) -> dict[str, tuple[float, float, float]]:
    """The axes of a joint, along those of coordinates."""
    first, second, _ = rng.permutation(3).tolist()
    return {"axis1": AXES[first], "axis2": AXES[second]} if joint.kind == "universal" else {"axis": AXES[first]}


def skew() -> Model:
    """Universal joints whose axes are not at right angles, between hinges."""
    tree = random_tree(8, joints=["revolute", "universal"], seed=3)
    axes = {"axis1": (0.6, 0.0, 0.8), "axis2": (0.0, 0.6, 0.8)}
    bodies = [
        replace(body, joint=replace(body.joint, **axes)) if body.joint.kind == "universal" else body
        for body in tree.bodies
    ]
    return Model(name="skew", bodies=bodies)


@pytest.mark.parametrize(
    "model",
    [
        chain(6, seed=0),
        oblique(),
        skew(),
        chain(6, joint=["universal"], seed=1),
        *(random_tree(12, joints=ALL_JOINTS, seed=seed) for seed in range(4)),
        *(random_tree(12, joints=WITH_AXES, seed=seed) for seed in range(4)),
        *(partly_oblique(seed) for seed in range(4)),
    ],
    ids=lambda model: model.name,
)
def test_joints_feel_the_same(model: Model) -> None:
    for seed in range(2):
        expected = mass_matrix(model, body_classes(model), seed)
        found = mass_matrix(model, framed(model).classes, seed)
        assert apart(found, expected) <= rounding(size(expected), terms=100 * model.n)


def test_hinges_turn_about_z_and_lean_about_x() -> None:
    """Of a chain each body but the first is turned in one plane, before its hinge turns it in another."""
    (hinges,) = framed(chain(9, seed=3)).classes
    assert np.array_equal(hinges.joint.motion_map(np.zeros((9, 1)), np)[..., 0], np.eye(6)[[2] * 9])
    lean = hinges.rotation[1:]
    assert np.array_equal(lean[:, 0], np.eye(3)[[0] * 8])
    assert np.array_equal(lean[:, :, 0], np.eye(3)[[0] * 8])
    assert np.array_equal(lean[:, 1, 1], lean[:, 2, 2])
    assert np.array_equal(lean[:, 1, 2], -lean[:, 2, 1])


def test_universal_joints_turn_about_x_and_then_about_z() -> None:
    """One whose axes are not at right angles stays in its own axes, and so do those beside it."""
    (crosses,) = framed(chain(5, joint=["universal"], seed=2)).classes
    found = crosses.joint.transform(np.zeros((5, 2)) - crosses.record()["joint.offset"], np)[0]
    assert apart(found, np.broadcast_to(np.eye(3), (5, 3, 3))) <= rounding(1.0, terms=3)
    columns = crosses.joint.motion_map(np.zeros((5, 2)) - crosses.record()["joint.offset"], np)
    assert apart(columns, np.broadcast_to(np.eye(6)[:, [0, 2]], (5, 6, 2))) <= rounding(1.0, terms=3)
    model = skew()
    axes = framed(model).axes
    assert axes is not None
    for body, turn in zip(model.bodies, axes[:-1], strict=True):
        assert np.array_equal(turn, np.eye(3)) == (body.joint.kind == "universal")


def test_what_is_plain_stays() -> None:
    for model in (chain(5), chain(5, joint=WITH_AXES), chain(5, joint=["spherical"], seed=1), quarters(0.0)):
        found = framed(model)
        assert found.axes is None
        for of, plain in zip(found.classes, body_classes(model), strict=True):
            assert all(np.array_equal(of.record()[name], plain.record()[name]) for name in plain.record())


def test_only_what_leans_is_turned() -> None:
    """One oblique placement: its body and the one that carries it are seen in new axes, if that has an axis."""
    model = quarters(0.4)
    axes = framed(model).axes
    assert axes is not None
    turned = [not np.array_equal(axes[k], np.eye(3)) for k in range(model.n)]
    assert turned == [False, False, True, True, False, False]
    before = {k: of.rotation[i] for of in body_classes(model) for i, k in enumerate(of.bodies.tolist())}
    after = {k: of.rotation[i] for of in framed(model).classes for i, k in enumerate(of.bodies.tolist())}
    assert all(np.array_equal(after[k], before[k]) for k in (0, 1, 5))
    for of in framed(model).classes:  # a turn by quarters is no part of an angle
        assert all(
            np.array_equal(of.record()["joint.offset"][i], [0.0]) for i, k in enumerate(of.bodies) if k not in (2, 3)
        )


def test_programs_that_mix_axes_are_told() -> None:
    """Where a body stands in the base, and Cholesky factors of its blocks, are others in other axes."""
    for text in ("trace(X_abs)", "trace(root(M))", "X_abs M H'", "logdet(root(M))"):
        assert bound_to_axes(lower(text))
    for text in ("inv(H phi M phi' H') T", "trace(M)", "logdet(M)", "logdet(root(armature))"):
        assert not bound_to_axes(lower(text))
