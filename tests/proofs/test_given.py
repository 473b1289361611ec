"""Proofs from chosen laws: they take these and nothing else, and their certificates rest on the definitions."""

from __future__ import annotations

import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.identity import Identity
from operator_algebra.proofs.given import laws_used
from operator_algebra.symbols import E_phi, G, H, I, K, phi, psi, tau, tau_bar

INVERSE = "inv(I + H phi K) = I - H psi K"
FROM: dict[str, tuple[str, list[Identity | Expr | str]]] = {
    "an exchange": (INVERSE, ["propagation exchange"]),
    "the other exchange": (INVERSE, ["propagation exchange, other order"]),
    "two factors": (
        "inv(H phi M phi' H') = (I - H psi K)' inv(D) (I - H psi K)",
        ["innovations factorization", "factor inverse"],
    ),
    "a definition by its name": ("phi E_phi = phi - I", ["phi"]),
    "a definition by its operator": ("E_phi phi = phi - I", [phi]),
    "an equation of one's own": ("tau_bar tau_bar = tau_bar", ["H G = I", tau_bar]),
    "the equation of a recursion": ("R - M = E_phi R E_phi'", ["R"]),
    "an adjoint": ("P tau' = tau P", ["tau P = P tau'"]),
}


@pytest.mark.parametrize(("claim", "using"), FROM.values(), ids=list(FROM))
def test_what_follows_is_proved_from_the_definitions(claim: str, using: list[Identity | Expr | str]) -> None:
    proof = oa.prove(claim, using=using)
    assert proof.verdict == "PROVED"
    assert len(proof.certificate()["proofs"]) == 1
    proof.replay()
    assert proof.certificate()["proofs"][0]["claim"] == oa.prove(claim).certificate()["proofs"][0]["claim"]


@pytest.mark.parametrize(("claim", "using"), FROM.values(), ids=list(FROM))
def test_only_what_it_takes_is_named(claim: str, using: list[Identity | Expr | str]) -> None:
    (alone,) = oa.prove(claim, using=using).readings
    (more,) = oa.prove(claim, using=[*using, "composite inertia", "Upsilon"]).readings
    assert {*(alone.laws or ())} == {law.name for law in laws_used(using)}
    assert more.laws == alone.laws


@pytest.mark.parametrize("using", [["H G = I", tau], [tau, tau_bar]])
def test_without_a_law_that_is_needed_there_is_no_proof(using: list[Expr | str]) -> None:
    proof = oa.prove("tau_bar tau_bar = tau_bar", using=using)
    assert proof.verdict == "NOT_DERIVABLE"
    assert "with these laws alone: τ̄ τ̄ − τ̄" in str(proof)
    assert oa.prove("tau_bar tau_bar = tau_bar")


def test_what_is_false_is_refuted() -> None:
    assert oa.prove("phi = psi", using=["propagation exchange"]).verdict == "REFUTED"


def test_no_proof_comes_of_a_law_that_is_not_proved() -> None:
    with pytest.raises(InputError, match=r"P = R: this is not proved"):
        oa.prove("P - R = 0 P", using=["P = R"])
    own = oa.operator("X", G.type)
    with pytest.raises(InputError, match="is not proved"):
        oa.prove(Identity("own", own, G), using=[Identity("wish", own, G)])


def test_a_domain_is_that_of_the_claim() -> None:
    claim = oa.catalogue()["costate decomposition"]
    assert isinstance(claim, Identity)
    assert oa.prove(claim, using=[claim]).assumptions == oa.prove(claim).readings[0].assumptions


def test_the_chain_names_the_laws() -> None:
    proof = oa.prove("left exchange", using=["propagation exchange"])
    chain = proof.readings[0].chain
    assert chain is not None
    assert chain.links()[1:] == [
        ("H φ − H ψ K H φ", "definitions, multiplied out"),
        ("H ψ", "propagation exchange"),
    ]
    assert "by these laws alone: propagation exchange" in str(proof)


def test_two_operators_of_one_name_stay_two() -> None:
    """A free operator has the name of what it stands for, its type and its blocks: these must not make one of two."""
    gains = [oa.define("C", E_phi @ x) for x in (G, 2 * G)]
    assert oa.prove(Identity("of one name", *gains), using=[psi]).verdict == "REFUTED"


@pytest.mark.parametrize(
    ("using", "message"),
    [
        ("phi", "list of laws"),
        (["nolaw"], "there is no law"),
        ([H], "H has no definition"),
        (["articulated below composite inertia"], "is no equation"),
        ([I], "I has no definition"),
    ],
)
def test_what_is_no_law_is_refused(using: list[Identity | Expr | str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        oa.prove("left exchange", using=using)


def test_without_laws_the_definitions_are_taken() -> None:
    assert oa.prove("left exchange", using=()).certificate() == oa.prove("left exchange").certificate()


def test_a_statement_is_not_proved_from_laws() -> None:
    with pytest.raises(InputError, match="Leave out using"):
        oa.prove("articulated below composite inertia", using=[K])
