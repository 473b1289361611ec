"""Inverses are written down where the matrix inversion lemma or a factorization gives them."""

from __future__ import annotations

from fractions import Fraction

import pytest

import operator_algebra as oa
from operator_algebra.proofs.inverses import inverse_of, inverses
from operator_algebra.proofs.letters import RING, times
from operator_algebra.symbols import D, E_phi, H, I, K, M, P, R, inv, phi, psi
from tests.proofs.reading import bench_of, letter, plain

J = oa.operator("J", oa.RATE >> oa.TORQUE, structure="diagonal definite")


@pytest.mark.parametrize(
    "e",
    [I + H @ phi @ K, H @ phi @ M @ phi.T @ H.T, D + H @ phi @ E_phi @ R @ H.T],
    ids=["the innovations factor", "the mass matrix", "another sum"],
)
def test_an_inverse_is_found_and_verified(e: oa.Expr) -> None:
    bench = bench_of(e, psi, P, inv(D), inv(e))
    facts = list(inverses(bench))
    if not facts:  # a resolvent that the claim does not mention has come to be a letter
        bench.core.add([fact for fact in bench.new_axioms() if plain(bench.theory, fact)])
        bench.core.run([], 2_000)
        facts = list(inverses(bench))
    (fact,) = facts
    own = letter(bench.theory, inv(e))
    body = bench.theory.read(e)
    found = RING.minus({((), (own,)): fact.form[(), (own,)]}, fact.form)
    assert bench.equal(times(body, found), RING.of()) is not None
    assert bench.equal(times(found, body), RING.of()) is not None


def test_a_resolvent_that_is_needed_becomes_a_letter() -> None:
    mass = H @ phi @ M @ phi.T @ H.T
    bench = bench_of(mass, P, inv(D), inv(mass))
    before = set(bench.theory.letters)
    list(inverses(bench))
    assert letter(bench.theory, psi) in set(bench.theory.letters) - before


def test_what_has_no_such_form_is_left() -> None:
    e = H @ phi @ R @ phi.T @ H.T + J
    bench = bench_of(e, P, psi, inv(e))
    assert list(inverses(bench)) == []


def test_the_inverse_of_a_number_is_a_number() -> None:
    bench = bench_of(phi)
    found = inverse_of(bench, RING.scaled(Fraction(4), RING.of()), letter(bench.theory, phi))
    assert found == RING.scaled(Fraction(1, 4), RING.of())


def test_nothing_of_the_claim_is_needed_for_any_gain() -> None:
    gain = oa.operator("gain", oa.TORQUE >> oa.FORCE, structure="diagonal")
    e = I + H @ phi @ E_phi @ gain
    bench = bench_of(e, inv(e))
    list(inverses(bench))
    assert letter(bench.theory, inv(I - E_phi @ (I - gain @ H))) in bench.theory.letters
