"""Saving to URDF and loading again gives the same mechanism, or says what is lost."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.errors import ModelError, OperatorAlgebraWarning
from operator_algebra.models.body import Body, Frame
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.formats.urdf.write import roll_pitch_yaw
from operator_algebra.models.gallery import available, load
from operator_algebra.models.joints.joint import Joint, Limits
from operator_algebra.models.model import Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.oracles import dense_dynamics
from tests.oracles.urdf_reading import read_plainly
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms, placements

DIRECT = ("fixed", "revolute", "prismatic", "planar", "floating")
CHAINED = ("cylindrical", "universal", "translation")


def again(model: Model, folder: Path, *, merge_fixed: bool) -> Model:
    """The model after saving and loading, without the warnings."""
    path = folder / "model.urdf"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperatorAlgebraWarning)
        model.save(path)
    return load(path, merge_fixed=merge_fixed)


def assert_same(model: Model, other: Model) -> None:
    """Equal names, tree and joints; placements, inertias, axes and limits to rounding."""
    assert (model.name, model.parent, model.body_names) == (other.name, other.parent, other.body_names)
    assert model.joint_names == other.joint_names
    for name in ("rotation", "translation", "mass", "com", "inertia_at_com", "damping"):
        ours, theirs = getattr(model.arrays, name), getattr(other.arrays, name)
        # Poses and inertias of links that become one are composed on the way.
        assert apart(theirs, ours) <= rounding(max(1.0, size(ours)), terms=9 * model.n)
    for body, twin in zip(model.bodies, other.bodies, strict=True):
        assert body.joint.kind == twin.joint.kind
        assert apart(getattr(twin.joint, "axis", 0.0), getattr(body.joint, "axis", 0.0)) <= rounding()
        if body.joint.kind in ("revolute", "prismatic"):
            assert (body.joint.limits or Limits()) == (twin.joint.limits or Limits())
    assert set(model.frames) == set(other.frames)
    for name, frame in model.frames.items():
        assert frame.body == other.frames[name].body
        found, expected = other.frames[name].placement, frame.placement
        assert apart(found.rotation, expected.rotation) <= rounding(terms=3 * model.n)
        assert apart(found.translation, expected.translation) <= rounding(1.0 + size(expected.translation))


def assert_same_dynamics(model: Model, other: Model) -> None:
    """Equal mass matrix and bias force at the same coordinates, without what URDF has no place for."""
    q, v = model.random(5)
    bare = Model(
        name=model.name,
        bodies=[replace(body, joint=replace(body.joint, armature=(0.0,) * body.joint.nv)) for body in model.bodies],
        strict=False,
    )
    assert (bare.nq, bare.nv) == (other.nq, other.nv)
    matrix, bias = dense_dynamics.mass_matrix(bare, q), dense_dynamics.bias(bare, q, v)
    allowed = dense_dynamics.allowed(other, q, v)
    assert apart(dense_dynamics.mass_matrix(other, q), matrix) <= allowed.mass
    assert apart(dense_dynamics.bias(other, q, v), bias) <= allowed.force


@pytest.mark.parametrize("name", available())
def test_the_gallery(name: str, tmp_path: Path) -> None:
    model = load(name)
    kinds = {body.joint.kind for body in model.bodies}
    if kinds <= {*DIRECT, *CHAINED}:
        other = again(model, tmp_path, merge_fixed=True)
        assert set(model.frames) == set(other.frames)
        if kinds <= set(DIRECT):
            assert_same(model, other)
        assert_same_dynamics(model, other)
    else:
        with pytest.raises(ModelError, match=r"URDF has no \w+ joint. Save as .toml"):
            model.save(tmp_path / "model.urdf")


@given(st.data())
def test_random_models_with_joints_of_urdf(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    model = data.draw(mechanisms(joints=DIRECT))
    other = again(model, tmp_path_factory.mktemp("urdf"), merge_fixed=False)
    assert_same(model, other)
    assert_same_dynamics(model, other)


@given(st.data())
def test_random_models_with_joints_that_become_chains(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    model = data.draw(mechanisms(joints=(*CHAINED, "revolute", "fixed"), armature=True))
    assert_same_dynamics(model, again(model, tmp_path_factory.mktemp("urdf"), merge_fixed=True))


@given(st.data())
def test_merging_fixed_links_keeps_the_dynamics(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    model = data.draw(mechanisms(joints=("fixed", "revolute", "prismatic")))
    folder = tmp_path_factory.mktemp("urdf")
    other = again(model, folder, merge_fixed=True)
    assert_same_dynamics(model, other)
    assert set(other.body_names) | set(other.frames) == set(model.body_names)


@given(placements())
def test_angles_give_the_rotation_back(place: Placement) -> None:
    back = Placement.from_rpy(roll_pitch_yaw(place))
    assert apart(back.rotation, place.rotation) <= rounding(terms=3)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("off", [0.0, 1e-18, 1e-12, 1e-9, 1e-8, 1e-5])
def test_angles_are_exact_where_the_pitch_is_a_right_angle(sign: int, off: float) -> None:
    place = Placement.from_rpy((0.7, sign * (np.pi / 2 - off), -1.9))
    back = Placement.from_rpy(roll_pitch_yaw(place))
    assert apart(back.rotation, place.rotation) <= rounding(terms=3)


def test_another_reader_understands_the_file(tmp_path: Path) -> None:
    model = random_tree(8, joints=["revolute", "prismatic", "fixed"], seed=4)
    model.save(tmp_path / "tree.urdf")
    plain = read_plainly((tmp_path / "tree.urdf").read_text(encoding="utf-8"))
    for body in model.bodies:
        expected = plain.inertias[body.name]
        assert apart(body.inertia.matrix(), expected) <= rounding(size(expected), terms=4 * 3)
    for joint in plain.joints.values():
        rotation = model.bodies[model.body_index(joint.child)].placement.rotation
        assert apart(rotation, joint.origin[:3, :3]) <= rounding(terms=3 * 3)


def test_limits_that_are_not_there_stay_away(tmp_path: Path) -> None:
    limits = (None, Limits(lower=(-1.0,)), Limits(upper=(1.0,), effort=(3.0,)), Limits(velocity=(2.0,)))
    inertia = Inertia.sphere(1.0, 0.1, com=(0.1, 0.2, 0.3))
    bodies = [
        Body(f"{kind}{k}", None, make(limits=limit), inertia=inertia)
        for kind, make in (("turn", Joint.revolute), ("slide", Joint.prismatic))
        for k, limit in enumerate(limits)
    ]
    model = Model(name="limited", bodies=bodies)
    assert_same(model, again(model, tmp_path, merge_fixed=False))


def test_what_urdf_cannot_hold_is_said(tmp_path: Path) -> None:
    arm = Joint.revolute(armature=0.1, stiffness=2.0)
    body = Body("arm", None, arm, inertia=Inertia.sphere(1.0, 0.1))
    model = Model(name="arm", bodies=[body], gravity=(0, 0, -1.62))
    with pytest.warns(OperatorAlgebraWarning, match=r"arm.urdf: .*armature, gravity \(0.0, 0.0, -1.62\), springs"):
        model.save(tmp_path / "arm.urdf")


@pytest.mark.parametrize("kind", ["spherical", "helical"])
def test_joints_that_urdf_does_not_have_are_refused(kind: str, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as caught:
        chain(2, joint=kind).save(tmp_path / "chain.urdf")
    assert len(str(caught.value).splitlines()) == 2
    assert f'joint "joint1": URDF has no {kind} joint. Save as .toml' in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_names_that_clash_are_refused(tmp_path: Path) -> None:
    body = Body("world", None, Joint.revolute(), inertia=Inertia.sphere(1.0, 0.1))
    model = Model(name="arm", bodies=[body], frames={"world": Frame("world")})
    with pytest.raises(ModelError, match=r"(?s)stands for the ground.*a body and a frame have this name"):
        model.save(tmp_path / "arm.urdf")


def test_names_may_hold_what_xml_reserves(tmp_path: Path) -> None:
    body = Body("<arm> & \"co\" 'x' äß", None, Joint.revolute(name="a<b"), inertia=Inertia.sphere(1.0, 0.1))
    model = Model(name="R&D <1>", bodies=[body], frames={"tip & <top>": Frame(body.name)})
    assert_same(model, again(model, tmp_path, merge_fixed=True))


def test_a_fixed_root_is_the_root_link(tmp_path: Path) -> None:
    model = Model(name="post", bodies=[Body("post", None, Joint.fixed(), inertia=Inertia.sphere(1.0, 0.1))])
    assert again(model, tmp_path, merge_fixed=True) == model
    assert "world" not in (tmp_path / "model.urdf").read_text(encoding="utf-8")
