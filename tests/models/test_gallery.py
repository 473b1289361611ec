"""The gallery: every mechanism loads, says where its figures come from, and has them right."""

import json
from pathlib import Path

import numpy as np
import pytest

from operator_algebra.errors import ModelError
from operator_algebra.models import kinematics
from operator_algebra.models.gallery import about, available, load
from tests.oracles.dense_dynamics import mass_matrix
from tests.rounding import apart, rounding, size

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "test_vectors.json").read_text())


def test_the_promised_mechanisms_are_there() -> None:
    promised = "pendulum planar2r planar3r tree4 arm7 quadruped puma560 torso2 hand humanoid satellite snake40"
    assert set(promised.split()) <= set(available())


@pytest.mark.parametrize("name", available())
def test_each_states_source_and_licence_and_stands_in_the_table(name: str) -> None:
    said = about(name)
    assert all(said[key] for key in ("description", "source", "licence"))
    assert load(name).name == name
    table = (Path(__file__).parents[2] / "models" / "README.md").read_text()
    row = next(line for line in table.splitlines() if line.startswith(f"| `{name}` |"))
    assert int(row.split("|")[3]) == load(name).nv


@pytest.mark.parametrize("name", available())
def test_each_has_a_definite_mass_matrix(name: str) -> None:
    model = load(name)
    for q in (model.neutral(), model.random(0)[0], model.random(1)[0]):
        mass = mass_matrix(model, q)
        assert np.linalg.eigvalsh(mass)[0] > 0.0


@pytest.mark.parametrize(
    ("name", "step"),
    [("planar3r", [0.3, -0.5, 0.8]), ("tree4", [0.4, -0.9, 0.25, 0.1, -0.2, 0.3])],
)
def test_the_published_mass_matrices_are_reproduced(name: str, step: list[float]) -> None:
    model = load(name)
    found = mass_matrix(model, model.integrate(model.neutral(), step))
    wanted = np.array(VECTORS[name]["mass"])
    assert apart(found, wanted) <= rounding(size(wanted), terms=model.n)


def test_the_humanoid_and_the_snake_are_as_large_as_promised() -> None:
    assert load("humanoid").nv >= 30
    assert load("humanoid").bodies[0].joint.kind == "floating"
    assert load("snake40").n == 40
    assert not any(load("satellite").gravity)


def test_the_puma_reaches_as_far_as_the_real_one() -> None:
    """With zero angles the wrist is one upper arm forward, one forearm up and one shoulder offset aside."""
    model = load("puma560")
    rotation, shift = kinematics.body_transforms(model, model.neutral(), np)
    pose = np.eye(4)
    for k in range(model.n):
        step = np.eye(4)
        step[:3, :3], step[:3, 3] = rotation[k], shift[k]
        pose = pose @ step
    assert apart(pose[:3, 3], [0.4318 - 0.0203, 0.2435 - 0.0934, 0.4331]) <= rounding(terms=model.n)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("planar3", 'the gallery has no mechanism "planar3". Did you mean "planar3r"'),
        ("zzz", "There are arm7, "),
        ("nowhere/arm.toml", "nowhere/arm.toml: the file does not exist"),
        ("arm.xml", "arm.xml: the file does not exist"),
        ("~nobody-of-this-name/arm.toml", "cannot be opened|does not exist"),
        ("", "neither a name nor a path"),
        ("a\0b", "neither a name nor a path"),
        ("x" * 5000, "has no mechanism"),
        ("x" * 5000 + ".toml", "cannot be opened|does not exist"),
    ],
)
def test_names_that_lead_nowhere(name: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load(name)


def test_other_files_and_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(ModelError, match=r"Give a \.toml or \.urdf file"):
        load(tmp_path / "x.json")
    with pytest.raises(ModelError, match="is a directory"):
        load(tmp_path / "folder.toml")
