"""Programs as files: `lower --style text` writes what `run` reads; what is no program is refused in words."""

import json
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner

import operator_algebra as oa
from operator_algebra.cli.main import app
from operator_algebra.errors import InputError, ParseError
from operator_algebra.programs.program import Program

SOLVE = "inv(H phi M phi' H') T"
ON_ARM = ("--model", "arm7", "--random", "--seed", "3", "--json")


def call(*words: str) -> Any:
    return cast("Any", CliRunner()).invoke(app, [*words])


def printed(*words: str) -> str:
    found = call(*words)
    assert found.exception is None
    return found.stdout


def refusal(*words: str) -> str:
    """The message of the input error that a command ends with."""
    error = call(*words).exception
    assert isinstance(error, InputError)
    return str(error)


def written(path: Path, formula: str) -> Path:
    path.write_text(printed("lower", formula, "--style", "text"), encoding="utf-8")
    return path


@pytest.mark.parametrize("formula", [SOLVE, "dynamics.forward_dynamics", "trace(P)", "dense(H phi M phi' H')"])
def test_what_lower_writes_is_the_program(formula: str) -> None:
    text = printed("lower", formula, "--style", "text")
    assert Program.parse(text).text == text


@pytest.mark.parametrize("formula", [SOLVE, "dynamics.forward_dynamics", "logdet(H phi M phi' H')"])
def test_a_file_runs_as_its_formula_does(tmp_path: Path, formula: str) -> None:
    path = written(tmp_path / "program.txt", formula)
    from_file, from_formula = (
        json.loads(printed("run", str(path), *ON_ARM)),
        json.loads(printed("run", formula, *ON_ARM)),
    )
    assert from_file == from_formula


def test_one_file_serves_every_mechanism(tmp_path: Path) -> None:
    path = written(tmp_path / "program.txt", SOLVE)
    for name in ("planar2r", "quadruped", "tree4"):
        found = json.loads(printed("run", str(path), "--model", name, "--random", "--json"))
        assert found["joints"] == list(oa.load(name).joint_names)
        assert found["result"] == json.loads(printed("run", SOLVE, "--model", name, "--random", "--json"))["result"]


def test_a_file_has_a_closed_form(tmp_path: Path) -> None:
    path = written(tmp_path / "program.txt", "H phi M phi' H'")
    closed = ("--model", "pendulum", "--backend", "sympy")
    assert printed("run", str(path), *closed) == printed("run", "H phi M phi' H'", *closed)


def test_inputs_of_a_file_are_asked_for_by_name(tmp_path: Path) -> None:
    path = written(tmp_path / "program.txt", SOLVE)
    assert "T (7 numbers)" in refusal("run", str(path), "--model", "arm7")


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    message = refusal("run", str(tmp_path / "absent.txt"), *ON_ARM)
    assert "absent.txt cannot be read" in message
    assert "lower … --style text" in message
    assert "cannot be read" in refusal("run", str(folder(tmp_path)), *ON_ARM)


def folder(path: Path) -> Path:
    found = path / "folder.txt"
    found.mkdir()
    return found


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"H phi M phi' H'", "line 1 of the program"),
        (b"", "ends too early"),
        (b"operator_algebra program 999\n", "line 1 of the program"),
        (b"\xff\xfe\x00", "no text in UTF-8"),
    ],
)
def test_a_file_that_is_no_program_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "other.txt"
    path.write_bytes(content)
    message = refusal("run", str(path), *ON_ARM)
    assert message.startswith(str(path))
    assert words in message


def test_a_program_that_was_cut_is_no_program(tmp_path: Path) -> None:
    path = written(tmp_path / "program.txt", SOLVE)
    path.write_text(path.read_text(encoding="utf-8").partition("outputs")[0], encoding="utf-8")
    assert isinstance(call("run", str(path), *ON_ARM).exception, ParseError)


def test_a_program_has_its_method(tmp_path: Path) -> None:
    path = written(tmp_path / "program.txt", SOLVE)
    assert 'lowered with method="auto"' in refusal("run", str(path), *ON_ARM, "--method", "joseph")
    arm = oa.load("arm7")
    path.write_text(oa.compile(SOLVE, arm, method="joseph").program.text, encoding="utf-8")
    found = json.loads(printed("run", str(path), *ON_ARM))
    assert found["method"] == "joseph"
    assert found["result"] == json.loads(printed("run", SOLVE, *ON_ARM, "--method", "joseph"))["result"]


def test_c_code_is_that_of_one_mechanism() -> None:
    source = printed("lower", "H M H'", "--style", "c", "--model", "planar2r")
    assert "int planar2r(const double q[2], double out_x[2])" in source
    assert "--model" in str(refusal("lower", "H M H'", "--style", "c"))
