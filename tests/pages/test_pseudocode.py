"""A page: what is given, the loops, because, the cost."""

from __future__ import annotations

import re

import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, geometry
from operator_algebra.errors import OperatorAlgebraError
from operator_algebra.expressions.query import trace
from operator_algebra.lowering.lower import lower

V = lower(s.V)


def test_a_page_from_top_to_bottom() -> None:
    assert V.pseudocode().splitlines() == [
        "given H, φ of the mechanism and v          result V = φ* H* v",
        "",
        "for k from the base to the tips",
        "    V(k) = φ(p,k)* V(p) + H(k)* v(k)    p is the parent of k",
        "",
        "because  V = E_φ* V + H* v    velocity    diagonalized dynamics (4.2)    proved",
        "cost     O(N): one sweep",
    ]


def test_with_reasons_the_loop_says_what_p_is() -> None:
    page = V.pseudocode(reasons=True).splitlines()
    assert page[2] == "for k from the base to the tips, p the parent of k"
    assert page[3].endswith("velocity of the body: its parent's and its joint's [velocity]")


def test_notes_stand_near_their_lines() -> None:
    """A line of a sweep whose note was said before moves no note, nor does a long line of another sweep."""
    lines = lower(geometry.curvature).pseudocode().splitlines()
    start = lines.index("for k from the base to the tips")
    assert re.search(r"\S {4}p is the parent of k$", lines[start + 1])
    inward = next(i for i, line in enumerate(lines) if line.startswith("for k from the tips"))
    noted = [line for line in lines[inward:] if line.endswith("over children c of k")]
    assert any(re.search(r"\S {4}over", line) for line in noted)


def test_long_definitions_have_a_line_each() -> None:
    head = lower(geometry.curvature).pseudocode().partition("\n\n")[0].splitlines()
    assert [line[:6] for line in head[1:]] == ["where ", *["      "] * (len(head) - 2)]
    assert all(re.match(r"\S+ = \S", line[6:]) for line in head[1:])
    assert lower(dynamics.forward_dynamics).pseudocode().splitlines()[1].count("; ") == 1


def test_numbering_of_papers() -> None:
    assert "for k = N … 1, from the base to the tips" in V.pseudocode(numbering="paper")
    assert "for k = N ... 1, from the base to the tips" in V.pseudocode("ascii", numbering="paper")


def test_what_runs_once_is_no_sweep() -> None:
    page = lower(trace(s.M)).pseudocode()
    assert "\nonce\n    x = Σ_k tr M(k)\n" in page
    assert page.endswith("cost     O(N): no sweep")


def test_other_styles_are_refused() -> None:
    with pytest.raises(OperatorAlgebraError, match="style"):
        V.pseudocode("html")  # pyright: ignore[reportArgumentType]
