"""What a law needs: operators are freed of their definitions as long as it can be proved."""

from __future__ import annotations

import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.identities.identity import Identity
from operator_algebra.proofs.general import generalize


@pytest.mark.parametrize(
    ("law", "free"),
    [
        ("factor inverse", "any G"),
        ("H psi = inv(I + H phi K) H phi", "any G"),
        ("tau P = P tau.T", "any symmetric D and any symmetric P"),
        ("H G = I", "any P"),
        ("E_psi = E_phi - K H", "any G"),
    ],
)
def test_what_may_be_anything(law: str, free: str) -> None:
    proof = generalize(law)
    assert proof.verdict == "PROVED"
    assert proof.claim.name.endswith(f", for {free}")
    proof.replay()


@pytest.mark.parametrize("law", ["innovations factorization", "psi M Omega = P Omega", "phi E_phi = phi - I"])
def test_what_needs_all_that_it_is_made_of_stays(law: str) -> None:
    proof = generalize(law)
    assert proof
    assert "for any" not in proof.claim.name


def test_the_general_law_speaks_of_no_riccati_equation() -> None:
    claim = generalize("factor inverse").claim
    assert isinstance(claim, Identity)
    assert {symbol.name for symbol in free_symbols(claim.lhs)} == {"H", "E_phi", "G"}


def test_what_is_false_is_not_made_general() -> None:
    assert generalize("inv(I + H phi K) = I - H phi K", seconds=1).verdict == "REFUTED"


def test_statements_are_refused() -> None:
    with pytest.raises(InputError, match="is no equation"):
        generalize(oa.catalogue()["articulated below composite inertia"])  # pyright: ignore[reportArgumentType]
