"""The axioms behind a formula: definitions are written out, and each letter that stays says what it is."""

from fractions import Fraction

import operator_algebra as oa
from operator_algebra.proofs.theory import Theory
from operator_algebra.symbols import D, E_phi, H, I, K, M, P, cross, diag, inv, phi, root, v
from tests.proofs.reading import letter, spelled


def axioms(e: oa.Expr, *traits: str) -> list[dict[str, int | Fraction]]:
    theory = Theory(frozenset(traits))
    theory.read(e)
    return [spelled(theory, form, e) for _, form in theory.axioms()]


def test_definitions_are_written_out() -> None:
    theory = Theory()
    assert spelled(theory, theory.read(K), inv(D)) == {"E_phi P H' inverse(D)": 1}
    assert theory.read(H @ (I + phi)) == theory.read(H + H @ phi)


def test_leaves_have_no_axioms() -> None:
    assert axioms(H @ M) == []


def test_an_inverse_is_one_from_both_sides() -> None:
    assert axioms(phi) == [{"phi": 1, "phi E_phi": -1, "": -1}, {"phi": 1, "E_phi phi": -1, "": -1}]


def test_the_solution_of_an_equation_satisfies_it() -> None:
    X = oa.fixpoint("X", oa.MOTION >> oa.FORCE, lambda X: M + E_phi @ X @ E_phi.T)
    assert axioms(X) == [{"X": 1, "M": -1, "E_phi X E_phi'": -1}]


def test_an_inverse_in_an_equation_is_that_of_the_solution() -> None:
    theory = Theory()
    theory.read(P)
    assert letter(theory, inv(D)) in theory.letters


def test_a_root_squares_to_its_operator() -> None:
    assert {"root(D) root(D)'": 1, "H P H'": -1} in axioms(root(D))


def test_diagonals_are_told_in_letters() -> None:
    assert axioms(diag(phi @ M)) == [*axioms(phi), {"diag": 1, "M": -1}]


def test_on_chains_the_diagonal_of_a_coupling_is_the_coupling() -> None:
    A = oa.operator("A", oa.FORCE >> oa.MOTION, structure="diagonal symmetric")
    coupling = diag(E_phi.T @ A @ E_phi)
    assert axioms(coupling) == []
    assert axioms(coupling, "serial") == [{"diag": 1, "E_phi' A E_phi": -1}]


def test_brackets_are_linear() -> None:
    x, y = oa.vector("x", oa.MOTION), oa.vector("y", oa.MOTION)
    assert [sorted(found.values()) for found in axioms(cross(x + 2 * y))] == [[-2, -1, 1]]
    assert axioms(cross(x)) == []


def test_numbers_commute() -> None:
    h, k = oa.scalar("h"), oa.scalar("k")
    theory = Theory()
    assert theory.read(h * (M @ phi.T) * k) == theory.read(M @ (k * phi.T) * h)
    assert theory.read((1 + h) * M) == theory.read(M + h * M)
    assert theory.read((v.T @ H @ phi @ M @ phi.T @ H.T @ v) * M) != theory.read(M)
