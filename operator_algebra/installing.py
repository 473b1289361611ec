"""What the package asks for beside itself, and the command that installs what is missing into this environment."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterable
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from operator_algebra.errors import BackendUnavailable

_PACKAGE = "operator-algebra"
_REQUIREMENT = re.compile(r"""(?P<name>[\w.-]+)(?P<versions>[^;]*)(?:;.*extra == ["'](?P<extra>\w+))?""")


def wanted(extra: str = "") -> dict[str, str]:
    """Distribution → versions that an optional part asks for, or the package itself.

    >>> wanted()["numpy"]
    '>=2.0'
    """
    return {name: versions for name, versions, part in _stated() if part == extra}


def version_of(distribution: str) -> str:
    """The version that is installed, empty if none is."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def lacking(versions: dict[str, str]) -> list[str]:
    """The distributions among these that are not here, or are older than asked for."""
    return [name for name, asked in versions.items() if _older(version_of(name), asked)]


def install_command(*distributions: str) -> str:
    """A line for the shell; it works from anywhere, however the package itself was installed.

    >>> install_command("matplotlib").endswith('install "matplotlib>=3.9"')
    True
    """
    asked = {name: versions for name, versions, _ in _stated()}
    return " ".join([*_pip(), "install", *(f'"{name}{asked.get(name, "")}"' for name in distributions)])


def missing(what: str, distribution: str) -> BackendUnavailable:
    """The error of a part that needs a package which is not there."""
    return BackendUnavailable(f"{what} needs {distribution}, which is not installed: {install_command(distribution)}")


def _stated() -> Iterable[tuple[str, str, str]]:
    """Name, versions and extra of every requirement; nothing where the package runs without being installed."""
    try:
        lines = metadata.requires(_PACKAGE) or []
    except metadata.PackageNotFoundError:
        return
    for line in lines:
        found = _REQUIREMENT.match(line)
        if found is not None:
            yield found["name"], found["versions"].strip(), found["extra"] or ""


def _older(version: str, asked: str) -> bool:
    least = re.search(r">=\s*([\d.]+)", asked)
    return not version or (least is not None and _numbers(version) < _numbers(least[1]))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _pip() -> list[str]:
    """The environment's own pip, or one from outside that is told where to install."""
    here = Path(sys.prefix)
    if find_spec("pip") is not None:
        return [_shown(Path(sys.executable)), "-m", "pip"]
    windows = os.name == "nt"
    python = "python" if windows else "python3"
    found = shutil.which(python)
    if found is None or here in Path(found).parents:
        python = _shown(Path(sys.base_prefix) / ("python.exe" if windows else "bin/python3"))
    return [python, "-m", "pip", "--python", _shown(here)]


def _shown(path: Path) -> str:
    """A path as it may be typed here: short where it lies below the working folder."""
    below = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    return str(below) if os.name == "nt" else shlex.quote(str(below))
