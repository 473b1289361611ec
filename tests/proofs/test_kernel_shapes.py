"""What the kernel says of blocks and of block diagonals, compared with whole numbers on random forests."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest

from operator_algebra.proofs.kernel import Book, Poly, Word
from tests.often import some

BODIES = 7
GIVEN = {"A": "diagonal", "E": "inward hop", "N": "inward", "S": "inward strict", "F": "full"}
Matrix = np.ndarray[tuple[int, int], np.dtype[np.object_]]


def forest(rng: random.Random, *, serial: bool) -> list[int]:
    """Parents; where no body carries two others, each hangs on the last one or on the ground."""
    if serial:
        return [-1, *(k - 1 if rng.random() < 0.8 else -1 for k in range(1, BODIES))]
    return [-1, *(rng.randrange(-1, k) for k in range(1, BODIES))]


class Drawn:
    """Letters as matrices of small whole numbers, and the same letters in a book of the kernel."""

    def __init__(self, seed: int, *, serial: bool) -> None:
        self.rng = random.Random(seed)
        self.parents = forest(self.rng, serial=serial)
        self.book = Book({"x": "x"}, ["serial"] if serial else [])
        self.values: dict[str, Matrix] = {}
        for name, blocks in GIVEN.items():
            self.book.declare(name, "leaf", "x", "x", blocks)
            self._enter(name, self._draw(blocks))
        self._made("U", "inverse", {"": "1", "E": "-1", "A S": "2"})
        self._made("d", "diag", "E' A E")
        for name in ("e", "f", "g"):
            self._made(name, "diag", " ".join(self.rng.choices([*self.values], k=4)))

    def ways(self, i: int) -> dict[int, int]:
        """How many edges a body climbs to each of those that carry it, and to the ground."""
        found, k = {i: 0}, i
        while k >= 0:
            found[self.parents[k]], k = found[k] + 1, self.parents[k]
        return found

    def _draw(self, blocks: str) -> Matrix:
        made = np.zeros((BODIES, BODIES), dtype=object)
        for i in range(BODIES):
            for j in range(BODIES):
                edges = {"diagonal": [0], "inward hop": [1], "inward": range(9), "inward strict": range(1, 9)}
                if blocks == "full" or self.ways(j).get(i) in edges[blocks]:
                    made[i, j] = self.rng.choice([-2, -1, 1, 2, 3])
        return made

    def _enter(self, name: str, value: Matrix) -> None:
        starred = {f"{name}'": value.T} if f"{name}'" in self.book.star else {}
        self.values |= {name: value, **starred}

    def _made(self, name: str, kind: str, formula: object) -> None:
        self.book.declare(name, kind, formula, "x", "x")
        body = self.of(self.book.read(formula))
        if kind == "diag":
            self._enter(name, np.diag(np.diag(body)))
            return
        one: Matrix = np.eye(BODIES, dtype=int).astype(object)
        rest, power, total = one - body, one, one
        for _ in range(BODIES):  # what is strict is nilpotent
            power = power @ rest
            total = total + power
        self._enter(name, total)

    def word(self, word: Word) -> Matrix:
        made: Matrix = np.eye(BODIES, dtype=int).astype(object)
        for x in word:
            made = made @ self.values[x]
        return made

    def ways_back(self, count: int) -> Iterator[tuple[Word, Word]]:
        """Words of hops and blocks, most often with the way back."""
        for _ in range(count):
            way = tuple(self.rng.choices(["A", "E", "E'", "d"], k=self.rng.randrange(4)))
            turned = tuple(self.book.star[x] for x in reversed(way))
            yield way, turned if self.rng.random() < 0.8 else tuple(self.rng.choices(["A", "E", "E'"], k=len(way)))

    def of(self, p: Poly) -> Matrix:
        made: Matrix = np.zeros((BODIES, BODIES), dtype=object)
        for word, c in p.items():
            made = made + c * self.word(word)
        return made

    def words(self, count: int) -> Iterator[Word]:
        for _ in range(count):
            yield tuple(self.rng.choices([*self.values], k=self.rng.randrange(1, 7)))

    def meet(self, i: int, j: int, shape: tuple[float, float, float, float]) -> bool:
        """Whether two bodies, climbing as far as a shape says, meet."""
        a, b, c, d = shape
        first, second = self.ways(i), self.ways(j)
        return any(a <= first[k] <= b and c <= second[k] <= d for k in first.keys() & second.keys())


CASES = [(seed, serial) for seed in range(60) for serial in (False, True)]


@pytest.mark.parametrize(("seed", "serial"), some(CASES, each=15))
def test_blocks_are_where_the_shape_has_them(seed: int, serial: bool) -> None:
    drawn = Drawn(seed, serial=serial)
    for word in drawn.words(120):
        shape = drawn.book.shape([word])
        value = drawn.word(word)
        wrong = [(i, j) for i, j in zip(*np.nonzero(value), strict=True) if not drawn.meet(int(i), int(j), shape)]
        assert not wrong, (word, shape, drawn.parents)


@pytest.mark.parametrize(("seed", "serial"), some(CASES, each=15))
def test_words_that_join_no_body_with_one_of_its_depth_have_no_diagonal(seed: int, serial: bool) -> None:
    drawn = Drawn(seed, serial=serial)
    apart = [word for word in drawn.words(120) if drawn.book.hollow({word: 1}, "apart", {(): 1})]
    assert len(apart) > 10
    assert not [word for word in apart if np.diag(drawn.word(word)).any()]


def opened(drawn: Drawn) -> int:
    """Diagonals in others that could be what they are of: how many of these are other operators."""
    changed = 0
    for before, behind in drawn.ways_back(150):
        for d in ("d", "e", "f", "g"):
            if drawn.book.hollow({before: 1}, d, {behind: 1}):
                one, value = drawn.word((*before, d, *behind)), drawn.of(drawn.book.value[f"°{d}"])
                other = drawn.word(before) @ value @ drawn.word(behind)
                assert (np.diag(one) == np.diag(other)).all(), (before, d, behind, drawn.parents)
                changed += bool((one != other).any())
    return changed


@pytest.mark.parametrize(("seed", "serial"), some(CASES, each=15))
def test_a_diagonal_could_be_what_it_is_of_where_the_book_says_so(seed: int, serial: bool) -> None:
    opened(Drawn(seed, serial=serial))


def test_that_says_something() -> None:
    assert sum(opened(Drawn(seed, serial=serial)) for seed in range(2) for serial in (False, True)) > 100


@pytest.mark.parametrize("serial", [False, True])
def test_siblings_couple_unless_there_are_none(serial: bool) -> None:
    book = Drawn(0, serial=serial).book
    assert (book.shape([("E'", "A", "E")]) == (0, 0, 0, 0)) == serial
    assert book.shape([("E", "F", "E'")]) == book.shape([("F",)])
    assert book.shape([("E", "A", "E'")]) == (0, 0, 0, 0)
    assert book.shape([("E", "E", "A", "E'")]) == (0, 0, 1, 1)


def test_what_reaches_more_bodies_is_no_way_back() -> None:
    """diag(E diag(Y) E*) is not diag(E Y E*) if Y couples siblings, nor diag(E* diag(Y)) diag(E* Y)."""
    book = Drawn(0, serial=False).book
    assert not book.hollow({("E",): 1}, "d", {("E'",): 1})
    assert book.hollow({("E'",): 1}, "d", {("E",): 1})
    assert not book.hollow({("E'",): 1}, "d", {(): 1})
    assert not book.hollow({("N",): 1}, "d", {(): 1})
    assert not book.hollow({(): 1}, "A", {(): 1})
