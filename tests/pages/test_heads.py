"""The first lines of a page: what is given, what comes out, what names mean."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import logdet
from operator_algebra.lowering.lower import Lowerable, lower
from operator_algebra.pages.heads import head, mentioned
from operator_algebra.pages.writer import Writer


def top(e: Lowerable) -> list[str]:
    program = lower(e)
    return head(program, Writer(program, "unicode"))


def test_leaves_inputs_and_results() -> None:
    assert top(s.V) == ["given H, φ of the mechanism and v          result V = φ* H* v"]
    assert top(logdet(s.M)) == ["given M of the mechanism          result x = logdet(M)"]


def test_a_result_that_is_given_says_where_it_comes_from() -> None:
    assert top({"b": s.M, "t": s.T})[0].endswith("result b = M, given by the mechanism; t = T, an input")


def test_a_fixed_point_is_its_equation() -> None:
    assert top(s.R)[0].endswith("result R = M + E_φ R E_φ*")


def test_names_that_no_line_explains_are_explained() -> None:
    assert top(s.W @ s.T)[1] == "where W = I − H ψ K"
    e: Expr = s.M @ s.V
    assert mentioned(lower(e)) == []
