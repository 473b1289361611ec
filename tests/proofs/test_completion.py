"""Completion: the definitions of propagations and gains become finitely many rules, each with its derivation."""

from __future__ import annotations

import pytest

import operator_algebra as oa
from operator_algebra.proofs.completion import Completion, Contradiction
from operator_algebra.proofs.facts import Fact, total
from operator_algebra.proofs.letters import RING
from operator_algebra.proofs.order import Order
from operator_algebra.proofs.theory import Theory
from operator_algebra.symbols import D, E_phi, G, H, I, K, M, P, inv, phi, psi, tau_bar
from tests.proofs.reading import bench_of, spelled


def test_rewriting_decides_what_follows() -> None:
    bench = bench_of(psi, phi, P)
    theory = bench.theory
    same, _ = bench.core.reduce(RING.minus(theory.read(phi - psi), theory.read(psi @ K @ H @ phi)))
    other, _ = bench.core.reduce(RING.minus(theory.read(phi - psi), theory.read(phi @ K @ H @ phi)))
    assert same == {}
    assert other != {}


def test_the_theory_of_the_papers_has_few_rules() -> None:
    assert len(bench_of(psi, phi, P).core.rules) <= 20


def test_every_rule_is_a_multiple_of_axioms() -> None:
    bench = bench_of(psi, phi, P)
    for rule in bench.core.rules:
        why = rule.fact.why
        assert not isinstance(why, tuple) or total(why).form == rule.fact.form


def test_what_reducing_takes_away_is_told() -> None:
    bench = bench_of(psi, phi, P)
    form = bench.theory.read(H @ phi @ M @ phi.T @ H.T)
    normal, trace = bench.core.reduce(form)
    assert RING.minus(form, normal) == total(trace).form


def test_a_normal_form_stays() -> None:
    bench = bench_of(psi, phi, P)
    normal, _ = bench.core.reduce(bench.theory.read(phi @ M @ psi.T))
    assert bench.core.reduce(normal) == (normal, [])


def test_rules_of_one_body_leave_propagations() -> None:
    bench = bench_of(phi, P, inv(D))
    theory = bench.theory
    e = phi @ E_phi @ P @ H.T @ inv(D) @ H @ P @ H.T
    assert spelled(theory, bench.core.reduce(theory.read(e), local=True)[0], phi) == {"phi E_phi P H'": 1}
    assert spelled(theory, bench.core.reduce(theory.read(e))[0], phi) == {"phi P H'": 1, "P H'": -1}


def test_goals_end_the_search_early() -> None:
    theory = Theory()
    goal = RING.minus(theory.read(tau_bar @ tau_bar), theory.read(tau_bar))
    theory.read(psi)
    completion = Completion(Order(theory))
    completion.add(Fact(form, why) for why, form in theory.axioms())
    assert completion.run([goal], 2_000) == "proved"
    assert not completion.complete


def test_jobs_are_bounded() -> None:
    theory = Theory()
    theory.read(psi)
    completion = Completion(Order(theory))
    completion.add(Fact(form, why) for why, form in theory.axioms())
    assert completion.run([], 3) == "stopped"


def test_what_is_late_can_go_on() -> None:
    theory = Theory()
    theory.read(psi)
    completion = Completion(Order(theory))
    completion.add(Fact(form, why) for why, form in theory.axioms())
    outcome, pauses = completion.run([], 2_000, until=0), 1
    while outcome == "late":
        outcome, pauses = completion.run([], completion.left, until=0), pauses + 1
    assert (outcome, pauses > 10) == ("complete", True)


def test_what_contradicts_itself_stops_loudly() -> None:
    theory = Theory()
    theory.read(inv(oa.define("nothing", H @ P @ H.T - D)))
    completion = Completion(Order(theory))
    completion.add(Fact(form, why) for why, form in theory.axioms())
    with pytest.raises(Contradiction):
        completion.run([], 2_000)


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_words_changes_no_verdict(seed: int) -> None:
    theory = Theory()
    goals = [
        RING.minus(theory.read(lhs), theory.read(rhs))
        for lhs, rhs in ((H @ G, I), (phi - psi, phi @ K @ H @ psi), (M, P - E_phi @ tau_bar @ P @ E_phi.T))
    ]
    wrong = RING.minus(theory.read(phi - psi), theory.read(phi @ K @ H @ phi))
    completion = Completion(Order(theory, seed))
    completion.add(Fact(form, why) for why, form in theory.axioms())
    completion.run(goals, 300)
    assert not any(completion.reduce(goal)[0] for goal in goals)
    assert completion.reduce(wrong)[0]
