"""The README is true: its two commands, which the gate runs from there, and the output of its examples."""

import contextlib
import io
import re

import pytest

from tests.house.tree import ROOT, read

INSTALL = 'python3 -m venv --without-pip .venv && python3 -m pip --python .venv install -e ".[test]"'
RUN = f"{INSTALL} && .venv/bin/operator-algebra check"
TEST = f"{INSTALL} && .venv/bin/python -m pytest -n auto"
README = read(ROOT / "README.md")
EXAMPLES = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_readme_has_the_two_commands() -> None:
    fences = re.findall(r"^```\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert [fence.strip() for fence in fences if fence.startswith("python3 -m venv")] == [RUN, TEST]


def test_the_gate_reads_them_from_the_readme() -> None:
    steps = re.findall(r'^step .* readme_command "(.*)"$', read(ROOT / ".ci" / "run"), re.MULTILINE)
    assert sorted(steps) == ["-m pytest -n auto", "operator-algebra check"]
    assert all(sum(command.endswith(ending) for command in (RUN, TEST)) == 1 for ending in steps)


def test_every_example_shows_its_output() -> None:
    assert len(EXAMPLES) == README.count("```python\n") > 0


@pytest.mark.parametrize(("source", "output"), EXAMPLES, ids=range(len(EXAMPLES)))
def test_example_prints_what_it_says(source: str, output: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "README.md", "exec"), {})
    assert [line.rstrip() for line in printed.getvalue().splitlines()] == output.splitlines()


def test_every_named_file_exists() -> None:
    names = re.findall(r"`([\w/.-]+(?:/|\.\w+))`", README.partition("## Where to go")[2])
    assert len(names) > 5
    assert not [name for name in names if not name.startswith("out/") and not (ROOT / name).exists()]
