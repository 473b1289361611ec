"""The words of formulas in text form, and messages that underline a place in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

from operator_algebra.errors import OperatorAlgebraError, ParseError
from operator_algebra.markup import width

Kind = Literal[
    "number", "name", "star", "inverse", "open", "close", "plus", "minus", "compose", "times", "divide", "comma",
    "equals", "string", "end",
]  # fmt: skip

_AROUND = 40
_DIGITS = 1000

_WORD = re.compile(
    r"""
      (?P<blank>\s+)
    | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    | (?P<name>(?![⁰¹²³⁴-⁹])[^\W\d](?:(?![⁰¹²³⁴-⁹])[\w\u0300-\u036f⁺⊥])*)
    | (?P<power>\*\*|\^)
    | (?P<asterisk>[*∗])
    | (?P<star>['’′]|\.T\b)
    | (?P<inverse>⁻(?:¹|\*))
    | (?P<open>\()
    | (?P<close>\))
    | (?P<plus>\+)
    | (?P<minus>[-−–])
    | (?P<compose>@)
    | (?P<divide>/)
    | (?P<comma>,)
    | (?P<equals>==?)
    | (?P<string>"(?:[^"\\]|\\.)*")
    """,
    re.VERBOSE,
)

# A quote after a comma begins a name; anywhere else it is an adjoint.
_NAME = re.compile(r"(?P<string>'(?:[^'\\]|\\.)*')")

_HINTS = {
    **dict.fromkeys("·⋅×∘•", "A blank or @ composes; * is for numbers."),
    **dict.fromkeys("[]{}", "Group with round parentheses."),
    **dict.fromkeys("²³⁰⁴⁵⁶⁷⁸⁹", "Powers are written out: X X for a square."),
    **dict.fromkeys("†ᵀ", "The adjoint is X* or X'."),
    "⁻": "The inverse is X⁻¹ or inv(X).",
    "¹": "The inverse is X⁻¹ or inv(X).",
}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a formula and its place."""

    kind: Kind
    text: str
    start: int
    end: int


def words(text: str) -> Iterator[Word]:
    """The words of a text, and an end; a star directly behind an operand is the adjoint, any other multiplies."""
    position, last, tight = 0, "open", False
    while position < len(text):
        match = (_NAME.match(text, position) if last == "comma" else None) or _WORD.match(text, position)
        kind = match.lastgroup if match else None
        if match is None or kind is None:
            hint = _HINTS.get(text[position], "Formulas are made of names, numbers, ( ) + − @ * ' / and ⁻¹.")
            raise failure(f"cannot read {text[position]!r} in a formula", text, position, position + 1, hint)
        start, position = match.span()
        if kind == "blank":
            tight = False
            continue
        if kind == "power":
            hint = "The adjoint is X* or X', the inverse inv(X), a square X X."
            raise failure(f"powers are not written with {match[0]}", text, start, position, hint)
        if kind == "asterisk":
            kind = "star" if tight and last in ("name", "close", "star", "inverse") else "times"
        last = kind
        yield Word(kind, match[0], start, position)  # pyright: ignore[reportArgumentType]
        tight = True
    yield Word("end", "", len(text), len(text))


def too_long(word: Word) -> bool:
    """Whether a number has more digits, or a larger exponent, than a coefficient may have."""
    mantissa, _, exponent = word.text.lower().partition("e")
    return len(mantissa) > _DIGITS or len(exponent) > 5 or abs(int(exponent or 0)) > _DIGITS


def excerpt(text: str, start: int, end: int) -> str:
    """The text around a place, and below it the place underlined."""
    end = max(end, start + 1)
    first, last = max(0, start - _AROUND), min(len(text), max(end, start + 1) + _AROUND)
    last = min(last, start + 2 * _AROUND)
    head = ("…" if first else "") + _flat(text[first:start])
    body, tail = _flat(text[start : min(end, last)]), _flat(text[min(end, last) : last])
    more = "…" if last < len(text) else ""
    return f"    {head}{body}{tail}{more}\n    {' ' * width(head)}{'^' * max(1, width(body))}"


def _flat(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def failure(what: str, text: str, start: int, end: int, remedy: str = "") -> ParseError:
    """An error that shows its place in the text."""
    return ParseError("\n".join([what, excerpt(text, start, end), *([f"  {remedy}"] if remedy else [])]))


Error = TypeVar("Error", bound=OperatorAlgebraError)


def located(error: Error, text: str, start: int, end: int) -> Error:
    """The same error with the place in the text instead of the formula that it shows."""
    first, *rest = str(error).split("\n")
    kept = [line for line in rest if not line.startswith("    ")]
    return type(error)("\n".join([first.rstrip("."), excerpt(text, start, end), *kept]))
