"""Models by exponentials and Jacobians: a published arm, kinematics, Pinocchio, complex steps of the joints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra.applications import lie, task_space
from operator_algebra.errors import ModelError, RangeError
from operator_algebra.evaluation import evaluate
from operator_algebra.interop import pinocchio
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.kinematics import body_transforms
from operator_algebra.models.model import Body, Frame, Model
from operator_algebra.spatial.displacements import motion_block
from operator_algebra.spatial.transforms import Placement
from operator_algebra.symbols import V
from tests.applications.test_decomposition import ARM3
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms

PRINTED = 1e-12
"""What twelve printed decimals leave of entries of about one."""
TINY = 1e-40
seeds = st.integers(0, 2**20)
Q = [0.4, -0.5, 1.1]
TOOL = Placement(translation=(0.4, 0.0, 0.0))
TOOLED = Model(name="ARM3", bodies=ARM3.bodies, frames={"tool": Frame(ARM3.body_names[-1], TOOL)})
G_TOOL = [
    [7.601844418547e-01, -3.894183423087e-01, 5.200701578015e-01, 7.890580168065e-01],
    [3.214008270064e-01, 9.210609940029e-01, 2.198821359866e-01, 3.336083786968e-01],
    [-5.646424733950e-01, 0.0, 8.253356149097e-01, 5.617983338045e-01],
    [0, 0, 0, 1],
]
J_BODY = [
    [-5.646424733950e-01, 0.0, 0.0],
    [0.0, 1.0, 1.0],
    [8.253356149097e-01, 0.0, 0.0],
    [0.0, 5.347244160369e-01, 0.0],
    [8.566837830981e-01, 0.0, 0.0],
    [0.0, -6.721576728553e-01, -0.4],
]
J_SPATIAL = [
    [0.0, -3.894183423087e-01, -3.894183423087e-01],
    [0.0, 9.210609940029e-01, 9.210609940029e-01],
    [1.0, 0.0, 0.0],
    [0.0, -4.605304970014e-01, -7.254785948837e-01],
    [0.0, -1.947091711543e-01, -3.067274302565e-01],
    [0.0, 0.0, 5.265495371342e-01],
]


def test_the_published_arm() -> None:
    printed = [[0, 0, 1, 0, 0, 0], [0, 1, 0, -0.5, 0, 0], [0, 1, 0, -0.5, 0, 0.6]]
    assert apart(lie.twists(ARM3), np.transpose(printed)) <= PRINTED
    found = lie.forward_kinematics(ARM3, q=Q)
    assert apart(lie.compose(found[-1], TOOL), G_TOOL) <= PRINTED
    pick = task_space.picks(TOOLED, ["tool"])
    body = evaluate(task_space.jacobian, TOOLED, q=Q, B=pick).dense()
    assert apart(body, J_BODY) <= PRINTED
    whole = evaluate(lie.spatial_jacobian, ARM3, q=Q).dense()
    assert apart(whole[-6:], J_SPATIAL) <= PRINTED
    assert apart(lie.Ad(lie.matrix(G_TOOL)) @ J_BODY, J_SPATIAL) <= 10 * PRINTED
    assert apart(evaluate(lie.body_jacobian, ARM3, q=Q).dense()[-6:], lie.Ad(TOOL) @ J_BODY) <= 10 * PRINTED


def test_twists_move_as_the_arm_moves() -> None:
    """ξ_S,j is ξ_j carried along by the joints before it; at q = 0 alone it is ξ_j."""
    first = lie.twists(ARM3)
    now = evaluate(lie.joint_twists, ARM3, q=Q).dense()
    moved = lie.compose(lie.exp(Q[0] * first[:, 0]), lie.exp(Q[1] * first[:, 1]))
    assert apart(now[-6:, 2], lie.Ad(moved) @ first[:, 2]) <= rounding(10.0, terms=9)
    assert apart(now[-6:, 2], first[:, 2]) > 0.1
    body = evaluate(lie.body_jacobian, ARM3, q=Q).dense()[-6:]
    rest = lie.forward_kinematics(ARM3, q=np.zeros(3))[-1]
    after = lie.compose(lie.exp(Q[1] * first[:, 1]), lie.exp(Q[2] * first[:, 2]), rest)
    assert apart(body[:, 1], lie.Ad(lie.inverse(after)) @ first[:, 1]) <= rounding(10.0, terms=9)


@given(mechanisms(max_bodies=6), seeds)
@settings(max_examples=30)
def test_products_of_exponentials_are_kinematics(model: Model, seed: int) -> None:
    q, _ = model.random(seed)
    found = lie.forward_kinematics(model, q=q)
    poses = oa.dynamics.poses(model, q=q)
    reach = 1.0 + size(found)
    for k, name in enumerate(model.body_names):
        assert apart(found[k, :3, :3], poses[name][0]) <= rounding(terms=9 * model.n)
        assert apart(found[k, :3, 3], poses[name][1]) <= rounding(reach, terms=9 * model.n)


def test_poses_of_a_batch_and_of_pinocchio() -> None:
    pin: Any = pytest.importorskip("pinocchio")
    model = oa.random_tree(6, joints=pinocchio.KINDS, branching=0.5, seed=3)
    q = np.stack([model.random(seed)[0] for seed in range(3)])
    found = lie.forward_kinematics(model, q=q)
    other = pinocchio.twin(model)
    for sample in range(3):
        pin.forwardKinematics(other.model, other.data, other.q(q[sample]))
        for k in range(model.n):
            expected = other.data.oMi[k + 1].homogeneous
            assert apart(found[sample, k], expected) <= rounding(1.0 + size(expected), terms=9 * model.n)


@given(mechanisms(max_bodies=6), seeds)
@settings(max_examples=20)
def test_jacobians_are_the_rates_of_poses(model: Model, seed: int) -> None:
    """Against the poses of the joints' own transforms, by a complex step."""
    q, v = model.random(seed)
    ahead = complex_poses(model, model.integrate(q, 1j * TINY * v))
    body = (evaluate(lie.body_jacobian, model, q=q).dense() @ v).reshape(-1, 6)
    spatial = (evaluate(lie.spatial_jacobian, model, q=q).dense() @ v).reshape(-1, 6)
    for k, pose in enumerate(ahead):
        g, rate = pose.real, pose.imag / TINY
        scale = (1.0 + size(rate)) * (1.0 + size(g)) ** 2
        assert apart(body[k], lie.body_velocity(g, rate)) <= rounding(scale, terms=9 * model.n)
        assert apart(spatial[k], lie.spatial_velocity(g, rate)) <= rounding(scale, terms=9 * model.n)
    assert apart(body.ravel(), evaluate(V, model, q=q, v=v).dense().ravel()) <= rounding(
        1.0 + size(body), terms=9 * model.n
    )


def complex_poses(model: Model, q: Any) -> list[Any]:
    """Poses one after the other along the tree."""
    found: list[Any] = []
    for k, (R, p) in enumerate(zip(*body_transforms(model, q, np), strict=True)):
        pose = np.block([[R, p[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
        found.append(found[model.parent[k]] @ pose if model.parent[k] >= 0 else pose)
    return found


def test_jacobians_of_the_base_do_not_depend_on_axes() -> None:
    model = oa.random_tree(5, seed=2)
    q, _ = model.random(1)
    for e in (lie.spatial_jacobian, lie.joint_twists):
        found, expected = (evaluate(e, model, q=q, frame=frame).dense() for frame in ("body", "world"))
        assert apart(found, expected) <= rounding(1.0 + size(expected), terms=45)
    reach = evaluate(lie.to_base, model, q=q).dense()
    poses = lie.forward_kinematics(model, q=q)
    for k in range(model.n):
        part = slice(6 * k, 6 * k + 6)
        assert apart(reach[part, part], motion_block(poses[k, :3, :3], poses[k, :3, 3], np)) <= rounding(
            size(reach), terms=45
        )


class Sheared(Joint):
    """A joint of a user's own whose map depends on q in a way that no product of exponentials follows."""

    kind = "sheared"
    nq = nv = 2

    def transform(self, q: Any, xp: Any) -> Any:
        p = xp.stack([q[..., 0] * q[..., 0] + q[..., 0], q[..., 1] + 0.0 * q[..., 0], 0.0 * q[..., 0]], axis=-1)
        return xp.broadcast_to(np.eye(3), (*q.shape[:-1], 3, 3)), p

    def motion_map(self, q: Any, xp: Any) -> Any:
        zero = 0.0 * q[..., 0]
        first = xp.stack([zero, zero, zero, 2.0 * q[..., 0] + 1.0, zero, zero], axis=-1)
        second = xp.stack([zero, zero, zero, zero, zero + 1.0, zero], axis=-1)
        return xp.stack([first, second], axis=-1)

    def motion_map_rate(self, q: Any, v: Any, xp: Any) -> Any:
        zero = 0.0 * q[..., 0]
        first = xp.stack([zero, zero, zero, 2.0 * v[..., 0], zero, zero], axis=-1)
        return xp.stack([first, 0.0 * first], axis=-1)


def test_angles_beyond_the_range_of_floats_are_named() -> None:
    with pytest.raises(RangeError, match='a joint of kind "revolute": the exponential of its rates leaves'):
        lie.forward_kinematics(oa.load("planar2r"), q=[1e300, 0.0])


def test_a_joint_that_is_no_exponential_is_named() -> None:
    model = Model(bodies=[Body("a", None, joint=Sheared(name="odd"), inertia=oa.Inertia(1.0))])
    assert lie.forward_kinematics(model, q=[0.0, 0.5]).shape == (1, 4, 4)
    with pytest.raises(ModelError, match=r"odd.*no product of exponentials"):
        lie.forward_kinematics(model, q=[0.5, 0.5])
