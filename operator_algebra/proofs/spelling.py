"""What stands in a certificate, as a person writes it: φ for phi, (H P H*)⁻¹ for a letter of an inverse."""

from __future__ import annotations

import re

from operator_algebra.expressions.names import unicode_name
from operator_algebra.expressions.nodes import Expr
from operator_algebra.proofs.certificate import Writer
from operator_algebra.proofs.kernel import Data
from operator_algebra.proofs.letters import Form
from operator_algebra.proofs.theory import Theory

_LONG = 6
"""Terms of a polynomial that are shown."""


def spelled(name: str) -> str:
    """One letter: phi' is φ*, inverse(D) is D⁻¹.

    >>> spelled("phi'"), spelled("inverse(D)"), spelled("root(D)'")
    ('φ*', 'D⁻¹', 'root(D)*')
    """
    star = "*" if name.endswith("'") else ""
    base = name.rstrip("'")
    if "(" not in base:
        return unicode_name(base) + star
    kind, inner = base.split("(", 1)
    body = unicode_name(inner.partition(")")[0])
    if kind == "inverse":
        return f"{body}⁻{'*' if star else '¹'}"
    return f"{kind}({body}){star}"


def word(text: str) -> str:
    """A word; the empty one is I."""
    return " ".join(map(spelled, text.split())) or "I"


def formula(told: Data) -> str:
    """A formula of a certificate."""
    if isinstance(told, str):
        return word(told)
    head, *parts = told
    texts = [formula(part) for part in parts]
    if head == "+":
        return _sum(texts) or "0"
    sums = [not isinstance(part, str) and part[0] == "+" for part in parts]
    wrapped = [f"({text})" if plus else text for text, plus in zip(texts, sums, strict=True)]
    if head == "*":
        return " ".join(wrapped)
    if head == "'":
        return f"{wrapped[0]}*" if sums[0] or " " not in wrapped[0] else f"({wrapped[0]})*"
    return f"−{wrapped[0]}" if head == "-1" else f"{head} {wrapped[0]}"


def polynomial(told: dict[str, str]) -> str:
    """A polynomial of a certificate: coefficients of words."""
    terms = sorted(told.items(), key=lambda term: (term[0].count(" "), term[0]))
    shown = [_term(c, text) for text, c in terms[:_LONG]]
    more = len(told) - len(shown)
    return (_sum(shown) or "0") + (f" … ({more} more terms)" if more > 0 else "")


def _term(c: str, text: str) -> str:
    front = {"1": "", "-1": "−"}.get(c, c.replace("-", "−") + " ")
    return front + word(text)


def _sum(terms: list[str]) -> str:
    return " + ".join(terms).replace("+ −", "− ")


def left_over(theory: Theory, rest: Form, *sides: Expr) -> str:
    """What is left of a claim."""
    writer = Writer(theory)
    writer.prefer(sides)
    return polynomial(writer.polynomial(rest))


def assumption(told: str, certificate: dict[str, Data]) -> str:
    """What the kernel says is assumed, in words."""
    name = told.removesuffix(" exists")
    for own, kind, *given in certificate["declare"]:
        if own == name and kind in ("inverse", "root"):
            called = re.fullmatch(r"\w+\((\w+)\)", name)
            what = spelled(called[1]) if called else formula(given[0])
            return f"{what} is {'invertible' if kind == 'inverse' else 'positive definite'}"
    return told
