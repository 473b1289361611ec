"""Rational functions whose denominators are products of known polynomials.

Exact arithmetic without greatest common divisors, which would take hours here: an inverse makes its numerator a known
factor, and results are reduced by trial division with those factors. The pivots of an elimination are such factors,
and what divides out is just what Cramer's rule promises.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, SupportsFloat

from operator_algebra.backends.closed_forms.symbolic import Poly, Ring, rings, sympy
from operator_algebra.errors import InputError

Real = SupportsFloat | int | Fraction
"""A number that stands for a rational one."""

LARGEST = 1_000_000
"""Polynomials of more terms times variables are refused: nobody would read them, and memory would fill."""
WORK = 30_000_000
"""Products of terms, those of long numbers counted more, after which a closed form is given up: half a minute."""


class TooLarge(InputError):
    """A closed form that has outgrown what anyone could read or wait for."""


class Ratio:
    """numerator / (divisor Π factor ** power); `reduced` divides out what can be divided out."""

    __slots__ = ("denominator", "divisor", "home", "numerator")

    def __init__(
        self, home: RationalFunctions, numerator: Poly, denominator: Mapping[int, int], divisor: int = 1
    ) -> None:
        self.home = home
        self.numerator = numerator
        self.denominator = denominator
        self.divisor = divisor

    def __bool__(self) -> bool:
        return bool(self.numerator)

    def __neg__(self) -> Ratio:
        return Ratio(self.home, -self.numerator, self.denominator, self.divisor)

    def __add__(self, other: Ratio | Real) -> Ratio:
        b = self.home.number(other)
        if not b.numerator:
            return self
        if not self.numerator:
            return b
        common, divisor = dict(self.denominator), math.lcm(self.divisor, b.divisor)
        for factor, power in b.denominator.items():
            common[factor] = max(power, common.get(factor, 0))
        total = self.home.over(self, common, divisor) + self.home.over(b, common, divisor)
        return Ratio(self.home, total, common, divisor)

    __radd__ = __add__

    def __sub__(self, other: Ratio | Real) -> Ratio:
        return self + -self.home.number(other)

    def __rsub__(self, other: Ratio | Real) -> Ratio:
        return -self + other

    def __mul__(self, other: Ratio | Real) -> Ratio:
        b = self.home.number(other)
        if not self.numerator or not b.numerator:
            return self.home.zero
        powers = dict(self.denominator)
        for factor, power in b.denominator.items():
            powers[factor] = powers.get(factor, 0) + power
        return Ratio(self.home, self.home.product(self.numerator, b.numerator), powers, self.divisor * b.divisor)

    __rmul__ = __mul__

    def __truediv__(self, other: Ratio | Real) -> Ratio:
        return self * self.home.reciprocal(self.home.number(other))


class RationalFunctions:
    """The rational functions of `count` variables, and of `late` variables that will stand for √x or log x."""

    def __init__(self, count: int, late: int) -> None:
        names = [f"x{i}" for i in range(max(1, count + late))]
        self.ring: Ring = rings.PolyRing(names, sympy.ZZ, sympy.polys.orderings.lex)
        self.count = count
        self.late: list[tuple[Literal["sqrt", "log"], Ratio]] = []
        self.work = 0
        self.factors: list[Poly] = []
        self._values: list[int] = []
        chance = random.Random(0)
        self._point = [chance.randrange(1000, 10000) for _ in names]
        self.zero = Ratio(self, self.ring.zero, {})
        self.one = Ratio(self, self.ring.one, {})

    # -- making ----------------------------------------------------------------------------------------------------

    def number(self, value: Ratio | Real) -> Ratio:
        """A rational number, or what is a ratio already."""
        if isinstance(value, Ratio):
            return value
        if value == 0:
            return self.zero
        if value == 1:
            return self.one
        fraction = exact(value)
        return Ratio(self, self.ring.ground_new(fraction.numerator), {}, fraction.denominator)

    def variable(self, i: int) -> Ratio:
        """Variable i."""
        return Ratio(self, self.ring.gens[i], {})

    def know(self, factor: Poly) -> int:
        """The number of a polynomial among the known factors."""
        for i, known in enumerate(self.factors):
            if known == factor:
                return i
        self.factors.append(factor)
        self._values.append(self._value(factor))
        return len(self.factors) - 1

    def square_root(self, x: Ratio) -> Ratio:
        """√x as a new variable whose square is x; a rational number where x is the square of one."""
        x = self.reduced(x)
        if not x.denominator and x.numerator.is_ground and x.numerator.LC > 0:
            top, bottom = int(x.numerator.LC), x.divisor
            if math.isqrt(top) ** 2 == top and math.isqrt(bottom) ** 2 == bottom:
                return self.number(Fraction(math.isqrt(top), math.isqrt(bottom)))
        return self._late("sqrt", x)

    def logarithm(self, x: Ratio) -> Ratio:
        """log x as a new variable."""
        return self._late("log", self.reduced(x))

    def _late(self, kind: Literal["sqrt", "log"], x: Ratio) -> Ratio:
        content = (kind, x.numerator, x.denominator, x.divisor)
        for i, (known, of) in enumerate(self.late):
            if (known, of.numerator, of.denominator, of.divisor) == content:
                return self.variable(self.count + i)
        self.late.append((kind, x))
        return self.variable(self.count + len(self.late) - 1)

    # -- reducing --------------------------------------------------------------------------------------------------

    def over(self, x: Ratio, common: Mapping[int, int], divisor: int) -> Poly:
        """The numerator of x over a common denominator."""
        numerator = x.numerator
        if divisor != x.divisor:
            numerator = numerator * (divisor // x.divisor)
        if common != x.denominator:
            for factor, power in common.items():
                for _ in range(power - x.denominator.get(factor, 0)):
                    numerator = self.product(numerator, self.factors[factor])
        return numerator

    def product(self, a: Poly, b: Poly) -> Poly:
        """The product of two polynomials, unless the closed form has become hopeless."""
        what = f"polynomials of {len(a)} and {len(b)} terms are multiplied"
        self._spend(len(a) * len(b) * (1 + _digits(a) + _digits(b)), what)
        result = a * b
        if len(result) * self.ring.ngens > LARGEST:
            raise TooLarge(what)
        return result

    def _spend(self, work: int, what: str) -> None:
        self.work += work
        if self.work > WORK:
            raise TooLarge(what)

    def reduced(self, x: Ratio) -> Ratio:
        """The same value in lowest terms, as far as the known factors go, without squares of square roots."""
        x = self._without_squares(x)
        if not x.numerator:
            return self.zero
        numerator, left, divisor = x.numerator, dict(x.denominator), x.divisor
        for factor, power in x.denominator.items():
            for _ in range(power):
                quotient = self._divided(numerator, factor)
                if quotient is None:
                    break
                numerator = quotient
                left[factor] -= 1
        if divisor > 1 and (common := content(numerator, divisor)) > 1:
            numerator, divisor = numerator.quo_ground(common), divisor // common
        return Ratio(self, numerator, {factor: power for factor, power in left.items() if power}, divisor)

    def _divided(self, numerator: Poly, factor: int) -> Poly | None:
        self._spend(len(numerator) * self.ring.ngens // 4, f"a polynomial of {len(numerator)} terms is divided")
        if len(numerator) > 1 and self._value(numerator) % self._values[factor]:
            return None
        return quotient(numerator, self.factors[factor])

    def _value(self, polynomial: Poly) -> int:
        """The value at a fixed random point: where that does not divide, the polynomial does not."""
        total = 0
        for monomial, coefficient in polynomial.items():
            term = coefficient
            for x, power in zip(self._point, monomial, strict=True):
                if power:
                    term *= x**power
            total += term
        return total

    def _without_squares(self, x: Ratio) -> Ratio:
        for i in range(len(self.late) - 1, -1, -1):
            kind, square = self.late[i]
            parts = split(x.numerator, self.count + i) if kind == "sqrt" else {}
            if max(parts, default=0) >= 2:
                total = self.zero
                for power, part in parts.items():
                    term = Ratio(self, part, x.denominator, x.divisor)
                    if power % 2:
                        term = term * self.variable(self.count + i)
                    for _ in range(power // 2):
                        term = term * square
                    total = total + term
                x = total
        return x

    # -- inverting -------------------------------------------------------------------------------------------------

    def reciprocal(self, x: Ratio) -> Ratio:
        """1 / x; roots leave the denominator, and what is left of it becomes a known factor."""
        x = self.reduced(x)
        if not x.numerator:
            raise ZeroDivisionError
        above = Ratio(self, self.over(self.one, x.denominator, 1), {}) * x.divisor
        for i in range(len(self.late) - 1, -1, -1):
            parts = split(x.numerator, self.count + i) if self.late[i][0] == "sqrt" else {}
            if 1 in parts:
                a, b = Ratio(self, parts.get(0, self.ring.zero), {}), Ratio(self, parts[1], {})
                norm = a * a - b * b * self.late[i][1]
                return self.reduced((a - b * self.variable(self.count + i)) * above * self.reciprocal(norm))
        return self.reduced(above * self._inverse_of_polynomial(x.numerator))

    def _inverse_of_polynomial(self, p: Poly) -> Ratio:
        powers: dict[int, int] = {}
        common = tuple(min(column) for column in zip(*p, strict=True))
        for i, power in enumerate(common):
            if power:
                powers[self.know(self.ring.gens[i])] = power
        if any(common):
            rest = quotient(p, self.ring.from_dict({common: 1}))
            assert rest is not None
            p = rest
        for factor in range(len(self.factors)):
            while not p.is_ground and (rest := self._divided(p, factor)) is not None:
                p = rest
                powers[factor] = powers.get(factor, 0) + 1
        scale, primitive = self._primitive(p)
        if not primitive.is_ground:
            factor = self.know(primitive)
            powers[factor] = powers.get(factor, 0) + 1
        return Ratio(self, self.ring.ground_new(1 if scale > 0 else -1), powers, abs(int(scale)))

    def _primitive(self, p: Poly) -> tuple[int, Poly]:
        """A number times a polynomial without common factors, positive where no joint has moved."""
        scale, primitive = p.primitive()
        at_rest = sum(coefficient for monomial, coefficient in primitive.items() if sum(monomial) == 0)
        if (at_rest or primitive.LC) < 0:
            scale, primitive = -scale, -primitive
        return scale, primitive


SIMPLE = 10_000
"""Floats within rounding of a fraction with a denominator up to this are that fraction: 0.0833… is one twelfth."""


def exact(value: Real) -> Fraction:
    """The number that a float stands for: a simple fraction, else the decimal that it prints as."""
    if isinstance(value, int | Fraction):
        return Fraction(value)
    x = float(value)
    simple = Fraction(x).limit_denominator(SIMPLE)
    return simple if abs(float(simple) - x) <= 2.0 * math.ulp(x) else Fraction(repr(x))


def _digits(p: Poly) -> int:
    """The length of a coefficient, in units that cost as much as the rest of a product of two terms."""
    return next(iter(p.values()), 0).bit_length() // 512


def quotient(p: Poly, factor: Poly) -> Poly | None:
    """P / factor where it is a polynomial, else None; the leading terms decide, so most attempts end at once."""
    leading = factor.LM
    head = factor[leading]
    tail = [(monomial, c) for monomial, c in factor.items() if monomial != leading]
    rest = dict(p)
    order = [tuple(-e for e in monomial) for monomial in rest]
    heapq.heapify(order)
    result = p.ring.zero
    while rest:
        monomial = tuple(-e for e in heapq.heappop(order))
        if monomial not in rest:
            continue
        power = tuple(a - b for a, b in zip(monomial, leading, strict=True))
        if min(power) < 0:
            return None
        coefficient, left = divmod(rest.pop(monomial), head)
        if left:
            return None
        result[power] = coefficient
        for step, c in tail:
            place = tuple(a + b for a, b in zip(power, step, strict=True))
            before = rest.get(place)
            if before is None:
                rest[place] = -coefficient * c
                heapq.heappush(order, tuple(-e for e in place))
            elif after := before - coefficient * c:
                rest[place] = after
            else:
                del rest[place]
    return result


def content(p: Poly, divisor: int) -> int:
    """The greatest number that divides a whole number and every coefficient."""
    for coefficient in p.values():
        divisor = math.gcd(divisor, int(coefficient))
        if divisor == 1:
            break
    return divisor


def split(p: Poly, i: int) -> dict[int, Poly]:
    """The coefficients of the powers of variable i."""
    parts: dict[int, Poly] = {}
    for monomial, coefficient in p.items():
        power = monomial[i]
        rest = (*monomial[:i], 0, *monomial[i + 1 :])
        parts.setdefault(power, p.ring.zero)[rest] = coefficient
    return parts
