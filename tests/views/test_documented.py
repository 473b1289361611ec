"""Every mechanism and every view has its place in the documentation, and the committed pictures can be drawn again."""

import ast
import importlib.util
import re
from types import ModuleType

import pytest
from PIL import Image

import operator_algebra as oa
from tests.house.tree import PACKAGE, ROOT, read
from tests.views.figures import words_of

GALLERY = ROOT / "docs" / "gallery"
STATIC = ROOT / "docs" / "_static"


def sections(page: str) -> list[str]:
    """The second-level headings of a gallery page."""
    return re.findall(r"^## (.+)$", read(GALLERY / page), re.MULTILINE)


def script() -> ModuleType:
    """docs/pictures.py."""
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "docs" / "pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_mechanism_has_a_section_and_a_picture() -> None:
    assert sorted(sections("mechanisms.md")) == oa.available()
    assert sorted(path.stem for path in (STATIC / "mechanisms").glob("*.png")) == oa.available()


def views() -> list[str]:
    """The modules of views that draw: their function of the same name returns a figure."""
    return sorted(path.stem for path in (PACKAGE / "views").glob("*.py") if draws(ast.parse(read(path)), path.stem))


def draws(module: ast.Module, name: str) -> bool:
    """Whether a module has a function of this name that returns a figure."""
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name == name]
    return any(node.returns is not None and "Figure" in ast.unparse(node.returns) for node in functions)


def test_every_view_has_a_section_and_every_section_a_view() -> None:
    assert len(views()) >= 11
    assert sorted(sections("plots.md")) == sorted([*views(), "For a paper or a slide"])


@pytest.mark.parametrize("view", views())
def test_every_view_is_drawn_in_its_section(view: str) -> None:
    """The section runs the view, and the next heading comes after that."""
    section = re.split(r"^## ", read(GALLERY / "plots.md"), flags=re.MULTILINE)
    (own,) = [part for part in section if part.startswith(f"{view}\n")]
    cells = re.findall(r"```\{code-cell\}\n(.*?)```", own, re.DOTALL)
    assert any(f"{view}(" in cell for cell in cells)


@pytest.mark.parametrize("path", sorted(STATIC.rglob("*.png")), ids=lambda path: path.stem)
def test_committed_pictures_are_whole(path: str) -> None:
    with Image.open(path) as image:
        image.load()
        assert min(image.size) > 100


def test_the_front_picture_shows_formula_sweeps_and_mechanism() -> None:
    words = words_of(script().hero(oa.load("quadruped")))
    assert {"ℳ", "H", "φ", "M", "φ*", "H*", "=", "inward: from the tips to the base", "quadruped"} < words
