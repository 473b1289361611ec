"""SymPy expressions as rational functions and back: sines and cosines of an angle through the tangent of its half.

sin x = 2 t / (1 + t²), cos x = (1 − t²) / (1 + t²) with t = tan x/2: then sin² + cos² = 1 needs no rule of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from importlib import import_module
from typing import Any

from operator_algebra.backends.closed_forms.ratios import (
    Ratio,
    RationalFunctions,
    TooLarge,
    exact,
    split,
)
from operator_algebra.backends.closed_forms.symbolic import Expression, Monomial, Poly, Ring, rings, sympy
from operator_algebra.errors import InputError

_MULTIPLES = 20


class Translator:
    """The variables that a set of expressions needs, and both translations; `late` variables may follow."""

    def __init__(self, expressions: Iterable[Expression], late: int) -> None:
        self._angles: dict[Expression, int] = {}
        self._atoms: dict[Expression, int] = {}
        primes: set[int] = set()
        self._collect(expressions, primes)
        for i, atom in enumerate(self._atoms):
            self._atoms[atom] = len(self._angles) + i
        self.functions = RationalFunctions(len(self._angles) + len(self._atoms), late + len(primes))
        ring = self.functions.ring
        self._halves = [self.functions.know(1 + ring.gens[i] ** 2) for i in range(len(self._angles))]
        self._known: dict[Expression, Ratio] = {}

    # -- collecting variables --------------------------------------------------------------------------------------

    def _collect(self, expressions: Iterable[Expression], primes: set[int]) -> None:
        seen: set[Expression] = set()
        pending = list(expressions)
        while pending:
            e = pending.pop()
            if e in seen:
                continue
            seen.add(e)
            e = plain(e)
            if e.is_Rational or e.is_Float:
                continue
            if e.is_Add or e.is_Mul:
                pending.extend(e.args)
            elif e.is_Pow and e.exp.is_Integer:
                pending.append(e.base)
            elif _is_surd(e):
                primes.update(sympy.factorint(e.base.p), sympy.factorint(e.base.q))
            elif isinstance(e, sympy.sin | sympy.cos):
                for base, _ in angle_terms(e.args[0]):
                    values = (sympy.sin(base), sympy.cos(base))
                    if isinstance(values[0], sympy.sin):
                        self._angles.setdefault(base, len(self._angles))
                    else:
                        pending.extend(values)
            else:
                self._atoms.setdefault(e, 0)

    # -- to ratios -------------------------------------------------------------------------------------------------

    def ratio(self, e: Expression) -> Ratio:
        """An expression as a rational function."""
        if e not in self._known:
            self._known[e] = self.functions.reduced(self._ratio(plain(e)))
        return self._known[e]

    def _ratio(self, e: Expression) -> Ratio:
        functions = self.functions
        if e.is_Float:
            return functions.number(exact(e))
        if e.is_Rational:
            return functions.number(Fraction(int(e.p), int(e.q)))
        if _is_surd(e):
            return self._surd(Fraction(int(e.base.p), int(e.base.q)), int(e.exp.p))
        if e.is_Add:
            return sum((self.ratio(term) for term in e.args), start=functions.zero)
        if e.is_Mul:
            return _product(functions, [self.ratio(factor) for factor in e.args])
        if e.is_Pow and e.exp.is_Integer:
            base = self.ratio(e.base)
            if e.exp < 0:
                if not base:
                    raise InputError(f"the closed form divides by {e.base}, which is zero.")
                base = functions.reciprocal(base)
            return _product(functions, [base] * abs(int(e.exp)))
        if isinstance(e, sympy.sin | sympy.cos):
            cosine, sine = self._turn(e.args[0])
            return sine if isinstance(e, sympy.sin) else cosine
        return functions.variable(self._atoms[e])

    def _surd(self, square: Fraction, power: int) -> Ratio:
        """√square ** power, by the roots of primes: those of other numbers depend on them."""
        functions = self.functions
        result = functions.number(Fraction(1, square.denominator))
        for prime, times in sympy.factorint(square.numerator * square.denominator).items():
            root = functions.square_root(functions.number(int(prime)))
            result = _product(functions, [result, *([root] * times)])
        if power < 0:
            result = functions.reciprocal(result)
        return _product(functions, [result] * abs(power))

    def _turn(self, angle: Expression) -> tuple[Ratio, Ratio]:
        """Cosine and sine of a sum of multiples of base angles."""
        cosine, sine = self.functions.one, self.functions.zero
        for base, multiple in angle_terms(angle):
            c, s = self._half(base)
            s = s if multiple > 0 else -s
            for _ in range(abs(multiple)):
                turned = cosine * c - sine * s, sine * c + cosine * s
                cosine, sine = (self.functions.reduced(part) for part in turned)
        return cosine, sine

    def _half(self, base: Expression) -> tuple[Ratio, Ratio]:
        """Cosine and sine of a base angle by the tangent of its half."""
        if base not in self._angles:
            return self.ratio(sympy.cos(base)), self.ratio(sympy.sin(base))
        i, ring = self._angles[base], self.functions.ring
        below = {self._halves[i]: 1}
        return (
            Ratio(self.functions, 1 - ring.gens[i] ** 2, below),
            Ratio(self.functions, 2 * ring.gens[i], below),
        )

    def reader(self) -> Reader:
        """What writes ratios as expressions again; roots and logarithms made later need another."""
        return Reader(self.functions, list(self._angles), list(self._atoms), self._halves)


class Reader:
    """Writes ratios in terms of cosines and sines: t^k / (1 + t²)^p is a polynomial in them for k ≤ 2 p."""

    def __init__(
        self, functions: RationalFunctions, angles: list[Expression], atoms: list[Expression], halves: list[int]
    ) -> None:
        self.functions = functions
        self.angles = range(len(angles))
        self.halves = halves
        count = len(angles) + functions.ring.ngens
        self.ring: Ring = rings.PolyRing([f"y{i}" for i in range(count)], sympy.ZZ, sympy.polys.orderings.lex)
        known = [f(angle) for angle in angles for f in (sympy.cos, sympy.sin)] + atoms
        self.names: list[Expression] = known + [sympy.nan] * (count - len(known))
        self._factors: dict[int, tuple[Fraction, Expression]] = {}
        self._written: dict[tuple[Poly, tuple[tuple[int, int], ...], int], Expression] = {}
        for place, (kind, of) in enumerate(functions.late, start=len(known)):
            self.names[place] = getattr(sympy, kind)(self.expression(of))

    def expression(self, x: Ratio) -> Expression:
        """A ratio as an expression; the entries of a symmetric matrix are written once."""
        x = self.functions.reduced(x)
        content = (x.numerator, tuple(sorted(x.denominator.items())), x.divisor)
        if content not in self._written:
            self._written[content] = self._expression(x)
        return self._written[content]

    def _expression(self, x: Ratio) -> Expression:
        factors = {f: power for f, power in x.denominator.items() if f not in self.halves}
        weights = {f: self._weights(self.functions.factors[f]) for f in factors}
        below = [
            x.denominator.get(self.halves[i], 0) + sum(factors[f] * weights[f][i] for f in factors) for i in self.angles
        ]
        above = [max(pair) for pair in zip(below, self._weights(x.numerator), strict=True)]
        scale, numerator = self._polynomial(x.numerator, above)
        denominator = sympy.Integer(1)
        for i in self.angles:
            denominator *= (1 + self.names[2 * i]) ** (above[i] - below[i])
            scale *= 2 ** (above[i] - below[i])
        for f, power in factors.items():
            if f not in self._factors:
                own, factor = self._polynomial(self.functions.factors[f], weights[f])
                self._factors[f] = own, _shortened(factor.as_expr(*self.names))
            scale /= self._factors[f][0] ** power
            denominator *= self._factors[f][1] ** power
        scale /= x.divisor
        return _shortened(numerator.as_expr(*self.names) * sympy.Rational(*scale.as_integer_ratio())) / denominator

    def _weights(self, p: Poly) -> list[int]:
        """The powers of 1 + t_i² that bound a polynomial."""
        return [-(-max((monomial[i] for monomial in p), default=0) // 2) for i in self.angles]

    def _polynomial(self, p: Poly, powers: list[int]) -> tuple[Fraction, Poly]:
        """p / Π (1 + t_i²) ** powers[i] as a number and a polynomial of whole numbers without common divisor.

        It is found angle by angle: t_i has the place of its cosine until its turn.
        """
        places: dict[Monomial, int] = {}
        for monomial, coefficient in p.items():
            tangents = (e for i in self.angles for e in (monomial[i], 0))
            places[(*tangents, *monomial[len(self.angles) :])] = coefficient
        total = self.ring.from_dict(places)
        for i, power in zip(self.angles, powers, strict=True):
            total = self._sum(
                self.functions.product(part, _wave(self.ring, i, k, power)) for k, part in split(total, 2 * i).items()
            )
        for i in self.angles:
            total = min(total, self._in_sines(total, i), key=len)
        common, primitive = total.primitive()
        return Fraction(int(common), 2 ** sum(powers)), primitive

    def _sum(self, terms: Iterable[Poly]) -> Poly:
        total: dict[Monomial, int] = {}
        for term in terms:
            for monomial, coefficient in term.items():
                total[monomial] = total.get(monomial, 0) + coefficient
        return self.ring.from_dict({monomial: coefficient for monomial, coefficient in total.items() if coefficient})

    def _in_sines(self, p: Poly, i: int) -> Poly:
        """The same with 1 − s² for c²."""
        s = self.ring.gens[2 * i + 1]
        terms: list[Poly] = []
        for monomial, coefficient in p.items():
            power = monomial[2 * i]
            rest = (*monomial[: 2 * i], power % 2, *monomial[2 * i + 1 :])
            terms.append(self.ring.from_dict({rest: coefficient}) * (1 - s**2) ** (power // 2))
        return self._sum(terms)


@lru_cache(maxsize=4096)
def _wave(ring: Ring, i: int, k: int, p: int) -> Poly:
    """2^p t^k / (1 + t²)^p in c = cos and s = sin."""
    c, s = ring.gens[2 * i], ring.gens[2 * i + 1]
    result = (1 - c) ** (k // 2) * (1 + c) ** (p - (k + 1) // 2)
    return result * s if k % 2 else result


def simplified(value: object) -> Any:
    """An expression or matrix, rational in symbols, sines and cosines, as closed forms are written; 0 if it is zero.

    >>> x = sympy.Symbol("x")
    >>> simplified(sympy.sin(x) ** 2 + sympy.cos(x) ** 2 - 1)
    0
    """
    whole = sympy.sympify(value)
    entries = list(whole) if isinstance(whole, sympy.MatrixBase) else [whole]
    translator = Translator(entries, 0)
    try:
        ratios = [translator.ratio(entry) for entry in entries]
        reader = translator.reader()
        written = [reader.expression(ratio) for ratio in ratios]
    except TooLarge as error:
        raise InputError(f"the expression grows too large ({error}). Give numbers for some of its symbols.") from None
    return type(whole)(*whole.shape, written) if isinstance(whole, sympy.MatrixBase) else written[0]


def _shortened(e: Expression) -> Expression:
    """A sum with fewer angles, and what its terms share taken out."""
    return sympy.factor_terms(_angle_sums(e))


def _angle_sums(e: Expression) -> Expression:
    """Cos a cos b − sin a sin b as cos (a + b), where that makes a short formula shorter."""
    if not e.is_Add or len(e.args) > 40:
        return e
    shorter = import_module("sympy.simplify.fu").TR10i(e)
    return shorter if sympy.count_ops(shorter) < sympy.count_ops(e) else e


def _product(functions: RationalFunctions, factors: list[Ratio]) -> Ratio:
    result = functions.one
    for factor in factors:
        result = functions.reduced(result * factor)
    return result


def _is_surd(e: Expression) -> bool:
    """Whether e is the square root of a positive number."""
    return bool(e.is_Pow and e.exp.is_Rational and e.exp.q == 2 and e.base.is_Rational and e.base > 0)


def plain(e: Expression) -> Expression:
    """The expression with sines and cosines in place of the other trigonometric functions."""
    if e.is_number and (e.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo) or e.is_extended_real is False):
        raise InputError(f"{e} stands in a closed form: it is not a finite real number. Give finite real values.")
    if isinstance(e, sympy.tan):
        return sympy.sin(e.args[0]) / sympy.cos(e.args[0])
    if isinstance(e, sympy.cot):
        return sympy.cos(e.args[0]) / sympy.sin(e.args[0])
    if isinstance(e, sympy.sec):
        return 1 / sympy.cos(e.args[0])
    return 1 / sympy.sin(e.args[0]) if isinstance(e, sympy.csc) else e


def angle_terms(angle: Expression) -> list[tuple[Expression, int]]:
    """An angle as a sum of integer multiples of base angles."""
    found: dict[Expression, int] = {}
    for term in sympy.Add.make_args(sympy.expand(angle)):
        coefficient, rest = term.as_coeff_Mul()
        if coefficient.is_Float:
            value = exact(coefficient)
            coefficient = sympy.Rational(value.numerator, value.denominator)
        if rest == 1 or abs(coefficient.p) > _MULTIPLES:
            base, multiple = (coefficient * rest, 1) if coefficient > 0 else (-coefficient * rest, -1)
        else:
            base, multiple = rest / coefficient.q, int(coefficient.p)
        found[base] = found.get(base, 0) + multiple
    return [(base, multiple) for base, multiple in found.items() if multiple and base != 0]


def rational(value: float) -> Expression:
    """The number that a float stands for: 0.1 is one tenth."""
    number: Fraction = exact(value)
    return sympy.Rational(number.numerator, number.denominator)
