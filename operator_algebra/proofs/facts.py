"""Facts: polynomials that are zero, each with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from operator_algebra.identities.identity import Identity
from operator_algebra.proofs.letters import LIMIT, ONE, RING, Form, Letter, Rational, TooLong, Word, adjoint, row
from operator_algebra.proofs.theory import Axiom


class Term(NamedTuple):
    """A multiple c · left · fact · right."""

    c: Rational
    left: Word
    fact: Fact
    right: Word


@dataclass(frozen=True, slots=True)
class Assumed:
    """A law that is taken as it stands; its own proof comes later."""

    law: Identity


@dataclass(frozen=True, slots=True)
class Turned:
    """The adjoint of a fact."""

    of: Fact


@dataclass(frozen=True, slots=True)
class Real:
    """A word one → one is a number, and that its own adjoint."""

    word: Word


@dataclass(frozen=True, slots=True)
class DiagonalOf:
    """The block diagonal of a fact."""

    of: Fact


@dataclass(frozen=True, slots=True)
class BracketOf:
    """A fact about a motion, inside of a bracket."""

    letter: Letter
    of: Fact


@dataclass(frozen=True, slots=True)
class Unique:
    """What satisfies the equation of an unknown is the unknown: `of` says that `image` does.

    `renamed` says what letters become that are made of the unknown.
    """

    unknown: Letter
    image: Form
    of: Fact
    renamed: tuple[tuple[Letter, Letter], ...] = ()


Why: TypeAlias = Axiom | Assumed | Real | Turned | DiagonalOf | BracketOf | Unique | tuple[Term, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """A polynomial that is zero, and why."""

    form: Form
    why: Why

    def below(self) -> Iterator[Fact]:
        """The facts that this one rests on."""
        if isinstance(self.why, tuple):
            yield from (term.fact for term in self.why)
        elif not isinstance(self.why, Axiom | Assumed | Real):
            yield self.why.of


def total(terms: Iterable[Term]) -> Fact:
    """The fact that a sum of multiples of facts is zero."""
    listed = tuple(terms)
    if len(listed) == 1 and listed[0] == (1, ONE, listed[0].fact, ONE):
        return listed[0].fact
    parts = (RING.product([{t.left: t.c}, t.fact.form, {t.right: 1}]) for t in listed)
    return Fact(RING.sum(parts), listed)


def multiple(c: Rational, fact: Fact, left: Word = ONE, right: Word = ONE) -> Term:
    """One term of a sum."""
    return Term(c, left, fact, right)


def turned(fact: Fact) -> Fact:
    """The adjoint of a fact."""
    return fact.why.of if isinstance(fact.why, Turned) else Fact(adjoint(fact.form), Turned(fact))


def flattened(proved: Fact) -> Fact:
    """The same fact without sums between: of axioms, and of what follows by other rules from facts that are so, too."""
    flat: dict[Fact, Fact] = {}
    for fact in resting_on(proved):
        why = fact.why
        if isinstance(why, tuple):
            terms = [
                Term(t.c * one.c, joined(t.left, one.left), one.fact, joined(one.right, t.right))
                for t in why
                for one in _terms(flat[t.fact])
            ]
            if len(terms) > LIMIT:
                raise TooLong
            flat[fact] = Fact(fact.form, collected(terms))
        elif isinstance(why, Turned):
            flat[fact] = _turned(flat[why.of])
        elif isinstance(why, DiagonalOf | BracketOf | Unique):
            flat[fact] = Fact(fact.form, replace(why, of=flat[why.of]))
        else:
            flat[fact] = fact
    return flat[proved]


def _terms(fact: Fact) -> tuple[Term, ...]:
    return fact.why if isinstance(fact.why, tuple) else (Term(1, ONE, fact, ONE),)


def _turned(fact: Fact) -> Fact:
    """The adjoint of a fact, of a sum term by term."""
    if not isinstance(fact.why, tuple):
        return turned(fact)
    terms = (Term(t.c, starred(t.right), turned(t.fact), starred(t.left)) for t in fact.why)
    return Fact(adjoint(fact.form), tuple(terms))


def joined(left: Word, right: Word) -> Word:
    """One word behind the other."""
    return row((*left[0], *right[0]), (*left[1], *right[1]))


def starred(one: Word) -> Word:
    """The adjoint of a word."""
    return row(one[0], tuple(x.star for x in reversed(one[1])))


def collected(terms: Iterable[Term]) -> tuple[Term, ...]:
    """The same sum with equal terms put together."""
    found: dict[tuple[Word, Fact, Word], Rational] = {}
    for c, left, fact, right in terms:
        found[left, fact, right] = found.get((left, fact, right), 0) + c
    return tuple(Term(c, left, fact, right) for (left, fact, right), c in found.items() if c)


def resting_on(fact: Fact) -> list[Fact]:
    """All facts that a fact rests on, and itself, each after those that it needs."""
    done: dict[Fact, None] = {}
    stack: list[tuple[Fact, bool]] = [(fact, False)]
    while stack:
        one, ready = stack.pop()
        if ready:
            done[one] = None
        elif one not in done:
            stack.append((one, True))
            stack.extend((part, False) for part in one.below() if part not in done)
    return list(done)
