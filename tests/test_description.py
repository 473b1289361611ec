"""The long form of values: formulas, laws, queries, mechanisms, programs, values, modules."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra.description import describe
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.markup import width
from operator_algebra.symbols import E_phi, H, I, M, T, V, inv, phi, phi_tilde, qdd, vocabulary
from tests.expression_strategies import operators

MASS = H @ phi @ M @ phi.T @ H.T


def test_a_formula_as_a_tree() -> None:
    assert describe(MASS).splitlines()[:6] == [
        "H φ M φ* H*           rate → torque     symmetric, definite (M definite, H φ of full row rank)",
        "├─ H                  force → torque    block-diagonal",
        "├─ φ  = (I − E_φ)⁻¹   force → force     inward, unit diagonal",
        "├─ M                  motion → force    block-diagonal, symmetric, definite",
        "├─ φ*                 motion → motion   outward, unit diagonal (adjoint of φ above)",
        "└─ H*                 rate → motion     block-diagonal (adjoint of H above)",
    ]


def test_laws_and_lowering() -> None:
    text = describe(MASS)
    assert "innovations factorization" in text
    assert "apply    e @ x lowers to 2 sweeps, O(N)          invert  inv(e) @ y lowers to 2 sweeps, O(N)" in text
    assert "cites    diagonalized dynamics (4.5)" in describe(phi)
    assert "└─ −E_φ" in describe(phi)
    assert "value    lowers to 1 sweep" in describe(V)
    assert "invert" not in describe(H)
    assert "lowers" not in describe(T)
    assert "angular; linear" in describe(phi)
    assert "w x y z" in describe(phi)


def test_what_cannot_be_lowered_says_why() -> None:
    assert "apply    cannot lower φ̃⁻¹" in describe(inv(phi_tilde))


@pytest.mark.parametrize("e", vocabulary().values(), ids=list(vocabulary()))
def test_every_operator_of_the_vocabulary(e: Expr) -> None:
    assert describe(e).splitlines()[0].startswith(str(e))


@settings(max_examples=30)
@given(operators(depth=3))
def test_any_expression_fits_the_screen_and_names_its_spaces(e: Expr) -> None:
    lines = describe(e).splitlines()
    assert repr(e.type) in lines[0]
    assert len(lines) < 80
    assert all(width(line) <= 100 for line in lines)


@settings(max_examples=30)
@given(operators(depth=3), st.integers(60, 120))
def test_a_formula_that_is_cut_in_the_tree_is_written_out_below(e: Expr, columns: int) -> None:
    text = describe(e, columns=columns)
    assert all(width(line) <= columns for line in text.splitlines())
    words = " ".join(text.split())
    if text.splitlines()[0].partition("   ")[0].endswith("…"):
        assert "formula" in words
        assert e.render() in words or len(e.render()) > 400


def test_a_large_tree_is_cut() -> None:
    e: Expr = phi
    for _ in range(200):
        e = inv(I + E_phi @ e)
    lines = describe(e).splitlines()
    assert len(lines) < 60
    assert any(line.startswith("…") for line in lines)


def test_laws() -> None:
    text = describe("factor inverse")
    assert text == describe(oa.catalogue()["factor inverse"])
    assert "formula    (I + H φ K)⁻¹ = I − H ψ K" in text
    assert "(false)" in text
    assert 'check      oa.check("factor inverse")' in text
    assert "every tree" in describe(oa.Identity("mine", phi @ (I - E_phi), I))


def test_a_text_is_a_law_or_a_formula() -> None:
    assert describe("H* qdd") == describe(H.T @ qdd)
    with pytest.raises(InputError, match="unknown name"):
        describe("no such law")


def test_other_values() -> None:
    model = oa.load("planar2r")
    assert "dual     motion" in describe(oa.FORCE)
    assert "delivers force" in describe(oa.MOTION >> oa.FORCE)
    assert describe(oa.trace(phi)).startswith("trace(φ)\nasks     the trace of\nφ  =")
    assert "angular; linear" in describe(model)
    assert describe(model).startswith(repr(model))
    program = oa.lower(inv(MASS) @ T)
    assert describe(program).startswith(repr(program))
    assert "for k from the tips to the base" in describe(program)
    assert describe(oa.inv).startswith("inv(e: Expr | str) -> Expr\n")
    assert describe(oa.Expr).startswith("Expr\n")
    assert "vocabulary" in describe(oa.symbols)
    assert describe(phi.structure) == "inward, unit diagonal"


def test_a_value_says_how_it_is_stored() -> None:
    model = oa.load("planar3r")
    value = oa.evaluate(MASS, model, q=model.neutral())
    lines = describe(value).splitlines()
    assert lines[0] == repr(value)
    assert lines[1].startswith("storage    9 blocks, 9 numbers")
    assert lines[3].startswith("condition  ")
    assert "condition" not in describe(oa.evaluate(V, model, q=model.neutral(), v=[1.0, 0.0, 2.0]))


@pytest.mark.parametrize("x", [3, [1], None, len, sum])
def test_foreign_values_are_refused(x: object) -> None:
    with pytest.raises(InputError, match="describe knows the values of this package"):
        describe(x)
