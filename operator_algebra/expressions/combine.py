"""Operands of a text, with their places, put together by the constructors; errors show the place in the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from operator_algebra.errors import InputError, ParseError, SpaceMismatch
from operator_algebra.expressions.nodes import Expr, Product, Sum
from operator_algebra.expressions.query import Combination, Query
from operator_algebra.expressions.ring import SCALAR, add, matmul, multiply, one, scale, zero
from operator_algebra.expressions.syntax import failure, located

R = TypeVar("R")
Value = Fraction | Expr | Combination

_WORK = 10_000_000
_BITS = 4096


@dataclass(frozen=True, slots=True)
class Item:
    """An operand, its place in the text, and what stands before it: nothing, @, * or /."""

    value: Value
    start: int
    end: int
    sign: str = ""


@dataclass(slots=True)
class Combiner:
    """Puts the operands of one text together; `work` counts what has been copied."""

    text: str
    work: int = 0

    def at(self, start: int, end: int, make: Callable[[], R]) -> R:
        """What a constructor makes; its error is shown at a place of the text."""
        try:
            return make()
        except (SpaceMismatch, InputError) as error:
            raise located(error, self.text, start, end) from None

    def operator(self, item: Item, *, small: bool = False) -> Expr:
        """The value as an operator; the number 0 is one, another number only where a number one → one is wanted."""
        if isinstance(item.value, Expr):
            return item.value
        if isinstance(item.value, Combination):
            remedy = "Ask for it alone; sums and multiples of answers stand in claims."
            raise failure("a question is no part of a formula", self.text, item.start, item.end, remedy)
        if small:
            return scale(item.value, one(SCALAR))
        if item.value == 0:
            return zero()
        remedy = f"Write {item.value} I for a multiple of I."
        raise failure("a number stands alone", self.text, item.start, item.end, remedy)

    def answer(self, item: Item) -> Query | Combination:
        """The value as an answer: a question alone, or a sum of multiples of questions and numbers."""
        if isinstance(item.value, Expr):
            what = "an operator does not equal an answer"
            raise failure(what, self.text, item.start, item.end, "Ask about both sides: trace(X) = trace(Y).")
        if isinstance(item.value, Fraction):
            return Combination((), item.value)
        return item.value.alone()

    def total(self, terms: Sequence[Item], start: int, end: int) -> Item:
        """The sum of terms."""
        if len(terms) == 1:
            return Item(terms[0].value, start, end)
        if any(isinstance(term.value, Combination) for term in terms):
            return Item(self._answers(terms), start, end)
        numbers = [term.value for term in terms if isinstance(term.value, Fraction)]
        if len(numbers) == len(terms):
            number = Fraction(0)
            for c in numbers:
                number = self._bounded(number + c, start, end)
            return Item(number, start, end)
        small = any(isinstance(term.value, Expr) and term.value.type == SCALAR for term in terms)
        operators = [self.operator(term, small=small) for term in terms]
        self._spend(operators)
        typed = next((e for e in operators if e.typed), None)
        for term, e in zip(terms, operators, strict=True):
            if typed is not None and e.typed and e.type != typed.type:
                start, end = term.start, term.end
                break
        return Item(self.at(start, end, lambda: add(*operators)), start, end)

    def term(self, items: Sequence[Item], *, negative: bool) -> Item:
        """The product of numbers, scalars and operators."""
        start, end = items[0].start, items[-1].end
        if len(items) == 1 and not negative:
            return items[0]
        if any(isinstance(item.value, Combination) for item in items):
            return Item(self._multiple(items, negative=negative), start, end)
        number = Fraction(-1 if negative else 1)
        run: list[Item] = []
        for item in items:
            if item.sign == "divide":
                number = self._bounded(number / self._divisor(item), start, end)
            elif isinstance(item.value, Fraction):
                number = self._bounded(number * item.value, start, end)
            elif item.sign == "times" and run:
                left, right = self._product(run), item.value
                place = run[-1].start, item.end
                run = [Item(self.at(*place, lambda a=left, b=right: multiply(a, b)), run[0].start, item.end)]
            else:
                run.append(item)
        if not run:
            return Item(number, start, end)
        body = self._product(run)
        return Item(self.at(start, end, lambda: scale(number, body)), start, end)

    def _multiple(self, items: Sequence[Item], *, negative: bool) -> Combination:
        """A multiple of an answer; `negative` turns its sign."""
        number, answer = Fraction(-1 if negative else 1), None
        for item in items:
            if item.sign == "divide":
                number = self._bounded(number / self._divisor(item), item.start, item.end)
            elif isinstance(item.value, Fraction):
                number = self._bounded(number * item.value, item.start, item.end)
            elif isinstance(item.value, Combination) and answer is None:
                answer = item.value
            else:
                what = "an answer is multiplied by numbers alone"
                raise failure(what, self.text, item.start, item.end, "Take the operator inside of the question.")
        assert answer is not None
        return Combination(tuple((number * c, query) for c, query in answer.terms), number * answer.number)

    def _answers(self, terms: Sequence[Item]) -> Combination:
        """The sum of answers and numbers; equal questions are asked once."""
        found: dict[Query, Fraction] = {}
        number = Fraction(0)
        for term in terms:
            if isinstance(term.value, Fraction):
                number = self._bounded(number + term.value, term.start, term.end)
            elif isinstance(term.value, Combination):
                number = self._bounded(number + term.value.number, term.start, term.end)
                for c, query in term.value.terms:
                    found[query] = self._bounded(found.get(query, Fraction(0)) + c, term.start, term.end)
            else:
                what = "an operator cannot be added to an answer"
                raise failure(what, self.text, term.start, term.end, "Take it inside of the question.")
        return Combination(tuple((c, query) for query, c in found.items() if c), number)

    def _product(self, items: Sequence[Item]) -> Expr:
        """The product; what is one → one scales the rest."""
        operators = [(item, item.value) for item in items if isinstance(item.value, Expr)]
        self._spend([e for _, e in operators])
        scalars = [e for _, e in operators if e.type == SCALAR]
        factors = [(item, e) for item, e in operators if e.type != SCALAR]
        body = self._composed(factors) if factors else scalars.pop()
        for e in reversed(scalars):
            body = multiply(e, body)
        return body

    def _composed(self, factors: Sequence[tuple[Item, Expr]]) -> Expr:
        try:
            return matmul(*(e for _, e in factors))
        except SpaceMismatch as error:
            clashes = ((a, b) for (a, x), (b, y) in pairwise(factors) if _clash(x, y))
            first, last = next(clashes, (factors[0][0], factors[-1][0]))
            raise located(error, self.text, first.start, last.end) from None

    def _divisor(self, item: Item) -> Fraction:
        if isinstance(item.value, Fraction) and item.value:
            return item.value
        what = "cannot divide by zero" if isinstance(item.value, Fraction) else "operators are not divided"
        raise failure(what, self.text, item.start, item.end, "Divide by a number, or write inv(X).")

    def _bounded(self, number: Fraction, start: int, end: int) -> Fraction:
        if max(number.numerator.bit_length(), number.denominator.bit_length()) > _BITS:
            raise failure("a number grows too long", self.text, start, end, "Give it a name: oa.scalar(...).")
        return number

    def _spend(self, parts: Sequence[Expr]) -> None:
        self.work += sum(len(e.children) if isinstance(e, Product | Sum) else 1 for e in parts)
        if self.work > _WORK:
            raise ParseError(
                "the formula nests sums in sums or products in products too deeply to be read. "
                "Remove the parentheses that change nothing."
            )


def _clash(a: Expr, b: Expr) -> bool:
    return a.typed and b.typed and a.type.domain != b.type.codomain
