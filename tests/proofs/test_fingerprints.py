"""Relations found by numbers are true, minimal, and all that there are among the words that were asked for."""

from __future__ import annotations

from functools import cache
from time import process_time

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.identity import Identity
from operator_algebra.operators.spaces import FORCE, RATE, TORQUE
from operator_algebra.proofs.decide import decide
from operator_algebra.proofs.fingerprints import DEEP, relations
from operator_algebra.proofs.refute import refute

VOCABULARY = (
    s.E_phi, s.H, s.M, s.phi, s.phi_tilde, s.R, s.P, s.D, inv(s.D), s.G, s.K, s.tau, s.tau_bar, s.P_plus, s.E_psi,
    s.psi, s.psi_tilde, s.U, s.W, s.Upsilon, s.Upsilon_plus, s.Omega, s.S,
)  # fmt: skip
J = operator("J", RATE >> TORQUE, structure="diagonal semidefinite")


@cache
def found(*operators: Expr, length: int = 3, diagonals: bool = True) -> tuple[Identity, ...]:
    return relations(operators, length=length, diagonals=diagonals)


def texts(laws: tuple[Identity, ...]) -> set[str]:
    return {law.formula() for law in laws}


def test_of_shifts_and_propagations_the_resolvent_is_found() -> None:
    assert texts(found(s.E_phi, s.phi, diagonals=False)) == {"E_φ φ = φ − I", "φ E_φ = φ − I"}


def test_no_relation_is_found_where_there_is_none() -> None:
    free = operator("free", FORCE >> FORCE, structure="diagonal")
    assert found(s.E_phi, free, s.H, s.M, diagonals=False) == ()


def test_the_laws_of_a_joint_are_found() -> None:
    laws = texts(found(s.H, s.P, s.G, s.tau, inv(s.D), length=3))
    assert {"H G = I", "H τ = H", "τ τ = τ", "H P τ* = H P"} & laws
    assert "H G = I" in laws
    assert "H G = I" not in texts(found(s.H, s.innovations(J).G, s.innovations(J).P, length=2))


def test_laws_that_nobody_typed_in_are_found() -> None:
    laws = texts(found(*VOCABULARY))
    assert {"H P Υ = H", "τ* Υ P = τ*", "P⁺ Ω = P Ω − τ ψ", "Ω M Ω = Ω", "diag(U D U*) = H R H*"} & laws >= {
        "H P Υ = H",
        "Ω M Ω = Ω",
        "diag(U D U*) = H R H*",
    }


def test_what_is_found_is_not_refuted_and_decided_where_that_can_be() -> None:
    decided = 0
    for law in found(*VOCABULARY)[::2]:
        assert refute(law) is None, law
        decision = decide(law)
        assert decision is None or decision.holds, law
        decided += decision is not None
    assert decided > 20


def test_no_relation_has_a_part_that_another_reduces() -> None:
    laws = found(*VOCABULARY, length=3, diagonals=False)
    reducible = {law.lhs.children or (law.lhs,) for law in laws}
    for law in laws:
        word = law.lhs.children or (law.lhs,)
        parts = {word[i:j] for i in range(len(word)) for j in range(i + 1, len(word) + 1)} - {word}
        assert not parts & reducible, law


def test_an_adjoint_is_not_told_twice() -> None:
    told = {law.lhs for law in found(*VOCABULARY)}
    assert not [law for law in told if law.T is not law and law.T in told]


def test_definitions_are_no_news() -> None:
    assert found(s.phi, s.phi_tilde, length=1, diagonals=False) == ()


def test_diagonals_of_one_way_words_are_those_of_their_letters() -> None:
    laws = texts(found(s.E_phi, s.phi, s.M, s.R))
    assert "diag(φ) = I" in laws
    assert "diag(φ M φ*) = R" in laws
    assert not [law for law in laws if law.startswith(("diag(φ φ)", "diag(M", "diag(φ R) "))]


def test_the_tree_is_deep_enough_for_three_shifts() -> None:
    """On three bodies in a row φ̃ φ̃ = E_φ E_φ."""
    assert not [law for law in found(s.E_phi, s.phi_tilde) if law.lhs == s.phi_tilde @ s.phi_tilde]
    assert max(len(DEEP[:k]) for k in range(len(DEEP)) if DEEP[:k] == tuple(range(-1, k - 1))) == 7


@pytest.mark.parametrize("length", [2, 3])
def test_it_takes_seconds(length: int) -> None:
    start = process_time()
    relations(VOCABULARY, length=length)
    assert process_time() - start < 10.0
