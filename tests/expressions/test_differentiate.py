"""Derivatives by rule: one for each kind of node, names that stay names, and what has no derivative said so."""

from __future__ import annotations

import pytest

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.expressions.build import define, diag, fixpoint, inv, one, operator, root, scalar, vector, zero
from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol, Zero
from operator_algebra.expressions.normalize import equal
from operator_algebra.expressions.traverse import KINDS, postorder
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE

h, w = scalar("h"), vector("w", RATE)
J = operator("J", RATE >> TORQUE, structure="diagonal symmetric")
h_rate, J_rate = scalar("h_rate"), operator("J_rate", RATE >> TORQUE, structure="diagonal symmetric")
A = s.H @ s.M @ s.H.T + J
ROOT, CONSTANT = ("1-DOF",), ("constant joint maps",)

RULES: dict[str, tuple[Expr, Expr]] = {
    "Symbol": (s.E_phi, s.E_phi @ s.delta),
    "One": (one(FORCE >> FORCE), zero(FORCE >> FORCE)),
    "Zero": (zero(FORCE >> FORCE), zero(FORCE >> FORCE)),
    "Sum": (s.E_phi + s.phi - s.X_cm, s.E_phi @ s.delta + s.phi_ring),
    "Product": (s.phi @ s.M @ s.phi.T, s.phi_ring @ s.M @ s.phi.T + s.phi @ s.M @ s.phi_ring.T),
    "Scale": (3 * (h * s.E_phi), 3 * (h_rate * s.E_phi + h * (s.E_phi @ s.delta))),
    "Transpose": (s.E_phi.T, s.delta.T @ s.E_phi.T),
    "Inverse": (inv(A), -inv(A) @ J_rate @ inv(A)),
    "Root": (root(J), 0.5 * J_rate @ inv(root(J)).T),
    "Diag": (diag(s.phi @ s.M), diag(s.phi_ring @ s.M)),
    "Fixpoint": (s.R, fixpoint("R_ring", MOTION >> FORCE, lambda X: s.E_phi @ s.delta @ s.R @ s.E_phi.T
                               + s.E_phi @ X @ s.E_phi.T + s.E_phi @ s.R @ s.delta.T @ s.E_phi.T)),
    "Local": (s.cross(s.H.T @ s.v), s.cross(s.H.T @ s.qdd)),
}  # fmt: skip


def test_there_is_a_rule_for_every_kind_of_node() -> None:
    assert list(RULES) == list(KINDS)
    assert all(type(e).__name__ == name for name, (e, _) in RULES.items())


@pytest.mark.parametrize("name", RULES)
def test_the_rule_of(name: str) -> None:
    e, expected = RULES[name]
    given: dict[Expr, Expr | str | int] = {h: h_rate} if "h" in names(e) else {}
    given |= {J: J_rate} if "J" in names(e) else {}
    found = oa.differentiate(e, rates=given, domain=(*ROOT, *CONSTANT))
    assert found.type == e.type
    assert equal(found, expected)


def names(e: Expr) -> set[str]:
    return {symbol.name for symbol in e.symbols()}


# -- names -------------------------------------------------------------------------------------------------------------


def test_the_derivative_of_a_name_is_a_name() -> None:
    mine = define("mine", s.phi @ s.M)
    found = oa.differentiate(mine)
    assert isinstance(found, Symbol)
    assert (found.name, str(found.definition)) == ("mine_ring", "φ̊ M")
    assert str(oa.differentiate(s.H @ mine @ s.V, domain=CONSTANT)) == "H mine_ring V + H mine V̊"


def test_marks_say_which_derivative_it_is() -> None:
    assert str(oa.differentiate(s.P_plus)) == "P̊⁺"
    assert str(oa.differentiate(s.P, frame="world")) == "Ṗ"
    assert str(oa.differentiate(s.P, along=w, domain=CONSTANT)) == "P_along_w"
    assert str(s.innovations(J).E_ring_psi) == "E̊_ψ_J"


def test_directions_are_told_apart_by_name() -> None:
    u = vector("u", oa.RATE)
    directions = [u, w, u + w, u - w, 2 * w, define("both", u + w)]
    along = [str(oa.differentiate(s.P, along=one, domain=CONSTANT)) for one in directions]
    by = [
        str(oa.differentiate("psi M psi'", wrt=s.M, along=oa.operator(name, s.M.type, structure="diagonal symmetric")))
        for name in "XY"
    ]
    assert (along[0], along[1], along[-1]) == ("P_along_u", "P_along_w", "P_along_both")
    assert len(set(along)) == len(along)
    assert "ψ_by_M_along_X" in by[0]
    assert by[0] != by[1]


def test_an_inverse_that_has_a_name_is_written_by_it() -> None:
    assert str(oa.differentiate(s.phi).definition) == "φ E_φ δ φ"  # pyright: ignore[reportAttributeAccessIssue]
    assert str(s.psi_ring.definition) == "ψ E̊_ψ ψ"  # pyright: ignore[reportAttributeAccessIssue]


def test_what_is_constant_has_no_name() -> None:
    assert isinstance(oa.differentiate(define("twice", 2 * s.M)), Zero)
    assert isinstance(oa.differentiate(fixpoint("X", MOTION >> FORCE, lambda X: s.M + 0 * X)), Zero)
    assert oa.differentiate(define("again", -s.phi)) == -s.phi_ring


def test_equations_inside_equations() -> None:
    inner = fixpoint("X", MOTION >> FORCE, lambda X: s.P + s.E_phi @ X @ s.E_phi.T)

    def outer(Y: Expr) -> Expr:
        other = fixpoint("Z", MOTION >> FORCE, lambda Z: Y + s.E_phi @ Z @ s.E_phi.T)
        return inner + s.E_phi @ other @ s.E_phi.T

    found = oa.differentiate(fixpoint("Y", MOTION >> FORCE, outer))
    assert isinstance(found, Fixpoint)
    assert found.structure.symmetric
    assert {node.name for node in postorder(found) if isinstance(node, Fixpoint)} >= {"Y_ring", "Z_ring", "X_ring"}


def test_symmetry_and_pattern_are_kept() -> None:
    for e in (s.P, s.D, s.R, s.Upsilon, s.P_plus):
        assert oa.differentiate(e).structure.symmetric
        assert oa.differentiate(e).structure.flow == "diagonal"
    assert oa.differentiate(s.E_psi).structure.hop


# -- directions --------------------------------------------------------------------------------------------------------


def test_a_direction_moves_q_alone() -> None:
    assert oa.differentiate(s.E_phi, along=w) == s.E_phi @ s.motion(w).delta
    assert isinstance(oa.differentiate(s.T, along=w), Zero)
    assert oa.differentiate(s.phi @ s.f_ext, along=w, rates={s.f_ext: s.M @ s.V}).symbols() >= {s.f_ext}
    assert oa.differentiate(s.E_phi, along="2 v") == s.E_phi @ s.motion(2 * s.v).delta


def test_an_input_moves_alone() -> None:
    assert oa.differentiate(s.H @ s.phi @ s.f_ext, wrt=s.f_ext, along="b") == s.H @ s.phi @ s.b
    assert oa.differentiate("v' H M H' v", wrt="v", along=w) == w.T @ s.H @ s.M @ s.H.T @ s.v + (
        s.v.T @ s.H @ s.M @ s.H.T @ w
    )
    assert oa.differentiate(s.phi @ s.M, wrt=s.M, along=s.P) == s.phi @ s.P


def test_axes_of_the_base_turn() -> None:
    assert equal(oa.differentiate(s.M, frame="world"), s.rotation @ s.M + s.M @ s.rotation.T)
    turned = oa.differentiate(s.H, along=w, domain=CONSTANT, frame="world")
    assert equal(turned, -s.H @ s.motion(w).rotation)
    assert isinstance(oa.differentiate(s.D, wrt=s.M, along=zero()), Zero)


# -- what has no derivative --------------------------------------------------------------------------------------------


def test_inputs_have_rates_or_are_asked_for() -> None:
    with pytest.raises(InputError, match=r'no word for how T moves\. Give rates=\{"T": …\}, 0 if it does not move'):
        oa.differentiate(s.kappa)
    assert equal(oa.differentiate(s.H @ s.M @ s.H.T @ s.qdd, rates={"qdd": 0}, domain=CONSTANT), 0 * s.T)
    with pytest.raises(InputError, match=r"rates speaks of T, which is no leaf or input of φ\. There are E_phi\."):
        oa.differentiate(s.phi, rates={"T": 0})
    with pytest.raises(InputError, match="Name one that it depends on"):
        oa.differentiate(s.phi, wrt="T", along="T")
    with pytest.raises(InputError, match="Give along="):
        oa.differentiate(s.phi, wrt="E_phi")


def test_leaves_without_a_word_for_their_rate_are_asked_for() -> None:
    with pytest.raises(InputError, match=r'no word for how spring moves\. Give rates=\{"spring": …\}'):
        oa.differentiate("H M H' v + spring")
    with pytest.raises(InputError, match=r'domain=\("constant joint maps",\), true of every joint but the universal'):
        oa.differentiate(s.a)
    with pytest.raises(InputError, match="no word for how H moves"):
        oa.differentiate(s.V, along=w)
    with pytest.raises(InputError, match="no word for how Ḣ moves"):
        oa.differentiate(s.a, wrt=s.v, along=w)


def test_rates_fit_what_moves() -> None:
    with pytest.raises(SpaceMismatch, match="They must map the same spaces"):
        oa.differentiate(s.kappa, rates={"T": "v"})
    with pytest.raises(InputError, match="M is block-diagonal, its rate φ M φ* is not known to be".replace("*", r"\*")):
        oa.differentiate(s.phi @ s.M, rates={s.M: "phi M phi'"})
    with pytest.raises(InputError, match="M is symmetric, its rate τ M"):
        oa.differentiate(s.M, rates={s.M: s.tau @ s.M})


def test_a_root_has_a_derivative_where_blocks_are_numbers() -> None:
    with pytest.raises(InputError, match=r'root\(D\) has a derivative .* domain=\("1-DOF",\)'):
        oa.differentiate(s.m)
    with pytest.raises(InputError, match=r"root\(M\)"):
        oa.differentiate(root(s.M), wrt=s.M, along=s.P, domain=ROOT)
    assert isinstance(oa.differentiate(root(s.M)), Zero)


def test_words_are_known() -> None:
    with pytest.raises(InputError, match='Use "1-DOF" or "constant joint maps"'):
        oa.differentiate(s.phi, domain=["serial"])
    with pytest.raises(InputError, match="frame='base' is not known"):
        oa.differentiate(s.phi, frame="base")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="is the unknown of an equation"):
        fixpoint("X", MOTION >> FORCE, lambda X: s.M + oa.differentiate(X))
