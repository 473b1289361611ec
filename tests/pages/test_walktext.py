"""The walk of one block as text: inward from the column, then outward to the rows."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.applications import sensitivities
from operator_algebra.expressions.query import Query, block, dense
from operator_algebra.lowering.lower import lower
from operator_algebra.pages.walktext import WalkLine, walk_lines
from operator_algebra.pages.writer import Writer


def walk(e: Query) -> list[WalkLine]:
    program = lower(e)
    return walk_lines(Writer(program, "unicode"), program.outputs[0])


def test_an_inward_operator_ends_at_the_ancestors() -> None:
    assert walk(block(s.phi, 0, 1)) == [
        WalkLine("for body j = 1, as far as body i = 0"),
        WalkLine("    (s: what a body sends to its parent)"),
        WalkLine("    s(j) = I", "sent inward for a unit at j"),
        WalkLine("    x(j,j) = I", "the block of j with itself"),
        WalkLine("for its ancestors i, from the parent to the root; c is the child towards j"),
        WalkLine("    w = φ(i,c) s(c)", "arrives at i from c"),
        WalkLine("    s(i) = w", "what i lets through to its parent"),
        WalkLine("    x(i,j) = w", "the block in row i of this column"),
    ]


def test_an_outward_operator_goes_below_the_column_only() -> None:
    text = [line.text for line in walk(dense(s.phi.T))]
    assert text[0] == "for every body j"
    assert "for the bodies i below j; p is the parent of i" in text
    assert not any("ancestors" in line for line in text)


def test_what_comes_back_reaches_the_other_branches() -> None:
    text = [line.text for line in walk(dense(s.Omega))]
    assert any("for its ancestors i" in line for line in text)
    assert any("the bodies i below" in line for line in text)


def test_a_letter_that_means_something_else_in_the_walk_is_not_used_again() -> None:
    page = lower(dense(sensitivities.inverse_dynamics_by_v)).pseudocode()
    assert "d_2(i) = −cross(s(i)) β_1(i) + β_2(i)" in page
    assert "(t: what a body sends to its parent;" in page
    assert "    s(j) =" not in page


def test_where_nothing_is_left_that_is_said() -> None:
    found = walk(dense(s.inv(s.I + s.H @ s.phi @ s.K) - (s.I - s.H @ s.psi @ s.K)))
    assert found == [WalkLine("for every body j"), WalkLine("    x(i,j) = 0", "all of it cancels")]
