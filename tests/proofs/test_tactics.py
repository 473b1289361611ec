"""Tactics add facts; what they say of brackets is true on exact trees."""

from __future__ import annotations

import pytest

import operator_algebra as oa
from operator_algebra.proofs.facts import Fact
from operator_algebra.proofs.letters import RING
from operator_algebra.proofs.tactics import arguments, bracket_facts, depends, uniqueness
from operator_algebra.symbols import E_phi, H, M, Omega, P, R, Upsilon, cross, crossbar, diag, inv, phi, v
from tests.laws.rational import is_zero, rational_tree
from tests.proofs.reading import bench_of, letter, spelled

X, Y = oa.vector("X", oa.MOTION), oa.vector("Y", oa.MOTION)


def said(bench_facts: list[Fact], *formulas: oa.Expr) -> list[dict[str, object]]:
    theory = bench_of(*formulas).theory
    return [dict(spelled(theory, fact.form, *formulas)) for fact in bench_facts]


def test_brackets_are_skew() -> None:
    bench = bench_of(cross(X) @ Y, cross(Y))
    found = said(list(bracket_facts(bench)), cross(X) @ Y, cross(Y))
    assert {"cross(X) Y": 1, "cross(Y) X": 1} in found
    assert {"cross(X) X": 2} in found


def test_the_adjoint_of_a_bracket_is_one_with_a_known_force() -> None:
    F = oa.vector("F", oa.FORCE)
    sides = cross(X).T @ F, crossbar(F)
    assert {"cross(X)' F": 1, "crossbar(F) X": -1} in said(list(bracket_facts(bench_of(*sides))), *sides)


def test_the_bracket_of_a_bracket_is_that_of_brackets() -> None:
    e = cross(cross(X) @ Y)
    bench = bench_of(e)
    assert any(len(fact.form) == 3 for fact in bracket_facts(bench))


def test_rigid_shifts_keep_brackets() -> None:
    bench = bench_of(cross(E_phi.T @ X), cross(X))
    found = said(list(bracket_facts(bench)), cross(X))
    assert {"cross E_phi'": 1, "E_phi' cross(X)": -1} in found


def test_what_is_inside_of_a_diagonal_is_rewritten() -> None:
    e = diag(phi @ M @ phi.T)
    bench = bench_of(e, R)
    (fact, *_) = arguments(bench)
    assert spelled(bench.theory, fact.form, e) == {"diag": 1, "R": -1}


def test_what_satisfies_an_equation_is_its_solution() -> None:
    same = oa.fixpoint("same", oa.MOTION >> oa.FORCE, lambda Z: E_phi @ Z @ E_phi.T + M)
    bench = bench_of(R, same)
    facts = list(uniqueness(bench))
    assert [sorted(fact.form.values()) for fact in facts] == [[-1, 1]]


def test_what_does_not_satisfy_it_is_not() -> None:
    assert list(uniqueness(bench_of(R, P))) == []


def test_no_tactic_assumes_that_something_has_an_inverse() -> None:
    """With S for P the equation of P speaks of the inverse of H S H*, which is zero."""
    mass = H @ phi @ M @ phi.T @ H.T
    S = diag(phi @ (M - M @ phi.T @ H.T @ inv(mass) @ H @ phi @ M) @ phi.T)
    bench = bench_of(P, S, inv(mass))
    before = [x for x in bench.theory.letters if x.kind == "inverse"]
    bench.goal = RING.minus(bench.theory.read(P), bench.theory.read(S))
    assert list(uniqueness(bench)) == []
    assert [x for x in bench.theory.letters if x.kind == "inverse"] == before


def test_what_a_letter_is_made_of() -> None:
    theory = bench_of(P, Upsilon, Omega, R, inv(H @ P @ H.T)).theory
    assert depends(letter(theory, inv(H @ P @ H.T)), letter(theory, P))
    assert not depends(letter(theory, R), letter(theory, P))


@pytest.mark.parametrize("seed", range(3))
def test_facts_of_brackets_are_true(seed: int) -> None:
    V = phi.T @ H.T @ v
    W = H.T @ v
    for zero in (
        cross(V) @ W + cross(W) @ V,
        cross(cross(V) @ W) - cross(V) @ cross(W) + cross(W) @ cross(V),
        cross(E_phi.T @ V) @ E_phi.T - E_phi.T @ cross(V),
        cross(V).T @ M @ W - crossbar(M @ W) @ V,
    ):
        assert is_zero(zero, rational_tree(seed))
    assert not is_zero(cross(V) @ W - cross(W) @ V, rational_tree(0))
