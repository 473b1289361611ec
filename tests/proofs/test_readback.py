"""Polynomials of letters read back as formulas: the same letters come of them again."""

from __future__ import annotations

import pytest

import operator_algebra as oa
from operator_algebra.proofs.readback import formula_of
from operator_algebra.proofs.theory import Theory
from operator_algebra.symbols import E_phi, H, I, M, Omega, P, R, Upsilon, diag, inv, phi, psi, v
from tests.proofs.reading import letter

FORMULAS = (
    H @ phi @ (M - 2 * P) @ psi.T @ H.T,
    I - phi @ E_phi,
    inv(H @ R @ H.T) @ H @ psi,
    psi.T @ diag(E_phi.T @ Upsilon @ psi) - Omega,
    diag(phi.T @ Omega @ E_phi).T,
    (v.T @ H @ R @ H.T @ v) * M,
)


@pytest.mark.parametrize("e", FORMULAS, ids=repr)
def test_what_is_read_back_reads_the_same(e: oa.Expr) -> None:
    theory = Theory()
    form = theory.read(e)
    assert theory.read(formula_of(form, e.type)) == form


def test_letters_are_called_by_their_names_inside_of_others_too() -> None:
    theory = Theory()
    e = H @ phi @ diag(phi @ M @ phi.T)
    names = {letter(theory, phi): phi}
    assert formula_of(theory.read(e), e.type, names) == e
    assert formula_of(theory.read(e.T), e.type.T, names) == e.T


def test_nothing_is_zero_of_its_type() -> None:
    assert formula_of({}, H.type) == 0 * H
