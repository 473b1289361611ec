"""Every notebook runs from top to bottom in a fresh kernel and says what its committed outputs say."""

import re
from pathlib import Path
from typing import Any

import pytest

from notebooks.refresh import FOLDER, execute, normalised, read

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")


def said(notebook: Any) -> list[str]:
    """What each cell printed or showed as text, without the numbers: rounding differs from machine to machine."""
    texts: list[str] = []
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        parts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]
        texts.append(NUMBER.sub("#", "".join(parts)))
    return texts


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_its_outputs_are_current(path: Path) -> None:
    committed = read(path)
    assert said(execute(path)) == said(committed)
    assert committed == normalised(read(path))
