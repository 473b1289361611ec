"""Textbook proofs: every link follows from the definitions, begins and ends where the law does, and has a reason."""

from __future__ import annotations

import re

import pytest

import operator_algebra as oa
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.identity import Identity
from operator_algebra.identities.textbook import CHAINS, textbook
from operator_algebra.proofs.prove import prove

PLAIN = r"multiplied out|definitions? of .*|inverse of a product|an inverse times what it inverts"


def law(name: str) -> Identity:
    found = law_named(name)
    assert isinstance(found, Identity)
    return found


@pytest.mark.parametrize("name", CHAINS)
def test_every_link_is_proved(name: str) -> None:
    links = textbook(law(name))
    assert links is not None
    assert links[-1].formula is law(name).rhs
    assert len(links) <= 8
    assert oa.explain(name)


@pytest.mark.parametrize("name", CHAINS)
def test_every_reason_is_a_law_or_a_definition(name: str) -> None:
    laws = "|".join(map(re.escape, catalogue()))
    for _, reason in CHAINS[name]:
        first, *_ = re.split(", (?:with|from|and)", reason)
        assert re.fullmatch(f"{PLAIN}|{laws}", first), reason


def test_a_proof_is_told_as_the_textbook_tells_it() -> None:
    chain = prove("H phi M phi' H' = (I + H phi K) D (I + H phi K)'").readings[0].chain
    assert chain is not None
    assert [reason for _, reason in chain.links()[1:]] == [reason for _, reason in CHAINS["innovations factorization"]]


def test_other_claims_are_told_by_their_search() -> None:
    claim = Identity("own", oa.symbols.phi @ oa.symbols.E_phi, oa.symbols.phi - oa.symbols.I)
    assert textbook(claim) is None
    assert prove(claim).readings[0].chain is not None
