"""What differs between the texts of two formulas: what is left without equal terms, and equal ends of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_OPEN, _CLOSE = "([{⟨", ")]}⟩"
_SIGNS = "+−-"


class Span(NamedTuple):
    """Characters of a text, the end left out."""

    start: int
    end: int


class Term(NamedTuple):
    """A term of a sum: its sign, and where its factors are."""

    sign: str
    factors: tuple[Span, ...]

    @property
    def whole(self) -> Span:
        """From its first factor to its last."""
        return Span(self.factors[0].start, self.factors[-1].end)


def differing(before: str, after: str) -> tuple[list[Span], list[Span]]:
    """The parts of two formulas in which they differ, in each from left to right.

    >>> differing("H φ M φ*", "H φ (P − S) φ*")
    ([Span(start=4, end=5)], [Span(start=4, end=11)])
    """
    return _sums(before, after, Span(0, len(before)), Span(0, len(after)))


def _sums(before: str, after: str, old: Span, new: Span) -> tuple[list[Span], list[Span]]:
    olds, news = terms(before, old), terms(after, new)
    left = _others(before, olds, after, news)
    right = _others(after, news, before, olds)
    if not left or not right:
        return [term.whole for term in left], [term.whole for term in right]
    listed = [*((before, term) for term in left), *((after, term) for term in right)]
    words = [[text[a:b] for a, b in term.factors] for text, term in listed]
    if len(listed) == 2 and words[0] == words[1]:  # but for the sign
        return [left[0].whole], [right[0].whole]
    shortest = min(map(len, words)) - 1
    front = 0
    while front < shortest and len({tuple(word[: front + 1]) for word in words}) == 1:
        front += 1
    back = 0
    while front + back < shortest and len({tuple(word[len(word) - back - 1 :]) for word in words}) == 1:
        back += 1
    middles = [term.factors[front : len(term.factors) - back] for _, term in listed]
    if len(left) == len(right) == 1 and left[0].sign == right[0].sign:
        inner = _inside(before, after, middles[0], middles[1])
        if inner is not None:
            return inner
    spans = [Span(middle[0].start, middle[-1].end) for middle in middles]
    return spans[: len(left)], spans[len(left) :]


def _inside(before: str, after: str, old: Sequence[Span], new: Sequence[Span]) -> tuple[list[Span], list[Span]] | None:
    """What differs inside of two brackets that are all that differs."""
    if len(old) != 1 or len(new) != 1:
        return None
    (a, b), (c, d) = _bracket(before, old[0]), _bracket(after, new[0])
    outer = before[old[0].start : a] + before[b : old[0].end], after[new[0].start : c] + after[d : new[0].end]
    if a == b or c == d or outer[0] != outer[1]:
        return None
    return _sums(before, after, Span(a, b), Span(c, d))


def _bracket(text: str, factor: Span) -> Span:
    """What stands in the bracket that a factor is, such as (…)*; empty, if it is none."""
    start = next((k for k in range(*factor) if text[k] in _OPEN), factor.end)
    end = next((k for k in reversed(range(*factor)) if text[k] in _CLOSE), start)
    return Span(start + 1, end) if end > start else Span(factor.end, factor.end)


def _others(text: str, own: Sequence[Term], other: str, theirs: Sequence[Term]) -> list[Term]:
    """The terms that the other formula does not have."""
    there = Counter((term.sign, other[slice(*term.whole)]) for term in theirs)
    left: list[Term] = []
    for term in own:
        key = term.sign, text[slice(*term.whole)]
        if there[key]:
            there[key] -= 1
        else:
            left.append(term)
    return left


def terms(text: str, within: Span) -> list[Term]:
    """The terms of a sum; a bracket is one factor, with what stands before and behind it.

    >>> [(term.sign, len(term.factors)) for term in terms("−φ diag(A + B) − I", Span(0, 18))]
    [('-', 2), ('-', 1)]
    """
    found: list[Term] = []
    sign, factors, start, depth = "+", list[Span](), within.start, 0
    for k in range(within.start, within.end + 1):
        c = text[k] if k < within.end else " "
        depth += (c in _OPEN) - (c in _CLOSE)
        if depth or c != " ":
            if start == k and c in "−-" and text[k + 1 : k + 2] != " ":  # it stands in front of all
                sign, start = "-", k + 1
            continue
        piece = text[start:k]
        if piece and piece in _SIGNS:
            found += [Term(sign, tuple(factors))] if factors else []
            sign, factors = "+" if piece == "+" else "-", []
        elif piece:
            factors.append(Span(start, k))
        start = k + 1
    return [*found, Term(sign, tuple(factors))] if factors else found
