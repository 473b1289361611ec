"""X X⁻¹ = I in sums of products of blocks: the leading product of X beside X⁻¹ gives way to the others."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from operator_algebra.expressions.words import Word
from operator_algebra.lowering.graph import RING, Form
from operator_algebra.programs.records import Ref

_STEPS = 2_000


class _Rule(NamedTuple):
    """X = lead + rest, for X scaled so that the coefficient of the lead is one: lead X⁻¹ = c I − rest X⁻¹."""

    lead: tuple[Ref, ...]
    c: Fraction
    rest: Form


class Cancelling:
    """Forms with what stands beside its inverse taken away; `inverted` is the form of what a value is the inverse of.

    Words only become smaller by length and by letters, so this ends.
    """

    def __init__(self, inverted: Callable[[Ref], Form | None]) -> None:
        self._inverted = inverted
        self._rules: dict[Ref, _Rule | None] = {}

    def reduced(self, form: Form) -> Form:
        """The same sum, rewritten as far as it goes."""
        pending, done = dict(form), dict[Word[int, Ref], Fraction]()
        for _ in range(_STEPS):
            if not pending:
                return {word: c for word, c in done.items() if c}
            word, c = pending.popitem()
            instead = self._instead(word)
            if instead is None:
                done[word] = done.get(word, Fraction(0)) + c
            else:
                for other, d in instead.items():
                    pending[other] = pending.get(other, Fraction(0)) + c * d
                    if not pending[other]:
                        del pending[other]
        return form

    def _instead(self, word: Word[int, Ref]) -> Form | None:
        scalars, letters = word
        for k, ref in enumerate(letters):
            rule = self._rule(ref)
            if rule is None:
                continue
            n = len(rule.lead)
            if letters[k + 1 : k + 1 + n] == rule.lead:
                left, right = (letters[: k + 1], letters[k + 1 + n :])
                return _replaced(scalars, left, rule, right, (letters[:k], right))
            if k >= n and letters[k - n : k] == rule.lead:
                left, right = letters[: k - n], letters[k:]
                return _replaced(scalars, left, rule, right, (left, letters[k + 1 :]))
        return None

    def _rule(self, ref: Ref) -> _Rule | None:
        if ref not in self._rules:
            self._rules[ref] = None  # while it is being made
            self._rules[ref] = _rule(self._inverted(ref) or {})
        return self._rules[ref]


def _rule(form: Form) -> _Rule | None:
    if not form:
        return None
    lead = max(form, key=lambda word: (len(word[1]), [(ref.value, ref.star) for ref in word[1]], word[0]))
    scalars, letters = lead
    if scalars or not letters:
        return None
    c = form[lead]
    return _Rule(letters, 1 / c, {word: d / c for word, d in form.items() if word != lead})


def _replaced(
    scalars: tuple[int, ...],
    left: tuple[Ref, ...],
    rule: _Rule,
    right: tuple[Ref, ...],
    without: tuple[tuple[Ref, ...], tuple[Ref, ...]],
) -> Form:
    others = RING.product([RING.of(*left, numbers=scalars), rule.rest, RING.of(*right)])
    gone = RING.of(*without[0], *without[1], numbers=scalars)
    return RING.minus(RING.scaled(rule.c, gone), others)
