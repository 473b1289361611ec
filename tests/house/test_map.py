"""The map of the house is true: real calls pass the files that it names, in its order."""

import json
import re
import subprocess
import sys

import pytest

from tests.house.tree import PACKAGE, ROOT, read

PAGE = read(ROOT / "docs" / "explain" / "house.md")
CALLS = {
    "`load`": "load",
    "`load` of a URDF file": "load a URDF file",
    "`compile`": "compile",
    "Calling the result": "call",
    "Calling machine code": "call machine code",
    "Calling what was kept": "call what was kept",
    "Calling what is interpreted": "call without code",
    "`evaluate`": "evaluate",
    "`check`": "check",
}


def named(text: str) -> list[str]:
    """The files that a text names, each once, in order."""
    return list(dict.fromkeys(re.findall(r"`([\w/]+\.py)`", text)))


def section(title: str) -> tuple[list[str], set[str], set[str]]:
    """The files of a walk in order; the rooms and the files that are asked on the way."""
    body = PAGE.split(f"\n### {title}\n")[1].split("\n#")[0]
    steps, rest = body.split("Asked on the way:")
    asked = rest.split("\n\n")[0]
    return named(steps), set(re.findall(r"`([\w/]+)/`", asked)), set(named(asked))


@pytest.fixture(scope="module")
def walks() -> dict[str, list[str]]:
    command = [sys.executable, "-W", "ignore", "-m", "tests.house.walks"]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def test_every_walk_is_on_the_map(walks: dict[str, list[str]]) -> None:
    assert sorted(CALLS.values()) == sorted(walks)
    assert re.findall(r"^### (.+)$", PAGE, flags=re.MULTILINE) == list(CALLS)


@pytest.mark.parametrize("title", CALLS)
def test_a_call_passes_the_files_in_the_order_of_the_page(title: str, walks: dict[str, list[str]]) -> None:
    files, _, _ = section(title)
    passed = walks[CALLS[title]]
    assert [name for name in passed if name in files] == files


@pytest.mark.parametrize("title", CALLS)
def test_other_files_are_asked_on_the_way(title: str, walks: dict[str, list[str]]) -> None:
    files, rooms, singles = section(title)
    others = [name for name in walks[CALLS[title]] if name not in files and name not in singles]
    assert [name for name in others if name.rpartition("/")[0] not in rooms] == []


def test_every_room_has_its_line() -> None:
    rooms = {path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")} - {"."}
    assert set(re.findall(r"^\| `([\w/]+)/` \|", PAGE, flags=re.MULTILINE)) == rooms


def test_every_file_of_the_top_has_its_word() -> None:
    tops = {path.name for path in PACKAGE.glob("*.py")} - {"__init__.py"}
    assert tops <= set(named(PAGE))


def test_no_file_is_named_that_does_not_exist() -> None:
    assert [name for name in named(PAGE) if not (PACKAGE / name).is_file()] == []
