"""The drawn tree is the tree of the mechanism."""

import pytest
from hypothesis import given, settings

import operator_algebra as oa
from operator_algebra.models.joints.joint import JOINT_KINDS, Joint, joint_class
from operator_algebra.models.model import Model
from operator_algebra.views.content.branches import branches, spread
from operator_algebra.views.content.joints import letters_of
from operator_algebra.views.content.naming import labelled
from operator_algebra.views.ink.palette import strong, tint
from operator_algebra.views.tree import Layout, tree
from tests.strategies import mechanisms
from tests.views.figures import words_of


@settings(max_examples=30)
@given(mechanisms(max_bodies=12))
def test_bodies_stand_apart_and_children_right_of_their_parents(model: Model) -> None:
    spots, ground = spread(model.parent)
    assert len({(round(x, 9), round(y, 9)) for x, y in spots}) == model.n
    for k, p in enumerate(model.parent):
        assert spots[k].x == (spots[p].x if p >= 0 else ground.x) + 1
    tips = [spots[k].y for k in range(model.n) if not model.children[k]]
    assert sorted(tips) == [-float(i) for i in reversed(range(len(tips)))]


@settings(max_examples=30)
@given(mechanisms(max_bodies=12))
def test_a_branch_ends_where_the_tree_forks(model: Model) -> None:
    branch = branches(model.parent)
    for k, p in enumerate(model.parent):
        assert (p >= 0 and branch[k] == branch[p]) == (p >= 0 and len(model.children[p]) == 1)
    assert sorted(set(branch)) == list(range(len(set(branch))))


def test_names_numbers_and_kinds_are_written() -> None:
    words = words_of(tree(oa.load("satellite")))
    assert {"satellite", "0  bus", "9  antenna_gimbal", "F", "R", "P", "U"} < words
    assert "F floating   R revolute   P prismatic   U universal" in words
    assert "10  bus" in words_of(tree(oa.load("satellite"), numbering="paper"))


@pytest.mark.parametrize("name", oa.available())
def test_every_mechanism_is_drawn_within_its_sheet(name: str) -> None:
    model = oa.load(name)
    at = Layout.of(model, named=labelled(model))
    assert all(0 < x < at.width and 0 < y < at.height for x, y in at.spots)
    assert tree(model).get_size_inches().tolist() == pytest.approx([at.width, at.height])
    assert at.width < 10


def test_kinds_of_joint_have_their_own_letters() -> None:
    letters = [joint_class(kind).mark.letter for kind in JOINT_KINDS]
    assert len(set(letters)) == len(letters)
    assert Joint.mark.letter == "?"
    assert letters_of(oa.load("tree4")) == {"revolute": "R", "prismatic": "P", "spherical": "S"}


def luminance(colour: str) -> float:
    """Relative luminance of sRGB."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("branch", range(8))
def test_white_letters_read_on_strong_tones_and_ink_on_pale_ones(branch: int) -> None:
    assert (1 + 0.05) / (luminance(strong(branch)) + 0.05) > 4.5
    assert (luminance(tint(branch)) + 0.05) / (luminance("#24292f") + 0.05) > 7
