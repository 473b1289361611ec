"""Blocks of nodes beside the same blocks of fractions: products, turns, solves and factors are what they are there."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

from operator_algebra.backends.scalar.algebra import Inverted, NodeNumbers, Product, Turn, Turned
from operator_algebra.backends.scalar.graph import Graph, Node, Untraceable, operations
from operator_algebra.programs.matrices import RATIONALS, Matrix
from tests.backends.scalar.exact_nodes import matrix, value, values

Exact = list[list[Fraction]]


class Sheet:
    """Blocks of arguments, and their values."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.graph = Graph()
        self.numbers = NodeNumbers.over(self.graph)
        self.arguments: list[Fraction] = []

    def node(self, x: Fraction) -> Node:
        """An argument with a value."""
        self.arguments.append(x)
        return self.graph.input(len(self.arguments) - 1)

    def draw(self) -> Fraction:
        """A fraction."""
        return Fraction(self.rng.randint(-9, 9), self.rng.randint(1, 5))

    def block(self, height: int, width: int) -> Matrix:
        """A block of arguments."""
        return Matrix([[self.node(self.draw()) for _ in range(width)] for _ in range(height)], width)

    def symmetric(self, size: int) -> Matrix:
        """A definite block: mirrored entries are one node."""
        full = [[self.draw() for _ in range(size)] for _ in range(size)]
        gram = [[sum(a * b for a, b in zip(x, y, strict=True)) + 5 * (x is y) for y in full] for x in full]
        rows = [[self.node(Fraction(x)) for x in row] for row in gram]
        return self.numbers.averaged(Matrix(rows, size))

    def of(self, block: Matrix) -> Exact:
        """The values of a block."""
        return matrix(block, self.arguments)

    def exact(self, block: Matrix) -> Matrix:
        """The block over fractions."""
        return Matrix(self.of(block), block.width)


def same(found: Exact, expected: Matrix) -> bool:
    return found == [list(row) for row in expected.rows]


@pytest.mark.parametrize("seed", range(5))
def test_products_sums_and_differences(seed: int) -> None:
    sheet = Sheet(seed)
    a, b, c = sheet.block(3, 4), sheet.block(4, 2), sheet.block(3, 2)
    exact = [sheet.exact(block) for block in (a, b, c)]
    assert same(sheet.of(sheet.numbers.product(a, b)), RATIONALS.product(*exact[:2]))
    assert same(sheet.of(sheet.numbers.sum([c, c, c], 3, 2)), RATIONALS.sum([exact[2]] * 3, 3, 2))
    assert same(sheet.of(sheet.numbers.less(c, a, b)), RATIONALS.less(exact[2], exact[0], exact[1]))


@pytest.mark.parametrize("size", [0, 1, 2, 3, 6])
def test_solves_with_a_symmetric_block(size: int) -> None:
    sheet = Sheet(size)
    D, B = sheet.symmetric(size), sheet.block(size, 2)
    inverse = sheet.numbers.inverse(D)
    expected = RATIONALS.inverse(sheet.exact(D))
    assert same(sheet.of(inverse), expected)
    assert same(sheet.of(sheet.numbers.product(inverse, B)), RATIONALS.product(expected, sheet.exact(B)))
    assert same(sheet.of(sheet.numbers.product(B.T, inverse)), RATIONALS.product(sheet.exact(B).T, expected))


@pytest.mark.parametrize("size", [1, 3, 6])
def test_a_pivot_cancels_with_its_own_columns_and_rows(size: int) -> None:
    sheet = Sheet(size)
    D, extra = sheet.symmetric(size), sheet.block(2, size)
    inverse, unit = sheet.numbers.inverse(D), sheet.numbers.identity(size)
    assert [list(row) for row in sheet.numbers.product(inverse, D).rows] == unit.rows
    gain = sheet.numbers.product(Matrix([*D.rows, *extra.rows], size), inverse)
    assert [list(row) for row in gain.rows[:size]] == unit.rows
    assert isinstance(inverse, Inverted)
    assert inverse.T is inverse


def test_determinant_and_root() -> None:
    sheet = Sheet(3)
    D = sheet.symmetric(3)
    assert value(sheet.numbers.determinant(D), sheet.arguments) == RATIONALS.determinant(sheet.exact(D))
    assert all(x > 0 for x in values(sheet.numbers.positive, sheet.arguments))
    block = sheet.numbers.averaged(Matrix([[sheet.graph.of(x) for x in row] for row in ((4.0, 2.0), (2.0, 10.0))], 2))
    assert [[node.value for node in row] for row in sheet.numbers.root(block).rows] == [[2.0, 0.0], [1.0, 3.0]]


def test_an_indefinite_block_breaks_a_condition() -> None:
    sheet = Sheet(0)
    x, y = sheet.node(Fraction(1)), sheet.node(Fraction(5))
    sheet.numbers.inverse(Matrix([[x, y], [y, x]], 2))
    assert [v > 0 for v in values(sheet.numbers.positive, sheet.arguments)] == [False]


def test_what_is_not_symmetric_has_no_triangular_factors() -> None:
    sheet = Sheet(0)
    with pytest.raises(Untraceable):
        sheet.numbers.root(sheet.block(2, 2))
    assert sheet.numbers.inverse(sheet.block(1, 1)).height == 1


def test_the_mirrored_entry_is_the_same_node() -> None:
    sheet = Sheet(1)
    block = sheet.block(3, 3)
    averaged = sheet.numbers.averaged(block)
    assert all(averaged.rows[i][j] is averaged.rows[j][i] for i in range(3) for j in range(3))
    assert averaged.rows[0][2] is block.rows[0][2]
    half = Matrix([[block.rows[0][0], block.rows[0][1]], [sheet.graph.zero, block.rows[1][1]]], 2)
    assert sheet.numbers.averaged(half).rows[0][1] is sheet.graph.zero


# -- turns -------------------------------------------------------------------------------------------------------------


def turned(sheet: Sheet, i: int, j: int) -> Turned:
    """A turn with sine 3/5 and cosine 4/5 in the plane of two axes."""
    c, s = sheet.node(Fraction(4, 5)), sheet.node(Fraction(3, 5))
    zero, one = sheet.graph.zero, sheet.graph.one
    rows = [[one if m == n else zero for n in range(6)] for m in range(6)]
    for start in (0, 3):
        rows[start + i][start + i] = rows[start + j][start + j] = c
        rows[start + i][start + j], rows[start + j][start + i] = -s, s
    return Turned(rows, 6, Turn(i, j, c, s))


PLANES: Sequence[tuple[int, int]] = ((0, 1), (1, 2), (2, 0))


@pytest.mark.parametrize(("i", "j"), PLANES)
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("star", [True, False])
def test_a_congruence_with_a_turn(i: int, j: int, *, symmetric: bool, star: bool) -> None:
    sheet = Sheet(7)
    R = turned(sheet, i, j)
    X = sheet.symmetric(6) if symmetric else sheet.block(6, 6)
    outer = R.T if star else R
    exact = sheet.exact(Matrix(outer.rows, 6))
    found = sheet.numbers.congruence(outer, X, symmetric=symmetric)
    assert same(sheet.of(found), RATIONALS.product(exact, sheet.exact(X), exact.T))
    counted = operations(x for row in found.rows for x in row)
    assert counted["multiply"] <= (36 if symmetric else 50)


def test_a_product_is_applied_factor_by_factor() -> None:
    sheet = Sheet(2)
    R, S, x, X = turned(sheet, 0, 1), turned(sheet, 1, 2), sheet.block(6, 1), sheet.symmetric(6)
    made = Product(sheet.numbers.product(R, S).rows, 6, (R, S))
    exact = RATIONALS.product(sheet.exact(R), sheet.exact(S))
    assert same(sheet.of(made), exact)
    assert same(sheet.of(made.T), exact.T)
    assert same(sheet.of(sheet.numbers.product(made, x)), RATIONALS.product(exact, sheet.exact(x)))
    assert same(sheet.of(sheet.numbers.product(made.T, x)), RATIONALS.product(exact.T, sheet.exact(x)))
    found = sheet.numbers.congruence(made, X, symmetric=True)
    assert same(sheet.of(found), RATIONALS.product(exact, sheet.exact(X), exact.T))
