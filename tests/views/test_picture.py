"""Figures show and save themselves; without matplotlib the error says how to get it."""

import io
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from PIL import Image

import operator_algebra as oa
from operator_algebra.errors import BackendUnavailable
from operator_algebra.symbols import phi
from operator_algebra.views.factors import factors
from operator_algebra.views.flow import flow
from operator_algebra.views.ink.picture import Picture
from operator_algebra.views.robot import robot
from operator_algebra.views.spy import spy
from operator_algebra.views.tree import tree

TREE = oa.load("tree4")


def pictures() -> dict[str, Figure]:
    return {
        "spy": spy(phi, TREE),
        "tree": tree(TREE),
        "robot": robot(TREE),
        "factors": factors(oa.dynamics.mass_matrix, TREE),
        "flow": flow(oa.dynamics.inverse_dynamics, TREE),
    }


@pytest.mark.parametrize("name", ["spy", "tree", "robot", "factors", "flow"])
def test_a_picture_is_the_same_twice_and_stands_on_a_card(name: str) -> None:
    one, two = pictures()[name], pictures()[name]
    assert isinstance(one, Picture)
    assert isinstance(two, Picture)
    assert one.png() == two.png()
    with Image.open(io.BytesIO(one.png())) as image:
        corner = image.convert("RGBA").getpixel((0, 0))
        colours = image.convert("RGB").getcolors(2**24)
    assert corner == (253, 253, 251, 255)  # not transparent: it reads on light and on dark pages
    assert colours is not None
    assert len(colours) > 20


def test_a_picture_is_saved_as_svg(tmp_path: Path) -> None:
    target = tmp_path / "picture.svg"
    spy(phi, TREE).savefig(target)  # pyright: ignore[reportUnknownMemberType]
    assert "<svg" in target.read_text(encoding="utf-8")


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "operator_algebra.views.ink.picture")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(BackendUnavailable, match=r'a picture needs matplotlib.* install "matplotlib>='):
        tree(TREE)
