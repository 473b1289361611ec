"""The search for a proof: rewriting first, then tactics, then other orders of words."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from operator_algebra.errors import TheoryError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.proofs.completion import Completion, Contradiction, Outcome
from operator_algebra.proofs.facts import Fact, resting_on
from operator_algebra.proofs.inverses import inverses
from operator_algebra.proofs.letters import RING, Form, Letter, TooLong
from operator_algebra.proofs.order import Order
from operator_algebra.proofs.tactics import TACTICS, from_laws
from operator_algebra.proofs.theory import TRAITS, Axiom, Theory
from operator_algebra.proofs.unrolling import unrolling
from operator_algebra.proofs.workbench import Workbench

_CORE = 2_000
"""Overlaps looked at before tactics are tried: theories of propagations and gains are complete after some dozens."""
_BETWEEN = 60
"""Overlaps looked at while tactics still find something: with new letters the rules need not come to an end."""
_LAST = 1_500
_ROUNDS = 14
_SEEDS = (None, 1, 2, 3)


@dataclass(frozen=True, slots=True)
class Search:
    """What was found: a proof; or what is left of the claim, and whether all rules are known.

    `going` is what is left to do where the time was up.
    """

    theory: Theory
    proved: Fact | None
    rest: Form
    complete: bool
    bench: Workbench | None = None
    going: _Going | None = field(default=None, repr=False, compare=False)


@dataclass(slots=True)
class _Clock:
    """Until when a search may go on; it stops there, and can be given more time."""

    until: float = -math.inf

    @property
    def late(self) -> bool:
        return time.monotonic() > self.until


class _Going:
    """A search that stops when its time is up, and goes on from there."""

    def __init__(self, lhs: Expr, rhs: Expr, traits: frozenset[str], shared: Workbench | None) -> None:
        self.clock = _Clock()
        self.steps = _orders(lhs, rhs, traits, self.clock, shared)

    def on(self, seconds: float) -> Search:
        """What has been found some seconds later."""
        self.clock.until = time.monotonic() + seconds
        try:
            return replace(next(self.steps), going=self)
        except StopIteration as end:
            return end.value


def ground(operators: Sequence[Expr]) -> Workbench:
    """What claims about some operators share: their letters, and the rules that rewriting finds for them."""
    theory = Theory()
    for e in operators:
        theory.read(e)
    core = Completion(Order(theory))
    bench = Workbench(theory, core, core)
    try:
        for _ in _steps(bench, [], _Clock(math.inf)):
            raise AssertionError("time without end was up")
    except Contradiction as found:
        raise TheoryError(_contradiction(found.fact)) from None
    return bench


def search(
    lhs: Expr,
    rhs: Expr,
    domain: Sequence[str] = (),
    *,
    seconds: float,
    shared: Workbench | None = None,
    after: Search | None = None,
) -> Search:
    """A proof of lhs = rhs from the definitions of what stands in it; after another search it goes on from there.

    It is looked for first on a ground that claims share, if one is given.
    """
    if after is not None:
        return after if after.going is None else after.going.on(seconds)
    return _Going(lhs, rhs, frozenset(domain).intersection(TRAITS), shared).on(seconds)


def _orders(
    lhs: Expr, rhs: Expr, traits: frozenset[str], clock: _Clock, shared: Workbench | None
) -> Generator[Search, None, Search]:
    """One order of words after the other; each time when it is late, the shortest rest so far."""
    theory = Theory(traits)
    try:
        goal = RING.minus(theory.read(lhs), theory.read(rhs))
    except TooLong:
        return Search(theory, None, {}, complete=False)
    if not goal:
        return Search(theory, Fact(goal, ()), goal, complete=True)
    best = Search(theory, None, goal, complete=False)
    if shared is not None:
        found = yield from _on_shared(shared, lhs, rhs, clock, best)
        if found.proved is not None:
            return found
    for seed in _SEEDS:
        theory = Theory(traits)
        core = Completion(Order(theory, seed))
        found = yield from _on(Workbench(theory, core, core), lhs, rhs, clock, best)
        if found.proved is not None or found.complete:
            return found
        best = _shorter(best, found)
        if clock.late:
            yield best
    return best


def _shorter(one: Search, other: Search) -> Search:
    return other if one.bench is None or len(other.rest) < len(one.rest) else one


def _on_shared(shared: Workbench, lhs: Expr, rhs: Expr, clock: _Clock, best: Search) -> Generator[Search, None, Search]:
    """By the rules that are there, or with the letters and rules of this claim besides."""
    theory = shared.theory.copy()
    goal = RING.minus(theory.read(lhs), theory.read(rhs))
    if len(theory.letters) == len(shared.theory.letters) and (proved := shared.equal(goal, {})) is not None:
        return Search(theory, proved, {}, complete=False, bench=shared)
    return (yield from _on(shared.copy(), lhs, rhs, clock, best))


def _on(bench: Workbench, lhs: Expr, rhs: Expr, clock: _Clock, best: Search) -> Generator[Search, None, Search]:
    theory = bench.theory
    goal = bench.goal = RING.minus(theory.read(lhs), theory.read(rhs))
    stops = _steps(bench, [goal], clock)
    try:
        while True:
            try:
                next(stops)
            except StopIteration as end:
                complete = end.value
                break
            yield _shorter(best, Search(theory, None, bench.full.reduce(goal)[0], complete=False, bench=bench))
    except Contradiction as found:
        raise TheoryError(_contradiction(found.fact)) from None
    except TooLong:
        return Search(theory, None, goal, complete=False)
    proved = bench.equal(goal, {})
    if proved is not None:
        return Search(theory, proved, {}, complete, bench)
    return Search(theory, None, bench.full.reduce(goal)[0], complete, bench)


_Steps: TypeAlias = Generator[None, None, bool]


def _steps(bench: Workbench, goals: Sequence[Form], clock: _Clock) -> _Steps:
    """All that is tried in one order; whether all rules are known in the end."""
    return (yield from _rewriting(bench, goals, clock)) or (yield from _tactics(bench, goals, clock))


def _run(rules: Completion, goals: Sequence[Form], jobs: int, clock: _Clock) -> Generator[None, None, Outcome]:
    """Complete for a number of jobs, with a pause each time when it is late."""
    rules.left = jobs
    while (outcome := rules.run(goals, rules.left, clock.until)) == "late":
        yield
    return outcome


def _rewriting(bench: Workbench, goals: Sequence[Form], clock: _Clock) -> _Steps:
    """Complete what rewriting deals well with, and find the inverses; whether the goals were reached."""
    found: list[Fact] = []
    usual = _in_usual_order(bench)
    bench.waiting += bench.new_axioms()
    while True:
        plain = [fact for fact in bench.waiting if bench.theory.plain(_letter(fact))]
        bench.waiting = [fact for fact in bench.waiting if fact not in plain]
        bench.core.add([*plain, *found])
        if (yield from _run(bench.core, goals, _CORE, clock)) == "proved":
            return True
        if usual is not bench:
            usual.core.add([*plain, *found])
            yield from _run(usual.core, [], _CORE, clock)
        found = list(inverses(usual))
        bench.waiting += bench.new_axioms()
        if not found and not any(bench.theory.plain(_letter(fact)) for fact in bench.waiting):
            return False


def _in_usual_order(bench: Workbench) -> Workbench:
    """The same theory with rules in the usual order: there a product with D in its middle is seen as one."""
    if bench.core.order.seed is None:
        return bench
    core = Completion(Order(bench.theory))
    return Workbench(bench.theory, core, core, axioms=bench.axioms, said=bench.said, solved=bench.solved)


def _tactics(bench: Workbench, goals: Sequence[Form], clock: _Clock) -> _Steps:
    """Rounds of tactics, with some rewriting between them; whether all rules are known in the end."""
    if bench.full is bench.core:
        bench.full = bench.core.copy()
    complete = False
    for _ in range(_ROUNDS):
        bench.next_round()
        facts = [fact for tactic in (*TACTICS, unrolling) for fact in tactic(bench)]
        axioms = [*bench.waiting, *bench.new_axioms()]
        facts += [fact for fact in axioms if _letter(fact) not in bench.solved]
        bench.waiting = []
        if not facts:
            if not goals:
                return (yield from _run(bench.full, [], _LAST, clock)) == "complete"
            if all(bench.equal(goal, {}) is not None for goal in goals):  # which turns numbers round
                return True
            complete = complete or (bench.full.complete and not _beyond(bench.theory))
            facts = list(from_laws(bench))
            bench.waiting = bench.new_axioms()
        bench.full.add(facts)
        last = not facts and not bench.waiting
        outcome = yield from _run(bench.full, goals, _LAST if last else _BETWEEN, clock)
        if outcome == "proved" or last:
            return complete or (outcome != "stopped" and not _beyond(bench.theory))
    return complete


def _beyond(theory: Theory) -> bool:
    """Whether there are letters of which rewriting does not know all."""
    return any(x.kind in ("diag", "local") for x in theory.letters)


def _letter(fact: Fact) -> Letter:
    assert isinstance(fact.why, Axiom)
    return fact.why.letter


def _contradiction(fact: Fact) -> str:
    """Whose equations make I = 0."""
    letters = [one.why.letter for one in resting_on(fact) if isinstance(one.why, Axiom)]
    names = dict.fromkeys(str(x.source) for x in letters if x.source is not None)
    listed = ", ".join(names) or "the operators of the claim"
    return f"the equations behind {listed} contradict each other: they make I = 0. Check what is inverted."
