"""The normal form of ring expressions: sums of words over atoms. Equality of normal forms is ring equality.

A word is a commutative product of numbers one → one and a product of operators; X X⁻¹ cancels, the inverse of a product
of square factors is split, diag is linear. The inverse of a sum is an atom.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import assert_never

from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.expressions.build import diag, inv
from operator_algebra.expressions.formulas import formula
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
from operator_algebra.expressions.order import reading_key
from operator_algebra.expressions.ring import (
    SCALAR,
    add,
    matmul,
    multiple,
    one,
    retype,
    scale,
    split_scalars,
    zero,
)
from operator_algebra.expressions.traverse import postorder
from operator_algebra.expressions.words import Polynomial, Ring, Word

LIMIT = 50_000


def _scalars(numbers: Iterable[Expr]) -> tuple[Expr, ...]:
    """Numbers in a fixed order: s and s* are one number, s and s⁻¹ cancel."""
    powers: Counter[Expr] = Counter()
    for s in numbers:
        base = s.body if isinstance(s, Inverse) else s
        powers[min(base, base.T, key=reading_key)] += -1 if isinstance(s, Inverse) else 1
    flat = [base if power > 0 else inv(base) for base, power in powers.items() for _ in range(abs(power))]
    return tuple(sorted(flat, key=reading_key))


def _word(numbers: Sequence[Expr], factors: Sequence[Expr]) -> Word[Expr, Expr]:
    kept: list[Expr] = []
    for factor in factors:
        if kept and _cancel(kept[-1], factor):
            kept.pop()
        else:
            kept.append(factor)
    if not kept:
        return (_scalars(numbers) if numbers else ()), ()
    inner, rest = split_scalars(kept)
    if not inner and kept[0].type.codomain == SCALAR.codomain and kept[-1].type.domain == SCALAR.domain:
        inner, rest = [matmul(*kept)], ()
    return (_scalars([*numbers, *inner]) if numbers or inner else ()), tuple(rest)


def _cancel(a: Expr, b: Expr) -> bool:
    return (isinstance(a, Inverse) and a.body is b) or (isinstance(b, Inverse) and b.body is a)


def _limited(terms: int) -> None:
    if terms > LIMIT:
        raise InputError(f"the normal form has more than {LIMIT} terms. Name parts of the formula with define().")


RING: Ring[Expr, Expr, Fraction] = Ring(Fraction(1), _word, _limited)
Form = Polynomial[Expr, Expr, Fraction]
"""A normal form: coefficients of words, which are sorted numbers and factors."""


class _Reader:
    """Normal forms of the nodes of one expression; remembers what the inverse atoms are the inverses of."""

    def __init__(self) -> None:
        self.done: dict[Expr, Form] = {}
        self.under: dict[Expr, Form] = {}

    def read(self, node: Expr) -> Form:
        node = of_a_kind(node)
        match node:
            case Zero():
                return {}
            case One():
                return RING.of()
            case Sum():
                return RING.sum(self.done[child] for child in node.children)
            case Scale() if isinstance(node.factor, Fraction):
                return RING.scaled(node.factor, self.done[node.body])
            case Product() | Scale():
                return RING.product(self.done[child] for child in node.children)
            case Inverse():
                return self.inverse(self.done[node.body], node.body)
            case Diag():
                return RING.sum(_diag(word, c) for word, c in self.done[node.body].items())
            case Symbol() | Transpose() | Root() | Fixpoint() | Local():
                return RING.of(node)
            case _:
                assert_never(node)

    def inverse(self, terms: Form, like: Expr) -> Form:
        if not terms:
            raise SpaceMismatch(f"cannot invert {reading_key(like)[0]}: it is 0.")
        if len(terms) > 1:
            lead = terms[min(terms, key=_order)]
            monic = RING.scaled(1 / lead, terms)
            body = expression(monic, like)
            self.under[body] = monic
            return RING.scaled(1 / lead, RING.of(inv(body)))
        ((numbers, factors), c) = next(iter(terms.items()))
        front = RING.scaled(1 / c, RING.of(numbers=[inv(s) for s in numbers]))
        if all(factor.type.same_sizes for factor in factors):
            return RING.product([front, *(self.undo(factor) for factor in reversed(factors))])
        return RING.product([front, RING.of(inv(matmul(*factors)))])

    def undo(self, factor: Expr) -> Form:
        if isinstance(factor, Inverse) and factor.body in self.under:
            return self.under[factor.body]
        return RING.of(inv(factor))


def _diag(word: Word[Expr, Expr], c: Fraction) -> Form:
    numbers, factors = word
    if not factors:
        return {word: c}
    body = diag(matmul(*factors))
    if not isinstance(body, Diag):
        return {word: c}
    return {} if body.structure.strict else {_word(numbers, (body,)): c}


def polynomial(e: Expr) -> Form:
    """The normal form as coefficients of words over atoms."""
    reader = _Reader()
    for node in postorder(e):
        reader.done[node] = reader.read(node)
    return reader.done[e]


def _order(word: Word[Expr, Expr]) -> tuple[int, list[tuple[str, bytes]]]:
    return len(word[1]), [reading_key(part) for part in word[0] + word[1]]


def expression(words: Form, like: Expr) -> Expr:
    """The expression of a normal form, terms in a fixed order; `like` gives the type of I and 0."""
    if not words:
        return zero(like.type)
    terms: list[Expr] = []
    for word in sorted(words, key=_order):
        numbers, factors = word
        body = matmul(*factors) if factors else one(like.type)
        terms.append(scale(words[word], multiple(numbers, body)))
    return add(*terms)


def normalize(e: Expr) -> Expr:
    """The canonical sum of products of an expression.

    >>> from operator_algebra.symbols import H, I, K, phi
    >>> normalize((I - H @ phi @ K) @ (I + H @ phi @ K)).render()
    'I − H φ K H φ K'
    """
    return expression(polynomial(e), e)


def equal(e: Expr | str, f: Expr | str) -> bool:
    """Whether e and f are equal as elements of the ring, by distributing and cancelling alone.

    >>> from operator_algebra.symbols import H, I, phi, K
    >>> equal((I + H @ phi @ K) @ (I - H @ phi @ K), I - H @ phi @ K @ H @ phi @ K)
    True
    """
    e, f = formula(e, "equal"), formula(f, "equal")
    if e.typed != f.typed:
        typed, other = (e, f) if e.typed else (f, e)
        if not typed.type.square and not isinstance(other, Zero):
            return False
        e, f = typed, retype(other, typed.type)
    if e.type != f.type:
        return False
    return not polynomial(add(e, scale(-1, f)))
