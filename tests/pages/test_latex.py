"""A program as one aligned display."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.expressions.query import block
from operator_algebra.lowering.lower import lower


def test_a_loop_line_and_its_assignments() -> None:
    assert lower(s.V).pseudocode("latex").splitlines() == [
        r"\begin{aligned}",
        r"& V = \phi^{*} H^{*} v \\",
        r"& \text{for } k \text{ from the base to the tips} \\",
        r"& \quad V(k) = \phi(p,k)^{*}\,V(p) + H(k)^{*}\,v(k)",
        r"\end{aligned}",
    ]


def test_reasons_are_text_in_a_column() -> None:
    page = lower(s.V).pseudocode("latex", reasons=True)
    assert r" && \text{velocity of the body: its parent's and its joint's [velocity]}" in page


def test_walks_are_rows_too() -> None:
    page = lower(block(s.phi, 0, 1)).pseudocode("latex")
    assert r"& \quad w = \phi(i,c) s(c) \\" in page
