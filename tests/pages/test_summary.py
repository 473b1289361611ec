"""A program in one line, and as a fragment for notebooks."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv
from operator_algebra.lowering.lower import lower
from operator_algebra.pages.summary import html, one_line


def test_formula_sweeps_order_and_inputs() -> None:
    assert one_line(lower(s.V)) == "Program  V   1 sweep: outward   O(N)   inputs v"
    assert one_line(lower({"a": s.V, "b": s.M})).startswith("Program  {a = V, b = M}   1 sweep")


def test_a_long_formula_is_cut() -> None:
    mass = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
    text = one_line(lower(mass @ inv(mass + s.armature) @ mass @ inv(mass + 2 * s.armature) @ s.T))
    assert len(text) <= 100
    assert "…" in text
    assert text.endswith("4 sweeps: inward, outward, inward, outward   O(N)   inputs T")


def test_a_fragment_has_stages_and_the_page() -> None:
    text = html(lower(s.V))
    assert "<tr><td>1</td><td>outward</td><td>2</td></tr>" in text
    assert "<pre>given H, φ of the mechanism" in text
