"""Statements by schemas: all of the catalogue, no twin; obligations are what the kernel accepts."""

from __future__ import annotations

from dataclasses import replace

import pytest

import operator_algebra as oa
from operator_algebra.expressions.query import trace
from operator_algebra.identities.catalogue import catalogue, law_named
from operator_algebra.identities.identity import Identity, Statement
from operator_algebra.identities.variants import wider
from operator_algebra.proofs import kernel
from operator_algebra.proofs.certificate import of_blocks
from operator_algebra.proofs.kernel import Refused
from operator_algebra.proofs.prove import prove
from operator_algebra.proofs.schemas import SCHEMAS, Blocks, ways
from operator_algebra.proofs.theory import Theory
from operator_algebra.symbols import D, E_phi, E_psi, H, M, P, R, U, diag, inv, m, phi, psi, root

STATEMENTS = [law for law in catalogue().values() if isinstance(law, Statement)]


@pytest.mark.parametrize("law", STATEMENTS, ids=lambda law: law.name)
def test_every_statement_is_proved_in_all_readings(law: Statement) -> None:
    proof = prove(law)
    assert proof
    assert proof.counterexample is None
    assert len(proof.readings) >= len(wider(law))
    assert proof.schemas
    proof.replay()


@pytest.mark.parametrize("law", STATEMENTS, ids=lambda law: law.name)
def test_no_twin_of_a_statement_is_proved(law: Statement) -> None:
    for twin in law.twins:
        assert prove(replace(twin, domain=law.domain), seconds=0.5).verdict == "REFUTED", twin.name


def test_there_is_a_schema_for_every_rule() -> None:
    assert {law.rule for law in STATEMENTS} == set(SCHEMAS)


def test_at_a_root_only_what_has_an_inverse_there_is_inverted() -> None:
    covariance = law_named("costate covariance of a free base")
    assert isinstance(covariance, Statement)
    assert any("H_root is invertible" in text for text in prove(covariance).assumptions)
    assert list(ways(replace(covariance, domain=("J = 0",)))) == []
    assert list(ways(replace(covariance, rhs=psi.T @ inv(P) @ psi))) == []


def test_what_is_carried_by_no_hop_stays_at_a_root() -> None:
    """X = H* D⁻¹ H + diag(φ* X φ̃) also asks the root for its own block."""
    lhs = oa.fixpoint("X", oa.FORCE >> oa.MOTION, lambda X: H.T @ inv(D) @ H + diag(E_psi.T @ X @ E_psi @ phi))
    claim = Statement("whole", "entries", "roots", lhs, inv(P), reads="X = P⁻¹", domain=("free base",))
    assert list(ways(claim)) == []


def test_a_rate_needs_the_whole_product_rule() -> None:
    mass = H @ phi @ M @ phi.T @ H.T
    rate = oa.differentiate(mass)
    lopsided = rate - oa.symbols.U_ring @ D @ U.T
    D_ring = oa.symbols.D_ring

    def determinant(found: oa.Expr) -> Statement:
        sides = trace(inv(mass) @ found), trace(inv(D) @ D_ring)
        return Statement("own", "entries", "query", *sides, reads="tr X⁻¹ Ẋ = tr D⁻¹ D̊")

    assert prove(determinant(rate)).schemas == ("rates of unit factors",)
    assert not prove(determinant(lopsided), seconds=0.5)


def test_obligations_are_equations_and_patterns() -> None:
    (order,) = [law for law in STATEMENTS if law.name == "articulated below composite inertia"]
    obligations = prove(order).readings
    assert {type(reading.claim) for reading in obligations} == {Identity, Blocks}
    assert all(reading.certificate for reading in obligations)


def pattern(e: oa.Expr, words: str) -> None:
    theory = Theory()
    theory.read(e)
    kernel.check(of_blocks(theory, e, words))


@pytest.mark.parametrize(
    ("e", "words"),
    [(E_psi, "inward hop"), (U, "inward unit"), (phi @ E_phi, "inward strict"), (m, "inward"),
     (E_phi @ P @ E_phi.T, "diagonal"), (psi.T, "outward unit")],
)  # fmt: skip
def test_patterns_are_read_off_letters(e: oa.Expr, words: str) -> None:
    pattern(e, words)


@pytest.mark.parametrize(
    ("e", "words"),
    [(phi @ E_phi, "inward hop"), (phi, "inward strict"), (P @ E_phi.T @ phi.T, "diagonal"), (H @ phi, "inward unit"),
     (phi @ M @ phi.T, "inward")],
)  # fmt: skip
def test_patterns_that_are_not_there_are_refused(e: oa.Expr, words: str) -> None:
    with pytest.raises(Refused, match=r"not the claim|ill-typed"):
        pattern(e, words)


def test_roots_of_spatial_blocks_do_not_turn() -> None:
    turning = Statement("root of M", "invariance", "frame", root(M), root(M), reads="root(M)")
    assert list(ways(turning)) == []


def test_leaves_about_the_base_do_not_turn_by_their_spaces() -> None:
    X_abs = oa.symbols.X_abs
    assert list(ways(Statement("X_abs", "invariance", "frame", X_abs, X_abs, reads="X_abs"))) == []


def test_an_order_of_ones_own() -> None:
    own = Statement("own", "order", "semidefinite", P, phi @ M @ phi.T, reads="P ≤ φ M φ*")
    assert prove(own, seconds=0.5).verdict == "REFUTED"
    assert prove(Statement("own", "order", "semidefinite", P - R, 0 * R, reads="P − R ≤ 0"))
