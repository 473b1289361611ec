"""What is missing is told with a line that installs it, in every kind of environment."""

import shlex
import sys
import tomllib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from operator_algebra import installing
from operator_algebra.cli.commands.doctor import USES
from operator_algebra.installing import install_command, lacking, missing, wanted
from tests.house.tree import ROOT, read

PROJECT = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
STATED = PROJECT["optional-dependencies"]
METADATA = [
    "numpy>=2.0",
    "pyright[nodejs]==1.1.414; extra == 'dev'",
    'matplotlib>=3.9 ; extra == "views"',
    'tomli>=2; python_version < "3.11" and extra == "views"',
]


def always(value: object) -> Callable[[str], object]:
    """A function of a name that has one answer."""

    def answer(name: str) -> object:
        return value

    return answer


@pytest.fixture
def stated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The requirements in the spellings of several build tools."""
    monkeypatch.setattr(metadata, "requires", always(METADATA))


def without_pip(monkeypatch: pytest.MonkeyPatch, environment: Path) -> None:
    """The interpreter of an environment made with --without-pip."""
    monkeypatch.setattr(installing, "find_spec", always(None))
    monkeypatch.setattr(sys, "prefix", str(environment))


@pytest.mark.usefixtures("stated")
def test_requirements_are_read_as_build_tools_write_them() -> None:
    assert wanted() == {"numpy": ">=2.0"}
    assert wanted("dev") == {"pyright": "[nodejs]==1.1.414"}
    assert wanted("views") == {"matplotlib": ">=3.9", "tomli": ">=2"}


def test_the_installed_package_states_what_its_project_file_states() -> None:
    plain = {line for lines in STATED.values() for line in lines if not line.startswith("operator-algebra")}
    told = {f"{name}{versions}" for extra in USES for name, versions in wanted(extra).items()}
    assert plain == told
    assert set(USES) | {"all"} == set(STATED)


@pytest.mark.parametrize("version", ["", "3.8.4", "3", "2.99"])
def test_what_is_absent_or_too_old_is_lacking(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(installing, "version_of", always(version))
    assert lacking({"matplotlib": ">=3.9"}) == ["matplotlib"]


@pytest.mark.parametrize("version", ["3.9", "3.9.0", "3.10.1", "4.0rc1"])
def test_what_is_new_enough_is_not(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(installing, "version_of", always(version))
    assert lacking({"matplotlib": ">=3.9"}) == []


@pytest.mark.usefixtures("stated")
def test_an_environment_without_pip_is_named_to_one_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    environment = tmp_path / "my project" / ".venv"
    without_pip(monkeypatch, environment)
    words = shlex.split(install_command("matplotlib"))
    assert words[1:] == ["-m", "pip", "--python", str(environment), "install", "matplotlib>=3.9"]
    environment.parent.mkdir()
    monkeypatch.chdir(environment.parent)
    assert shlex.split(install_command("matplotlib"))[4] == ".venv"


def test_an_activated_environment_without_pip_is_not_asked_for_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without_pip(monkeypatch, tmp_path)
    (tmp_path / "bin").mkdir()
    for name in ("python3", "python3.exe"):
        own = tmp_path / "bin" / name
        own.write_text("")
        own.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert Path(shlex.split(install_command("matplotlib"))[0]).is_relative_to(sys.base_prefix)


def test_with_pip_this_interpreter_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "find_spec", always(object()))
    assert shlex.split(install_command("numpy"))[1:4] == ["-m", "pip", "install"]


def test_a_package_that_runs_uninstalled_still_names_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_: str) -> list[str]:
        raise metadata.PackageNotFoundError

    monkeypatch.setattr(metadata, "requires", absent)
    assert wanted() == {}
    assert str(missing("a picture", "matplotlib")).endswith('install "matplotlib"')


def test_no_line_asks_an_index_for_this_package() -> None:
    sources = [read(path) for path in (ROOT / "operator_algebra").rglob("*.py")]
    assert not [text for text in sources if "install operator-algebra" in text or '"operator-algebra[' in text]
