"""Each value is one line: blocks at k, of children at c, of the parent at p."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.names import Style
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import lower
from operator_algebra.pages.writer import Line, Writer

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T


def lines(e: Expr, style: Style = "unicode", method: str = "auto") -> list[Line]:
    program = lower(e, method=method)  # pyright: ignore[reportArgumentType]
    return [line for stage in program.stages for line in Writer(program, style).lines(stage.steps)]


@pytest.mark.parametrize(
    ("style", "formula"),
    [
        ("unicode", "φ(p,k)* V(p) + H(k)* v(k)"),
        ("ascii", "phi(p,k)' V(p) + H(k)' v(k)"),
        ("latex", r"\phi(p,k)^{*}\,V(p) + H(k)^{*}\,v(k)"),
    ],
)
def test_outward_reads_the_parent(style: Style, formula: str) -> None:
    assert lines(s.V, style) == [Line("V(k)", formula, "p is the parent of k")]


def test_inward_sums_over_the_children() -> None:
    assert lines(s.R) == [Line("R(k)", "M(k) + Σ φ(k,c) R(c) φ(k,c)*", "over children c of k")]


def test_inverses_are_written_where_they_are_read() -> None:
    assert [line.formula for line in lines(inv(s.M) @ s.f_ext)] == ["M(k)⁻¹ f_ext(k)"]


def test_positive_terms_come_first() -> None:
    assert [line.formula for line in lines(s.T - s.H @ s.f_ext)] == ["T(k) − H(k) f_ext(k)"]
    assert [line.formula for line in lines(-s.T + s.H @ s.f_ext)] == ["H(k) f_ext(k) − T(k)"]


def test_an_update_is_written_as_it_is_computed() -> None:
    short = {line.name: line.formula for line in lines(inv(MASS) @ s.T)}
    joseph = {line.name: line.formula for line in lines(inv(MASS) @ s.T, method="joseph")}
    assert short["P⁺(k)"] == "P(k) − G(k) H(k) P(k)"
    assert joseph["P⁺(k)"] == "(I − G(k) H(k)) P(k) (I − G(k) H(k))*"
