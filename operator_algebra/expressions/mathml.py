"""Expressions as MathML, which browsers draw without help."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import assert_never

from operator_algebra.expressions.names import unicode_name
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
from operator_algebra.expressions.query import Query
from operator_algebra.expressions.render import Place, brief, needs_parentheses
from operator_algebra.expressions.traverse import fold
from operator_algebra.markup import cut, element, escape

LONGEST = 280
"""Columns of the plain text up to which a formula is typeset; a longer one is shown cut."""


_ACCENTS = {"\u0302": "^", "\u0303": "~", "\u0304": "¯", "\u0307": "˙", "\u0308": "¨"}
"""What stands over a letter for each combining mark."""


_STAR = element("mo", "*")
_MINUS_ONE = element("mrow", element("mo", "−"), element("mn", "1"))


def name(text: str, *raised: str) -> str:
    """A name: letter, mark, subscript, and what is raised behind it.

    >>> name("E_phi", _STAR)
    '<msubsup><mi>E</mi><mi>φ</mi><mo>*</mo></msubsup>'
    """
    letter, _, below = unicode_name(text).partition("_")
    base = _letter(letter.removesuffix("⁺"))
    signs = (element("mo", "+"), *raised) if letter.endswith("⁺") else raised
    above = element("mrow", *signs) if len(signs) > 1 else "".join(signs)
    if above and below:
        return element("msubsup", base, element("mi", escape(below)), above)
    if above:
        return element("msup", base, above)
    return element("msub", base, element("mi", escape(below))) if below else base


def _letter(text: str) -> str:
    mark = _ACCENTS.get(text[-1:], "")
    if not mark:
        return element("mi", escape(text))
    return element("mover", element("mi", escape(text[:-1])), element("mo", mark), accent="true")


def _fenced(content: str) -> str:
    return element("mrow", element("mo", "("), content, element("mo", ")"))


def _call(function: str, arguments: tuple[str, ...]) -> str:
    inside = element("mo", ",").join(arguments)
    return element("mrow", element("mi", escape(function)), element("mo", "&#x2061;"), _fenced(inside))


def _number(c: Fraction) -> str:
    if c.denominator == 1:
        return element("mn", str(c.numerator))
    return element("mfrac", element("mn", str(c.numerator)), element("mn", str(c.denominator)))


_MINUS = element("mo", "−")
_BLANK = '<mspace width="0.25em"></mspace>'


def _sum(node: Sum, parts: tuple[str, ...]) -> str:
    pieces: list[str] = []
    for index, (term, part) in enumerate(zip(node.children, parts, strict=True)):
        negative = isinstance(term, Scale) and isinstance(term.factor, Fraction) and term.factor < 0
        if negative and index:
            pieces.append(part.replace(_MINUS, element("mo", "−", form="infix"), 1))  # spaced as a sign between terms
        else:
            pieces += [element("mo", "+"), part] if index else [part]
    return element("mrow", *pieces)


def _scale(node: Scale, parts: tuple[str, ...]) -> str:
    if isinstance(node.factor, Expr):
        return element("mrow", parts[0], _BLANK, parts[1])
    sign = _MINUS if node.factor < 0 else ""
    number = "" if abs(node.factor) == 1 else _number(abs(node.factor)) + _BLANK
    return element("mrow", sign, number, parts[0])


def _node(e: Expr, plain: tuple[str, ...]) -> str:
    node = of_a_kind(e)

    def part(index: int, place: Place) -> str:
        fenced = needs_parentheses(node.children[index], place)
        return _fenced(plain[index]) if fenced else plain[index]

    match node:
        case Symbol() | Fixpoint():
            return name(node.name)
        case One():
            return element("mi", "I")
        case Zero():
            return element("mn", "0")
        case Sum():
            return _sum(node, tuple(part(i, "term") for i in range(len(plain))))
        case Product():
            return element("mrow", _BLANK.join(part(i, "factor") for i in range(len(plain))))
        case Scale():
            last: Place = "term" if isinstance(node.body, Product | Scale) else "factor"
            places: tuple[Place, ...] = ("factor", last) if len(plain) == 2 else (last,)
            return _scale(node, tuple(part(i, place) for i, place in enumerate(places)))
        case Transpose(body=Symbol() | Fixpoint() as inner):
            return name(inner.name, _STAR)
        case Transpose():
            return element("msup", part(0, "base"), _STAR)
        case Inverse(body=Symbol() | Fixpoint() as inner):
            return name(inner.name, _MINUS_ONE)
        case Inverse():
            return element("msup", part(0, "base"), _MINUS_ONE)
        case Root() | Diag():
            return _call("root" if isinstance(node, Root) else "diag", plain)
        case Local():
            return _call(node.name, plain)
        case _:
            assert_never(node)


def _below(node: Expr) -> tuple[Expr, ...]:
    return () if isinstance(node, Fixpoint) else node.children


def _side(e: Expr | Query) -> str:
    combine: Callable[[Expr, tuple[str, ...]], str] = _node
    if isinstance(e, Query):
        return _call(e.kind, (fold(e.body, combine, _below), *(element("mtext", escape(str(p))) for p in e.places)))
    return fold(e, combine, _below)


def mathml(*sides: Expr | Query) -> str:
    """A formula as MathML, or an equation of several sides; a very long one as plain text, cut.

    >>> from operator_algebra.symbols import H, phi
    >>> mathml(H @ phi.T.T)
    '<math><mrow><mi>H</mi><mspace width="0.25em"></mspace><mi>φ</mi></mrow></math>'
    """
    texts = [cut(repr(e), LONGEST) if isinstance(e, Query) else brief(e, LONGEST) for e in sides]
    if any(text.endswith("…") for text in texts):
        return element("code", escape(" = ".join(texts)))
    return element("math", element("mo", "=").join(map(_side, sides)))
