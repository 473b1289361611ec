"""The picture of filter and robot: each pair of lines is one line in two alphabets, and both are what is lowered."""

import re

from matplotlib.figure import Figure

import operator_algebra as oa
from operator_algebra.symbols import H, M, T, armature, inv, phi
from operator_algebra.views.filter import filter as filter_view
from tests.views.figures import words_of

ALPHABET = {
    "Q": "M", "R": "armature", "C": "H", "A": "φ", "y": "T", "u_2": "z", "u⁺_2": "z⁺", "u⁺": "α⁺", "u_3": "r", "u": "α",
}  # fmt: skip
LETTER = re.compile(r"[^\W\d_]⁺?(?:_\d)?(?=\()")


def columns() -> tuple[list[str], list[str]]:
    """The equations of the left and of the right recursion, from top to bottom."""
    texts = [text for axes in filter_view().axes for text in axes.texts if " = " in text.get_text()]
    places = sorted({text.get_position()[0] for text in texts})
    assert len(places) == 2
    left, right = ([text for text in texts if text.get_position()[0] == place] for place in places)
    heights = [[text.get_position()[1] for text in column] for column in (left, right)]
    assert heights[0] == heights[1] == sorted(heights[0], reverse=True)
    return [text.get_text() for text in left], [text.get_text() for text in right]


def test_each_line_of_the_filter_is_one_of_the_robot() -> None:
    measured, robot = columns()
    assert len(measured) == 12
    for one, other in zip(measured, robot, strict=True):
        assert LETTER.sub(lambda found: ALPHABET.get(found[0], found[0]), one) == other


def test_the_robot_is_what_is_printed() -> None:
    forces = phi @ M @ phi.T @ H.T @ inv(H @ phi @ M @ phi.T @ H.T + armature) @ T
    printed = re.sub(r" +", " ", oa.lower(forces).pseudocode())
    assert all(line in printed for line in columns()[1])


def test_both_worlds_have_their_words() -> None:
    words = words_of(filter_view())
    assert {"gain", "innovation", "costate", "joint acceleration", "force between bodies"} < words


def test_axes_of_the_caller_are_used() -> None:
    figure = Figure()
    assert filter_view(ax=figure.subplots()) is figure
