"""The ring of words against matrices over a prime field, where letters are matrices and numbers are numbers."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.expressions.words import Polynomial, Ring, Word, collected, degree_lexicographic, free

PRIME = 2_147_483_647
SIZE = 4
"""Large enough that no polynomial of low degree vanishes on all matrices."""

Matrix: TypeAlias = tuple[tuple[int, ...], ...]
Poly: TypeAlias = Polynomial[str, str, Fraction]


def times(a: Matrix, b: Matrix) -> Matrix:
    return tuple(
        tuple(sum(x * y for x, y in zip(row, column, strict=True)) % PRIME for column in transposed(b)) for row in a
    )


def plus(a: Matrix, b: Matrix) -> Matrix:
    return tuple(tuple((x + y) % PRIME for x, y in zip(*rows, strict=True)) for rows in zip(a, b, strict=True))


def multiple(c: int, a: Matrix) -> Matrix:
    return tuple(tuple(c * x % PRIME for x in row) for row in a)


def transposed(a: Matrix) -> Matrix:
    return tuple(zip(*a, strict=True))


ONE: Matrix = tuple(tuple(int(i == j) for j in range(SIZE)) for i in range(SIZE))
ZERO = multiple(0, ONE)

_draw = random.Random(20)
LETTERS = {name: tuple(tuple(_draw.randrange(PRIME) for _ in range(SIZE)) for _ in range(SIZE)) for name in "xyzw"}
# The adjoint of a letter is its capital; w is its own.
LETTERS |= {name.upper(): transposed(LETTERS[name]) for name in "xyz"}
LETTERS["w"] = plus(LETTERS["w"], transposed(LETTERS["w"]))
NUMBERS = {name: _draw.randrange(PRIME) for name in "st"}
ADJOINT = {name: name.swapcase() for name in "xyzXYZ"} | {"w": "w"}


def value(p: Poly) -> Matrix:
    """The matrix that a polynomial stands for."""
    total = ZERO
    for (numbers, letters), c in p.items():
        term = multiple(c.numerator * pow(c.denominator, -1, PRIME), ONE)
        for number in numbers:
            term = multiple(NUMBERS[number], term)
        for letter in letters:
            term = times(term, LETTERS[letter])
        total = plus(total, term)
    return total


FREE: Ring[str, str, Fraction] = Ring(Fraction(1), free)

rationals = st.fractions(-3, 3, max_denominator=5)


def words(most: int) -> st.SearchStrategy[Word[str, str]]:
    return st.builds(free, st.text("st", max_size=2), st.text("xyzXYZw", max_size=most))


def polynomials(most: int = 3) -> st.SearchStrategy[Poly]:
    pairs = st.lists(st.tuples(words(most), rationals), max_size=4)
    return pairs.map(collected)


@given(polynomials(), polynomials(), rationals)
def test_operations_are_those_of_matrices(p: Poly, q: Poly, c: Fraction) -> None:
    scalar = c.numerator * pow(c.denominator, -1, PRIME)
    assert value(FREE.sum([p, q])) == plus(value(p), value(q))
    assert value(FREE.minus(p, q)) == plus(value(p), multiple(-1, value(q)))
    assert value(FREE.scaled(c, p)) == multiple(scalar, value(p))
    assert value(FREE.product([p, q])) == times(value(p), value(q))
    assert value(FREE.adjoint(p, ADJOINT.__getitem__)) == transposed(value(p))


@given(st.lists(polynomials(2), max_size=4))
def test_of_many_as_one_after_the_other(parts: Sequence[Poly]) -> None:
    total, product = ZERO, ONE
    for part in parts:
        total, product = plus(total, value(part)), times(product, value(part))
    assert value(FREE.sum(parts)) == total
    assert value(FREE.product(parts)) == product


@given(polynomials(), polynomials())
def test_the_same_value_is_the_same_polynomial(p: Poly, q: Poly) -> None:
    assert (p == q) == (value(p) == value(q))
    assert (not FREE.minus(p, q)) == (value(p) == value(q))


@given(polynomials(2), polynomials(2), polynomials(2))
def test_the_laws_of_a_ring_with_an_adjoint(p: Poly, q: Poly, r: Poly) -> None:
    add, multiply, star = FREE.sum, FREE.product, ADJOINT.__getitem__
    assert add([p, q]) == add([q, p])
    assert add([p, add([q, r])]) == add([p, q, r])
    assert multiply([p, multiply([q, r])]) == multiply([multiply([p, q]), r]) == multiply([p, q, r])
    assert multiply([p, add([q, r])]) == add([multiply([p, q]), multiply([p, r])])
    assert multiply([add([p, q]), r]) == add([multiply([p, r]), multiply([q, r])])
    assert multiply([FREE.of(), p]) == multiply([p, FREE.of()]) == add([p, {}]) == p
    assert multiply([p, {}, q]) == FREE.minus(p, p) == add([]) == {}
    assert FREE.adjoint(multiply([p, q]), star) == multiply([FREE.adjoint(q, star), FREE.adjoint(p, star)])
    assert FREE.adjoint(FREE.adjoint(p, star), star) == p


def test_equal_words_of_a_product_add_up() -> None:
    p = FREE.sum([FREE.of("x"), FREE.of("x", "x")])
    assert FREE.product([p, p]) == {((), ("x",) * 2): 1, ((), ("x",) * 3): 2, ((), ("x",) * 4): 1}


def test_numbers_commute_and_letters_do_not() -> None:
    s, t = FREE.of(numbers="s"), FREE.of(numbers="t")
    x, y = FREE.of("x"), FREE.of("y")
    assert FREE.product([x, t, y, s]) == FREE.product([s, t, x, y]) == {(("s", "t"), ("x", "y")): 1}
    assert FREE.product([x, y]) != FREE.product([y, x])


class TestSubstitution:
    @given(polynomials(2), polynomials(2), polynomials(2))
    def test_a_letter_takes_the_value_of_its_image(self, p: Poly, x: Poly, y: Poly) -> None:
        images = {"x": x, "y": y}
        kept = {name: matrix for name, matrix in LETTERS.items() if name not in images}
        expected = ZERO
        for (numbers, letters), c in p.items():
            term = value({(numbers, ()): c})
            for letter in letters:
                term = times(term, kept[letter] if letter in kept else value(images[letter]))
            expected = plus(expected, term)
        assert value(FREE.substituted(p, images.get)) == expected

    def test_all_letters_at_once(self) -> None:
        swap = {"x": FREE.of("y"), "y": FREE.of("x")}
        assert FREE.substituted(FREE.of("x", "y", "z"), swap.get) == FREE.of("y", "x", "z")

    def test_a_letter_stays_if_its_image_makes_too_many_terms(self) -> None:
        pair = FREE.sum([FREE.of("y"), FREE.of("z")])
        cube, image = FREE.of("x", "x", "x"), {"x": pair}.get
        assert FREE.substituted(cube, image, most=8) == FREE.product([pair, pair, pair])
        assert FREE.substituted(cube, image, most=7) == FREE.product([pair, pair, FREE.of("x")])


class TestTheRule:
    """The inverse of x is the letter x!; side by side they are nothing."""

    @staticmethod
    def cancelling(numbers: Sequence[str], letters: Sequence[str]) -> Word[str, str]:
        kept: list[str] = []
        for letter in letters:
            if kept and kept[-1].strip("!") == letter.strip("!") and kept[-1] != letter:
                kept.pop()
            else:
                kept.append(letter)
        return free(numbers, kept)

    ring: Ring[str, str, Fraction] = Ring(Fraction(1), cancelling)
    letters = st.sampled_from(["x", "y", "x!", "y!"])
    invertible: ClassVar[dict[str, Matrix]] = {
        "x": ((1, 2), (3, 5)),
        "y": ((4, 1), (7, 2)),
        "x!": ((PRIME - 5, 2), (3, PRIME - 1)),
        "y!": ((2, PRIME - 1), (PRIME - 7, 4)),
    }

    def value(self, p: Poly) -> Matrix:
        total: Matrix = ((0, 0), (0, 0))
        for (_, letters), c in p.items():
            term: Matrix = ((int(c), 0), (0, int(c)))
            for letter in letters:
                term = times(term, self.invertible[letter])
            total = plus(total, term)
        return total

    @given(st.lists(st.lists(st.lists(letters, max_size=4), max_size=3), max_size=4))
    def test_what_meets_at_a_seam_cancels(self, factors: list[list[list[str]]]) -> None:
        parts = [self.ring.sum(self.ring.of(*word) for word in part) for part in factors]
        product = self.ring.product(parts)
        expected: Matrix = ((1, 0), (0, 1))
        for part in parts:
            expected = times(expected, self.value(part))
        assert self.value(product) == expected
        assert all(self.cancelling(*word) == word for word in product)

    def test_a_long_product_of_single_words_is_formed_once(self) -> None:
        formed: list[int] = []

        def counting(numbers: Sequence[str], letters: Sequence[str]) -> Word[str, str]:
            formed.append(len(letters))
            return free(numbers, letters)

        ring: Ring[str, str, Fraction] = Ring(Fraction(1), counting)
        parts = [ring.of("x")] * 1000
        formed.clear()
        assert ring.product(parts) == {((), ("x",) * 1000): 1}
        assert formed == [1000]


class TooMany(Exception):
    pass


def at_most(limit: int) -> Callable[[int], None]:
    def watch(terms: int) -> None:
        if terms > limit:
            raise TooMany(terms)

    return watch


class TestTheWatch:
    ring: Ring[str, str, Fraction] = Ring(Fraction(1), free, at_most(3))
    two = ring.sum([ring.of("x"), ring.of("y")])

    def test_it_sees_a_product_before_it_is_made(self) -> None:
        with pytest.raises(TooMany, match="4"):
            self.ring.product([self.two, self.two])

    def test_it_sees_a_sum(self) -> None:
        three = self.ring.sum([self.two, self.ring.of("z")])
        assert self.ring.sum([three, self.two]) == {((), (x,)): c for x, c in zip("xyz", (2, 2, 1), strict=True)}
        with pytest.raises(TooMany, match="4"):
            self.ring.sum([three, self.ring.of()])


@dataclass(frozen=True)
class Modular:
    """An integer modulo 5."""

    number: int

    def __add__(self, other: Modular, /) -> Modular:
        return Modular((self.number + other.number) % 5)

    def __mul__(self, other: Modular, /) -> Modular:
        return Modular(self.number * other.number % 5)

    def __neg__(self) -> Modular:
        return Modular(-self.number % 5)

    def __bool__(self) -> bool:
        return self.number != 0


def test_coefficients_may_be_integers_modulo_a_prime() -> None:
    ring: Ring[str, str, Modular] = Ring(Modular(1), free)
    t, x = ring.of(numbers="t"), ring.of("x")
    power = ring.product([ring.sum([t, x])] * 5)
    assert power == ring.sum([ring.of(numbers="ttttt"), ring.of(*"xxxxx")])
    assert ring.sum([x] * 5) == ring.scaled(Modular(0), x) == {}


def test_words_stay_in_the_order_in_which_they_came() -> None:
    pairs = [("b", Fraction(1)), ("a", Fraction(2)), ("b", Fraction(1, 2)), ("c", Fraction(1)), ("c", Fraction(-1))]
    assert list(collected(pairs).items()) == [("b", Fraction(3, 2)), ("a", Fraction(2))]


WEIGHTS = {"x": 1, "X": 1, "y": 3, "Y": 3, "z": 0, "Z": 0, "w": 2}


class TestTheOrder:
    key = staticmethod(degree_lexicographic("zZxXyYw".index, WEIGHTS.__getitem__))

    @given(words(3), words(3), words(2), words(2))
    def test_it_is_total_and_products_keep_it(
        self, u: Word[str, str], v: Word[str, str], a: Word[str, str], b: Word[str, str]
    ) -> None:
        assert (self.key(u) == self.key(v)) == (u == v)
        around = [self.product(a, inner, b) for inner in (u, v)]
        assert (self.key(u) < self.key(v)) == (self.key(around[0]) < self.key(around[1]))
        assert self.key(((), ())) <= self.key(u)

    @given(polynomials(2), polynomials(2))
    def test_the_leading_word_of_a_product_is_the_product_of_the_leading_words(self, p: Poly, q: Poly) -> None:
        if p and q:
            lead = self.product(max(p, key=self.key), max(q, key=self.key))
            assert max(FREE.product([p, q]), key=self.key) == lead

    @staticmethod
    def product(*factors: Word[str, str]) -> Word[str, str]:
        return free([n for numbers, _ in factors for n in numbers], [x for _, letters in factors for x in letters])

    def test_weight_comes_before_length_and_length_before_letters(self) -> None:
        ordered = ["", "z", "zz", "x", "zx", "xz", "zzx", "w", "xx", "y", "xw"]
        found = sorted((((), tuple(text)) for text in ordered[::-1]), key=self.key)
        assert ["".join(letters) for _, letters in found] == ordered
