"""Certificates: the declarations behind a claim and the lines of its proof, as data that `kernel` reads.

The kernel derives the axioms from the declarations, so that no axiom can be invented.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never, cast

from operator_algebra.expressions.nodes import Expr
from operator_algebra.proofs.facts import (
    Assumed,
    BracketOf,
    DiagonalOf,
    Fact,
    Real,
    Term,
    Turned,
    Unique,
    resting_on,
    total,
)
from operator_algebra.proofs.kernel import Data
from operator_algebra.proofs.letters import ONE, Letter, times, word
from operator_algebra.proofs.multiples import Multiple, Special, of_diagonal, of_unique, opened
from operator_algebra.proofs.theory import Axiom, Theory
from operator_algebra.proofs.writer import Writer, kernel_word


@dataclass(frozen=True, slots=True)
class _Lines:
    """Facts as lines, in the names of a writer."""

    writer: Writer

    def reference(self, fact: Fact, places: Mapping[Fact, int]) -> Data:
        """How a line refers to a fact."""
        if fact in places:
            return places[fact]
        if isinstance(fact.why, Turned):
            return ["'", self.reference(fact.why.of, places)]
        if isinstance(fact.why, Real):
            return ["scalar", self.writer.abbreviated(self.writer.word(fact.why.word))]
        assert isinstance(fact.why, Axiom)
        return [*self._axiom(fact.why)]

    def _axiom(self, why: Axiom) -> Iterator[str]:
        """An axiom as the kernel calls it, and of which letters or formulas it holds."""
        letter, other, theory = why.letter, why.other, self.writer.theory
        match why.side:
            case "left" | "right":
                yield from (why.side, self.writer.name(letter))
            case "skew" | "known":
                assert other is not None
                yield from (why.side, self.writer.name(letter), self.writer.name(other))
            case "jacobi":
                assert other is not None and other.body is not None
                outer = theory.value(other, times(word(letter), other.body))
                yield from (why.side, self.writer.name(letter), self.writer.name(other), self.writer.name(outer))
            case "rigid":
                assert other is not None and letter.body is not None
                outer = theory.value(letter, times(word(other.star), letter.body))
                yield from (why.side, self.writer.name(other), self.writer.name(letter), self.writer.name(outer))
            case "alone" | "turning":
                joint, rates = self._of_joint(letter)
                made = [theory.turning(letter)] if why.side == "turning" else []
                yield from (why.side, joint, self.writer.name(letter), *map(self.writer.name, made), rates)
            case "":
                if letter.kind == "own":
                    bracket, _ = theory.acting(letter)
                    joint, rates = self._of_joint(bracket)
                    yield from ("closed", joint, self.writer.name(bracket), self.writer.name(letter), rates)
                else:
                    told = {"root": "root", "unknown": "equation", "leaf": "still"}
                    yield from (told[letter.kind], self.writer.name(letter))
            case _:
                assert_never(why.side)

    def _of_joint(self, bracket: Letter) -> tuple[str, str]:
        """The joint map and the rates of a bracket with H* w."""
        assert bracket.body is not None
        (((numbers, letters), _),) = bracket.body.items()
        return self.writer.name(letters[0].star), self.writer.abbreviated(self.writer.word((numbers, letters[1:])))

    def line(self, fact: Fact, places: Mapping[Fact, int]) -> list[Data]:
        """A fact as a line: what is zero, and the terms that it is the sum of."""
        stated, theory, why = self.writer.polynomial(fact.form), self.writer.theory, fact.why
        if isinstance(why, tuple):
            return [stated, *self._terms(why, places)]
        assert not isinstance(why, Assumed | Real | Turned)
        if isinstance(why, DiagonalOf) or (isinstance(why, Axiom) and why.letter.kind == "diag"):
            terms = of_diagonal(theory, fact.form, why if isinstance(why, DiagonalOf) else None)
        elif isinstance(why, Unique):
            terms = of_unique(theory, fact.form, why)
        else:
            below = [Term(1, ONE, why.of, ONE)] if isinstance(why, BracketOf) else []
            values = [kernel_word(why.letter), stated, *self._terms(below, places)]
            return [stated, ["1", "", values, ""]]
        return [stated, *self._terms(terms, places)]

    def _terms(self, terms: Iterable[Multiple | Term], places: Mapping[Fact, int]) -> list[Data]:
        return [
            [str(c), self.writer.word(left), self._multiplied(of, places), self.writer.word(right)]
            for c, left, of, right in terms
        ]

    def _multiplied(self, of: Fact | Letter | Special, places: Mapping[Fact, int]) -> Data:
        if isinstance(of, Letter):
            return self.writer.name(of)
        return of if isinstance(of, str) else self.reference(of, places)


def certificate(theory: Theory, lhs: Expr, rhs: Expr, proved: Fact) -> dict[str, Data]:
    """The certificate of lhs = rhs from the fact that their difference is zero."""
    writer = Writer(theory)
    writer.prefer((lhs, rhs))
    claim = [writer.formula(lhs), writer.formula(rhs)]
    lines: list[list[Data]] = []
    places: dict[Fact, int] = {}
    for fact in resting_on(proved):
        if not _is_reference(fact):
            lines.append(_Lines(writer).line(fact, places))
            places[fact] = len(lines) - 1
    if _is_reference(proved):
        lines.append([writer.polynomial(proved.form), ["1", "", _Lines(writer).reference(proved, places), ""]])
    return _written(writer, claim, lines)


def _is_reference(fact: Fact) -> bool:
    """Whether a line names a fact; what a value is in letters is a line of its own."""
    return isinstance(fact.why, Real | Turned) or (isinstance(fact.why, Axiom) and not _of_a_value(fact.why))


def _of_a_value(why: Axiom) -> bool:
    return why.side == "" and why.letter.kind in ("diag", "local")


def of_blocks(theory: Theory, e: Expr, words: str) -> dict[str, Data]:
    """The certificate that an operator has blocks of a kind, such as "inward unit": I and what is strictly inward."""
    writer = Writer(theory)
    writer.prefer((e,))
    unit = words.endswith(" unit")
    claim: list[Data] = [writer.formula(e), "" if unit else {}, words.replace("unit", "strict")]
    shown = opened(theory, theory.read(e)) if unit else ()
    terms = tuple(Term(c, left, of, right) for c, left, of, right in shown if isinstance(of, Fact))
    lines = [_Lines(writer).line(Fact(total(terms).form, terms), {})] if terms else []
    return _written(writer, claim, lines)


def _written(writer: Writer, claim: list[Data], lines: list[list[Data]]) -> dict[str, Data]:
    return {
        "spaces": writer.spaces,
        "traits": sorted(writer.theory.traits),
        "declare": _needed(writer.declared, [claim, lines]),
        "claim": claim,
        "lines": lines,
    }


def _needed(declared: list[list[Data]], told: Data) -> list[list[Data]]:
    """The declarations without abbreviations that nothing mentions."""
    used = _names(told)
    kept: list[list[Data]] = []
    for name, kind, *given in reversed(declared):
        if kind != "define" or name in used:
            used |= _names(given)
            kept.append([name, kind, *given])
    return kept[::-1]


def _names(told: Data) -> set[str]:
    if isinstance(told, str):
        return {word.rstrip("'") for word in told.split()}
    if isinstance(told, dict):
        return _names(list(cast("dict[str, Data]", told)))
    return {name for part in cast("list[Data]", told) for name in _names(part)} if isinstance(told, list) else set()
