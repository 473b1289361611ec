"""What the kernel is told where the search went by more than sums: of which multiples a line is the sum."""

from __future__ import annotations

import pytest

import operator_algebra as oa
from operator_algebra.identities.identity import Identity
from operator_algebra.operators.spaces import FORCE, MOTION
from operator_algebra.proofs import kernel
from operator_algebra.proofs.multiples import opened
from operator_algebra.proofs.theory import Theory
from operator_algebra.symbols import E_phi, H, I, M, P, diag, inv, phi, psi

Y = oa.operator("Y", FORCE >> MOTION)
Z = oa.operator("Z", MOTION >> FORCE)


def told(e: oa.Expr, *traits: str) -> list[str]:
    """What is taken from a formula under a block diagonal: letters, with what stands before and behind."""
    theory = Theory(frozenset(traits))
    return [
        " ".join([*(str(x.source) for x in left[1]), "|", *(str(x.source) for x in right[1])]).strip()
        for _, left, _, right in opened(theory, theory.read(e))
    ]


def test_a_diagonal_is_opened_on_a_way_to_a_body_and_back() -> None:
    assert len(told(E_phi.T @ diag(Y) @ E_phi)) == len(told(diag(Y))) == 1
    assert told(E_phi @ diag(Z) @ E_phi.T) == told(E_phi.T @ diag(Y)) == told(Z @ diag(Y) @ Z) == []
    assert len(told(E_phi @ diag(Z) @ E_phi.T, "serial")) == 1
    assert len(told(diag(E_phi.T @ diag(Y) @ E_phi))) == 2


def test_a_resolvent_is_one_where_the_word_goes_one_way() -> None:
    assert len(told(phi)) == len(told(H @ phi @ M @ H.T)) == len(told(psi.T)) == 1
    assert len(told(phi @ psi)) == 2
    assert told(phi @ E_phi) == told(phi @ M @ phi.T) == []


def own_riccati(joseph: bool) -> oa.Expr:
    """The articulated inertia by an equation of one's own."""

    def body(x: oa.Expr) -> oa.Expr:
        rest = I - x @ H.T @ inv(H @ x @ H.T) @ H
        return M + E_phi @ (rest @ x @ rest.T if joseph else rest @ x) @ E_phi.T

    return oa.fixpoint("X", M.type, body)


@pytest.mark.parametrize("joseph", [False, True])
def test_solutions_of_one_quadratic_equation_are_the_same(joseph: bool) -> None:
    proof = oa.prove(Identity("own", own_riccati(joseph), P))
    assert proof
    (certificate,) = proof.certificate()["proofs"]
    assert any(ref == "itself" for line in certificate["lines"] for _, _, ref, _ in line[2:])
    assert kernel.check(certificate)["assumed"]


def test_solutions_of_other_equations_are_not() -> None:
    other = oa.fixpoint("X", M.type, lambda x: M + E_phi @ x @ E_phi.T)
    assert oa.prove(Identity("own", other, P)).verdict == "REFUTED"
