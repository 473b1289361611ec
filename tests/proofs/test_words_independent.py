"""No short law is missing: words that the known laws don't reduce are linearly independent in generic matrices.

The letters are those that all others are made of: E_φ, H, P, D⁻¹, φ, ψ and their adjoints. Words are taken in order of
length. A word that depends on others before it is the lead of a law; what contains a lead is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, Space
from operator_algebra.proofs.decide import generic
from operator_algebra.proofs.fields import LARGE, Array

J = operator("J", RATE >> TORQUE, structure="diagonal semidefinite")
HEAVY = s.innovations(J)
LETTERS = {
    "J = 0": (s.E_phi, s.H, s.P, inv(s.D), s.phi, s.psi),
    "any J": (s.E_phi, s.H, HEAVY.P, inv(HEAVY.D), s.phi, HEAVY.psi, J),
}
LEADS = {
    "J = 0": {
        "E_φ φ", "φ E_φ", "E_φ* φ*", "φ* E_φ*", "ψ P H*", "H P ψ*", "H P H* D⁻¹", "D⁻¹ H P H*", "ψ E_φ P ψ*",
        "ψ P E_φ* ψ*",
    },
    "any J": {
        "E_φ φ", "φ E_φ", "E_φ* φ*", "φ* E_φ*", "H P_J H* D_J⁻¹", "D_J⁻¹ H P_J H*", "ψ_J P_J E_φ* ψ_J*",
    },
}  # fmt: skip
"""Of words up to four letters: those of the definitions of φ, D⁻¹ and ψ, and what follows from them.

ψ itself reduces only words of six letters, ψ E_φ P H* D⁻¹ H.
"""
INDEPENDENT = {"J = 0": 1_175, "any J": 1_286}
"""Words of up to five letters, with the identities of four spaces."""

Word = tuple[Expr, ...]
Ends = tuple[Space, Space]
SPATIAL, JOINT = 24, 12


class Words:
    """All words of some letters up to a length that depend on no words before them, and the leads of those that do."""

    def __init__(self, letters: Sequence[Expr], length: int) -> None:
        self.letters = list(dict.fromkeys((*letters, *(letter.T for letter in letters))))
        self.values = generic(tuple(letters), SPATIAL, JOINT, 1)
        self.leads: list[Word] = []
        self.listed: dict[Ends, list[Array]] = {
            (space, space): [self.values.field.identity(1, self.values.size(space))]
            for space in (FORCE, MOTION, RATE, TORQUE)
        }
        layer: dict[Word, Array] = {}
        for k in range(length):
            candidates = dict(self._longer(layer) if k else ((((x,)), self._value(x)) for x in self.letters))
            layer = self._independent(candidates)

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(map(len, self.listed.values()))

    def _value(self, letter: Expr) -> Array:
        return self.values.value(letter).array

    def _longer(self, layer: dict[Word, Array]) -> Iterator[tuple[Word, Array]]:
        """Words one letter longer without a part that is a lead."""
        for word, array in layer.items():
            for letter in self.letters:
                if word[-1].type.domain == letter.type.codomain and (*word[1:], letter) in layer:
                    yield (*word, letter), self.values.field.product(array, self._value(letter))

    def _independent(self, candidates: dict[Word, Array]) -> dict[Word, Array]:
        by_ends: dict[Ends, list[Word]] = {}
        for word in candidates:
            by_ends.setdefault((word[0].type.codomain, word[-1].type.domain), []).append(word)
        kept: dict[Word, Array] = {}
        for ends, words in by_ends.items():
            known = self.listed.setdefault(ends, [])
            rows = [array.ravel() for array in (*known, *(candidates[word] for word in words))]
            for word, depends in zip(words, dependent(np.array(rows))[len(known) :], strict=True):
                if depends:
                    self.leads.append(word)
                else:
                    kept[word] = candidates[word]
                    known.append(candidates[word])
        return kept


def dependent(rows: Array) -> list[bool]:
    """Which rows are combinations of rows above them."""
    work, found = rows.copy(), list[bool]()
    for k, row in enumerate(work):
        (places,) = np.nonzero(row)
        found.append(not len(places))
        if len(places):
            row = row * pow(int(row[places[0]]), -1, LARGE) % LARGE
            factors = work[k + 1 :, places[0], None].copy()
            work[k + 1 :] = (work[k + 1 :] - factors * row) % LARGE
    return found


@cache
def words(which: str) -> Words:
    return Words(LETTERS[which], 5)


@pytest.mark.parametrize("which", LETTERS)
def test_the_leads_of_laws_are_those_of_the_definitions_and_what_follows(which: str) -> None:
    assert {" ".join(map(str, lead)) for lead in words(which).leads} == LEADS[which]


@pytest.mark.parametrize("which", LETTERS)
def test_words_of_five_letters_without_a_lead_are_independent(which: str) -> None:
    assert max(map(len, words(which).leads)) == 4
    assert words(which).count == INDEPENDENT[which]


def test_a_dependent_row_is_seen() -> None:
    rows = np.array([[1, 2, 3], [0, 0, 0], [2, 4, 6], [0, 1, 1], [1, 3, 4], [0, 0, 5]], dtype=np.int64)
    assert dependent(rows) == [False, True, True, False, True, False]


def test_with_gains_the_laws_of_gains_are_leads() -> None:
    leads = {" ".join(map(str, lead)) for lead in Words((s.H, s.P, s.D, s.G, s.K, s.E_phi), 3).leads}
    assert {"H G", "E_φ G", "G D", "H P H*"} <= leads
