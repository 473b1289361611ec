"""Block diagonals of words with resolvents: equations for themselves, and what solves these."""

from __future__ import annotations

import pytest

import operator_algebra as oa
from operator_algebra.proofs import kernel
from operator_algebra.proofs.certificate import certificate
from operator_algebra.proofs.search import search
from operator_algebra.proofs.unrolling import unrolling
from operator_algebra.symbols import D, E_phi, E_psi, H, K, M, Omega, R, Upsilon, Upsilon_plus, diag, inv, phi, psi
from tests.proofs.reading import bench_of, letter

C = oa.operator("C", oa.FORCE >> oa.MOTION, structure="diagonal symmetric")

TRUE = (
    (diag(E_phi @ M @ phi.T), E_phi @ M @ E_phi.T),
    (diag(phi @ R @ E_psi.T), E_phi @ R @ E_psi.T),
    (diag(E_phi.T @ Upsilon @ phi), Upsilon_plus),
    (diag(E_phi.T @ C @ psi), diag(E_phi.T @ C @ E_psi)),
    (diag(K.T @ Omega @ K), diag(K.T @ Upsilon @ K)),
    (diag(phi.T @ Upsilon @ psi), diag(phi.T @ Omega)),
    (diag(psi.T @ Omega), diag(Omega @ psi)),
    (diag(phi.T @ Upsilon_plus @ phi), diag(phi.T @ Upsilon @ phi) - Upsilon),
    (diag(psi.T @ psi.T @ Omega), diag(Omega @ psi @ psi)),
    (diag(K.T @ psi.T @ Omega), diag(K.T @ Omega @ psi) - diag(K.T @ Omega)),
)
FALSE = (
    (diag(E_phi @ M @ phi.T), E_phi @ M @ E_psi.T),
    (diag(phi.T @ Upsilon @ psi), diag(phi.T @ Upsilon @ phi)),
    (diag(psi.T @ Omega), diag(phi.T @ Omega)),
    (diag(phi.T @ Upsilon_plus @ phi), diag(phi.T @ Upsilon @ phi) + Upsilon),
    (diag(psi.T @ psi.T @ Omega), diag(Omega @ psi)),
)


@pytest.mark.parametrize(("lhs", "rhs"), TRUE, ids=repr)
def test_it_is_found_and_the_kernel_believes_it(lhs: oa.Expr, rhs: oa.Expr) -> None:
    found = search(lhs, rhs, seconds=10)
    assert found.proved is not None
    kernel.check(certificate(found.theory, lhs, rhs, found.proved))


@pytest.mark.parametrize(("lhs", "rhs"), FALSE, ids=repr)
def test_what_is_false_is_not_found(lhs: oa.Expr, rhs: oa.Expr) -> None:
    assert search(lhs, rhs, seconds=0.3).proved is None
    assert oa.prove(oa.Identity("claim", lhs, rhs), seconds=1).verdict == "REFUTED"


def test_a_diagonal_is_the_unknown_whose_equation_it_satisfies() -> None:
    e = diag(psi.T @ H.T @ inv(D) @ H @ psi)
    bench = bench_of(e, Upsilon)
    list(unrolling(bench))
    found = bench.same[letter(bench.theory, e)]
    assert found.form == bench.theory.read(e - Upsilon)


def test_where_there_is_no_such_unknown_one_is_introduced() -> None:
    e = diag(phi.T @ C @ phi)
    bench = bench_of(e)
    list(unrolling(bench))
    (made,) = [x for x in bench.theory.letters if x.kind == "unknown"]
    F = oa.fixpoint("F", e.type, lambda X: C + diag(E_phi.T @ X @ E_phi))
    assert bench.theory.equations[made] == bench.theory.equations[letter(bench.theory, F)]
