"""Formulas from text: the inverse of `render`, with an explicit stack, so that no nesting is too deep."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn

from operator_algebra.errors import InputError, ParseError, SpaceMismatch
from operator_algebra.expressions import mismatch
from operator_algebra.expressions.build import RESERVED, diag, inv, local, root
from operator_algebra.expressions.combine import Combiner, Item, Value
from operator_algebra.expressions.lookup import Names
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Combination, Place, Query, block, dense, logdet, trace
from operator_algebra.expressions.ring import retype
from operator_algebra.expressions.syntax import Word, excerpt, failure, too_long, words
from operator_algebra.operators.local import LOCAL_FUNCTIONS

_NAME = 40
LONGEST = 10_000_000
"""Characters of a text; reading takes some ten microseconds for each word."""
_BLOCK = 'Write block(X, 0, 2) or block(X, "hip", "knee").'
_FUNCTIONS: dict[str, Callable[[Expr], Expr]] = {"inv": inv, "root": root, "diag": diag}
_QUESTIONS: dict[str, Callable[[Expr], Query]] = {"trace": trace, "logdet": logdet, "dense": dense}
Side = Expr | Query | Combination


@dataclass(slots=True)
class _Bracket:
    """What is open: the formula, a parenthesis, or a function with the arguments that are complete."""

    function: str
    start: int
    opened: int
    arguments: list[Expr] = field(default_factory=list["Expr"])
    places: list[Place] = field(default_factory=list["Place"])
    terms: list[Item] = field(default_factory=list["Item"])
    factors: list[Item] = field(default_factory=list["Item"])
    negative: bool = False
    sign: str = ""

    @property
    def waiting(self) -> bool:
        """Whether an operand has to follow."""
        return not self.factors or bool(self.sign)

    def push(self, value: Value, start: int, end: int) -> None:
        self.factors.append(Item(value, start, end, self.sign))
        self.sign = ""


class _Parser:
    """One pass over the words of a text; `brackets` holds what is open."""

    def __init__(self, text: str, names: Names) -> None:
        self.text = text
        self.names = names
        self.combine = Combiner(text)
        self.brackets: list[_Bracket] = []

    def formula(self, source: Iterator[Word], stop: str) -> Item:
        """Read up to the word of kind `stop`."""
        word = next(source)
        start = word.start
        self.brackets = [_Bracket("", start, start)]
        while word.kind != stop:
            if self.brackets[-1].waiting:
                self.expect_operand(word, source)
            else:
                self.expect_any(word, source)
            word = next(source)
        if len(self.brackets) > 1:
            self.misplaced(word)
        if self.brackets[-1].waiting:
            self.missing(word)
        return self.total(start, word.start)

    def expect_operand(self, word: Word, source: Iterator[Word]) -> None:
        bracket = self.brackets[-1]
        if word.kind == "minus":
            bracket.negative = not bracket.negative
        elif word.kind == "plus" and not (bracket.terms or bracket.negative or bracket.sign):
            return
        elif word.kind in ("number", "name", "open"):
            self.operand(word, source)
        else:
            self.missing(word)

    def expect_any(self, word: Word, source: Iterator[Word]) -> None:
        bracket = self.brackets[-1]
        match word.kind:
            case "number" | "name" | "open":
                self.operand(word, source)
            case "star" | "inverse":
                self.postfix(word)
            case "compose" | "times" | "divide":
                bracket.sign = word.kind
            case "plus" | "minus":
                self.end_term()
                bracket.negative = word.kind == "minus"
            case "comma" | "close":
                self.close(word, source)
            case _:
                self.misplaced(word)

    def operand(self, word: Word, source: Iterator[Word]) -> None:
        bracket = self.brackets[-1]
        if word.kind == "number":
            if too_long(word):
                raise self.error("a number is too long", word, "Use fewer digits, or a name: oa.scalar(...).")
            bracket.push(Fraction(word.text), word.start, word.end)
        elif word.kind == "open":
            self.brackets.append(_Bracket("", word.start, word.start))
        elif word.text in self.names:
            bracket.push(self.names[word.text], word.start, word.end)
        elif word.text in RESERVED:
            after = next(source)
            if after.kind != "open":
                raise self.error(f"{word.text} is a function", word, f"Write {word.text}(X).")
            self.brackets.append(_Bracket(word.text, word.start, after.start))
        else:
            shown = word.text if len(word.text) <= _NAME else f"{word.text[:_NAME]}…"
            raise self.error(f"unknown name {shown!r}", word, self.names.suggestion(word.text))

    def postfix(self, word: Word) -> None:
        item = self.brackets[-1].factors.pop()
        what = "inverse" if word.kind == "inverse" else "adjoint"
        e = item.value
        if not isinstance(e, Expr):
            kind = "a number" if isinstance(e, Fraction) else "an answer"
            raise self.error(f"the {what} of {kind} is not written", word, "Write the number before an operator.")
        if word.kind == "star":
            value = e.T
        else:
            body = e if word.text == "⁻¹" else e.T
            value = self.combine.at(item.start, word.end, lambda: inv(body))
        self.brackets[-1].factors.append(Item(value, item.start, word.end, item.sign))

    def end_term(self) -> None:
        bracket = self.brackets[-1]
        bracket.terms.append(self.combine.term(bracket.factors, negative=bracket.negative))
        bracket.factors, bracket.negative = [], False

    def total(self, start: int, end: int) -> Item:
        """The sum of the terms of the innermost bracket."""
        self.end_term()
        bracket = self.brackets[-1]
        terms, bracket.terms = bracket.terms, []
        return self.combine.total(terms, start, end)

    def close(self, word: Word, source: Iterator[Word]) -> None:
        bracket = self.brackets[-1]
        if len(self.brackets) == 1 or (word.kind == "comma" and not bracket.function):
            self.misplaced(word)
        item = self.total(bracket.start, word.end)
        if bracket.function:
            bracket.arguments.append(self.combine.operator(item))
        if word.kind == "comma" and bracket.function != "block":
            return
        if word.kind == "comma":
            word = self.bodies(bracket, source)
        self.brackets.pop()
        value = self.combine.at(bracket.start, word.end, lambda: _call(bracket)) if bracket.function else item.value
        self.brackets[-1].push(value, bracket.start, word.end)

    def bodies(self, bracket: _Bracket, source: Iterator[Word]) -> Word:
        """The two bodies behind the formula of a block, and the parenthesis that ends it."""
        for stop in ("comma", "close"):
            word = next(source)
            sign = -1 if word.kind == "minus" else 1
            word = next(source) if word.kind == "minus" else word
            if word.kind == "string" and sign > 0:
                bracket.places.append(re.sub(r"\\(.)", r"\1", word.text[1:-1], flags=re.DOTALL))
            elif word.kind == "number" and word.text.isdigit() and not too_long(word):
                bracket.places.append(sign * int(word.text))
            else:
                raise self.error(
                    "a block stands at two bodies", word, 'Write block(X, 0, 2) or block(X, "hip", "knee").'
                )
            word = next(source)
            if word.kind != stop:
                raise self.error(
                    "a block stands at two bodies", word, 'Write block(X, 0, 2) or block(X, "hip", "knee").'
                )
        return word

    def error(self, what: str, word: Word, remedy: str = "") -> ParseError:
        return failure(what, self.text, word.start, word.end, remedy)

    def missing(self, word: Word) -> NoReturn:
        bracket = self.brackets[-1]
        if word.kind == "end" and len(self.brackets) > 1:
            self.unclosed()
        if len(self.brackets) == 1 and not (
            bracket.terms or bracket.factors or bracket.negative or word.kind == "times"
        ):
            if word.kind in ("end", "equals"):
                raise self.error("a formula is empty", word, "Write for example H phi M phi' H'.")
            if word.kind == "close":
                self.misplaced(word)
        before = "the end" if word.kind == "end" else repr(word.text)
        raise self.error(f"an operator is missing before {before}", word, "Put a name or a parenthesis there.")

    def unclosed(self) -> NoReturn:
        start = self.brackets[-1].opened
        raise failure("a parenthesis is never closed", self.text, start, start + 1, "Close it with ')'.")

    def misplaced(self, word: Word) -> NoReturn:
        if word.kind == "end" and len(self.brackets) > 1:
            self.unclosed()
        what, remedy = f"{word.text!r} is out of place", "It stands between the arguments of a function."
        if word.kind == "end":
            what, remedy = "the claim has no '='", 'Write "lhs = rhs".'
        elif word.kind == "equals":
            what, remedy = "'=' is out of place", 'A claim is one "lhs = rhs", outside of parentheses.'
        elif word.kind == "close":
            what, remedy = "a parenthesis is closed that was not opened", "Remove it, or open it with '('."
        raise self.error(what, word, remedy)


def _call(bracket: _Bracket) -> Value:
    if bracket.function in LOCAL_FUNCTIONS:
        return local(bracket.function, *bracket.arguments)
    if len(bracket.arguments) != 1:
        raise InputError(f"{bracket.function} takes one operator; {len(bracket.arguments)} were given.")
    if bracket.function in _FUNCTIONS:
        return _FUNCTIONS[bracket.function](bracket.arguments[0])
    (e,) = bracket.arguments
    if bracket.function != "block":
        return Combination(((Fraction(1), _QUESTIONS[bracket.function](e)),))
    if len(bracket.places) != 2:
        raise InputError(f"a block stands at two bodies. {_BLOCK}")
    return Combination(((Fraction(1), block(e, *bracket.places)),))


def _parser(text: str, names: Mapping[str, Expr]) -> _Parser:
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"a formula is a text; {type(text).__name__} was given.")
    if len(text) > LONGEST:
        raise InputError(
            f"a formula of {len(text):,} characters is too long to be read; {LONGEST:,} are the limit. "
            "Build it from expressions, or give its parts names."
        )
    return _Parser(text, Names(names))


def parse(text: str, names: Mapping[str, Expr]) -> Expr | Query:
    """Read a formula, or a question about one such as trace(X) or block(X, 0, 2).

    X' or X* directly behind a name is the adjoint, a blank or @ composes, a number scales.

    >>> from operator_algebra.symbols import E_phi
    >>> parse("inv(I - E_phi)'", {"E_phi": E_phi})
    (I − E_φ*)⁻¹   motion → motion   outward, unit diagonal
    """
    parser = _parser(text, names)
    item = parser.formula(words(text), "end")
    asked = item.value.alone() if isinstance(item.value, Combination) else None
    return asked if isinstance(asked, Query) else parser.combine.operator(item)


def parse_claim(text: str, names: Mapping[str, Expr]) -> tuple[Side, Side]:
    """Read "lhs = rhs"; I and 0 on one side take the type of the other; answers equal answers or numbers.

    >>> from operator_algebra.symbols import E_phi, phi
    >>> parse_claim("φ (I − E_φ) = I", {"phi": phi, "E_phi": E_phi})[1]
    I   force → force   block-diagonal
    """
    parser = _parser(text, names)
    source = words(text)
    first, second = parser.formula(source, "equals"), parser.formula(source, "end")
    if isinstance(first.value, Combination) or isinstance(second.value, Combination):
        return parser.combine.answer(first), parser.combine.answer(second)
    left, right = parser.combine.operator(first), parser.combine.operator(second)
    lhs = parser.combine.at(first.start, first.end, lambda: retype(left, right.type))
    rhs = parser.combine.at(second.start, second.end, lambda: retype(right, lhs.type))
    if lhs.type != rhs.type:
        raise SpaceMismatch(f"{mismatch.equation(lhs, rhs)}\n{excerpt(text, second.start, second.end)}")
    return lhs, rhs
