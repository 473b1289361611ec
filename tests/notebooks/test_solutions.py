"""Every exercise of a notebook tells four answers apart: not tried, of the wrong kind, wrong, right."""

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from notebooks.refresh import FOLDER, read
from tests.notebooks.answers import WRONG, WRONG_KIND, junk

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
SOLUTION = re.compile(r"<details><summary>One solution</summary>\n\n```python\n(.*?)\n```\n\n</details>", re.DOTALL)
NAME = re.compile(r"^(?:def (\w+)\(|(answer) = None)", re.MULTILINE)


def kind(cell: Any) -> str:
    """exercise, check, code, or markdown."""
    tags: list[str] = cell.metadata.get("tags", [])
    return tags[0] if tags else cell.cell_type


class Exercise:
    """An exercise where a student meets it: all cells before it have run."""

    def __init__(self, cells: list[Any], index: int, names: dict[str, Any]) -> None:
        self.check: str = cells[index + 1].source
        self.committed: str = cells[index + 1].outputs[0].text.strip()
        solution = SOLUTION.search(cells[index + 2].source)
        assert solution, f"no solution behind {cells[index].source!r}"
        self.solution = solution[1]
        found = NAME.search(cells[index].source)
        assert found, f"nothing to answer in {cells[index].source!r}"
        self.name = found[1] or found[2]
        self.names = names

    def verdict(self, *, source: str = "", answer: object = None) -> str:
        """What the check prints for an answer, given as the source of the cell or as a value."""
        if source:
            execute(source, self.names)
        else:
            self.names[self.name] = answer
        return execute(self.check, self.names)

    def of(self, expression: str) -> str:
        """What the check prints for an answer that is written down."""
        return self.verdict(answer=eval(expression, self.names))


def execute(source: str, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "cell", "exec"), names)
    return printed.getvalue().strip()


def exercises(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Exercise]:
    """The exercises of a notebook in turn; each is left as its solution before the cells behind it run."""
    from matplotlib import pyplot as plt

    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    cells: list[Any] = read(path).cells
    names: dict[str, Any] = {"__name__": "__main__"}
    for index, cell in enumerate(cells):
        if cell.cell_type == "code" and kind(cell) != "check":
            execute(cell.source, names)
        if kind(cell) == "exercise":
            exercise = Exercise(cells, index, names)
            assert execute(exercise.check, names) == exercise.committed == "not tried"
            yield exercise
            assert exercise.verdict(source=exercise.solution) == "right"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_exercises_tell_four_answers_apart_and_none_ends_in_a_traceback(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 0
    for number, exercise in enumerate(exercises(path, monkeypatch)):
        for wrong in WRONG[path.stem][number]:
            assert re.match(r"wrong(:|$)", exercise.of(wrong)), wrong
        for other in WRONG_KIND[path.stem][number]:
            assert re.match(r"wrong kind: .+", exercise.of(other)), other
        for what, value in junk().items():
            verdict = exercise.verdict(answer=value)
            assert re.match(r"(not tried|wrong|wrong kind: .+|wrong: .+)$", verdict), what
            assert (verdict == "not tried") == (value is ...), what
        count += 1
    assert count == len(WRONG[path.stem]) == len(WRONG_KIND[path.stem])
