"""`prove`: whether a claim follows from the definitions of its operators, for every tree, every size, every joint."""

from __future__ import annotations

import time
from fractions import Fraction

from operator_algebra.identities.identity import Identity
from operator_algebra.proofs.certificate import certificate
from operator_algebra.proofs.completion import Completion
from operator_algebra.proofs.facts import Fact, total
from operator_algebra.proofs.inverses import inverses
from operator_algebra.proofs.letters import RING, TooLong
from operator_algebra.proofs.order import Order
from operator_algebra.proofs.tactics import TACTICS
from operator_algebra.proofs.theory import TRAITS, Theory
from operator_algebra.proofs.workbench import Workbench

ROUNDS = 8


def attempt(claim: Identity, seconds: float = 5.0):
    theory = Theory(frozenset(set(claim.domain) & set(TRAITS)))
    goal = RING.minus(theory.read(claim.lhs), theory.read(claim.rhs))
    if not goal:
        return certificate(theory, claim.lhs, claim.rhs, Fact(goal, ())), "expanded"
    core = Completion(Order(theory))
    bench = Workbench(theory, core, core)
    until = time.monotonic() + seconds
    plain = bench.new_axioms()
    others = [fact for fact in plain if not theory.plain(fact.why.letter)]
    plain = [fact for fact in plain if fact not in others]
    outcome = "stopped"
    while plain:
        core.add(plain)
        outcome = core.run([goal], min(until, time.monotonic() + 0.3))
        if outcome == "proved":
            break
        plain = list(inverses(bench))
        for fact in bench.new_axioms():
            (plain if theory.plain(fact.why.letter) else others).append(fact)
    turn = 0
    log = [(0, outcome, len(core.rules))]
    if outcome != "proved":
        bench.full = core.copy()
    while outcome != "proved" and turn < ROUNDS:
        for x in theory.letters:
            bench.age(x)
        bench.rounds += 1
        new = [fact for tactic in TACTICS for fact in tactic(bench)]
        new += [fact for fact in bench.new_axioms() + others if fact.why.letter not in bench.solved]
        others = []
        bench.full.add(new)
        budget = 0.03 if new else 0.5
        outcome = bench.full.run([goal], min(until, time.monotonic() + budget))
        log.append((len(new), outcome, len(bench.full.rules)))
        turn += 1
        if not new:
            break
    print(log)
    rest, trace = bench.full.reduce(goal)
    if rest:
        return None, (outcome, rest, bench.full)
    return certificate(theory, claim.lhs, claim.rhs, total(trace)), f"{outcome} turn {turn}"
