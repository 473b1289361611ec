"""Every exercise of a notebook accepts its solution, and says "not yet" until somebody has written one."""

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from notebooks.refresh import FOLDER, read

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SOLUTION = re.compile(r"<details><summary>One solution</summary>\n\n```python\n(.*?)\n```\n\n</details>", re.DOTALL)


def kind(cell: Any) -> str:
    """exercise, check, code, or markdown."""
    tags: list[str] = cell.metadata.get("tags", [])
    return tags[0] if tags else cell.cell_type


def solved(cells: list[Any]) -> list[tuple[str, str]]:
    """Kind and source of every cell that runs, exercises replaced by the solutions that stand behind their checks."""
    found: list[tuple[str, str]] = []
    for index, cell in enumerate(cells):
        if kind(cell) == "exercise":
            answer = SOLUTION.search(cells[index + 2].source)
            assert answer, f"no solution behind {cell.source!r}"
            found.append(("exercise", answer[1]))
        elif cell.cell_type == "code":
            found.append((kind(cell), cell.source))
    return found


def run(cells: list[tuple[str, str]]) -> list[str]:
    """What the checks print when all cells have run in turn."""
    names: dict[str, Any] = {"__name__": "__main__"}
    verdicts: list[str] = []
    for what, source in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(source, what, "exec"), names)
        if what == "check":
            verdicts.append(printed.getvalue().strip())
    return verdicts


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_exercises_accept_their_solutions(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from matplotlib import pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    cells: list[Any] = read(path).cells
    count = [kind(cell) for cell in cells].count("exercise")
    assert run(solved(cells)) == ["right"] * count
    committed = [cell.outputs[0].text.strip() for cell in cells if kind(cell) == "check"]
    assert committed == ["not yet"] * count
