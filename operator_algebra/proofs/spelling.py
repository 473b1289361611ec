"""What stands in a certificate, as a person writes it: φ for phi, D⁻¹ for inverse(D); in Unicode, ASCII or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from operator_algebra.expressions.names import Style as Style
from operator_algebra.expressions.names import written as name_written
from operator_algebra.expressions.nodes import Expr
from operator_algebra.proofs.kernel import FUNCTIONS, Data
from operator_algebra.proofs.letters import Form, Rational
from operator_algebra.proofs.theory import TRAITS, Theory
from operator_algebra.proofs.writer import Writer

_LONG = 6
"""Terms of a polynomial that are shown where it is no part of a proof."""
_NAMELESS = {kind: rf"{kind}(_\d+)?" for kind in ("inverse", "root", "diag", "own", *FUNCTIONS)} | {"define": r"\(.*"}
"""What letters are called in a certificate that nobody has given a name."""
_STAR = {"unicode": "*", "ascii": "'", "latex": "^{*}"}


def spelled(name: str, style: Style = "unicode") -> str:
    """One letter: phi' is φ*, inverse(D) is D⁻¹; what stands in brackets, such as a reason, stays.

    >>> spelled("phi'"), spelled("inverse(D)"), spelled("root(D)'"), spelled("inverse(D)'", "latex")
    ('φ*', 'D⁻¹', 'root(D)*', 'D^{-*}')
    >>> spelled("(I+H·phi·K)'")
    '(I + H φ K)*'
    """
    if name[0] in "[⟨":
        text = name if name[0] == "[" else name[1:-1]
        return rf"\text{{{text}}}" if style == "latex" else text
    star = _STAR[style] if name.endswith("'") else ""
    base = name.rstrip("'")
    if base[0] == "(":  # a sum that has no name
        sign = "−" if style == "unicode" else "-"
        parts = (part for part in re.split(r"([-+])", base[1:-1].replace("·", " ")) if part)
        return f"({' '.join(part.replace('-', sign) if part in '-+' else word(part, style) for part in parts)}){star}"
    if "(" not in base:
        return name_written(base, style) + star
    kind, inner = base.split("(", 1)
    body = name_written(inner.partition(")")[0], style)
    if kind == "inverse" and style != "ascii":
        up = "*" if star else "1"
        return f"{body}^{{-{up}}}" if style == "latex" else f"{body}⁻{'*' if star else '¹'}"
    called = "inv" if kind == "inverse" else kind
    return rf"\operatorname{{{called}}}({body}){star}" if style == "latex" else f"{called}({body}){star}"


def word(text: str | Iterable[str], style: Style = "unicode") -> str:
    """A word; the empty one is I."""
    names = text.split() if isinstance(text, str) else text
    return " ".join(spelled(name, style) for name in names) or "I"


def written(terms: Sequence[tuple[Rational, Sequence[str]]], style: Style = "unicode") -> str:
    """A polynomial: rational multiples of words.

    >>> written([(Fraction(1), ("phi",)), (Fraction(-1, 2), ())])
    'φ − 1/2 I'
    """
    minus = "−" if style == "unicode" else "-"
    texts: list[str] = []
    for c, names in terms:
        size = "" if abs(c) == 1 else f"{_fraction(abs(c), style)} "
        sign = f"{minus} " if c < 0 else "+ "
        front = (minus if c < 0 else "") if not texts else sign
        texts.append(f"{front}{size}{word(names, style)}")
    return " ".join(texts) or "0"


def arranged(terms: Iterable[tuple[Rational, tuple[str, ...]]]) -> tuple[tuple[Rational, tuple[str, ...]], ...]:
    """The shortest words first, but no minus in front if it can be helped."""
    found = sorted(terms, key=lambda term: (len(term[1]), term[1]))
    first = next((k for k, (c, _) in enumerate(found) if c > 0), 0)
    return (*found[first : first + 1], *found[:first], *found[first + 1 :])


def _fraction(c: Rational, style: Style) -> str:
    if style == "latex" and c.denominator != 1:
        return rf"\tfrac{{{c.numerator}}}{{{c.denominator}}}"
    return str(c)


def formula(told: Data) -> str:
    """A formula of a certificate, in its order."""
    if isinstance(told, str):
        return word(told)
    return written([(Fraction(c), text.split()) for text, c in told.items()])


def polynomial(told: dict[str, str]) -> str:
    """A polynomial of a certificate, its shortest words first, cut where it is long."""
    terms = arranged((Fraction(c), tuple(text.split())) for text, c in told.items())
    more = len(terms) - _LONG
    return written(terms[:_LONG]) + (f" … ({more} more terms)" if more > 0 else "")


def left_over(theory: Theory, rest: Form, *sides: Expr) -> str:
    """What is left of a claim."""
    writer = Writer(theory)
    writer.prefer(sides)
    return polynomial(writer.polynomial(rest))


def assumption(told: str, certificate: Data) -> str:
    """What the kernel says is assumed, in words."""
    name = told.removesuffix(" exists")
    declared = {own: (kind, given) for own, kind, *given in certificate["declare"] if kind != "equals"}
    kind, given = declared.get(name, ("", [""]))
    inner = str(given[0]).rstrip("'")
    if kind == "inverse" and inner in declared and declared[inner][0] == "root":  # the root of what is positive has one
        name, (kind, given) = inner, declared[inner]
    if kind not in ("inverse", "root"):
        return TRAITS.get(told, told)
    called = re.fullmatch(r"\w+\((\w+)\)", name)
    what = spelled(called[1]) if called else _spelled_out(given[0], declared)
    return f"{what} is {'invertible' if kind == 'inverse' else 'positive definite'}"


_Declared: TypeAlias = Mapping[str, tuple[str, Sequence[Data]]]


def _spelled_out(told: Data, declared: _Declared) -> str:
    """A formula of a certificate, where letters without a name of their own are what they are made of."""
    terms = [("1", told)] if isinstance(told, str) else [(c, text) for text, c in told.items()]
    return written([(Fraction(c), [_named(name, declared) for name in text.split()]) for c, text in terms])


def _named(name: str, declared: _Declared) -> str:
    base = name.rstrip("'")
    kind, given = declared.get(base, ("", ()))
    if kind not in _NAMELESS or not re.fullmatch(_NAMELESS[kind], base):
        return name
    body, star = _spelled_out(given[0], declared), "*" if name != base else ""
    if kind == "inverse":
        return f"⟨({body})⁻{star or '¹'}⟩"
    return f"⟨{'' if kind == 'define' else kind}({body}){star}⟩"
