"""Residues and fractions: one algebra of stacks of matrices, exact in both."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from operator_algebra.proofs.fields import LARGE, SMALL, Array, Field, Fractions, Residues

FIELDS = (Fractions(), Residues(SMALL), Residues(LARGE))
NAMES = ("fractions", "small", "large")


def stack(field: Field, rows: int, cols: int, seed: int, most: int = 5) -> Array:
    rng = random.Random(seed)
    drawn = [[[rng.randint(-most, most) for _ in range(cols)] for _ in range(rows)] for _ in range(6)]
    return field.array(drawn).reshape(6, rows, cols)


@pytest.mark.parametrize("prime", [SMALL, LARGE])
def test_the_moduli_are_primes(prime: int) -> None:
    assert all(prime % k for k in range(2, int(prime**0.5) + 1))


@pytest.mark.parametrize("field", FIELDS, ids=NAMES)
@pytest.mark.parametrize("size", [0, 1, 2, 3, 7])
def test_an_inverse_times_its_matrix_is_the_identity(field: Field, size: int) -> None:
    a = field.settled(stack(field, size, size, 3) + 40 * field.identity(6, size))
    inverse, sound = field.inverses(a)
    assert sound.all()
    assert (field.product(a, inverse) == field.identity(6, size)).all()


@pytest.mark.parametrize("field", FIELDS, ids=NAMES)
def test_a_singular_matrix_is_told_and_spoils_no_other(field: Field) -> None:
    a = field.settled(stack(field, 3, 3, 4) + 40 * field.identity(6, 3))
    a[2, 2] = field.settled(a[2, 0] + a[2, 1])
    inverse, sound = field.inverses(a)
    assert sound.tolist() == [True, True, False, True, True, True]
    assert (field.product(a, inverse)[sound] == field.identity(5, 3)).all()


@pytest.mark.parametrize("field", FIELDS[:2], ids=NAMES[:2])
def test_a_factor_times_its_adjoint_is_its_square(field: Field) -> None:
    lower = stack(field, 3, 3, 5) * np.tril(np.ones((3, 3), dtype=np.int64))
    lower[:, [0, 1, 2], [0, 1, 2]] = field.array([1, 2, 3])
    square = field.product(lower, lower.transpose(0, 2, 1))
    found, sound = field.factors(square)
    assert sound.all()
    assert (found == lower).all()


@pytest.mark.parametrize("field", FIELDS[:2], ids=NAMES[:2])
def test_what_is_no_square_is_told(field: Field) -> None:
    no_square = next(x for x in range(2, 50) if not field.square_roots(field.array([x]))[1][0])
    assert not field.factors(field.array([[[no_square]]]))[1].any()
    assert not field.factors(field.array([[[0]]]))[1].any()


@pytest.mark.parametrize("field", FIELDS, ids=NAMES)
def test_determinants_multiply(field: Field) -> None:
    a, b = stack(field, 4, 4, 6), stack(field, 4, 4, 7)
    both = field.determinants(field.product(a, b))
    assert (both == field.settled(field.determinants(a) * field.determinants(b))).all()
    assert field.determinants(field.array([[[0, 2], [3, 0]]])).tolist() == field.array([-6]).tolist()


@pytest.mark.parametrize("prime", [SMALL, LARGE])
def test_residues_are_those_of_fractions(prime: int) -> None:
    """Sums of many products of the largest residues stay exact."""
    rng = random.Random(8)
    a, b = ([[[Fraction(rng.randint(-9, 9), rng.randint(1, 9)) for _ in range(300)]]] for _ in range(2))
    column = [[[x] for x in b[0][0]]]
    field, exact = Residues(prime), Fractions()
    wanted = field.array(exact.product(exact.array(a), exact.array(column)))
    assert field.product(field.array(a), field.array(column)).tolist() == wanted.tolist()


def test_whole_numbers_stay_whole() -> None:
    field = Fractions()
    half = field.scaled(Fraction(1, 2), field.array([[[4, 1]]]))
    assert half.tolist() == [[[2, Fraction(1, 2)]]]
    assert isinstance(half[0, 0, 0], int)
