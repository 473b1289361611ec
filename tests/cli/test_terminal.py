"""What the shell and the window ask of the commands: help pages, completion, short names, lines that fit."""

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any, cast

import pytest
from typer.main import get_command
from typer.testing import CliRunner

import operator_algebra as oa
from operator_algebra.backends.backend import REGISTRY
from operator_algebra.checking.suite import suite
from operator_algebra.cli.main import app
from operator_algebra.cli.reading.lookup import applications, formula, homes, names
from operator_algebra.errors import InputError, ParseError
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.claims import claim_names
from operator_algebra.markup import width

COMMANDS = ("", *(str(info.name) for info in app.registered_commands))
WIDTHS = (60, 80, 120)


@dataclass(frozen=True)
class Outcome:
    """What a command printed, and the error that it ended with."""

    stdout: str
    exception: BaseException | None


def run(*words: str, columns: int = 0) -> Outcome:
    env = {"COLUMNS": str(columns)} if columns else {}
    found = cast("Any", CliRunner(env=env)).invoke(app, list(words), prog_name="operator-algebra")
    return Outcome(found.stdout, found.exception)


def offered(line: str) -> list[str]:
    """What bash is told when the tabulator is pressed behind a line."""
    count = len(line.split(" ")) - 1 if '"' not in line else len(line.partition('"')[0].split())
    start = "import sys; sys.argv[0] = 'operator-algebra'; from operator_algebra.cli.main import main; main()"
    asked = {"_OPERATOR_ALGEBRA_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(count)}
    found = subprocess.run(
        [sys.executable, "-c", start],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **asked},
    )
    return found.stdout.splitlines()


def help_page(command: str, columns: int) -> str:
    """The help of a command in a window; the runner of tests has a width of its own."""
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setenv("COLUMNS", str(columns))
        tool: Any = get_command(app)
        tool.main([*command.split(), "--help"], prog_name="operator-algebra", standalone_mode=False)
    return printed.getvalue()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("columns", WIDTHS)
def test_a_help_page_fits_and_breaks_no_word(command: str, columns: int) -> None:
    page = help_page(command, columns)
    assert page.split() == help_page(command, 80).split()
    assert max(map(width, page.splitlines())) <= columns
    tool: Any = get_command(app)
    asked = tool.commands[command] if command else tool
    words = page.replace(",", " ").split()
    assert [name for param in asked.params for name in param.opts if name.startswith("-") and name not in words] == []
    for sentence in [asked.help, *(param.help for param in asked.params)]:
        assert " ".join(sentence.split()) in " ".join(page.split())


def test_the_list_of_commands_is_by_subject() -> None:
    page = run("--help").stdout
    assert [page.index(title) for title in ("Laws:", "Formulas:", "Mechanisms:", "Installation:")] == sorted(
        page.index(title) for title in ("Laws:", "Formulas:", "Mechanisms:", "Installation:")
    )


def test_version() -> None:
    assert run("--version").stdout == f"operator-algebra {oa.__version__}\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("operator-algebra ch", {"check"}),
        ("operator-algebra models hum", {"humanoid"}),
        ("operator-algebra check -m arm", {"arm7"}),
        ("operator-algebra check factor", {"factor", "factorization"}),
        ("operator-algebra check factor inv", {"inverse"}),
        ('operator-algebra check "factor inv', {"factor inverse"}),
        ("operator-algebra check --model tree4 factor i", {"inverse"}),
        (
            "operator-algebra show square root of the inv",
            {
                "inverse",
                "inverse_inertia",
                *(f"inverse_dynamics{way}" for way in ("", "_along", "_along_v", "_by_q", "_by_v")),
            },
        ),
        ("operator-algebra show dynamics.mass", {"dynamics.mass_matrix"}),
        (
            "operator-algebra lower mass",
            {"mass_matrix", *(f"mass_matrix_{way}" for way in ("along", "along_w", "rate", "ring"))},
        ),
        ("operator-algebra run task_space.stacked.inv", {"task_space.stacked.inverse_inertia"}),
        ("operator-algebra run mass_matrix --backend ", {"auto", *REGISTRY}),
        ("operator-algebra run mass_matrix --method r", {"refined"}),
        ("operator-algebra lower mass_matrix --style t", {"text"}),
        ("operator-algebra run ./program.t", {""}),
    ],
)
def test_the_shell_completes_names(line: str, expected: set[str]) -> None:
    assert set(offered(line)) == expected


def test_every_mechanism_and_law_can_be_completed() -> None:
    assert set(offered("operator-algebra models ")) >= {*oa.available(), *suite()}
    assert set(offered("operator-algebra check ")) >= {law.split(" ")[0] for law in catalogue()}


def test_words_are_one_claim() -> None:
    assert run("show", "factor", "inverse").stdout == run("show", "factor inverse").stdout
    assert run("check", "left", "exchange", "-m", "planar2r", "-q").stdout.startswith("holds")
    assert run("lower", "phi'", "H'", "v").stdout == run("lower", "phi' H' v").stdout


def test_short_names_of_applications() -> None:
    assert formula("mass_matrix") is oa.dynamics.mass_matrix
    assert formula("inv(mass_matrix) (T - bias)") is oa.dynamics.forward_dynamics
    assert formula("ℳ") is oa.dynamics.mass_matrix
    assert formula("inertia") is oa.task_space.inertia
    assert formula("task_space.stacked.inertia") is oa.task_space.stacked.inertia


def test_every_formula_of_an_application_is_found_by_its_full_name_or_a_clear_short_one() -> None:
    assert {"dynamics.bias", "task_space.bias", "task_space.stacked.force"} <= set(applications())
    for dotted, e in applications().items():
        assert formula(dotted) is e
    for name, dotted in homes().items():
        if name in claim_names():  # such as J, which comes first
            assert formula(name) is claim_names()[name]
        elif name in names():
            assert any(formula(name) is formula(one) for one in dotted)
            assert len(dotted) == 1 or formula(name).render() == name
        else:
            with pytest.raises(InputError, match=" or ".join(dotted)):
                formula(name)


@pytest.mark.parametrize("name", ["mass_matrix", "bias", "jacobian", "forward_dynamics", "task_space.null_space"])
def test_what_formulas_print_is_read(name: str) -> None:
    assert formula(formula(name).render()) is formula(name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("mass_matrx", "mass_matrix"),
        ("dynamics.velocty", "velocity"),
        ("factor invers", 'the law "factor inverse"'),
        ("no_module.mass_matrix", "dynamics, .*task_space"),
        ("dynamics.stacked.bias", "dynamics"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_right_one(name: str, meant: str) -> None:
    with pytest.raises((InputError, ParseError), match=meant):
        formula(name)


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize(
    "words",
    [
        ("show", "dynamics.forward_dynamics"),
        ("show", "task_space.force"),
        ("show", "P"),
        ("show", "factor inverse"),
        ("lower", "forward_dynamics"),
        ("lower", "forward_dynamics", "--reasons"),
        ("run", "mass_matrix", "-m", "quadruped", "--random"),
        ("run", "phi", "-m", "planar2r", "--random"),
        ("run", "P", "-m", "tree4", "--random"),
        ("models",),
        ("models", "quadruped"),
    ],
    ids=" ".join,
)
def test_what_is_printed_fits_the_window(words: tuple[str, ...], columns: int) -> None:
    page = run(*words, columns=columns).stdout
    assert page
    assert not [line for line in page.splitlines() if width(line) > columns]


def test_without_a_window_pages_are_as_they_were_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    page = oa.lower(oa.dynamics.forward_dynamics).pseudocode()
    assert run("lower", "forward_dynamics").stdout == f"{page}\n"


def test_definitions_are_explained_where_they_are_shown() -> None:
    definition = f"= {formula('dynamics.bias').definition}"  # pyright: ignore[reportAttributeAccessIssue]
    shown = run("show", "forward_dynamics", columns=200).stdout
    assert definition in shown
    assert "The joint forces at q̈ = 0" in shown
    assert "a_ground  The acceleration given to the ground" in shown
    assert f"bias {definition}" in run("run", "forward_dynamics", "-m", "planar2r", "--random", columns=200).stdout
    assert "where" not in run("run", "P", "-m", "planar2r", "--random").stdout
