"""Sums, products and multiples: they check spaces, flatten, absorb I and 0, and move scalars to the front."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from operator_algebra.arguments import shown, told
from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.expressions import mismatch
from operator_algebra.expressions.nodes import Expr, One, Product, Scale, Sum, Zero
from operator_algebra.expressions.order import reading_key
from operator_algebra.operators.spaces import ONE, UNTYPED, Type

Scalar = int | float | Fraction | Expr

SCALAR = ONE >> ONE
_BITS = 4096
_LEAST, _LARGEST = Fraction(2) ** -1022, Fraction(2) ** 1024 - Fraction(2) ** 970
"""Between these a number has all its digits in a float."""


def one(type_: Type = UNTYPED) -> Expr:
    """The operator I, of a type if its place is known."""
    if type_ != UNTYPED and not type_.square:
        raise SpaceMismatch(mismatch.identity_between(type_))
    return One._make(type_, ())  # pyright: ignore[reportPrivateUsage]


def zero(type_: Type = UNTYPED) -> Expr:
    """The operator 0, of a type if its place is known."""
    return Zero._make(type_, ())  # pyright: ignore[reportPrivateUsage]


def retype(e: Expr, type_: Type) -> Expr:
    """Give an untyped expression (made of I and 0 alone) the type of its place."""
    if type_ == UNTYPED or e.typed:
        return e
    from operator_algebra.expressions.traverse import fold, rebuild

    def untyped_children(node: Expr) -> tuple[Expr, ...]:
        return () if node.typed else node.children

    def combine(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        if node.typed:
            return node
        if isinstance(node, One):
            return one(type_)
        return zero(type_) if isinstance(node, Zero) else rebuild(node, parts)

    return fold(e, combine, untyped_children)


def operand(value: object, what: str) -> Expr:
    """An argument as an expression; the number 0 stands for the operator 0, no other number for an operator."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, int | float | Fraction) and value == 0:
        return zero()
    if isinstance(value, numbers.Number):
        raise InputError(
            f"cannot {what} the bare number {shown(value)} and an operator. Write c * I for the multiple c of I."
        )
    remedy = "Bind arrays by name: oa.operator(...) or oa.vector(...)."
    if isinstance(value, str):
        remedy = "Read it first: oa.parse(...)."
    raise InputError(f"cannot {what} an operator and {told(value)}. {remedy}")


def summands(values: Sequence[object], what: str) -> list[Expr]:
    """The arguments of a sum: beside numbers one → one, a bare number c is one of them, c I."""
    small = any(isinstance(value, Expr) and value.type == SCALAR for value in values)

    def summand(value: object) -> Expr:
        if small and isinstance(value, numbers.Real):
            return scale(value, one(SCALAR))
        return operand(value, what)

    return [summand(value) for value in values]


def peel(e: Expr) -> tuple[list[Fraction | Expr], Expr]:
    """The scalars before an operator, and the operator."""
    scalars: list[Fraction | Expr] = []
    while isinstance(e, Scale):
        scalars.append(e.factor)
        e = e.body
    return scalars, e


def multiple(scalars: Sequence[Fraction | Expr], e: Expr) -> Expr:
    """An operator with scalars before it."""
    for factor in reversed(scalars):
        e = multiply(factor, e)
    return e


def _raw_product(factors: Sequence[Expr]) -> Expr:
    if len(factors) == 1:
        return factors[0]
    last, first = factors[-1], factors[0]
    type_ = Type(last.type.domain, first.type.codomain) if first.typed else UNTYPED
    return Product._make(type_, tuple(factors))  # pyright: ignore[reportPrivateUsage]


def matmul(*factors: object) -> Expr:
    """The product; the rightmost factor acts first.

    Scalars, such as x* y between other factors, move to the front; I and 0 are absorbed; nested products are flattened.
    """
    scalars: list[Fraction | Expr] = []
    bodies: list[Expr] = []
    for factor in factors:
        before, body = peel(operand(factor, "compose"))
        scalars += before
        bodies.append(body)
    if not bodies:
        raise InputError("a product needs at least one factor.")
    bodies = _typed(bodies)
    _check(bodies)
    if any(isinstance(body, Zero) for body in bodies):
        ends = bodies[0].typed and bodies[-1].typed
        return zero(Type(bodies[-1].type.domain, bodies[0].type.codomain) if ends else UNTYPED)
    kept = [factor for factor in _flat(bodies) if not isinstance(factor, One)]
    if len(kept) < 2:
        return multiple(scalars, kept[0] if kept else bodies[0])
    inner, rest = split_scalars(kept)
    body = _raw_product(rest) if rest else inner.pop()
    return multiple(_sorted([*scalars, *inner]), body)


def _typed(bodies: list[Expr]) -> list[Expr]:
    """Give untyped factors the space between their neighbours: the left one's, else the right one's."""
    if all(body.typed for body in bodies):
        return bodies
    first = next((body for body in bodies if body.typed), None)
    if first is None:
        return bodies
    space = first.type.codomain
    result: list[Expr] = []
    for body in bodies:
        typed = body if isinstance(body, Zero) else retype(body, space >> space)
        result.append(typed)
        space = typed.type.domain if typed.typed else space
    return result


def _flat(bodies: list[Expr]) -> list[Expr]:
    return [factor for body in bodies for factor in mismatch.factors_of(body)]


def _check(bodies: list[Expr]) -> None:
    for index in range(1, len(bodies)):
        a, b = bodies[index - 1], bodies[index]
        if a.typed and b.typed and a.type.domain != b.type.codomain:
            flat = [
                [f for body in side for f in mismatch.factors_of(body)] for side in (bodies[:index], bodies[index:])
            ]
            raise SpaceMismatch(mismatch.composition(*flat))


def _sorted(scalars: list[Fraction | Expr]) -> list[Fraction | Expr]:
    """Numbers commute: however a product was bracketed, they stand in one order."""
    if len(scalars) < 2:
        return scalars
    rationals: list[Fraction | Expr] = [c for c in scalars if isinstance(c, Fraction)]
    return rationals + sorted((e for e in scalars if isinstance(e, Expr)), key=reading_key)


def split_scalars(factors: Sequence[Expr]) -> tuple[list[Expr], Sequence[Expr]]:
    """What stands between two places of one number, such as x* y, and the other factors; a lone scalar stays."""
    places = [index for index, factor in enumerate(factors) if factor.type.codomain.sizes == "one"]
    if factors[-1].type.domain.sizes == "one":
        places.append(len(factors))
    if len(places) < 2 or (len(places) == 2 and places[1] - places[0] == len(factors)):
        return [], factors
    inner = [_raw_product(factors[i:j]) for i, j in pairwise(places)]
    return inner, [*factors[: places[0]], *factors[places[-1] :]]


def add(*terms: object) -> Expr:
    """The sum; I and 0 take the type of their neighbours, nested sums are flattened.

    A bare number is added to numbers one → one only: (1 + h) * X.
    """
    parts = summands(terms, "add")
    typed = next((part for part in parts if part.typed), None)
    if typed is not None:
        for index, part in enumerate(parts):
            if part.typed and part.type != typed.type:
                raise SpaceMismatch(mismatch.addition(typed, part))
            if not part.typed:
                if not isinstance(part, Zero) and not typed.type.square:
                    raise SpaceMismatch(mismatch.addition(typed, part))
                parts[index] = retype(part, typed.type)
    kept: list[Expr] = []
    for part in parts:
        if isinstance(part, Sum):
            kept.extend(part.children)
        elif not isinstance(part, Zero):
            kept.append(part)
    if not kept:
        return parts[0] if parts else zero()
    return kept[0] if len(kept) == 1 else Sum._make(kept[0].type, tuple(kept))  # pyright: ignore[reportPrivateUsage]


def subtract(a: object, b: object) -> Expr:
    """A − b."""
    left, right = summands((a, b), "subtract")
    return add(left, scale(-1, right))


def rational(value: object) -> Fraction:
    """An exact rational from a number; 0.1 is read as 1/10."""
    if isinstance(value, Fraction):
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError(
            f"{shown(value)} cannot scale an operator. Use a real number or an expression one → one (oa.scalar)."
        )
    if isinstance(value, numbers.Integral):
        return Fraction(int(value))
    number = float(value)
    if not math.isfinite(number):
        raise InputError(f"{number} cannot scale an operator: it is not finite.")
    return Fraction(repr(number))


def scale(factor: object, e: Expr) -> Expr:
    """A rational multiple of an expression."""
    c = rational(factor)
    if c == 0:
        return zero(e.type)
    if isinstance(e, Scale) and isinstance(e.factor, Fraction):
        c, e = c * e.factor, e.body
    if c == 1 or isinstance(e, Zero):
        return e
    if not _LEAST < abs(c) < _LARGEST:
        size = "large" if abs(c) > 1 else "small"
        where = f"about 2^{c.numerator.bit_length() - c.denominator.bit_length()}"
        raise InputError(f"a number before an operator is too {size} for floats: {where}. Change its units.")
    if max(c.numerator.bit_length(), c.denominator.bit_length()) > _BITS:
        raise InputError(f"a number before an operator has more than {_BITS} bits. Bind it by name: oa.scalar(...).")
    return Scale._make(e.type, (c, e))  # pyright: ignore[reportPrivateUsage]


def multiply(a: object, b: object) -> Expr:
    """The multiple of an operator by a number or by an expression one → one; never a product of operators."""
    if not isinstance(b, Expr):
        a, b = b, a
    if not isinstance(b, Expr):
        raise InputError("a multiple needs an expression.")
    if not isinstance(a, Expr):
        return scale(a, b)
    if a.type != SCALAR:
        a, b = b, a
    if a.type != SCALAR:
        raise InputError(mismatch.star(b, a))
    if isinstance(a, Scale) and isinstance(a.factor, Fraction):
        return scale(a.factor, multiply(a.body, b))
    if isinstance(a, One):
        return b
    if isinstance(a, Zero):
        return zero(b.type)
    if isinstance(b, One) and b.type == SCALAR:
        return a
    if isinstance(b, Scale) and isinstance(b.factor, Fraction):
        return scale(b.factor, multiply(a, b.body))
    if isinstance(b, Zero):
        return b
    return Scale._make(b.type, (a, b))  # pyright: ignore[reportPrivateUsage]


def divide(e: Expr, number: object) -> Expr:
    """E / c for a number c."""
    if isinstance(number, Expr):
        raise InputError("operators are not divided. Write inv(X) @ Y, or inv(s) * Y for a scalar s.")
    c = rational(number)
    if c == 0:
        raise InputError(f"cannot divide {mismatch.short(e)} by zero.")
    return scale(1 / c, e)
