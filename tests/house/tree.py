"""The files of the repository, as the tests about the repository itself see them."""

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "operator_algebra"
TEXTS = (".py", ".md", ".toml", ".yaml", ".cff", ".ipynb", ".urdf", ".txt", ".css", ".html")
_FOLDERS = ("operator_algebra", "models", "tests", "docs", "notebooks", "benchmarks", ".ci")
_PRODUCTS = {"__pycache__", "_build", ".ipynb_checkpoints", "jupyter_execute"}


def files(*suffixes: str, below: Path = ROOT) -> Iterator[Path]:
    """Every file of the project below a folder that ends in one of the suffixes; products of tools are left out."""
    tops = [ROOT / folder for folder in _FOLDERS] if below == ROOT else [below]
    candidates = [path for top in tops for path in sorted(top.rglob("*"))]
    if below == ROOT:
        candidates += sorted(ROOT.glob("*"))
    for path in candidates:
        if (
            path.is_file()
            and path.suffix in suffixes
            and not any(part in _PRODUCTS for part in path.relative_to(ROOT).parts)
        ):
            yield path


def short(path: Path) -> str:
    """A path as it is written in messages."""
    return path.relative_to(ROOT).as_posix()


def read(path: Path) -> str:
    """The text of a file."""
    return path.read_text(encoding="utf-8")
