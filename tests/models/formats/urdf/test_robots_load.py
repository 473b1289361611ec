"""Robots that people use: every valid file loads, what is wrong with one is said, and another reader agrees."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest

from operator_algebra.applications.diagnosis import check_pose
from operator_algebra.errors import ModelError, OperatorAlgebraWarning, SingularError
from operator_algebra.models.gallery import load
from operator_algebra.models.joints.axis import AxisJoint
from tests.models.formats.urdf.robots import is_named, load_quietly, robot_files
from tests.oracles.urdf_reading import read_plainly
from tests.rounding import apart, rounding, size

FILES = robot_files()
NAMED = {name: path for name, path in FILES.items() if is_named(path)}

# Robots that have no forward dynamics at their neutral pose: the joint to blame, and what it carries.
SINGULAR = {
    "icub_description/icub": ("neck_roll", "neck_2, head"),
    "romeo_description/romeo": ("LHand", "LFinger11Link"),
    "romeo_description/romeo_laas_small": ("l_gripper_joint", "l_gripper"),
}


def test_there_are_many() -> None:
    assert len(NAMED) >= 60


@pytest.mark.parametrize("name", FILES)
def test_every_valid_file_loads(name: str) -> None:
    if name in NAMED:
        assert load_quietly(FILES[name]).n >= 1
    else:
        with pytest.raises(ModelError, match="the robot has no name"):
            load(FILES[name])


@pytest.mark.parametrize("name", NAMED)
def test_what_is_refused_is_refused_for_a_stated_reason(name: str) -> None:
    """Without strict=False only inertia that no body has, and joints that mimic what is not there, are in the way."""
    reasons = (
        r"(violates the triangle inequality|is not positive|D is singular|that it mimics|it mimics .* which has not)"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperatorAlgebraWarning)
        try:
            load(NAMED[name])
            lines: list[str] = []
        except ModelError as error:
            lines = str(error).splitlines()
    assert all(re.search(reasons, line) for line in lines)


@pytest.mark.parametrize("name", NAMED)
def test_the_numbers_are_those_of_the_file(name: str) -> None:
    model, plain = load_quietly(NAMED[name], merge_fixed=False), read_plainly(NAMED[name].read_text(encoding="utf-8"))
    assert set(model.body_names) == set(plain.inertias) - {"world"}
    for body in model.bodies:
        # The moments are turned, taken to the mass centre and back.
        expected = plain.inertias[body.name]
        assert apart(body.inertia.matrix(), expected) <= rounding(size(expected), terms=4 * 3)
        if body.parent is None:
            continue
        joint = plain.joints[body.joint.name]
        assert (joint.parent, joint.child) == (body.parent, body.name)
        assert apart(body.placement.rotation, joint.origin[:3, :3]) <= rounding(terms=3 * 3)
        np.testing.assert_array_equal(body.placement.translation, joint.origin[:3, 3])
        if isinstance(body.joint, AxisJoint):
            assert apart(body.joint.axis, joint.axis) <= rounding()


@pytest.mark.parametrize("name", NAMED)
def test_merging_keeps_the_mass_and_every_name(name: str) -> None:
    merged, whole = load_quietly(NAMED[name]), load_quietly(NAMED[name], merge_fixed=False)
    assert set(merged.body_names) | set(merged.frames) == set(whole.body_names)
    assert apart(merged.arrays.mass.sum(), whole.arrays.mass.sum()) <= rounding(whole.arrays.mass.sum(), terms=whole.n)
    assert merged.nv == whole.nv


@pytest.mark.parametrize("name", NAMED)
def test_yourdfpy_reads_the_same(name: str) -> None:
    yourdfpy = pytest.importorskip("yourdfpy")
    other: Any = yourdfpy.URDF.load(
        str(NAMED[name]), build_scene_graph=False, build_collision_scene_graph=False, load_meshes=False
    )
    model = load_quietly(NAMED[name], merge_fixed=False)
    assert model.name == other.robot.name
    joints = {joint.name: joint for joint in other.robot.joints}
    links = {link.name: link for link in other.robot.links}
    assert set(links) - {"world"} == set(model.body_names)
    for body in model.bodies:
        inertial = links[body.name].inertial
        if inertial is None:
            assert body.inertia.is_zero
        else:
            assert body.inertia.mass == (inertial.mass or 0.0)
            pose = np.eye(4) if inertial.origin is None else inertial.origin
            assert apart(body.inertia.com, pose[:3, 3]) <= rounding(size(pose[:3, 3]))
        if body.parent is None:
            continue
        joint = joints[body.joint.name]
        assert (joint.parent, joint.child) == (body.parent, body.name)
        assert joint.type.replace("continuous", "revolute") == body.joint.kind
        pose = np.eye(4) if joint.origin is None else joint.origin
        assert apart(body.placement.rotation, pose[:3, :3]) <= rounding(terms=3)
        limits = body.joint.limits
        if limits is not None and limits.lower:
            assert limits.lower == (joint.limit.lower or 0.0,)
            assert limits.upper == (joint.limit.upper or 0.0,)
        if joint.dynamics is not None and body.joint.nv:
            assert body.joint.damping == (float(joint.dynamics.damping or 0.0),)


@pytest.mark.parametrize("name", [name for name in SINGULAR if name in NAMED])
def test_robots_known_to_be_singular_are_diagnosed(name: str) -> None:
    model, (joint, carried) = load_quietly(NAMED[name]), SINGULAR[name]
    message = f'at the neutral pose: D is singular at joint "{joint}", which carries {carried}'
    with pytest.raises(SingularError, match=message) as caught:
        check_pose(model, q=model.neutral())
    assert joint in caught.value.joints


@pytest.mark.parametrize("name", NAMED)
def test_no_other_robot_is_singular_at_its_neutral_pose(name: str) -> None:
    if name not in SINGULAR:
        model = load_quietly(NAMED[name])
        check_pose(model, q=model.neutral())
