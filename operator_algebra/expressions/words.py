"""The ring of words: polynomials in letters that do not commute, with numbers in front that do.

Whoever uses it says what the letters are, what the coefficients are, and the rule by which what stands in a row becomes
a word. Normal forms have expressions for letters, and X X⁻¹ cancels; lowering has blocks, and nothing does.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from operator import mul
from typing import Any, Generic, Protocol, Self, TypeAlias, TypeVar


class Coefficient(Protocol):
    """An exact number, such as a Fraction or an integer modulo a prime: false if zero, and no divisor of zero."""

    def __add__(self, other: Self, /) -> Self: ...
    def __mul__(self, other: Self, /) -> Self: ...
    def __neg__(self) -> Self: ...
    def __bool__(self) -> bool: ...


class Ordered(Hashable, Protocol):
    """What can be sorted."""

    def __lt__(self, other: Any, /) -> bool: ...


K = TypeVar("K", bound=Hashable)
N = TypeVar("N", bound=Hashable)
L = TypeVar("L", bound=Hashable)
C = TypeVar("C", bound=Coefficient)
O = TypeVar("O", bound=Ordered)

Word: TypeAlias = tuple[tuple[N, ...], tuple[L, ...]]
"""Numbers, which commute, in front of letters, which do not."""
Polynomial: TypeAlias = Mapping[Word[N, L], C]
"""Coefficients of words, none of them zero."""


def free(numbers: Sequence[O], letters: Sequence[L]) -> Word[O, L]:
    """The rule of words that nothing shortens."""
    return tuple(sorted(numbers)), tuple(letters)


def collected(pairs: Iterable[tuple[K, C]]) -> dict[K, C]:
    """The coefficients of equal words added, in order of first appearance; what cancels is left out."""
    total: dict[K, C] = {}
    for word, c in pairs:
        known = total.get(word)
        total[word] = c if known is None else known + c
    return {word: c for word, c in total.items() if c}


def degree_lexicographic(
    rank: Callable[[L], Ordered], weight: Callable[[L], int] = lambda _: 1
) -> Callable[[Word[Any, L]], tuple[Any, ...]]:
    """A key that sorts words by weight, then by length, then letter by letter; numbers come last.

    If finitely many letters have distinct ranks and no weight is negative, words cannot descend for ever, and
    u < v gives a u b < a v b: the largest word of a polynomial leads it, whatever it is multiplied with.
    """

    def key(word: Word[Any, L]) -> tuple[Any, ...]:
        numbers, letters = word
        return sum(map(weight, letters)), len(letters), tuple(map(rank, letters)), len(numbers), numbers

    return key


def _any_number(terms: int) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Ring(Generic[N, L, C]):
    """Sums and products of polynomials over the words that `form` makes of what stands in a row.

    `unit` is the coefficient 1. `watch` is told how many terms a sum has and how many a product may have; it raises if
    they are too many.

    >>> from fractions import Fraction
    >>> ring: Ring[str, str, Fraction] = Ring(Fraction(1), free)
    >>> x, y = ring.of("x"), ring.of("y")
    >>> {"".join(letters): int(c) for (_, letters), c in ring.product([ring.sum([x, y]), ring.minus(x, y)]).items()}
    {'xx': 1, 'xy': -1, 'yx': 1, 'yy': -1}
    """

    unit: C
    form: Callable[[Sequence[N], Sequence[L]], Word[N, L]]
    watch: Callable[[int], None] = _any_number

    def of(self, *letters: L, numbers: Sequence[N] = ()) -> Polynomial[N, L, C]:
        """The word of these letters; of none, the identity."""
        return {self.form(numbers, letters): self.unit}

    def sum(self, parts: Iterable[Polynomial[N, L, C]]) -> Polynomial[N, L, C]:
        """The sum of all parts; of none, zero."""
        total = collected(chain.from_iterable(part.items() for part in parts))
        self.watch(len(total))
        return total

    def scaled(self, c: C, p: Polynomial[N, L, C]) -> Polynomial[N, L, C]:
        """The multiple c p."""
        return {word: c * own for word, own in p.items()} if c else {}

    def minus(self, p: Polynomial[N, L, C], q: Polynomial[N, L, C]) -> Polynomial[N, L, C]:
        """The difference p − q."""
        return self.sum((p, self.scaled(-self.unit, q)))

    def product(self, parts: Iterable[Polynomial[N, L, C]]) -> Polynomial[N, L, C]:
        """The product of all parts; of none, the identity."""
        joined = [*self._joined(parts)]
        return reduce(self._times, joined) if joined else self.of()

    def adjoint(self, p: Polynomial[N, L, C], of: Callable[[L], L]) -> Polynomial[N, L, C]:
        """The adjoint: each word read backwards, each letter as `of` says; numbers and coefficients stay."""
        return {self.form(numbers, [of(x) for x in reversed(letters)]): c for (numbers, letters), c in p.items()}

    def substituted(
        self,
        p: Polynomial[N, L, C],
        image: Callable[[L], Polynomial[N, L, C] | None],
        most: int | None = None,
    ) -> Polynomial[N, L, C]:
        """Every letter replaced by its image. None keeps it, and so does an image that makes of a word over `most`."""
        return self.sum(self._image(word, c, image, most) for word, c in p.items())

    def _image(
        self, word: Word[N, L], c: C, image: Callable[[L], Polynomial[N, L, C] | None], most: int | None
    ) -> Polynomial[N, L, C]:
        numbers, letters = word
        images = [image(letter) for letter in letters]
        if all(part is None for part in images):
            return {word: c}
        parts: list[Polynomial[N, L, C]] = [{(numbers, ()): c}]
        terms = 1
        for letter, part in zip(letters, images, strict=True):
            if part is None or (most is not None and terms * len(part) > most):
                part = self.of(letter)
            terms *= len(part)
            parts.append(part)
        return self.product(parts)

    def _joined(self, parts: Iterable[Polynomial[N, L, C]]) -> Iterator[Polynomial[N, L, C]]:
        """The same factors, but neighbours of one term each are one: a long product is formed once."""
        row: list[tuple[Word[N, L], C]] = []
        for part in parts:
            if len(part) == 1:
                row.extend(part.items())
                continue
            if row:
                yield self._in_a_row(row)
                row = []
            yield part
        if row:
            yield self._in_a_row(row)

    def _in_a_row(self, terms: Sequence[tuple[Word[N, L], C]]) -> Polynomial[N, L, C]:
        numbers = [number for (own, _), _ in terms for number in own]
        letters = [letter for (_, own), _ in terms for letter in own]
        unit = self.unit
        others = [c for _, c in terms if c != unit]  # coefficients are slow to multiply, and most are one
        return {self.form(numbers, letters): reduce(mul, others) if others else unit}

    def _times(self, p: Polynomial[N, L, C], q: Polynomial[N, L, C]) -> Polynomial[N, L, C]:
        self.watch(len(p) * len(q))
        form = self.form
        return collected((form(m + n, v + w), c * d) for (m, v), c in p.items() for (n, w), d in q.items())
