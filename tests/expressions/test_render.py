"""Formulas as text, in three styles."""

from fractions import Fraction

import pytest
from hypothesis import given

from operator_algebra.errors import InputError
from operator_algebra.expressions.build import diag, inv, local, operator, root, scalar, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.render import brief, render
from operator_algebra.markup import width
from operator_algebra.operators.spaces import MOTION, TORQUE
from operator_algebra.symbols import D, E_phi, H, I, K, M, P, P_plus, R, V, cross, phi, phi_tilde, tau_bar, v
from tests.expression_strategies import expressions

h, k = scalar("h"), scalar("k")
x = vector("x", MOTION)

grip = operator("grip", TORQUE >> TORQUE)

SAMPLES = [
    (H.T @ grip.T @ v, "H* grip* v", "H' grip' v", r"H^{*} \, \mathrm{grip}^{*} \, v"),
    (H @ phi @ M @ phi.T @ H.T, "H φ M φ* H*", "H phi M phi' H'", r"H \phi M \phi^{*} H^{*}"),
    (inv(I - E_phi), "(I − E_φ)⁻¹", "inv(I - E_phi)", r"\left(I - \mathcal{E}_\phi\right)^{-1}"),
    (inv(phi.T), "φ⁻*", "inv(phi')", r"\phi^{-*}"),
    (2 * phi, "2 φ", "2 phi", r"2 \phi"),
    (-phi, "−φ", "-phi", r"-\phi"),
    (V.T @ M @ V / 2, "1/2 V* M V", "1/2 V' M V", r"\tfrac{1}{2} V^{*} M V"),
    (-M + P - Fraction(2, 3) * R, "−M + P − 2/3 R", "-M + P - 2/3 R", r"-M + P - \tfrac{2}{3} R"),
    (M - (P - R), "M − (P − R)", "M - (P - R)", r"M - \left(P - R\right)"),
    (phi @ (M + P) @ phi.T, "φ (M + P) φ*", "phi (M + P) phi'", r"\phi \left(M + P\right) \phi^{*}"),
    (h * M, "h M", "h M", "h M"),
    ((h + k) * (M + P), "(h + k) (M + P)", "(h + k) (M + P)", r"\left(h + k\right) \left(M + P\right)"),
    (2 * (h * (k * M)), "2 h k M", "2 h k M", "2 h k M"),
    ((x.T @ M @ x) * phi, "(x* M x) φ", "(x' M x) phi", r"\left(x^{*} M x\right) \phi"),
    (inv(h * M), "(h M)⁻¹", "inv(h M)", r"\left(h M\right)^{-1}"),
    (inv(H @ P @ H.T), "(H P H*)⁻¹", "inv(H P H')", r"\left(H P H^{*}\right)^{-1}"),
    (root(D).T, "root(D)*", "root(D)'", r"\operatorname{root}\left(D\right)^{*}"),
    (diag(phi @ R), "diag(φ R)", "diag(phi R)", r"\operatorname{diag}\left(\phi R\right)"),
    (cross(H.T @ v), "cross(H* v)", "cross(H' v)", r"\operatorname{cross}\left(H^{*} v\right)"),
    (P_plus, "P⁺", "P_plus", "P^{+}"),
    (local("spin", V).T, "spin(V)*", "spin(V)'", r"\operatorname{spin}\left(V\right)^{*}"),
    (tau_bar.T, "τ̄*", "tau_bar'", r"\bar{\tau}^{*}"),
]


@pytest.mark.parametrize(("e", "text", "ascii_", "latex"), SAMPLES, ids=[sample[2] for sample in SAMPLES])
def test_styles(e: Expr, text: str, ascii_: str, latex: str) -> None:
    assert e.render() == str(e) == text
    assert e.render("ascii") == ascii_
    assert e.render("latex") == latex
    assert e._repr_latex_() == f"${latex}$"  # pyright: ignore[reportPrivateUsage]


def test_a_star_never_meets_a_bare_superscript_in_latex() -> None:
    assert (inv(P_plus)).render("latex") == "{P^{+}}^{-1}"


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(InputError, match="style='html' is not known"):
        render(phi, "html")  # pyright: ignore[reportArgumentType]


@given(expressions())
def test_ascii_is_ascii(e: Expr) -> None:
    assert e.render("ascii").isascii()


@given(expressions())
def test_brief_is_the_start_of_the_formula(e: Expr) -> None:
    full = e.render()
    for columns in (1, 5, 20, 60):
        text = brief(e, columns)
        assert width(text) <= columns
        assert text == full or full.startswith(text.removesuffix("…").rstrip())


def test_a_formula_that_explodes_is_refused_and_still_has_a_line() -> None:
    e: Expr = phi
    for _ in range(64):
        e = inv(I + e @ K @ H @ e)
    assert width(repr(e)) <= 100
    with pytest.raises(InputError, match="more than 4000000 symbols"):
        e.render()
    assert phi_tilde.render() == "φ̃"
