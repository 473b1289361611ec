"""Strings for people: columns, tables, fragments."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.markup import (
    NEUTRAL,
    PALETTE,
    colour,
    cut,
    element,
    escape,
    html_table,
    pad,
    pattern,
    table,
    width,
    wrapped,
)


@pytest.mark.parametrize(
    ("text", "columns"), [("", 0), ("H φ", 3), ("τ̄ ψ̃", 3), ("q̈", 1), ("φ⁻¹", 3), ("漢", 2), ("a\u200bb", 2)]
)
def test_columns(text: str, columns: int) -> None:
    assert width(text) == columns


@given(st.text(), st.integers(1, 30))
def test_cutting_fits_and_keeps_the_start(text: str, columns: int) -> None:
    short = cut(text, columns)
    assert width(short) <= columns
    assert short == text or text.startswith(short.removesuffix("…").rstrip())


WORDS = st.text("abφ⁻τ̄", min_size=1, max_size=10).filter(str.strip)


@given(st.lists(st.tuples(st.integers(1, 9), WORDS), min_size=1), st.integers(20, 60), st.integers(0, 8))
def test_wrapping_fits_and_breaks_no_word(words: list[tuple[int, str]], columns: int, indent: int) -> None:
    text = "".join(" " * gap + word for gap, word in words).strip()
    page = wrapped(text, columns, indent)
    assert page.split() == text.split()
    assert all(width(line) <= columns for line in page.splitlines())
    assert all(line.startswith(" " * indent) for line in page.splitlines()[1:])
    assert page == text or width(text) > columns


@given(st.text(max_size=8))
def test_padding_fills_up(text: str) -> None:
    assert width(pad(text, 20)) == max(20, width(text))


def test_tables_align_columns_and_not_characters() -> None:
    lines = table([("τ̄", "x"), ("phi", "y", "z")]).split("\n")
    assert lines == ["τ̄     x", "phi   y   z"]
    assert table([]) == ""


@given(st.text())
def test_escaped_text_is_text(text: str) -> None:
    node = ElementTree.fromstring(f'<a b="{escape(text)}">{escape(text)}</a>')
    kept = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text)
    assert (node.text or "") == kept


def test_elements() -> None:
    assert element("p", "x", stroke_width=2, class_="a&b") == '<p stroke-width="2" class="a&amp;b">x</p>'
    assert html_table([["1"]], ["n"]) == "<table><tr><th>n</th></tr><tr><td>1</td></tr></table>"


@given(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7))))
def test_a_pattern_draws_each_cell_once(cells: set[tuple[int, int]]) -> None:
    root = ElementTree.fromstring(pattern(cells, (8, 8), label="a < b"))
    drawn: set[tuple[int, int]] = set()
    (path,) = [node.attrib["d"] for node in root.iter() if node.tag == "path"]
    for run in filter(None, path.split("M")):
        start, length = run.partition("v")[0].split("h")
        j, i = map(int, start.split())
        new = {(i, j + step) for step in range(int(length))}
        assert not new & drawn
        drawn |= new
    assert drawn == cells
    assert root.attrib["aria-label"] == "a < b"


def test_colours_follow_the_letter() -> None:
    assert colour("P_plus_J") == PALETTE["P"]
    assert colour("E_psi") == PALETTE["E_psi"]
    assert colour("phi_tilde") == PALETTE["phi"]
    assert colour("x") == NEUTRAL
