"""Small matrices over any field: the algebra of blocks by its definitions."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.errors import InputError
from operator_algebra.programs.matrices import COMPLEX, FLOATS, RATIONALS, Matrix, Numbers, beside, stacked

fractions = st.fractions(min_value=-9, max_value=9, max_denominator=9)


def squares(most: int = 4) -> st.SearchStrategy[Matrix]:
    """Square matrices of fractions, the one without rows included."""
    row = st.integers(0, most)
    return row.flatmap(
        lambda n: st.lists(st.lists(fractions, min_size=n, max_size=n), min_size=n, max_size=n).map(
            lambda rows: Matrix(rows, n)
        )
    )


def entries(matrix: Matrix) -> list[list[Any]]:
    return [list(row) for row in matrix.rows]


@given(squares())
def test_an_inverse_undoes(a: Matrix) -> None:
    if not RATIONALS.determinant(a):
        with pytest.raises(ZeroDivisionError):
            RATIONALS.inverse(a)
        return
    unit = entries(RATIONALS.identity(a.height))
    assert entries(RATIONALS.product(a, RATIONALS.inverse(a))) == unit
    assert entries(RATIONALS.product(RATIONALS.inverse(a), a)) == unit


@given(squares(), st.data())
def test_determinants_multiply_and_know_order(a: Matrix, data: st.DataObject) -> None:
    n = a.height
    b = Matrix([data.draw(st.lists(fractions, min_size=n, max_size=n)) for _ in range(n)], n)
    det = RATIONALS.determinant
    assert det(RATIONALS.product(a, b)) == det(a) * det(b)
    assert det(a.T) == det(a)
    if n > 1:
        assert det(Matrix([a.rows[1], a.rows[0], *a.rows[2:]], n)) == -det(a)


@given(squares())
def test_the_root_of_a_product_with_its_adjoint(a: Matrix) -> None:
    n = a.height
    lower = Matrix([[abs(x) + 1 if i == j else x * (j < i) for j, x in enumerate(r)] for i, r in enumerate(a.rows)], n)
    assert entries(RATIONALS.root(RATIONALS.product(lower, lower.T))) == entries(lower)


def test_matrices_without_rows_know_how_wide_they_are() -> None:
    flat, none = Matrix([], 2), Matrix([], 1)
    assert (flat.T.height, flat.T.width) == (2, 0)
    assert entries(RATIONALS.product(flat.T, none)) == [[0], [0]]
    assert RATIONALS.product(none.T, none) == Matrix([[0]], 1)
    assert RATIONALS.inverse(Matrix([], 0)) == Matrix([], 0)
    assert RATIONALS.determinant(Matrix([], 0)) == 1


def test_sums_parts_and_neighbours() -> None:
    a, b = Matrix([[1, 2], [3, 4]], 2), Matrix([[0, 1], [1, 0]], 2)
    assert entries(RATIONALS.sum([a, b, b], 2, 2)) == [[1, 4], [5, 4]]
    assert entries(RATIONALS.sum([], 1, 2)) == [[0, 0]]
    assert entries(RATIONALS.less(a, a, b)) == [[-1, 1], [-1, 1]]
    assert entries(RATIONALS.averaged(a)) == [[1, Fraction(5, 2)], [Fraction(5, 2), 4]]
    assert beside([a, b]) == Matrix([[1, 2, 0, 1], [3, 4, 1, 0]], 4)
    assert stacked([a, b.part(1, 1)], 2) == Matrix([[1, 2], [3, 4], [1, 0]], 2)


def test_numbers_of_other_kinds() -> None:
    decimals = Numbers(lambda x: Decimal(x.numerator) / x.denominator, Decimal.sqrt)
    assert entries(decimals.root(Matrix([[Decimal(4), Decimal(2)], [Decimal(2), Decimal(5)]], 2))) == [[2, 0], [1, 2]]
    assert entries(COMPLEX.inverse(Matrix([[1j, 0], [0, 2]], 2))) == [[-1j, 0], [0, 0.5]]
    assert FLOATS.log([2.0, -3.0]) == math.fsum([math.log(2.0), math.log(3.0)])
    assert entries(FLOATS.inverse(Matrix([[1e-20, 1.0], [1.0, 1.0]], 2))) == [[-1.0, 1.0], [1.0, -1e-20]]


def test_what_a_field_has_not_is_refused() -> None:
    with pytest.raises(InputError, match="2 has no root among the rational numbers"):
        RATIONALS.root(Matrix([[Fraction(2)]], 1))
    with pytest.raises(InputError, match="no root"):
        RATIONALS.root(Matrix([[Fraction(-4)]], 1))
    with pytest.raises(InputError, match="no roots and no logarithms"):
        RATIONALS.log([Fraction(2)])
