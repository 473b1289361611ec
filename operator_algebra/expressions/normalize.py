"""The normal form of ring expressions: sums of products over atoms. Equality of normal forms is ring equality."""

from __future__ import annotations

from fractions import Fraction

from operator_algebra.errors import InputError
from operator_algebra.expressions.build import add, diag, inv, matmul, multiply, one, scale, zero
from operator_algebra.expressions.nodes import (
    Diag,
    Expr,
    Inverse,
    One,
    Product,
    Scale,
    Sum,
    Zero,
)
from operator_algebra.expressions.traverse import postorder

Word = tuple[tuple[Expr, ...], tuple[Expr, ...]]
Polynomial = dict[Word, Fraction]
"""Coefficients of words; a word is its sorted scalars and its factors."""

LIMIT = 50_000


def _multiply(a: Polynomial, b: Polynomial) -> Polynomial:
    if len(a) * len(b) > LIMIT:
        raise InputError(f"the normal form has more than {LIMIT} terms. Name parts of the formula with define().")
    result: Polynomial = {}
    for (scalars_a, word_a), ca in a.items():
        for (scalars_b, word_b), cb in b.items():
            word = _reduce(word_a + word_b)
            key = (tuple(sorted(scalars_a + scalars_b, key=id)), word)
            result[key] = result.get(key, Fraction(0)) + ca * cb
    return {word: c for word, c in result.items() if c}


def _reduce(word: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Cancel X X⁻¹ and X⁻¹ X."""
    kept: list[Expr] = []
    for factor in word:
        if kept and _cancel(kept[-1], factor):
            kept.pop()
        else:
            kept.append(factor)
    return tuple(kept)


def _cancel(a: Expr, b: Expr) -> bool:
    return (isinstance(a, Inverse) and a.body is b) or (isinstance(b, Inverse) and b.body is a)


def polynomial(e: Expr) -> Polynomial:
    """The normal form as coefficients of words over atoms."""
    done: dict[Expr, Polynomial] = {}
    for node in postorder(e):
        match node:
            case Zero():
                result: Polynomial = {}
            case One():
                result = {((), ()): Fraction(1)}
            case Sum():
                result = {}
                for child in node.children:
                    for word, c in done[child].items():
                        result[word] = result.get(word, Fraction(0)) + c
                result = {word: c for word, c in result.items() if c}
                if len(result) > LIMIT:
                    raise InputError(f"the normal form has more than {LIMIT} terms. Name parts of the formula.")
            case Product():
                result = {((), ()): Fraction(1)}
                for child in node.children:
                    result = _multiply(result, done[child])
            case Scale() if isinstance(node.factor, Fraction):
                result = {word: c * node.factor for word, c in done[node.body].items()}
            case Scale():
                assert isinstance(node.factor, Expr)
                factor = expression(done[node.factor], node.factor)
                word_scalar: Polynomial = {((factor,), ()): Fraction(1)}
                if isinstance(factor, Zero):
                    word_scalar = {}
                result = _multiply(word_scalar, done[node.body])
            case Inverse() | Diag():
                inner = expression(done[node.body], node.body)
                made = inv(inner) if isinstance(node, Inverse) else diag(inner)
                result = _atom(made)
            case _:
                result = _atom(node)
        done[node] = result
    return done[e]


def _atom(e: Expr) -> Polynomial:
    if isinstance(e, Scale) and isinstance(e.factor, Fraction):
        return {((), (e.body,)): e.factor}
    if isinstance(e, One):
        return {((), ()): Fraction(1)}
    if isinstance(e, Zero):
        return {}
    return {((), (e,)): Fraction(1)}


def _order(word: Word) -> tuple[int, str]:
    return len(word[1]), " ".join(str(factor) for factor in word[0] + word[1])


def expression(words: Polynomial, like: Expr) -> Expr:
    """The expression of a normal form, terms in a fixed order; `like` gives the type of I and 0."""
    if not words:
        return zero(like.type)
    terms: list[Expr] = []
    for word in sorted(words, key=_order):
        scalars, factors = word
        body = matmul(*factors) if factors else one(like.type)
        for factor in scalars:
            body = multiply(factor, body)
        terms.append(scale(words[word], body))
    return add(*terms)


def normalize(e: Expr) -> Expr:
    """The canonical sum of products of an expression."""
    return expression(polynomial(e), e)


def equal(e: Expr, f: Expr) -> bool:
    """Whether e and f are equal as elements of the ring, by distributing and cancelling alone.

    >>> from operator_algebra.symbols import H, I, phi, K
    >>> equal((I + H @ phi @ K) @ (I - H @ phi @ K), I - H @ phi @ K @ H @ phi @ K)
    True
    """
    if e.typed and f.typed and e.type != f.type:
        return False
    return not polynomial(add(e, scale(-1, f)))
