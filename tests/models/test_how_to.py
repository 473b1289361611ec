"""The pages that tell how to load a robot and how to add a joint do what they say."""

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

PAGES = Path(__file__).parents[2] / "docs" / "how-to"


def run(page: str) -> tuple[str, dict[str, Any]]:
    """Everything that the cells of a page print, and the names that they leave."""
    text = (PAGES / page).read_text(encoding="utf-8")
    printed: list[str] = []

    def show(*values: object) -> None:
        printed.append(" ".join(map(str, values)))

    names: dict[str, Any] = {"__name__": page, "print": show}
    for cell in re.findall(r"^```\{code-cell\}\n(?::[^\n]*\n)*(.*?)^```", text, re.MULTILINE | re.DOTALL):
        exec(compile(cell, page, "exec", dont_inherit=True), names)
    return "\n".join(printed), names


def test_load_my_robot() -> None:
    printed, names = run("load_my_robot.md")
    assert "Model arm   3 bodies   1 fixed, 2 revolute   nq 2, nv 2   fixed base" in printed
    assert "Model arm   3 bodies   1 floating, 2 revolute   nq 9, nv 8   floating base" in printed
    for message in (
        "arm.urdf, line 6, link \"upper\": the value of <mass> is '1,5', not a number. Write a decimal point: 1.5.",
        'arm.urdf, line 19, joint "shoulder": the axis is zero.',
        'arm.urdf, line 11, link "lower": the rotational inertia violates the triangle inequality',
        'wrist at q = (0.3, 0, 0): D is singular at joint "yaw", which carries outer, inner, hand',
    ):
        assert message in printed
    assert tuple(names["arm"].frames) == ("tool",)


def test_add_a_joint() -> None:
    printed, names = run("add_a_joint.md")
    assert "holds" in printed
    assert "slipped cam" in printed
    assert names["machine"].nv == 3


@pytest.fixture(autouse=True)
def _quiet() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
