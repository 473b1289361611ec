"""Every mechanism and every view has its place in the documentation, and the committed pictures can be drawn again."""

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


@pytest.mark.parametrize("view", ["spy", "factors", "flow", "dependencies", "tree", "robot"])
def test_every_view_has_a_section_and_a_module_of_its_name(view: str) -> None:
    assert view in sections("plots.md")
    assert f"def {view}(" in read(PACKAGE / "views" / f"{view}.py")


@pytest.mark.parametrize("path", sorted(STATIC.rglob("*.png")), ids=lambda path: path.stem)
def test_committed_pictures_are_whole(path: str) -> None:
    with Image.open(path) as image:
        image.load()
        assert min(image.size) > 100


def test_the_front_picture_shows_formula_sweeps_and_mechanism() -> None:
    words = words_of(script().hero(oa.load("quadruped")))
    assert {"ℳ", "H", "φ", "M", "φ*", "H*", "=", "inward: from the tips to the base", "quadruped"} < words
