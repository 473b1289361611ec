"""The search for a proof: rewriting first, then tactics, then other orders of words."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from operator_algebra.errors import TheoryError
from operator_algebra.expressions.nodes import Expr
from operator_algebra.proofs.completion import Completion, Contradiction
from operator_algebra.proofs.facts import Fact, resting_on
from operator_algebra.proofs.inverses import inverses
from operator_algebra.proofs.letters import RING, Form, Letter, TooLong
from operator_algebra.proofs.order import Order
from operator_algebra.proofs.tactics import TACTICS, from_laws
from operator_algebra.proofs.theory import TRAITS, Axiom, Theory
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
    """What was found: a proof; or what is left of the claim, and whether all rules are known."""

    theory: Theory
    proved: Fact | None
    rest: Form
    complete: bool
    bench: Workbench | None = None


def search(lhs: Expr, rhs: Expr, domain: Sequence[str] = (), *, seconds: float) -> Search:
    """A proof of lhs = rhs from the definitions of what stands in it."""
    until = time.monotonic() + seconds
    theory = Theory(frozenset(domain).intersection(TRAITS))
    try:
        goal = RING.minus(theory.read(lhs), theory.read(rhs))
    except TooLong:
        return Search(theory, None, {}, complete=False)
    if not goal:
        return Search(theory, Fact(goal, ()), goal, complete=True)
    best: Search | None = None
    for seed in _SEEDS:
        found = _with_order(lhs, rhs, theory.traits, seed, until)
        if found.proved is not None or found.complete:
            return found
        best = found if best is None or len(found.rest) < len(best.rest) else best
        if time.monotonic() > until:
            break
    assert best is not None
    return best


def _with_order(lhs: Expr, rhs: Expr, traits: frozenset[str], seed: int | None, until: float) -> Search:
    theory = Theory(traits)
    goal = RING.minus(theory.read(lhs), theory.read(rhs))
    core = Completion(Order(theory, seed))
    bench = Workbench(theory, core, core, goal)
    try:
        complete = _rewriting(bench, goal, until) or _tactics(bench, goal, until)
    except Contradiction as found:
        raise TheoryError(_contradiction(found.fact)) from None
    except TooLong:
        return Search(theory, None, goal, complete=False)
    proved = bench.equal(goal, {})
    if proved is not None:
        return Search(theory, proved, {}, complete, bench)
    return Search(theory, None, bench.full.reduce(goal)[0], complete)


def _rewriting(bench: Workbench, goal: Form, until: float) -> bool:
    """Complete what rewriting deals well with, and find the inverses; whether the goal was reached."""
    found: list[Fact] = []
    bench.waiting = bench.new_axioms()
    while True:
        plain = [fact for fact in bench.waiting if bench.theory.plain(_letter(fact))]
        bench.waiting = [fact for fact in bench.waiting if fact not in plain]
        bench.core.add([*plain, *found])
        if bench.core.run([goal], _CORE, until) == "proved":
            return True
        found = list(inverses(bench))
        bench.waiting += bench.new_axioms()
        if not found and not any(bench.theory.plain(_letter(fact)) for fact in bench.waiting):
            return False


def _tactics(bench: Workbench, goal: Form, until: float) -> bool:
    """Rounds of tactics, with some rewriting between them; whether all rules are known in the end."""
    bench.full = bench.core.copy()
    complete = False
    for _ in range(_ROUNDS):
        bench.next_round()
        facts = [fact for tactic in TACTICS for fact in tactic(bench)]
        axioms = [*bench.waiting, *bench.new_axioms()]
        facts += [fact for fact in axioms if _letter(fact) not in bench.solved]
        bench.waiting = []
        if not facts:
            if bench.equal(goal, {}) is not None:  # numbers one → one are turned round there
                return True
            complete = complete or (bench.full.complete and not _beyond(bench.theory))
            facts = list(from_laws(bench))
            bench.waiting = bench.new_axioms()
        bench.full.add(facts)
        last = not facts and not bench.waiting
        outcome = bench.full.run([goal], _LAST if last else _BETWEEN, until)
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
