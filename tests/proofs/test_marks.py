"""What differs between two formulas: nothing of what stays is marked, and the rest is all that tells them apart."""

from __future__ import annotations

from itertools import pairwise

import pytest

from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.textbook import CHAINS, textbook
from operator_algebra.proofs.marks import Span, differing, terms


def parts(before: str, after: str) -> tuple[list[str], list[str]]:
    old, new = differing(before, after)
    return [before[a:b] for a, b in old], [after[a:b] for a, b in new]


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        ("H φ M φ* H*", "H φ (P − S) φ* H*", ["M"], ["(P − S)"]),
        ("A (B + C) D", "A B D + A C D", ["(B + C)"], ["B", "C"]),
        ("A + B C", "B X + A", ["C"], ["X"]),
        ("(A + B)* − I", "(A + C)* − I", ["B"], ["C"]),
        ("(A + B)*", "(A + C)", ["(A + B)*"], ["(A + C)"]),
        ("−A B + I", "A B + I", ["A B"], ["A B"]),
        ("diag(φ M φ*) H", "diag(φ P φ*) H", ["M"], ["P"]),
        ("2 A B", "A B", ["2 A"], ["A"]),
        ("A A", "A A A", ["A"], ["A A"]),
        ("A + B", "A", ["B"], []),
        ("A", "A", [], []),
        ("0", "A − A", ["0"], ["A", "A"]),
    ],
)
def test_what_is_marked(before: str, after: str, old: list[str], new: list[str]) -> None:
    assert parts(before, after) == (old, new)


def test_both_ways_are_the_same() -> None:
    for name in CHAINS:
        links = textbook(law_named(name))  # pyright: ignore[reportArgumentType]
        assert links is not None
        for one, other in pairwise(link.formula.render() for link in links):
            assert differing(one, other) == differing(other, one)[::-1]
            assert differing(one, other)[1]
            for text, spans in zip((one, other), differing(one, other), strict=True):
                assert spans == sorted(spans)
                assert all(text[a:b] == text[a:b].strip() for a, b in spans)
                assert all(text[a:b].count("(") == text[a:b].count(")") for a, b in spans)


def test_terms_of_a_part() -> None:
    text = "A (−B C + D)"
    assert [(term.sign, text[slice(*term.whole)]) for term in terms(text, Span(3, 11))] == [("-", "B C"), ("+", "D")]
