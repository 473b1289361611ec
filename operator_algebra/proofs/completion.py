"""Completion: from the axioms to rules that rewrite, each with its derivation.

Where two rules apply to one word the two results differ by a polynomial that is zero: a new rule. If no new ones arise,
two polynomials are equal by the axioms exactly if they are rewritten to the same one.    [Buchberger, Mora]
"""

from __future__ import annotations

import heapq
import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from operator import neg
from typing import Literal, NamedTuple

from operator_algebra.proofs.facts import Fact, Term, collected, total, turned
from operator_algebra.proofs.letters import ONE, Form, Letter, Rational, TooLong, Word, quotient
from operator_algebra.proofs.order import Order, Place

_STEPS = 20_000
_RULES = 400
_LONGEST = 24
_FAIR = 4
_LOOK = 8

Outcome = Literal["proved", "complete", "stopped", "late"]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A fact with its leading word, whose coefficient is one, and the other terms."""

    fact: Fact
    numbers: tuple[Letter, ...]
    lead: tuple[Letter, ...]
    tail: tuple[tuple[Word, Rational], ...]

    @property
    def local(self) -> bool:
        """Whether it speaks of blocks of one body alone."""
        return all(x.structure.flow == "diagonal" for x in self.lead)


class Match(NamedTuple):
    """Where a rule applies to a word."""

    rule: Rule
    left: Word
    right: Word


class _Overlap(NamedTuple):
    """Two rules that both apply to a word: its first letters are led by one, its last by the other."""

    first: Rule
    second: Rule
    shared: int


class Contradiction(Exception):
    """The axioms make I = 0."""

    def __init__(self, fact: Fact) -> None:
        super().__init__()
        self.fact = fact


@dataclass(slots=True)
class Completion:
    """The rules found so far, and what is still to be looked at."""

    order: Order
    most: int = _RULES
    rules: dict[Rule, None] = field(default_factory=dict[Rule, None])
    complete: bool = False
    left: int = 0
    """How many of the jobs of the last run are left to do."""
    _starting: dict[Letter, list[Rule]] = field(default_factory=dict[Letter, list[Rule]])
    _jobs: list[tuple[int, int, int, Fact | _Overlap]] = field(
        default_factory=list[tuple[int, int, int, Fact | _Overlap]]
    )
    _oldest: list[tuple[int, Fact | _Overlap]] = field(default_factory=list[tuple[int, Fact | _Overlap]])
    _done: set[int] = field(default_factory=set[int])
    _number: Iterator[int] = field(default_factory=count)
    _keys: dict[Word, Place] = field(default_factory=dict[Word, Place])
    _down: dict[Word, Place] = field(default_factory=dict[Word, Place])
    _skipped: bool = False

    # -- rewriting

    def reduce(self, form: Form, *, local: bool = False) -> tuple[Form, list[Term]]:
        """The normal form, and the multiples of facts by which it differs from what was given.

        With `local` only rules between blocks of one body apply: propagations stay as they are.
        """
        pending, normal, down = dict(form), dict[Word, Rational](), self._down
        heap = [(self._downward(word), k, word) for k, word in enumerate(pending)]
        heapq.heapify(heap)
        trace: list[Term] = []
        serial = len(heap)
        while heap:
            _, _, word = heapq.heappop(heap)
            c = pending.pop(word, None)
            if not c:
                continue
            found = self.match(word, local=local)
            if found is None:
                normal[word] = normal.get(word, 0) + c
                continue
            rule, left, right = found.rule, found.left, found.right
            trace.append(Term(c, left, rule.fact, right))
            if len(trace) > _STEPS:
                raise TooLong
            numbers, before, after = left[0], left[1], right[1]
            for (own, letters), d in rule.tail:
                made = (tuple(sorted(numbers + own)) if numbers else own), before + letters + after
                known = pending.get(made)
                change = -c if d == 1 else c if d == -1 else -c * d  # fractions are slow to multiply
                pending[made] = change if known is None else known + change
                if known is None:
                    serial += 1
                    heapq.heappush(heap, (down.get(made) or self._downward(made), serial, made))
        return {word: c for word, c in normal.items() if c}, trace

    def match(self, word: Word, *, local: bool = False) -> Match | None:
        """The first place where a rule applies, the longest rule there: word = left · lead · right."""
        numbers, letters = word
        for k, x in enumerate(letters):
            for rule in self._starting.get(x, ()):
                end = k + len(rule.lead)
                if letters[k:end] == rule.lead and (not local or rule.local):
                    rest = numbers
                    if rule.numbers:
                        if Counter(rule.numbers) - Counter(numbers):
                            continue
                        rest = tuple((Counter(numbers) - Counter(rule.numbers)).elements())
                    return Match(rule, (rest, letters[:k]), ((), letters[end:]))
        return None

    def _key(self, word: Word) -> Place:
        found = self._keys.get(word)
        if found is None:
            found = self._keys[word] = self.order.key(word)
        return found

    def _downward(self, word: Word) -> Place:
        found = self._down.get(word)
        if found is None:
            weight, length, places, count, numbers = self._key(word)
            found = self._down[word] = (-weight, -length, tuple(map(neg, places)), -count, numbers)
        return found

    # -- completing

    def copy(self, order: Order | None = None) -> Completion:
        """The same rules, to which others can be added; in a copy of the order if one is given."""
        made = replace(self, rules=dict(self.rules), _jobs=list(self._jobs), _oldest=list(self._oldest))
        if order is not None:
            made.order, made._keys, made._down = order, dict(self._keys), dict(self._down)
        made._done, made._starting = set(self._done), {x: list(rules) for x, rules in self._starting.items()}
        return made

    def add(self, facts: Iterable[Fact]) -> None:
        """Facts to be made rules, with their adjoints."""
        for fact in facts:
            self.complete = False
            for one in (fact, turned(fact)):
                self._push(0, len(one.form), one)

    def _push(self, kind: int, size: int, job: Fact | _Overlap) -> None:
        number = next(self._number)
        heapq.heappush(self._jobs, (kind, size, number, job))
        heapq.heappush(self._oldest, (number, job))

    def run(self, goals: Sequence[Form], jobs: int, until: float = math.inf) -> Outcome:
        """Complete until all goals are rewritten to zero, nothing is left to do, or a bound is met.

        The bound is a number of jobs, so that the answer does not depend on the machine. `until` is for the patient:
        later than that it is late, and can go on with the jobs that are left.
        """
        found, looked = 0, -_LOOK
        self.left = jobs
        while True:
            if found >= looked + _LOOK or not self._jobs:
                looked = found
                if goals and not any(self.reduce(goal)[0] for goal in goals):
                    return "proved"
            if not self._jobs:
                self.complete = not self._skipped and not any(rule.numbers for rule in self.rules)
                return "complete" if self.complete else "stopped"
            if self.left < 0 or len(self.rules) > self.most:
                return "stopped"
            job = self._next()
            if job is not None:
                self.left -= isinstance(job, _Overlap)
                try:
                    found += self._do(job)
                except TooLong:
                    self._skipped = True
            if self._jobs and time.monotonic() > until:
                return "late"

    def _next(self) -> Fact | _Overlap | None:
        """The smallest job; every fourth time the oldest, so that none waits for ever."""
        kind = self._jobs[0][0]
        turn = next(self._number) % _FAIR == 0
        if kind and turn and self._oldest:
            number, job = heapq.heappop(self._oldest)
        else:
            _, _, number, job = heapq.heappop(self._jobs)
        if number in self._done:
            return None
        self._done.add(number)
        return job

    def _do(self, job: Fact | _Overlap) -> bool:
        if isinstance(job, Fact):
            form, terms = job.form, [Term(1, ONE, job, ONE)]
        else:
            if job.first not in self.rules or job.second not in self.rules:
                return False
            form, terms = _difference(job)
        normal, trace = self.reduce(form)
        if not normal:
            return False
        lead = max(normal, key=self._key)
        if not lead[1]:
            raise Contradiction(Fact(normal, collected([*terms, *(Term(-t.c, *t[1:]) for t in trace)])))
        if len(lead[1]) > _LONGEST:
            raise TooLong
        c = normal[lead]
        if not trace and c == 1 and isinstance(job, Fact):
            fact = job
        else:
            why = collected(
                [*(Term(quotient(t.c, c), *t[1:]) for t in terms), *(Term(-quotient(t.c, c), *t[1:]) for t in trace)]
            )
            fact = Fact({word: quotient(own, c) for word, own in normal.items()}, why)
        self._enter(Rule(fact, lead[0], lead[1], tuple((w, d) for w, d in fact.form.items() if w != lead)))
        return True

    def _enter(self, rule: Rule) -> None:
        for old in [old for old in self.rules if _within(rule, old)]:
            self._retire(old)
            self._push(0, len(old.fact.form), old.fact)
        self.rules[rule] = None
        starting = self._starting.setdefault(rule.lead[0], [])
        starting.append(rule)
        starting.sort(key=lambda one: -len(one.lead))
        for other in self.rules:
            self._overlaps(rule, other)
            if other is not rule:
                self._overlaps(other, rule)

    def _retire(self, rule: Rule) -> None:
        del self.rules[rule]
        self._starting[rule.lead[0]].remove(rule)

    def _overlaps(self, first: Rule, second: Rule) -> None:
        if second.lead[0] not in first.lead:
            return
        longest = min(len(first.lead), len(second.lead)) - 1
        for shared in range(1, longest + 1):
            if first.lead[-shared:] == second.lead[:shared]:
                self._push(1, len(first.lead) + len(second.lead) - shared, _Overlap(first, second, shared))


def _within(rule: Rule, old: Rule) -> bool:
    """Whether a new rule applies to the leading word of an old one."""
    n = len(rule.lead)
    if rule.lead[0] not in old.lead:
        return False
    inside = any(old.lead[k : k + n] == rule.lead for k in range(len(old.lead) - n + 1))
    return inside and not Counter(rule.numbers) - Counter(old.numbers)


def _difference(job: _Overlap) -> tuple[Form, list[Term]]:
    """What the two rules make of their common word, one less the other."""
    first, second, shared = job
    after, before = second.lead[shared:], first.lead[:-shared]
    mine, other = Counter(first.numbers), Counter(second.numbers)
    own, others = (tuple(sorted((x - y).elements())) for x, y in ((other, mine), (mine, other)))
    terms = [
        Term(1, (own, ()), first.fact, ((), after)),
        Term(-1, (others, before), second.fact, ONE),
    ]
    return total(terms).form, terms
