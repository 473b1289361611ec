"""Chains: every link is true, its reason is a definition, a law other than the claim, or a lemma that adds up."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

import operator_algebra as oa
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity
from operator_algebra.proofs.chain import Chain, chain
from tests.often import some
from tests.proofs.reading import proved

FACTORIZATION = "H phi M phi' H' = (I + H phi K) D (I + H phi K)'"
NAMES = [law.name for law in catalogue().values() if isinstance(law, Identity)]


def chain_of(claim: str) -> Chain:
    found = oa.prove(claim).readings[0].chain
    assert found is not None
    return found


def searched(claim: str) -> Chain:
    """The chain that the search gives, where a textbook has a shorter one."""
    reading = oa.prove(claim).readings[0]
    assert reading.found is not None
    assert isinstance(reading.claim, Identity)
    told = chain(reading.found, reading.claim.lhs, reading.claim.rhs)
    assert told is not None
    return told


@pytest.mark.parametrize("claim", [FACTORIZATION, "propagation exchange", "Riccati equation, symmetric form"])
def test_every_link_is_an_equation_that_is_proved(claim: str) -> None:
    links = [text for text, _ in searched(claim).links("ascii")]
    assert len(links) > 2
    for before, after in pairwise(links):
        assert oa.prove(f"{before} = {after}"), (before, after)


@pytest.mark.parametrize("told", [chain_of, searched])
def test_it_begins_and_ends_with_the_sides_of_the_claim(told: Callable[[str], Chain]) -> None:
    links = told(FACTORIZATION).links()
    assert links[0] == ("H φ M φ* H*", "")
    assert links[-1][0] == "(I + H φ K) D (I + K* φ* H*)"


def test_what_the_claim_names_is_called_so() -> None:
    text = searched(FACTORIZATION).render()
    assert "D + D K* φ* H* + H φ K D + H φ K D K* φ* H*" in text
    assert "definition of φ" in text
    assert "equation of P" in text


def test_lemmas_add_up() -> None:
    told = searched("propagation exchange, other order")
    assert told.lemmas
    for lemma in told.lemmas:
        assert oa.prove(lemma.text("ascii")), lemma.text()
        assert lemma.reason()


@pytest.mark.parametrize("name", some(NAMES, each=5))
def test_no_law_is_its_own_reason(name: str) -> None:
    for reading in proved(name).readings:
        told = reading.chain
        if told is not None:
            own = {reading.claim.name, f"{reading.claim.name}, adjoint"}
            assert own.isdisjoint(reason for _, reason in told.links())


def test_most_laws_have_a_chain() -> None:
    told = [proved(name).readings[0].chain for name in NAMES]
    assert sum(one is not None for one in told) >= 0.7 * len(NAMES)


def test_no_formula_stands_twice_in_a_chain() -> None:
    """But at both ends, where the sides differ by definitions alone."""
    for name in NAMES:
        told = proved(name).readings[0].chain
        steps = () if told is None else [step.text() for step in told.steps[1:]]
        assert len(steps) == len(set(steps)), name


def test_latex() -> None:
    text = oa.prove(FACTORIZATION).render("latex")
    assert text.startswith(r"\begin{aligned}")
    assert r"H \phi M \phi^{*} H^{*}" in text
    assert text.count("{") == text.count("}")
    assert r"\text{definition of φ}" in text


def test_without_a_proof_there_is_no_chain() -> None:
    left = oa.prove("P = R")
    assert left.steps == ()
    with pytest.raises(oa.errors.InputError, match="no chain"):
        left.render()
