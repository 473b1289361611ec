"""The TOML format: what is written is read again, to the bit; what may be left out has a meaning."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra.errors import ModelError, OperatorAlgebraWarning
from operator_algebra.models.families import chain
from operator_algebra.models.gallery import available, load, save
from operator_algebra.models.joints.joint import Joint, Limits
from operator_algebra.models.model import Body, Frame, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.rounding import apart, rounding
from tests.strategies import mechanisms, placements

BALL = Inertia.sphere(1.0, 0.1, com=(0.1, 0.05, 0.0))


def _again(model: Model, folder: Path) -> Model:
    path = folder / "model.toml"
    model.save(path)
    return load(path)


@pytest.mark.parametrize("name", available())
def test_the_gallery_survives_a_round_trip(name: str, tmp_path: Path) -> None:
    model = load(name)
    assert _again(model, tmp_path) == model


@given(model=mechanisms(armature=True), place=placements(), names=st.lists(st.text(min_size=1), max_size=3))
@settings(max_examples=60)
def test_random_models_survive_a_round_trip(
    model: Model, place: Placement, names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    frames = {name: Frame(model.body_names[0], place) for name in names if name.strip() and name.isprintable()}
    framed = Model(name=model.name, bodies=model.bodies, gravity=(0.1, -2.0, 1e-300), frames=frames)
    again = _again(framed, tmp_path_factory.mktemp("toml"))
    assert again == framed
    assert again.digest == framed.digest


def test_everything_that_a_joint_can_carry_survives(tmp_path: Path) -> None:
    limits = Limits(lower=(-math.inf, -1.0), upper=(0.5, math.inf), velocity=(1.0, 2.0), effort=(10.0, math.inf))
    rich = Joint.cylindrical(
        (1, 2, 3), name='a "b" \\ ü', armature=0.1, stiffness=(1, 2), damping=3, rest=(4, 5), limits=limits
    )
    bodies = [Body("α β", None, rich, inertia=BALL), Body("-", "α β", Joint.helical(pitch=-0.25), inertia=BALL)]
    model = Model(name="mödel", bodies=bodies, frames={"x.y z": Frame(None), "tool": Frame("-")})
    again = _again(model, tmp_path)
    assert again == model
    assert again.bodies[0].joint.limits == limits
    assert list(again.frames) == list(model.frames)


def test_empty_limits_survive(tmp_path: Path) -> None:
    model = Model(bodies=[Body("a", None, Joint.revolute(limits=Limits()), inertia=BALL)])
    assert _again(model, tmp_path) == model


def test_units_and_orders_are_stated_in_the_file(tmp_path: Path) -> None:
    save(load("arm7"), tmp_path / "arm.toml")
    head = (tmp_path / "arm.toml").read_text().split("\n\n")[0]
    for word in ("version = 1", "kg, m, s, rad", "w, x, y, z", "angular, then linear", "mass centre"):
        assert word in head


def test_the_four_ways_to_give_a_rotation_agree(tmp_path: Path) -> None:
    half, s = math.pi / 2, math.sqrt(0.5)
    ways = [
        "rotation = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]",
        f"quaternion = [{s}, 0, 0, {s}]",
        f"rpy = [0, 0, {half}]",
        f"rotation_vector = [0, 0, {half}]",
    ]
    path = tmp_path / "turned.toml"
    for way in ways:
        path.write_text(
            'version = 1\n[[bodies]]\nname = "a"\njoint = { kind = "revolute" }\nmass = 1\n'
            f"inertia = [1, 1, 1]\nplacement = {{ {way}, translation = [1, 2, 3] }}\n"
        )
        place = load(path).bodies[0].placement
        assert place.translation == (1.0, 2.0, 3.0)
        assert apart(place.rotation[0], (0, -1, 0)) <= rounding()
    assert load(path).name == "turned"


def test_a_number_stands_for_all_degrees_of_freedom(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text(
        'version = 1\n[[bodies]]\nname = "a"\nmass = 1\ninertia = [1, 1, 1]\n'
        'joint = { kind = "universal", damping = 0.5, limits = { lower = [-1, -2], upper = [1, inf] } }\n'
    )
    joint = load(path).bodies[0].joint
    assert joint.damping == (0.5, 0.5)
    assert joint.limits == Limits(lower=(-1.0, -2.0), upper=(1.0, math.inf))


def test_a_base_can_float() -> None:
    torso = load("torso2", base="floating")
    assert torso.bodies[0].joint == Joint.floating(name="mount")
    assert torso.nv == load("torso2").nv + 6
    assert load("quadruped", base="floating") == load("quadruped")
    with pytest.raises(ModelError, match=r"planar3r.toml, line \d+, body \"upper\": .* moves on the ground"):
        load("planar3r", base="floating")
    with pytest.raises(ModelError, match="base='flying' is not known"):
        load("planar3r", base="flying")  # pyright: ignore[reportArgumentType]


def test_implausible_files_load_with_a_warning_that_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "plate.toml"
    path.write_text(
        'version = 1\ncolour = "red"\n[[bodies]]\nname = "a"\njoint = { kind = "fixed" }\n\n'
        '[[bodies]]\nname = "b"\nparent = "a"\njoint = { kind = "revolute" }\nmass = 1\ninertia = [0.4, 0.1, 0.2]\n'
    )
    with pytest.raises(ModelError) as caught:
        load(path)
    assert "unknown key" in str(caught.value).splitlines()[0]
    assert "triangle" in str(caught.value).splitlines()[1]
    with pytest.warns(OperatorAlgebraWarning) as warned:
        model = load(path, strict=False)
    assert model.bodies[1].inertia.inertia_at_com[0][0] == 0.4
    texts = [str(warning.message) for warning in warned]
    assert texts[0].startswith('plate.toml, line 2: unknown key "colour"')
    assert texts[1].startswith('plate.toml, line 7, body "b": the rotational inertia violates')


def test_files_that_would_not_be_read_again_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="would have more than 4 MB"):
        chain(20_000).save(tmp_path / "long.toml")
    assert not (tmp_path / "long.toml").exists()


def test_unknown_endings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"ends in \.toml or \.urdf"):
        chain(2).save(tmp_path / "x.json")
    with pytest.raises(ModelError, match="cannot be written"):
        chain(2).save(tmp_path / "no" / "such" / "folder.toml")


def test_readers_accept_what_the_parent_order_is(tmp_path: Path) -> None:
    """A child may stand before its parent in the file."""
    path = tmp_path / "x.toml"
    part = 'mass = 1\ncom = [0.1, 0, 0]\ninertia = [1, 1, 1]\njoint = { kind = "revolute" }\n'
    path.write_text(f'version = 1\n[[bodies]]\nname = "b"\nparent = "a"\n{part}[[bodies]]\nname = "a"\n{part}')
    assert load(path).body_names == ("a", "b")


def test_the_default_gravity_points_down(tmp_path: Path) -> None:
    path = tmp_path / "x.toml"
    path.write_text('version = 1\n[[bodies]]\nname = "a"\njoint = { kind = "fixed" }\n')
    assert load(path).gravity == (0.0, 0.0, -9.81)
    assert load(path) == replace_name(load(path), "x")


def replace_name(model: Model, name: str) -> Model:
    """The same model under another name."""
    return Model(name=name, bodies=[replace(body) for body in model.bodies], gravity=model.gravity)
