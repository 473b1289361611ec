"""What becomes of a good URDF file: bodies, joints, frames, and what is announced."""

import logging
import warnings
from pathlib import Path

import numpy as np
import pytest

from operator_algebra.errors import ModelError, OperatorAlgebraWarning
from operator_algebra.models.body import Frame
from operator_algebra.models.gallery import Base, load
from operator_algebra.models.joints.joint import Joint, Limits
from operator_algebra.models.mimic import Mimic
from operator_algebra.models.model import Model
from operator_algebra.spatial.transforms import Placement
from tests.oracles.urdf_reading import read_plainly
from tests.rounding import apart, rounding, size

DATA = Path(__file__).parents[3] / "data"
GOOD = (DATA / "good" / "arm.urdf").read_text(encoding="utf-8")
BAD = DATA / "bad"
MASS = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"


def _load(folder: Path, text: str, *, base: Base = "fixed", merge_fixed: bool = True, strict: bool = True) -> Model:
    path = folder / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return load(path, base=base, merge_fixed=merge_fixed, strict=strict)


def _robot(*elements: str) -> str:
    return f"<robot name='r'>{''.join(elements)}</robot>"


def _joint(kind: str, parent: str, child: str, inside: str = "", name: str = "") -> str:
    ends = f"<parent link='{parent}'/><child link='{child}'/>"
    return f"<joint name='{name or child + '_joint'}' type='{kind}'>{ends}{inside}</joint>"


def test_bodies_joints_and_numbers_are_those_of_the_file(tmp_path: Path) -> None:
    model = _load(tmp_path, GOOD, merge_fixed=False)
    plain = read_plainly(GOOD)
    assert model.name == "arm"
    assert model.body_names == ("base", "upper", "lower", "finger", "tool")
    assert not model.frames
    for body in model.bodies:
        expected = plain.inertias[body.name]
        assert apart(body.inertia.matrix(), expected) <= rounding(size(expected), terms=4 * 3)
    for body in model.bodies[1:]:
        joint = plain.joints[body.joint.name]
        assert (joint.parent, joint.child) == (body.parent, body.name)
        assert apart(body.placement.rotation, joint.origin[:3, :3]) <= rounding(terms=3 * 3)
        assert apart(body.placement.translation, joint.origin[:3, 3]) == 0
        assert body.joint.damping == (float(joint.damping),) * body.joint.nv
    assert [body.joint.kind for body in model.bodies] == ["fixed", "revolute", "revolute", "prismatic", "fixed"]


def test_merged_links_stay_as_frames(tmp_path: Path) -> None:
    model = _load(tmp_path, GOOD)
    assert model.body_names == ("base", "upper", "lower", "finger")
    assert dict(model.frames) == {"tool": Frame("lower", Placement(translation=(0.32, 0.0, 0.0)))}


def test_merging_adds_inertias_about_the_right_point(tmp_path: Path) -> None:
    place = "<origin xyz='0.1 0.2 0.3' rpy='0.3 0.2 0.1'/>"
    text = _robot(
        f"<link name='base'/><link name='a'>{MASS}</link><link name='b'/><link name='c'>{MASS}</link>",
        _joint("continuous", "base", "a"),
        _joint("fixed", "a", "b", place),
        _joint("fixed", "b", "c", place),
    )
    model = _load(tmp_path, text)
    (_, body), pose = model.bodies, read_plainly(text).joints["b_joint"].origin
    R, p = (pose @ pose)[:3, :3], (pose @ pose)[:3, 3]
    lever = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    shift = np.block([[R, lever @ R], [np.zeros((3, 3)), R]])
    assert apart(body.inertia.matrix(), np.eye(6) + shift @ shift.T) <= rounding(terms=6 * 6)
    assert apart(model.frames["c"].placement.rotation, R) <= rounding(terms=3)
    assert apart(model.frames["c"].placement.translation, p) <= rounding(terms=3)
    assert model.frames["b"].body == "a"


def test_a_floating_base_puts_a_joint_under_the_root(tmp_path: Path) -> None:
    model = _load(tmp_path, GOOD.replace('<link name="base"/>', f'<link name="base">{MASS}</link>'), base="floating")
    assert [body.joint.kind for body in model.bodies] == ["floating", "revolute", "revolute", "prismatic"]
    assert model.joint_names[0] == "base"


def test_the_floating_joint_takes_no_name_that_is_taken(tmp_path: Path) -> None:
    text = _robot(f"<link name='a'>{MASS}</link><link name='b'>{MASS}</link>", _joint("continuous", "a", "b", name="a"))
    assert _load(tmp_path, text, base="floating").joint_names == ("a_floating", "a")


def test_a_root_link_called_world_is_the_ground(tmp_path: Path) -> None:
    place = "<origin xyz='1 2 3'/>"
    text = _robot(
        f"<link name='world'/><link name='a'>{MASS}</link><link name='b'>{MASS}</link><link name='mark'/>",
        _joint("fixed", "world", "a", place),
        _joint("fixed", "world", "mark", place),
        _joint("continuous", "a", "b"),
    )
    fixed, floating = _load(tmp_path, text), _load(tmp_path, text, base="floating")
    assert [body.joint.kind for body in fixed.bodies] == ["fixed", "revolute"]
    assert [body.joint.kind for body in floating.bodies] == ["floating", "revolute"]
    for model in (fixed, floating):
        assert model.bodies[0].placement.translation == (1.0, 2.0, 3.0)
        assert dict(model.frames) == {"mark": Frame(None, Placement(translation=(1.0, 2.0, 3.0)))}


def test_a_floating_joint_in_the_file_is_one(tmp_path: Path) -> None:
    text = _robot(f"<link name='world'/><link name='a'>{MASS}</link>", _joint("floating", "world", "a"))
    for base in ("fixed", "floating"):
        assert [body.joint.kind for body in _load(tmp_path, text, base=base).bodies] == ["floating"]


def test_an_arm_on_the_ground_has_no_base_that_floats(tmp_path: Path) -> None:
    text = _robot(f"<link name='world'/><link name='a'>{MASS}</link>", _joint("continuous", "world", "a"))
    with pytest.raises(ModelError, match=r'joint "a_joint": base=.floating. needs a base link'):
        _load(tmp_path, text, base="floating")


def test_a_link_alone_is_a_model(tmp_path: Path) -> None:
    assert _load(tmp_path, _robot("<link name='a'/>")).nv == 0
    assert _load(tmp_path, _robot(f"<link name='a'>{MASS}</link>"), base="floating").nv == 6


def test_a_missing_inertial_is_neither_mass_nor_inertia(tmp_path: Path) -> None:
    model = _load(tmp_path, GOOD)
    assert model.bodies[0].inertia.is_zero


def test_several_roots_load_as_a_forest_when_asked(tmp_path: Path) -> None:
    text = _robot(f"<link name='a'>{MASS}</link><link name='b'>{MASS}</link>")
    with pytest.warns(OperatorAlgebraWarning, match="2 links have no parent"):
        assert _load(tmp_path, text, base="floating", strict=False).roots == (0, 1)


@pytest.mark.parametrize(
    ("kind", "limit", "expected"),
    [
        ("revolute", "<limit lower='-1' upper='2' effort='3' velocity='4'/>", Limits((-1.0,), (2.0,), (4.0,), (3.0,))),
        ("revolute", "<limit effort='3' velocity='4'/>", Limits((), (), (4.0,), (3.0,))),
        ("revolute", "<limit upper='2'/>", Limits((0.0,), (2.0,))),
        ("revolute", "<limit lower='-1e30' upper='2'/>", Limits((), (2.0,))),
        ("prismatic", "<limit lower='-inf' upper='2' effort='inf'/>", Limits((), (2.0,))),
        ("continuous", "<limit lower='-1' upper='2' effort='3'/>", Limits((), (), (), (3.0,))),
        ("continuous", "", None),
    ],
)
def test_limits(kind: str, limit: str, expected: Limits | None, tmp_path: Path) -> None:
    text = _robot(f"<link name='a'/><link name='b'>{MASS}</link>", _joint(kind, "a", "b", limit))
    assert _load(tmp_path, text).bodies[1].joint.limits == expected


@pytest.mark.parametrize(("kind", "nv"), [("revolute", 1), ("prismatic", 1), ("planar", 3), ("floating", 6)])
def test_the_axis_is_x_where_none_is_given_and_becomes_a_unit(kind: str, nv: int, tmp_path: Path) -> None:
    links = f"<link name='a'/><link name='b'>{MASS}</link>"
    model = _load(tmp_path, _robot(links, _joint(kind, "a", "b")))
    assert model.nv == nv
    given = _load(tmp_path, _robot(links, _joint(kind, "a", "b", "<axis xyz='0 3 4'/>"))).bodies[1].joint
    if kind != "floating":
        assert getattr(model.bodies[1].joint, "axis", None) == (1.0, 0.0, 0.0)
        assert getattr(given, "axis", None) == (0.0, 0.6, 0.8)


def test_mimic_joints_follow_unless_told_otherwise(tmp_path: Path) -> None:
    mimic = '<mimic joint="elbow" multiplier="0.1" offset="-.5"/>'
    text = GOOD.replace('<axis xyz="0 1 1"/>', f'<axis xyz="0 1 1"/>{mimic}')
    model = _load(tmp_path, text)
    assert model.nv == 3  # a follower stays a joint of the tree
    assert model.mimic == (Mimic("grip", "elbow", 0.1, -0.5),)
    free = load(tmp_path / "robot.urdf", mimic=False)
    assert (free.mimic, free.bodies) == ((), model.bodies)
    assert free != model
    assert free.digest != model.digest
    plain = text.replace(' multiplier="0.1" offset="-.5"', "")
    assert _load(tmp_path, plain).mimic == (
        Mimic("grip", "elbow", 1.0, 0.0),
    )  # what the format says of what is left out


def test_what_mimics_in_vain_is_loaded_without_it() -> None:
    with pytest.warns(OperatorAlgebraWarning, match="mimics another one"):
        chained = load(BAD / "mimic_chain.urdf", strict=False)
    assert [mimic.joint for mimic in chained.mimic] == ["grip"]
    assert not load(BAD / "mimic_chain.urdf", mimic=False).mimic


def test_friction_and_springs_are_announced_as_ignored(tmp_path: Path) -> None:
    text = GOOD.replace('damping="0.2"', 'damping="0.2" friction="0.5" K="7" mu_coulomb="0"')
    with pytest.warns(OperatorAlgebraWarning, match=r'K, friction of joints \(1\) ignored: "shoulder"'):
        assert _load(tmp_path, text).bodies[1].joint.damping == (0.2,)


def test_warnings_point_at_the_line_that_loads(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_text(GOOD.replace('damping="0.2"', 'friction="0.5"').replace('value="2.0"', 'value="-2.0"'))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load(path, strict=False)
    assert [warning.filename for warning in caught] == [__file__, __file__]


def test_merged_links_and_transmissions_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    text = GOOD.replace("</robot>", "<transmission name='t'><type>simple</type></transmission></robot>")
    with caplog.at_level(logging.INFO, logger="operator_algebra"):
        _load(tmp_path, text)
    assert "1 merged links" in caplog.text
    assert "1 transmissions ignored" in caplog.text


def test_extensions_are_left_alone(tmp_path: Path) -> None:
    extra = "<gazebo><mu1>1</mu1><joint name='x'><y/></joint></gazebo><material name='m'/><my_own/>"
    text = GOOD.replace("</robot>", f"{extra}</robot>")
    text = text.replace('<link name="base"/>', "<link name='base'><contact/></link>")
    assert _load(tmp_path, text) == _load(tmp_path, GOOD)


def test_the_robots_own_number_format_does_not_matter(tmp_path: Path) -> None:
    text = GOOD.replace('xyz="0.2 0 0.01"', 'xyz="  +2.e-1\n 0.0   .01 "').replace('value="2.0"', 'value=" 2 "')
    assert _load(tmp_path, text) == _load(tmp_path, GOOD)


@pytest.mark.parametrize("bound", [(10**400,), ("1",), 1.0, (float("nan"),), (0.0, 1.0)])
def test_limits_that_are_no_numbers_are_refused(bound: tuple[float, ...]) -> None:
    with pytest.raises(ModelError, match="the limit 'lower' needs 1 numbers"):
        Joint.revolute(limits=Limits(lower=bound))
