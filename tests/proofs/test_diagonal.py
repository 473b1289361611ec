"""The calculus of block diagonals, rule by rule; what it says of couplings is true on exact trees."""

from __future__ import annotations

import pytest

import operator_algebra as oa
from operator_algebra.proofs.diagonal import local
from operator_algebra.proofs.letters import Letter
from operator_algebra.proofs.theory import Theory
from operator_algebra.symbols import D, E_phi, H, M, P, R, Upsilon, diag, inv, phi, phi_tilde, psi
from tests.laws.rational import is_zero, rational_tree
from tests.proofs.reading import letter, spelled

CASES: list[tuple[oa.Expr, dict[str, int]]] = [
    (phi @ M, {"M": 1}),
    (phi_tilde @ M, {}),
    (H @ phi @ P, {"H P": 1}),
    (phi @ E_phi, {}),
    (phi @ psi @ M, {"M": 1}),
    (E_phi @ R @ E_phi.T, {"E_phi R E_phi'": 1}),
    (phi @ E_phi @ R @ E_phi.T, {"E_phi R E_phi'": 1}),
    (P @ E_phi.T @ psi.T @ Upsilon @ psi @ E_phi @ P, {"P diag_3 P": 1}),
    (E_phi @ phi @ M @ phi.T @ E_phi.T, {"diag": 1}),
    (2 * (H @ phi @ M) + 3 * (H @ M), {"H M": 5}),
]


@pytest.mark.parametrize(("e", "expected"), CASES, ids=[str(e) for e, _ in CASES])
def test_the_diagonal_of_a_word(e: oa.Expr, expected: dict[str, int]) -> None:
    theory = Theory()
    assert spelled(theory, theory.diagonal(theory.read(e)), e) == expected


def test_of_a_coupling_the_block_of_the_parent_alone_enters() -> None:
    theory = Theory()
    coupling = E_phi.T @ psi.T @ Upsilon @ psi @ E_phi
    inner = diag(psi.T @ Upsilon @ psi)
    assert theory.diagonal(theory.read(coupling)) == theory.diagonal(theory.read(E_phi.T @ inner @ E_phi))
    for seed in range(3):
        assert is_zero(diag(coupling) - diag(E_phi.T @ inner @ E_phi), rational_tree(seed))
    assert not all(is_zero(coupling - E_phi.T @ inner @ E_phi, rational_tree(seed)) for seed in range(3))


def test_siblings_couple_on_trees_and_not_on_chains() -> None:
    theory = Theory()
    e, d = letter(theory, E_phi), letter(theory, inv(D))
    h = letter(theory, H)
    row: tuple[Letter, ...] = (e.star, h.star, d, h, e)
    assert not local(row, serial=False)
    assert local(row, serial=True)
