"""A proof in a notebook: every link and reason stands there, what changes is marked, what is assumed comes last."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import operator_algebra as oa
from operator_algebra.identities.identity import Identity
from operator_algebra.proofs.page import NEW, REWRITTEN
from operator_algebra.proofs.proof import Proof
from operator_algebra.proofs.prove import prove
from operator_algebra.symbols import I, phi

FACTORIZATION = "H phi M phi' H' = (I + H phi K) D (I + H phi K)'"


def html(proof: Proof) -> str:
    """What a notebook shows."""
    return proof._repr_html_()  # pyright: ignore[reportPrivateUsage]


def page(proof: Proof) -> ElementTree.Element:
    return ElementTree.fromstring(html(proof))


def text(part: ElementTree.Element) -> str:
    return "".join(part.itertext())


def rows(proof: Proof) -> list[list[str]]:
    return [[text(cell) for cell in row.findall("td")] for row in page(proof).iter("tr")]


def styled(proof: Proof, style: str) -> list[str]:
    """What is marked in the rows."""
    cells = page(proof).findall(".//td")
    return [text(part) for cell in cells for part in cell.iter("span") if style in part.get("style", "")]


@pytest.mark.parametrize("claim", [FACTORIZATION, "propagation exchange", "propagation exchange, other order"])
def test_every_link_has_a_row_with_its_reason(claim: str) -> None:
    proof = prove(claim)
    chain = proof.readings[0].chain
    assert chain is not None
    links = chain.links()
    assert rows(proof)[: len(links)] == [["=" if k else "", told, why] for k, (told, why) in enumerate(links)]


def test_what_is_new_and_what_is_rewritten_is_marked() -> None:
    proof = prove(FACTORIZATION)
    assert styled(proof, "background")[:2] == ["(P − E_φ P E_φ* + K D K*)", "P"]
    assert styled(proof, "border-bottom")[:2] == ["M", "(P − E_φ P E_φ* + K D K*)"]
    assert f"{NEW}, {REWRITTEN}" in text(page(proof))


def test_assumptions_come_last() -> None:
    parts = list(page(prove(FACTORIZATION)))
    assert text(parts[0]).startswith("PROVED")
    assert text(parts[-2]) == "assuming: D is invertible"
    assert "kernel" in text(parts[-1])


def test_other_readings_are_folded_and_lemmas_stand_below() -> None:
    proof = prove("propagation exchange, other order")
    folded = page(proof).findall("details")
    assert [text(part.findall("summary")[0]) for part in folded] == [one.claim.name for one in proof.readings[1:]]
    assert any(row[1].startswith("lemma 1: ") for row in rows(oa.prove("inverse mass matrix")))


def test_without_a_chain_the_verdict_and_why_are_shown() -> None:
    shown = page(oa.prove("P = R"))
    assert text(shown).startswith("REFUTED")
    assert "counter-example" in text(shown)
    assert shown.find("table") is None
    assert "by the schema" in text(page(oa.prove("articulated below composite inertia")))


def test_names_of_a_user_are_escaped() -> None:
    shown = page(prove(Identity("<b> & co", phi @ (I - oa.symbols.E_phi), I)))
    assert "<b> & co" in text(shown)
    assert shown.find(".//b") is None


def test_it_takes_the_colours_of_the_page_that_it_is_on() -> None:
    told = html(prove(FACTORIZATION))
    assert "color:" not in told.replace("background-color:", "")
    assert told.count("rgba(") == told.count("background-color:") + told.count("border-bottom:")
