"""What the numbers in a claim ask of a check: they are rational, so a difference in the last digit is a difference."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from math import lcm, prod

from operator_algebra.errors import OperatorAlgebraError
from operator_algebra.expressions.nodes import Expr, Inverse, Product, Root, Scale, Sum
from operator_algebra.expressions.normalize import RING, expression, polynomial
from operator_algebra.expressions.query import Combination
from operator_algebra.expressions.traverse import children, children_and_definition, fold
from operator_algebra.identities.catalogue import sides
from operator_algebra.identities.identity import Identity, Law
from operator_algebra.identities.variants import SHARED

# Beyond so many words a claim is judged as it stands.
_WORDS = 200
# Numbers of more bits than this are compared with no more than this.
_MOST = 512

Height = tuple[int, int]
"""A common denominator of the coefficients of a formula, and the largest numerator over it."""


@cache
def bits(law: Law) -> int:
    """How many bits tell the coefficients of a law apart: the smallest difference is 2^−bits of the largest.

    >>> from operator_algebra.symbols import M
    >>> bits(Identity("nearly", M, 1.000000000000001 * M)), bits(Identity("itself", M, M))
    (50, 1)
    """
    heights = [fold(side, _height, children_and_definition) for side in sides(law)]
    for side in (law.lhs, law.rhs):
        if isinstance(side, Combination):
            heights += [(c.denominator, abs(c.numerator)) for c in (side.number, *(c for c, _ in side.terms))]
    return min(_MOST, _sum(heights)[1].bit_length())


def _height(node: Expr, parts: tuple[Height, ...]) -> Height:
    match node:
        case Scale() if isinstance(node.factor, Fraction):
            ((denominator, numerator),) = parts
            return _cut(denominator * node.factor.denominator, numerator * abs(node.factor.numerator))
        case Sum():
            return _sum(parts)
        case Inverse() | Root():
            largest = max(*parts[0])
            return largest, largest
        case _:
            return _cut(prod(part[0] for part in parts), prod(part[1] for part in parts))


def _sum(parts: Iterable[Height]) -> Height:
    found = tuple(parts)
    common = lcm(*(denominator for denominator, _ in found))
    return _cut(common, max((numerator * (common // denominator) for denominator, numerator in found), default=1))


def _cut(denominator: int, numerator: int) -> Height:
    return min(denominator, 1 << _MOST), min(numerator, 1 << _MOST)


@cache
def without_shared(law: Identity) -> Identity | None:
    """The law without the terms that both sides share, which rational arithmetic cancels; None if they share none.

    What is left is divided by its largest coefficient: a multiple c X = 0 holds only where X = 0 does.

    >>> from operator_algebra.symbols import M
    >>> without_shared(Identity("nearly", M, 1.000000000000001 * M)).formula()
    '0 = M'
    """
    if sum(fold(side, _words, children) for side in (law.lhs, law.rhs)) > _WORDS:
        return None
    try:
        left, right = polynomial(law.lhs), polynomial(law.rhs)
        rest = RING.minus(left, right)
        if not rest or not left.keys() & right.keys():
            return None
        largest = max(map(abs, rest.values()))
        lhs = expression({word: c / largest for word, c in rest.items() if c > 0}, law.lhs)
        rhs = expression({word: -c / largest for word, c in rest.items() if c < 0}, law.lhs)
        return Identity(law.name + SHARED, lhs, rhs, domain=law.domain)
    except OperatorAlgebraError:
        return None


def _words(node: Expr, parts: tuple[int, ...]) -> int:
    """How many words a formula may have once it is written out."""
    match node:
        case Sum():
            return sum(parts)
        case Product() | Scale():
            return min(prod(parts), 1 << 20)
        case _:
            return 1
