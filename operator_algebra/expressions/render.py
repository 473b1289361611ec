"""Expressions as text: Unicode as in the papers, ASCII for plain terminals, LaTeX.

Text is produced piece by piece from an explicit stack: a formula 10,000 levels deep is written like any other, and a
reader who wants the first line only pays for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, assert_never

from operator_algebra.arguments import choice
from operator_algebra.errors import InputError
from operator_algebra.expressions.names import Style, written
from operator_algebra.expressions.nodes import (
    Diag,
    Expr,
    Fixpoint,
    Inverse,
    Local,
    One,
    Product,
    Root,
    Scale,
    Sum,
    Symbol,
    Transpose,
    Zero,
    of_a_kind,
)
from operator_algebra.expressions.traverse import fold
from operator_algebra.markup import cut as cut
from operator_algebra.markup import width

LIMIT = 4_000_000
"""The most symbols of a formula that is written in full."""

Place = Literal["sum", "term", "factor", "base"]
"""Where a sub-expression stands: alone, as a term of a sum, as a factor, or under a star or an inverse."""


@dataclass(frozen=True, slots=True)
class _Signs:
    """The signs of a style."""

    minus: str
    star: str
    inverse: str
    open: str
    close: str
    function: str


_SIGNS: dict[Style, _Signs] = {
    "unicode": _Signs("−", "*", "⁻¹", "(", ")", "{}("),
    "ascii": _Signs("-", "'", "", "(", ")", "{}("),
    "latex": _Signs("-", "^{*}", "^{-1}", r"\left(", r"\right)", r"\operatorname{{{}}}\left("),
}


@dataclass(frozen=True, slots=True)
class _Visit:
    """A sub-expression to be written."""

    node: Expr
    place: Place


_Piece = str | _Visit


def _number(c: Fraction, style: Style) -> str:
    if c.denominator == 1:
        return str(c.numerator)
    return rf"\tfrac{{{c.numerator}}}{{{c.denominator}}}" if style == "latex" else f"{c.numerator}/{c.denominator}"


def needs_parentheses(node: Expr, place: Place) -> bool:
    """Whether a node needs parentheses where it stands."""
    if place == "sum":
        return False
    if isinstance(node, Product):
        return place in ("factor", "base")
    return place != "term" if isinstance(node, Scale) else isinstance(node, Sum)


def _below(visit: _Visit, index: int, place: Place) -> _Visit:
    return _Visit(visit.node.children[index], place)


def _sum(visit: _Visit, style: Style) -> Iterator[_Piece]:
    minus = _SIGNS[style].minus
    for index, term in enumerate(visit.node.children):
        if isinstance(term, Scale) and isinstance(term.factor, Fraction) and term.factor < 0:
            yield f" {minus} " if index else minus
            yield from _scale(_below(visit, index, "term"), term, style, positive=True)
        else:
            if index:
                yield " + "
            yield _below(visit, index, "term")


def _scale(visit: _Visit, node: Scale, style: Style, *, positive: bool = False) -> Iterator[_Piece]:
    if isinstance(node.factor, Expr):
        yield _below(visit, 0, "factor")
        yield " "
        yield _below(visit, 1, "term" if isinstance(node.body, Product | Scale) else "factor")
        return
    c = abs(node.factor)
    if node.factor < 0 and not positive:
        yield _SIGNS[style].minus
    if c != 1:
        yield _number(c, style) + " "
    yield _below(visit, 0, "term" if isinstance(node.body, Product | Scale) else "factor")


def _inverse(visit: _Visit, node: Inverse, style: Style) -> Iterator[_Piece]:
    signs = _SIGNS[style]
    if style == "ascii":
        yield "inv("
        yield _below(visit, 0, "sum")
        yield ")"
    elif isinstance(node.body, Transpose):
        yield _below(_below(visit, 0, "base"), 0, "base")
        yield "⁻*" if style == "unicode" else "^{-*}"
    else:
        yield _below(visit, 0, "base")
        yield signs.inverse


def _root(visit: _Visit, style: Style) -> Iterator[_Piece]:
    yield _SIGNS[style].function.format("root")
    yield _below(visit, 0, "sum")
    yield _SIGNS[style].close


def _local(visit: _Visit, node: Local, style: Style) -> Iterator[_Piece]:
    yield _SIGNS[style].function.format(node.name)
    for index in range(len(node.children)):
        if index:
            yield ", "
        yield _below(visit, index, "sum")
    yield _SIGNS[style].close


def _product(visit: _Visit, style: Style) -> Iterator[_Piece]:
    before: Expr | None = None
    for index, factor in enumerate(visit.node.children):
        if before is not None:
            yield r" \, " if style == "latex" and (_is_word(before) or _is_word(factor)) else " "
        yield _below(visit, index, "factor")
        before = factor


def _is_word(factor: Expr) -> bool:
    """Whether it is called by a word, which would run into its neighbours."""
    while isinstance(factor, Transpose | Inverse):
        factor = factor.body
    return isinstance(factor, Symbol) and written(factor.name, "latex").startswith(r"\mathrm")


def _parts(visit: _Visit, style: Style) -> Iterator[_Piece]:
    node = of_a_kind(visit.node)
    match node:
        case Symbol() | Fixpoint():
            name = written(node.name, style)
            yield f"{{{name}}}" if style == "latex" and visit.place == "base" and "^" in name else name
        case One():
            yield "I"
        case Zero():
            yield "0"
        case Sum():
            yield from _sum(visit, style)
        case Product():
            yield from _product(visit, style)
        case Scale():
            yield from _scale(visit, node, style)
        case Transpose():
            yield _below(visit, 0, "base")
            yield _SIGNS[style].star
        case Inverse():
            yield from _inverse(visit, node, style)
        case Root():
            yield from _root(visit, style)
        case Diag():
            yield _SIGNS[style].function.format("diag")
            yield _below(visit, 0, "sum")
            yield _SIGNS[style].close
        case Local():
            yield from _local(visit, node, style)
        case _:
            assert_never(node)


def _expanded(visit: _Visit, style: Style) -> Iterator[_Piece]:
    signs = _SIGNS[style]
    wrapped = needs_parentheses(visit.node, visit.place)
    if wrapped:
        yield signs.open
    yield from _parts(visit, style)
    if wrapped:
        yield signs.close


def _pieces(e: Expr, style: Style) -> Iterator[str]:
    """The text in pieces, in order."""
    stack: list[Iterator[_Piece]] = [iter((_Visit(e, "sum"),))]
    while stack:
        piece = next(stack[-1], None)
        if piece is None:
            stack.pop()
        elif isinstance(piece, _Visit):
            stack.append(_expanded(piece, style))
        else:
            yield piece


def render(e: Expr, style: Style = "unicode") -> str:
    r"""The formula as text; `parse` reads unicode and ascii back.

    >>> from operator_algebra.symbols import H, I, phi, K
    >>> render(I + H @ phi @ K), render(H @ phi.T.T, "ascii"), render(phi, "latex")
    ('I + H φ K', 'H phi', '\\phi')
    """
    choice(style, "style", _SIGNS.keys())
    if _symbols_written(e) > LIMIT:
        raise InputError(f"the formula has more than {LIMIT} symbols: {brief(e)}. Name parts of it with define().")
    return "".join(_pieces(e, style))


def _symbols_written(e: Expr) -> int:
    """How many symbols the text has; shared parts are written each time."""
    return fold(e, lambda node, below: sum(below) or 1, _written_below)


def _written_below(node: Expr) -> tuple[Expr, ...]:
    return () if isinstance(node, Fixpoint) else node.children


def brief(e: Expr, columns: int = 60, style: Style = "unicode") -> str:
    """The formula, cut to a number of columns; costs no more than what is shown.

    >>> from operator_algebra.symbols import H, M, phi
    >>> brief(H @ phi @ M @ phi.T @ H.T, 8)
    'H φ M φ…'
    """
    text: list[str] = []
    used = 0
    for piece in _pieces(e, style):
        text.append(piece)
        used += width(piece)
        if used > columns:
            return cut("".join(text), columns, "…" if style == "unicode" else "...")
    return "".join(text)
