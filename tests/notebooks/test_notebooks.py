"""Every notebook runs from top to bottom in a fresh kernel and says what its committed outputs say."""

import re
from pathlib import Path
from typing import Any

import pytest

from notebooks.refresh import FOLDER, execute, normalised, read

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
NUMBER = re.compile(r"-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?")


def said(notebook: Any) -> list[str]:
    """What each cell printed or showed as text."""
    texts: list[str] = []
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        parts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in outputs]
        texts.append("".join(parts))
    return texts


def words(text: str) -> str:
    """A text without its numbers and without the spaces that make room for them."""
    return re.sub(r"\s+", "", NUMBER.sub("#", text))


def agree(one: str, other: str) -> bool:
    """Whether two printed numbers are the same but for rounding: within one unit of the last digit.

    An exponent tells a size, in these pages that of rounding itself, which is another on every processor.
    """
    unit = min(10.0 ** -len(text.partition(".")[2]) for text in (one, other))
    return one == other or "e" in one + other or ("." in one + other and abs(float(one) - float(other)) < 1.5 * unit)


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_and_its_outputs_are_current(path: Path) -> None:
    committed = read(path)
    for found, expected in zip(said(execute(path)), said(committed), strict=True):
        assert words(found) == words(expected)
        pairs = zip(NUMBER.findall(found), NUMBER.findall(expected), strict=True)
        assert [pair for pair in pairs if not agree(*pair)] == []
    assert committed == normalised(read(path))
