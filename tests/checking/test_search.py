"""The search for what refutes a claim: its order, its end, its depth; and what the numbers in a claim ask of it."""

import random
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra.checking.check import check, check_all
from operator_algebra.checking.levels import levels
from operator_algebra.checking.probed_laws import probe, probe_mechanisms
from operator_algebra.checking.suite import in_domain, mechanism, smallest_first, suite
from operator_algebra.checking.tally import tally
from operator_algebra.checking.verdict import Sampled
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import scale, zero
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.claims import laws_of
from operator_algebra.identities.identity import Identity
from operator_algebra.models.families import chain
from operator_algebra.models.gallery import load
from operator_algebra.symbols import E_phi, H, I, K, M, P, P_plus, U, inv, phi, phi_tilde, psi
from tests.rounding import EPS, rounding

TREE = load("tree4")
SLIP = "inv(I + H phi K) = I + H psi K"


def power(e: Expr, exponent: int) -> Expr:
    return reduce(lambda a, b: a @ b, [e] * exponent)


def nilpotent(e: Expr, exponent: int) -> Identity:
    return Identity("nilpotent", power(e, exponent), zero(e.type))


# -- order and end -------------------------------------------------------------------------------------------------


def test_the_smallest_come_first() -> None:
    names = list(smallest_first(suite()))
    assert sorted(names) == sorted(suite())
    sizes = [mechanism(name).n for name in names]
    small = [size for name, size in zip(names, sizes, strict=True) if "-" in name or "." in name]
    assert small == sorted(small)
    assert sizes[-1] == 200
    assert sizes[:3] == [1, 1, 1]


def test_a_search_ends_with_the_first_mechanism_that_refutes() -> None:
    found = check(SLIP)
    assert found.verdict == "FAILS"
    assert [row.mechanism for row in found.rows] == list(smallest_first(suite()))[: len(found.rows)]
    assert [row.fails > 0 for row in found.rows] == [False] * (len(found.rows) - 1) + [True]
    assert mechanism(found.rows[-1].mechanism).n == 2
    assert found.worst is found.rows[-1]


def test_every_goes_on_for_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_algebra.checking.search.suite", lambda: ("chain6", "forest2.1", "planar2r"))
    assert [row.mechanism for row in check(SLIP).rows] == ["forest2.1"]
    found = check(SLIP, every=True)
    assert [(row.mechanism, row.fails) for row in found.rows] == [("forest2.1", 8), ("planar2r", 8), ("chain6", 8)]
    assert found.counterexample is not None
    assert "--every" in found.replay()


def test_of_several_laws_each_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_algebra.checking.search.suite", lambda: ("chain6", "forest2.1", "planar2r"))
    slip = Identity("slip", inv(I + H @ phi @ K), I + H @ psi @ K)
    first, second = check_all([slip, law_named("factor inverse")], samples=2, every=False)
    assert ([row.mechanism for row in first.rows], len(second.rows)) == (["forest2.1"], 3)
    assert (first.verdict, second.verdict) == ("FAILS", "holds")


# -- depth ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [E_phi, phi_tilde, H @ K, U - I])
def test_long_products_count_their_joints(e: Expr) -> None:
    assert levels(nilpotent(e, 45)) == 45
    assert levels(Identity("longer", power(e, 7), inv(I - power(e, 7)) @ power(e, 3))) == 10


def test_a_claim_about_long_paths_is_tried_on_a_long_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_algebra.checking.search.suite", lambda: ("forest3.1", "humanoid"))
    found = check(nilpotent(E_phi, 45), samples=1)
    assert found.verdict == "FAILS"
    assert found.counterexample is not None
    assert found.counterexample.model.n == 46
    assert found.counterexample.block == (0, 45)
    assert len(found.counterexample.describe()) < 400
    assert check(Identity("longer", power(E_phi, 45), power(E_phi, 44) @ E_phi), samples=1).verdict == "holds"


def test_what_no_mechanism_is_deep_enough_for_is_not_said_to_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_algebra.checking.search.suite", lambda: ("forest3.1",))
    found = check(nilpotent(E_phi, 3000), samples=1)
    assert found.verdict == "inconclusive"
    assert "oa.check(claim, oa.chain(3001)) would tell" in str(found)


# -- numbers -------------------------------------------------------------------------------------------------------


@settings(max_examples=16, deadline=None)
@given(st.integers(1, 140), st.integers(-9, 9).filter(bool), st.sampled_from(["chain6", "humanoid"]))
def test_a_multiple_is_told_however_near(digits: int, c: int, name: str) -> None:
    nearly = 1 + Fraction(c, 10**digits)
    assert check(Identity("multiple", M, scale(nearly, M)), mechanism(name), samples=1).verdict == "FAILS"


@settings(max_examples=8, deadline=None)
@given(st.integers(1, 140))
def test_a_coefficient_inside_a_law_is_told_where_bits_can_be_had(digits: int) -> None:
    wrong = Identity("wrong", P, M + scale(1 + Fraction(1, 10**digits), E_phi @ P_plus @ E_phi.T))
    assert check(wrong, chain(3), samples=1).verdict == "FAILS"
    little = Fraction(1, 10**digits)
    right = Identity("right", scale(little, P), scale(little, M) + scale(little, E_phi @ P_plus @ E_phi.T))
    assert check(right, chain(3), samples=1).verdict == "holds"


def test_floats_do_not_judge_what_they_cannot_hold() -> None:
    wrong = Identity("wrong", P, M + scale(1 + Fraction(1, 10**15), E_phi @ P_plus @ E_phi.T))
    found = check(wrong, load("humanoid"), samples=1)
    assert found.verdict == "inconclusive"
    assert "only mechanisms of up to 16 bodies can tell" in str(found)


def test_what_is_left_is_judged_against_itself() -> None:
    hidden = Identity("hidden", scale(10**20, P) + M, scale(10**20, P))
    assert check(hidden, load("humanoid"), samples=1).verdict == "FAILS"
    assert check(Identity("itself", scale(3, P) + M, M + P + P + P), load("humanoid"), samples=1).verdict == "holds"


@pytest.mark.parametrize("digits", [1, 5, 15, 16, 40, 140])
@pytest.mark.parametrize("text", ["M = 1.{}1 M", "trace(M) = 1.{}1 trace(M)"])
def test_a_counter_example_shows_what_differs(digits: int, text: str) -> None:
    found = check(text.format("0" * (digits - 1)), chain(2), samples=1)
    assert found.counterexample is not None
    apart = float(np.abs(found.counterexample.difference).max())
    left = float(np.abs(found.counterexample.left).max())
    assert abs(apart - left * 10.0**-digits) <= rounding(apart)
    if digits > 4:
        assert f"apart by up to {apart:.1e}" in str(found)


# -- what a verdict is about -----------------------------------------------------------------------------------------


def test_what_holds_has_a_residual_below_its_bound() -> None:
    law = law_named("factor inverse")
    good = Sampled("holds", 1e-16, 1e-14, 2.0, "", law)
    bad = Sampled("inconclusive", float("inf"), float("inf"), float("inf"), "D", law)
    row = tally(law, "chain3", [(0, bad), (1, good), (2, good)])
    assert (row.residual, row.bound, row.hidden) == (1e-16, 1e-14, "D")
    assert (row.holds, row.inconclusive) == (2, 1)
    alone = tally(law, "chain3", [(0, bad)])
    assert (alone.residual, alone.culprit) == (float("inf"), "D")


@pytest.mark.parametrize("name", ["spread2", "free-inside", "tree4", "chain50"])
def test_every_law_that_holds_says_how_well(name: str) -> None:
    for found in check_all(list(catalogue("costate").values()), mechanism(name), samples=2):
        if found.rows:
            assert found.verdict == "holds"
            assert found.residual <= found.bound < EPS ** (1 / 3)


# -- probing -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 1])
def test_what_a_law_is_told_does_not_depend_on_its_neighbours(place: int) -> None:
    model = probe_mechanisms(50)[place]
    laws = [law for law in catalogue().values() if in_domain(law, model)]
    in_order = {one.law: one for one in probe(model, laws)}
    shuffled = list(laws)
    random.Random(place).shuffle(shuffled)
    for other in (laws[::-1], shuffled):
        assert {one.law: one for one in probe(model, other)} == in_order
    few = laws[:: len(laws) // 6]
    assert [next(iter(probe(model, [law]))) for law in few] == [in_order[law.name] for law in few]


# -- questions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "true", "false"),
    [
        ("logdet(H phi M phi' H') = logdet(D)", "tree4", ""),
        ("2 logdet(D) - logdet(D) = logdet(H phi M phi' H')", "tree4", ""),
        ("logdet(U) = 0", "free-inside", ""),
        ("trace(tau_bar tau) = trace(tau tau_bar)", "tree4", ""),
        ("trace(M + 3 P) = trace(M) + 3 trace(P)", "tree4", ""),
        ("trace(1/6 (M - M) + 0 P) + 2 = 2", "tree4", ""),
        ("block(phi, 0, 2) = block(phi, 0, -1)", "forest3.1", "chain6"),
        ("block(phi_tilde, 1, 1) = 0", "tree4", ""),
        ("dense(phi M phi') = dense(R + phi_tilde R + R phi_tilde')", "tree4", ""),
        ("diag(phi M phi') = R", "tree4", ""),
        ("trace(P) = trace(M)", "", "tree4"),
        ("trace(M) = 1.000000000000001 trace(M)", "", "tree4"),
        ("logdet(D) = logdet(M)", "", "tree4"),
        ("block(phi, 0, 1) = 0", "", "tree4"),
        ("trace(M) = 3", "", "tree4"),
    ],
)
def test_questions_are_claims(text: str, true: str, false: str) -> None:
    if true:
        found = check(text, mechanism(true), samples=2)
        assert found.verdict == "holds"
        assert found.residual <= found.bound
    if false:
        assert check(text, mechanism(false), samples=2).verdict == "FAILS"


def test_a_claim_about_a_block_is_tried_where_the_block_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_algebra.checking.search.suite", lambda: ("forest1.1", "forest2.1", "forest4.1"))
    found = check("block(phi, 0, 3) = block(phi, 0, 3)", samples=2)
    assert [row.mechanism for row in found.rows] == ["forest4.1"]
    nowhere = check('block(phi, "hip", "knee") = 0', samples=2)
    assert (nowhere.verdict, nowhere.rows) == ("inconclusive", ())
    assert 'no mechanism of the suite has the bodies of its blocks, "hip" and "knee"; give one that has' in str(nowhere)
    assert "the mechanism has not the bodies of its blocks, 7 and 0" in str(check("block(phi, 7, 0) = 0", chain(2)))
    assert "the mechanism is not in its domain (serial)" in str(check(Identity("a", M, M, domain=("serial",)), TREE))


def test_a_question_is_replayed_as_it_was_asked() -> None:
    (law,) = laws_of("1 - 1/2 trace(M) = trace(P)")
    assert law.formula() == "−1/2 trace(M) + 1 = trace(P)"
    found = check(law, mechanism("tree4"), samples=1)
    command = 'operator-algebra check --model tree4 --samples 1 --seed 0 -- "-1/2 trace(M) + 1 = trace(P)"'
    assert found.replay() == command


@pytest.mark.parametrize("claim", [3, None, ["M = M"], M])
def test_what_is_no_claim_is_told_what_one_is(claim: Any) -> None:
    with pytest.raises(InputError, match=r'the claim is .* Give a law, the name of one, or an equation, "lhs = rhs"'):
        check(claim)


def test_answers_of_different_shapes_are_not_compared() -> None:
    with pytest.raises(InputError, match="different shapes"):
        check("block(phi, 0, 0) = trace(M)", chain(2), samples=1)
