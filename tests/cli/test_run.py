"""`run`: numbers with joint names, inputs from files, and what is said when they are missing or wrong."""

import json
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from typer.testing import CliRunner

import operator_algebra as oa
from operator_algebra.cli.main import app
from operator_algebra.cli.reading.digits import few_digits
from operator_algebra.errors import InputError
from tests.oracles import dense_dynamics
from tests.rounding import apart, condition, rounding, size

Q, V, T = [0.3, -0.5], [1.0, -2.0], [0.7, 0.2]


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and the error that it ended with."""

    stdout: str
    stderr: str
    exception: BaseException | None


def run(*words: str) -> Outcome:
    found = cast("Any", CliRunner()).invoke(app, ["run", *words])
    return Outcome(found.stdout, found.stderr, found.exception)


def refusal(*words: str) -> str:
    """The message of the input error that a command ends with."""
    error = run(*words).exception
    assert isinstance(error, InputError)
    return str(error)


def forward(path: Path, *more: str) -> list[float]:
    """The accelerations of the planar arm from a file of inputs."""
    found = run("dynamics.forward_dynamics", "--model", "planar2r", "--inputs", str(path), "--json", *more)
    assert found.exception is None
    return json.loads(found.stdout)["result"]


def expected() -> list[float]:
    arm = oa.load("planar2r")
    return oa.compile(oa.dynamics.forward_dynamics, arm)(q=Q, v=V, T=T).tolist()


def test_every_format_of_inputs_gives_the_same_numbers(tmp_path: Path) -> None:
    plain, named = tmp_path / "plain.json", tmp_path / "named.json"
    plain.write_text(json.dumps({"q": Q, "v": V, "T": T}))
    blocks = {"elbow": [-0.5], "shoulder": 0.3}
    named.write_text(json.dumps({"q": blocks, "v": {"shoulder": [1.0], "elbow": [-2.0]}, "T": T}))
    toml, archive = tmp_path / "inputs.toml", tmp_path / "inputs.npz"
    toml.write_text(f"q = {Q}\nv = {V}\nT = {T}\n")
    np.savez(archive, q=Q, v=V, T=T)
    assert [forward(path) for path in (plain, named, toml, archive)] == [expected()] * 4


@pytest.mark.parametrize("method", ["joseph", "orthogonal"])
def test_the_method_and_the_axes_do_not_change_the_meaning(tmp_path: Path, method: str) -> None:
    path = tmp_path / "inputs.json"
    path.write_text(json.dumps({"q": Q, "v": V, "T": T}))
    arm = oa.load("planar2r")
    allowed = dense_dynamics.allowed(arm, np.array(Q), np.array(V), qdd=np.array(expected()), forces=np.array(T)).motion
    assert apart(forward(path, "--method", method, "--frame", "world"), expected()) <= allowed


def test_missing_inputs_are_named_with_a_template_that_works(tmp_path: Path) -> None:
    message = refusal("inv(H phi M phi' H' + J) T", "--model", "planar2r")
    first, _, template = message.partition("\n")
    for word in ("q (2 numbers)", "J (rate → torque)", "T (2 numbers)", "--random", "--inputs"):
        assert word in first
    path = tmp_path / "inputs.json"
    path.write_text(template)
    assert run("inv(H phi M phi' H' + J) T", "--model", "planar2r", "--inputs", str(path)).exception is None


def test_random_inputs_are_announced_and_repeatable() -> None:
    first = run("dynamics.forward_dynamics", "--model", "quadruped", "--random", "--seed", "3")
    again = run("dynamics.forward_dynamics", "--model", "quadruped", "--random", "--seed", "3")
    other = run("dynamics.forward_dynamics", "--model", "quadruped", "--random", "--seed", "4")
    assert first.stdout == again.stdout != other.stdout
    assert "drawn at random, seed 3: q, T, v" in first.stdout
    for name in oa.load("quadruped").joint_names:
        assert name in first.stdout


def test_closed_forms_are_drawn_with_few_digits(tmp_path: Path) -> None:
    words = ("inv(H phi M phi' H' + J) T", "--model", "planar2r", "--random", "--seed", "2")
    shown = run(*words, "--backend", "sympy")
    assert "drawn at random to few digits, seed 2: q, J, T" in shown.stdout
    angles = re.findall(r"cos\((\d+)/(\d+)\)", shown.stdout)
    assert angles
    assert all(int(below) in (2, 4, 5, 10, 20, 25, 50, 100) for _, below in angles)
    exact = json.loads(run(*words, "--backend", "sympy", "--json").stdout)
    path = tmp_path / "drawn.json"
    path.write_text(json.dumps(exact["inputs"]))
    numbers = json.loads(run(*words[:3], "--inputs", str(path), "--json").stdout)["result"]
    closed = [float(row[0]) for row in import_module("sympy").sympify(exact["result"]).evalf(30).tolist()]
    given = {name: np.array(values) for name, values in exact["inputs"].items()}
    matrix = dense_dynamics.mass_matrix(oa.load("planar2r"), given["q"]) + np.diag(given["J"].ravel())
    assert apart(closed, numbers) <= rounding(size(numbers), terms=9, condition=condition(matrix))


def test_quaternions_with_few_digits_are_of_length_one() -> None:
    satellite = oa.load("satellite")
    for seed in range(20):
        drawn = satellite.random(seed)[0]
        q = few_digits(satellite, {"q": drawn})["q"]
        satellite.check_q(q)
        assert sum(Fraction(str(x)) ** 2 for x in q[3:7]) == 1
        assert float(q[3:7] @ drawn[3:7]) > 0.9
        # Rounding to two digits behind the point moves a number by half a hundredth at most.
        assert apart(q[7:], drawn[7:]) <= 0.005 + rounding(size(drawn))


def test_closed_forms_of_blocks_carry_joint_names() -> None:
    shown = run("D", "--model", "planar2r", "--backend", "sympy").stdout.splitlines()
    assert [line.partition("  ")[0] for line in shown[2:]] == ["shoulder", "elbow"]
    assert "cos(q1)" in shown[2]
    record = json.loads(run("M", "--model", "planar2r", "--backend", "sympy", "--random", "--json").stdout)
    assert [block.startswith("Matrix") for block in record["result"]] == [True, True]


def test_given_values_are_kept_beside_random_ones(tmp_path: Path) -> None:
    path = tmp_path / "inputs.json"
    path.write_text(json.dumps({"q": Q}))
    found = run("dynamics.mass_matrix qdd", "--model", "planar2r", "--inputs", str(path), "--random", "--json")
    assert isinstance(found.exception, InputError)
    found = run("H phi M phi' H' qdd", "--model", "planar2r", "--inputs", str(path), "--random", "--json")
    record = json.loads(found.stdout)
    assert record["inputs"]["q"] == Q
    assert record["random"] == ["qdd"]
    assert record["joints"] == ["shoulder", "elbow"]


def test_operators_print_as_tables_with_joint_names() -> None:
    mass = run("dynamics.mass_matrix", "--model", "tree4", "--random")
    lines = mass.stdout.splitlines()
    assert lines[0].startswith("ℳ   on tree4")
    names = oa.load("tree4").joint_names
    assert all(any(line.startswith(name) for line in lines) for name in names)
    blocks = run("P", "--model", "planar2r", "--random").stdout
    assert blocks.count("shoulder") == blocks.count("elbow") == 1
    assert run("B", "--model", "planar3r", "--random").exception is None
    assert "… 18 columns" in run("dynamics.mass_matrix", "--model", "quadruped", "--random").stdout


def test_spatial_vectors_have_one_line_for_each_body() -> None:
    found = run("phi' H' v", "--model", "planar3r", "--random").stdout.splitlines()
    assert found[3].split() == ["wx", "wy", "wz", "x", "y", "z"]
    assert [line.split()[0] for line in found[4:]] == ["shoulder", "elbow", "wrist"]


def test_lost_digits_are_told(tmp_path: Path) -> None:
    # Three joints move one point in a plane; the links hardly weigh anything.
    arm = oa.load("planar3r")
    link = oa.Inertia(mass=1e-9, com=[0.5, 0.0, 0.0], inertia_at_com=[1e-10] * 3)
    point = oa.Inertia(mass=1.0, com=[1.0, 0.0, 0.0], inertia_at_com=[1e-9] * 3)
    path = tmp_path / "thin.toml"
    bodies = [replace(body, inertia=one) for body, one in zip(arm.bodies, (link, link, point), strict=True)]
    oa.Model(name="thin", bodies=bodies).save(path)
    found = run("inv(H phi M phi' H') T", "--model", str(path), "--random", "--json")
    assert "nearly singular" in found.stderr
    assert json.loads(found.stdout)["warnings"]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.json", "{", "not JSON"),
        ("a.json", "[1]", "not values by name"),
        ("a.toml", "q = ", "not TOML"),
        ("a.npz", "not a zip", "archive"),
        ("a.csv", "1,2", ".json, .toml or .npz"),
        ("a.json", '{"q": {"shoulder": 1}}', 'no coordinates of "elbow"'),
        ("a.json", '{"q": {"shoulder": 1, "elbow": 2, "nose": 3}}', 'unknown joints "nose"'),
        ("a.json", '{"q": {"shoulder": [1, 2], "elbow": 2}}', "has 1 coordinates"),
        ("a.json", '{"q": {"shoulder": "x", "elbow": 2}}', "not numbers"),
        ("a.json", '{"q": [1, 2, 3]}', "q"),
        ("a.json", '{"q": [1, 2], "colour": 3}', "does not mention colour"),
    ],
)
def test_bad_files_are_refused_in_words(tmp_path: Path, name: str, content: str, words: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert words in refusal("dynamics.mass_matrix", "--model", "planar2r", "--inputs", str(path))


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"Q": Q, "v": V, "T": T}, "does not mention Q; it was given. Did you mean q?"),
        ({"q": Q, "V": V, "T": T}, "does not mention V; it was given. Did you mean v?"),
        ({"q": Q, "v": V, "T": T, "f_exr": 0}, "does not mention f_exr; it was given. Did you mean f_ext?"),
        ({"q": Q, "v": V, "T": T, "torque": T}, "does not mention torque; it was given. Leave it out"),
    ],
)
@pytest.mark.parametrize("more", [(), ("--random",)])
def test_a_misspelt_key_is_named_before_anything_is_missing(
    tmp_path: Path, given: dict[str, Any], meant: str, more: tuple[str, ...]
) -> None:
    path = tmp_path / "inputs.json"
    path.write_text(json.dumps(given))
    message = refusal("dynamics.forward_dynamics", "--model", "planar2r", "--inputs", str(path), *more)
    assert message.startswith(f"{path}: ℳ⁻¹ (T − bias) ")
    assert meant in message


def test_a_missing_file_and_a_missing_model_are_refused(tmp_path: Path) -> None:
    assert "does not exist" in refusal("P", "--model", "planar2r", "--inputs", str(tmp_path / "no.json"))
    assert "--model" in refusal("P")


def test_ascii_output() -> None:
    assert run("dynamics.mass_matrix", "--model", "planar2r", "--random", "--ascii").stdout.isascii()
