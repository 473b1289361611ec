"""The same mechanism in other axes: what joints feel is the same, and turns are planar."""

from __future__ import annotations

import numpy as np
import pytest

from operator_algebra.backends.loops.frames import framed
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.joints.joint import make_joint
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.leaf_factors import BodyClass, body_classes
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.rounding import apart, rounding, size
from tests.strategies import ALL_JOINTS


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


@pytest.mark.parametrize(
    "model",
    [chain(6, seed=0), oblique(), *(random_tree(12, joints=ALL_JOINTS, seed=seed) for seed in range(4))],
    ids=lambda model: model.name,
)
def test_joints_feel_the_same(model: Model) -> None:
    for seed in range(2):
        expected = mass_matrix(model, body_classes(model), seed)
        found = mass_matrix(model, framed(model), seed)
        assert apart(found, expected) <= rounding(size(expected), terms=100 * model.n)


def test_hinges_turn_about_z_and_lean_about_x() -> None:
    """Of a chain each body but the first is turned in one plane, before its hinge turns it in another."""
    (hinges,) = framed(chain(9, seed=3))
    assert np.array_equal(hinges.joint.motion_map(np.zeros((9, 1)), np)[..., 0], np.eye(6)[[2] * 9])
    lean = hinges.rotation[1:]
    assert np.array_equal(lean[:, 0], np.eye(3)[[0] * 8])
    assert np.array_equal(lean[:, :, 0], np.eye(3)[[0] * 8])
    assert np.array_equal(lean[:, 1, 1], lean[:, 2, 2])
    assert np.array_equal(lean[:, 1, 2], -lean[:, 2, 1])


def test_what_is_plain_stays() -> None:
    for model in (chain(5), chain(5, joint=["spherical", "prismatic"], seed=1)):
        for of, plain in zip(framed(model), body_classes(model), strict=True):
            assert all(np.array_equal(of.record()[name], plain.record()[name]) for name in plain.record())
