"""`simulate`: the same motion as from Python, files that are what they say, starts that fit the mechanism."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from typer.testing import CliRunner

import operator_algebra as oa
from operator_algebra.applications import closing
from operator_algebra.cli.main import app
from operator_algebra.errors import InputError
from tests.rounding import apart, rounding, size


def run(*words: str) -> Any:
    return cast("Any", CliRunner()).invoke(app, ["simulate", *words])


def record(*words: str) -> Any:
    found = run(*words, "--json", "-q")
    assert found.exception is None, found.exception
    return json.loads(found.stdout)


def test_the_motion_is_that_of_python(tmp_path: Path) -> None:
    path = tmp_path / "start.json"
    path.write_text(json.dumps({"q": {"shoulder": 0.3, "elbow": [-0.5]}, "v": {"elbow": 1.0}, "T": [0.2, -0.1]}))
    arm = oa.load("planar2r")
    film = oa.simulate(arm, [0.3, -0.5], [0.0, 1.0], torque=[0.2, -0.1], until=0.2)
    found = record("planar2r", "--until", "0.2", "--inputs", str(path), "--save", str(tmp_path / "new" / "film.npz"))
    assert found["end"] == {"t": 0.2, "q": film.q[-1].tolist(), "v": film.v[-1].tolist(), "T": [0.2, -0.1]}
    assert found["energy"]["drift"] == film.energy().drift
    with np.load(tmp_path / "new" / "film.npz") as kept:
        assert np.array_equal(oa.Film(model=arm, **kept).q, film.q)


def test_the_page_has_what_is_kept_and_where_it_ends() -> None:
    text = run("quadruped", "--random", "--until", "0.02", "-q").stdout
    assert text.startswith("Film of quadruped   from 0 s to 0.02 s")
    assert "drift" in text
    assert "at 0.02 s" in text
    assert "knee_hr" in text
    assert run("snake40", "--until", "0.01", "--step", "0.01", "-q", "--ascii").stdout.isascii()
    assert "16 joints more" in run("snake40", "--until", "0.01", "--step", "0.01", "-q").stdout


@pytest.mark.parametrize("name", ["four_bar", "rolling_disk"])
def test_what_is_drawn_keeps_the_loops(name: str) -> None:
    model = oa.load(name)
    start = record(name, "--random", "--seed", "1", "--until", "0.02")["start"]
    q, v = np.array(start["q"]), np.array(start["v"])
    assert size(closing.errors(model, q=q)) <= rounding(1.0 + size(q), terms=100)
    assert apart(oa.constraints.kept_rates(model, q, v), v) <= rounding(size(v), terms=100, condition=100.0)


def test_pictures_and_pages(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    picture, page = tmp_path / "energy.svg", tmp_path / "arm.html"
    text = run("planar2r", "--random", "--until", "0.1", "-q", "--plot", str(picture), "--animate", str(page)).stdout
    assert "energy of planar2r" in picture.read_text(encoding="utf-8")
    assert "<svg" in page.read_text(encoding="utf-8")
    assert text.splitlines()[-2:] == [f"wrote {picture}", f"wrote {page}"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("no_such_robot",), "no_such_robot"),
        (("planar2r", "--until", "-1"), "until is -1"),
        (("planar2r", "--method", "implicit"), "steps of one length"),
        (("planar2r", "--plot", "x.pdf"), "x.pdf: a picture is written as .png or .svg"),
        (("planar2r", "--save", "x.csv"), "x.csv: a motion is written as .npz"),
        (("planar2r", "--animate", "x.gif"), "x.gif: an animation is written as .html or .svg"),
        (("four_bar",), "cannot be closed from there"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], says: str) -> None:
    error = run(*words).exception
    assert isinstance(error, oa.errors.OperatorAlgebraError)
    assert says in str(error)


def test_inputs_of_other_names_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "start.json"
    path.write_text(json.dumps({"q": [0, 0], "torque": [0, 0]}))
    error = run("planar2r", "--inputs", str(path)).exception
    assert isinstance(error, InputError)
    assert "a motion takes q, v and T, not torque" in str(error)


def test_lost_digits_are_told_beside_the_motion(tmp_path: Path) -> None:
    path = tmp_path / "skew.toml"
    joint = oa.Joint.universal((1.0, 0.0, 0.0), (1.0, 3e-4, 0.0), name="skew")
    body = oa.Body("top", None, joint, inertia=oa.Inertia.box(1.0, (0.1, 0.2, 0.3)))
    oa.Model(name="skew", bodies=[body]).save(path)
    found = run(str(path), "--until", "0.01", "--step", "0.01", "-q")
    assert "digits are lost" in found.stderr
    assert 'joint "skew"' in found.stderr
    assert len(record(str(path), "--until", "0.01", "--step", "0.01")["warnings"]) == 1
