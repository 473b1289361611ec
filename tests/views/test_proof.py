"""The picture of a proof shows every line with its reason, and the laws and lemmas on which it rests."""

from __future__ import annotations

from functools import lru_cache

import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.proofs.proof import Proof
from operator_algebra.views.content.derivation import derivation
from operator_algebra.views.ink.palette import INWARD
from operator_algebra.views.proof import proof
from tests.views.figures import collisions, cut_off, words_of

READINGS = [
    ("inv(I + H phi K) = I - H psi K", 0),
    ("innovations factorization", 0),
    ("factor inverse", 1),
    ("inverse mass matrix", 1),
    ("H psi M psi' H' = D", 0),
    ("tau P = P tau'", 0),
]


@lru_cache
def proved(claim: str) -> Proof:
    return oa.prove(claim)


@pytest.mark.parametrize(("claim", "reading"), READINGS)
def test_lines_reasons_and_grounds_are_shown(claim: str, reading: int) -> None:
    found = proved(claim)
    figure = proof(found, reading=reading)
    chain = found.readings[reading].chain
    assert chain is not None
    words = words_of(figure)
    assert {reason for _, reason in chain.links()[1:]} <= words
    assert {f"lemma {lemma.number}" for lemma in chain.lemmas} <= words
    assert not collisions(figure)
    assert not cut_off(figure)


@pytest.mark.parametrize(("claim", "reading"), READINGS)
def test_no_letter_is_lost(claim: str, reading: int) -> None:
    found = proved(claim)
    chain = found.readings[reading].chain
    assert chain is not None
    shown = derivation(found, reading, 40)
    for link, (text, reason) in zip(shown.links, chain.links(), strict=True):
        assert " ".join("".join(piece for piece, _ in line) for line in link.text.lines) == text
        assert link.reason == reason
        assert link.text.columns <= 40
    said = {one.name: " ".join("".join(piece for piece, _ in line) for line in one.text.lines) for one in shown.grounds}
    assert {f"lemma {one.number}": one.text() for one in chain.lemmas}.items() <= said.items()


def test_an_arrow_for_every_link_and_every_use() -> None:
    found = proved("factor inverse")
    shown = derivation(found, 1, 60)
    uses = sum(link.ground is not None for link in shown.links) + sum(len(one.below) for one in shown.grounds)
    (axes,) = proof(found, reading=1).axes
    arrows = [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]
    assert len(arrows) == len(shown.links) - 1 + uses
    assert uses >= 5


def test_laws_stand_with_what_they_say() -> None:
    words = words_of(proof(proved("inv(I + H phi K) = I - H psi K")))
    assert "φ − ψ = φ K H ψ" in words


def test_what_is_new_is_blue() -> None:
    (axes,) = proof(proved("innovations factorization")).axes
    new = [text.get_text() for text in axes.texts if to_hex(text.get_color()) == INWARD.lower()]
    assert new[:2] == ["(P − E_φ P E_φ* + K D K*)", "P"]


def test_without_a_chain_there_is_no_picture() -> None:
    with pytest.raises(InputError, match="no chain to be drawn"):
        proof(oa.prove("P = R"))
    with pytest.raises(InputError, match="reading is 7"):
        proof(proved("factor inverse"), reading=7)
    with pytest.raises(InputError, match="prove"):
        proof("left exchange")  # pyright: ignore[reportArgumentType]


def test_it_draws_into_axes_of_a_user() -> None:
    figure, axes = plt.subplots()
    assert proof(proved("tau P = P tau'"), ax=axes) is figure
    plt.close(figure)
