"""Run notebooks in fresh kernels and store their outputs: `python notebooks/refresh.py [NAME…]`, all without a name."""

import os
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parent
_ENVIRONMENT = os.environ | {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}


def read(path: Path) -> Any:
    """A notebook as it is stored."""
    return nbformat.read(path, as_version=4)


def execute(path: Path) -> Any:
    """The notebook with the outputs of a run from top to bottom; a failing cell raises."""
    notebook = read(path)
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}})
    client.execute(env=_ENVIRONMENT)
    return normalised(notebook)


def normalised(notebook: Any) -> Any:
    """Without what differs from run to run or from machine to machine: ids, timings, pieces of one stream."""
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {key: value for key, value in cell.metadata.items() if key == "tags"}
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
    return notebook


def joined(outputs: list[Any]) -> list[Any]:
    """The outputs of a cell with what was printed in one piece."""
    result: list[Any] = []
    for output in outputs:
        if result and output.output_type == result[-1].output_type == "stream" and output.name == result[-1].name:
            result[-1].text += output.text
        else:
            result.append(output)
    return result


def main() -> None:
    """Refresh the named notebooks, or all."""
    names = sys.argv[1:] or [path.stem for path in sorted(FOLDER.glob("*.ipynb"))]
    for name in names:
        path = FOLDER / f"{name}.ipynb"
        nbformat.write(execute(path), path)
        sys.stdout.write(f"{path.name}\n")


if __name__ == "__main__":
    main()
