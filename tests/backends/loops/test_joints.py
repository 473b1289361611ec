"""Joints whose numbers are compared, and joints of a user, in loops."""

from __future__ import annotations

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.backends.loops.joints import sharing
from operator_algebra.backends.loops.limits import EVERYWHERE
from operator_algebra.backends.loops.run import LoopKernel
from operator_algebra.backends.scalar.graph import Untraceable
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.joints.joint import Joint, make_joint
from operator_algebra.models.model import Body, Model
from operator_algebra.operators.leaf_factors import body_classes
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.backends.loops.as_loops import agrees, in_loops
from tests.backends.loops.test_random_programs import case_of
from tests.models.test_custom_joints import Cam, Slider
from tests.rounding import EPS

FORMULAS = [
    s.phi.T @ s.H.T @ s.v,
    inv(dynamics.mass_matrix) @ s.T,
    dynamics.coriolis,
]


def chained(joints: list[Joint]) -> Model:
    """A chain of equal boxes, each a little beside the one before."""
    box = Inertia.box(1.0, (0.3, 0.2, 0.1)).moved(Placement(translation=(0.2, 0.1, 0.0)))
    place = Placement.from_rpy((0.3, 0.2, -0.1), (0.2, 0.1, 0.0))
    return Model(name="chained", bodies=[Body(f"b{k}", k - 1, joint, place, box) for k, joint in enumerate(joints)])


NORMALS = ((0, 0, 1), (0, 0, -1), (1, 0, 0), (EPS, 0, -1), (1, 2, -3), (-1, 1, 1), (0.0, 1e-3, -1.0))


@pytest.mark.parametrize("e", FORMULAS, ids=str)
def test_planes_with_any_normal(e: Expr) -> None:
    case = case_of(e, chained([make_joint("planar", name=f"p{k}", axis=axis) for k, axis in enumerate(NORMALS)]), 0)
    made = in_loops(case)
    assert isinstance(made, LoopKernel), made
    assert agrees(case, made)
    assert len(made.cut.kinds) <= len(NORMALS)


def users(count: int) -> Model:
    """Joints of a user, in turn: of the same class with two parameters, and of another class."""
    joints = (Cam(lift=0.2), Slider(), make_joint("revolute"), Cam(lift=0.3), Cam(lift=0.2, armature=(0.1,)))
    return chained([joints[k % len(joints)].named(f"j{k}") for k in range(count)])


@pytest.mark.parametrize("e", FORMULAS, ids=str)
@pytest.mark.parametrize("count", [7, 100])
def test_joints_of_a_user(e: Expr, count: int) -> None:
    case = case_of(e, users(count), 0)
    made = in_loops(case)
    assert not isinstance(made, str), made
    assert agrees(case, made)


def test_equal_joints_of_a_user_are_of_one_class() -> None:
    model = users(100)
    found = sharing(body_classes(model), EVERYWHERE.kinds)
    assert sorted(len(of.bodies) for of in found) == [20, 20, 20, 40]
    assert np.array_equal(np.sort(np.concatenate([of.bodies for of in found])), np.arange(100))
    assert all((np.diff(of.bodies) > 0).all() for of in found)
    with pytest.raises(Untraceable, match="kinds of a user's joints"):
        sharing(body_classes(model), 2)
