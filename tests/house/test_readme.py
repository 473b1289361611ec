"""The README's commands are the two that are promised, and the gate runs them from there."""

import re

from tests.house.tree import ROOT, read

INSTALL = 'python3 -m venv --without-pip .venv && python3 -m pip --python .venv install -e ".[test]"'
RUN = f"{INSTALL} && .venv/bin/operator-algebra check"
TEST = f"{INSTALL} && .venv/bin/python -m pytest"
GATE = read(ROOT / ".ci" / "run")


def test_the_readme_has_the_two_commands() -> None:
    fences = re.findall(r"^```\w*\n(.*?)^```", read(ROOT / "README.md"), re.MULTILINE | re.DOTALL)
    assert [fence.strip() for fence in fences if fence.startswith("python3 -m venv")] == [RUN, TEST]


def test_the_gate_reads_them_from_the_readme() -> None:
    steps = re.findall(r'^step .* readme_command "(.*)"$', GATE, re.MULTILINE)
    assert sorted(steps) == ["-m pytest", "operator-algebra check"]
    assert all(sum(command.endswith(ending) for command in (RUN, TEST)) == 1 for ending in steps)
