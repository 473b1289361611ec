"""Schemes: equations with holes, written as text, and the values of a program that fill them.

A scheme `P_plus = P − P H* inv(D) H P` is one equation; a system is several, whose holes are the same:

* `M`, `H` and `E_phi` are leaves of the model, `1` is the identity; any other name is a hole for one value,
  `[A]` for a product of one or more factors, `…` between factors for any number of them;
* `inv(X)` is the inverse of a value, `in(E, X)` is E X E* from the children, `out(E, X)` is E* X E from the parent,
  `_` stands for any leaf there;
* a term has the coefficient 1 or −1; with `±` either, the same one throughout, with `∓` the other; with `c` any;
* `+ …` at the end allows more terms.

Unique solvability makes a match an equality: a value that obeys the equations of P is P.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from operator_algebra.operators.leaf import LEAVES
from operator_algebra.programs.instructions import Given, Invert, Linear, Shift, summed
from operator_algebra.programs.products import straight
from operator_algebra.programs.program import Defined
from operator_algebra.programs.records import Ref, Term

LEAF_NAMES = frozenset(one.name for one in LEAVES)
"""The names in schemes that are leaves of the model."""

UNIT = Fraction(1)

Kind = Literal["leaf", "hole", "word", "any", "inv", "in", "out"]
Depth = Literal["as it stands", "written out", "taken apart"]
"""How a definition is read: as it stands, with products written out, or also with sums in sums taken apart."""


@dataclass(frozen=True, slots=True)
class Factor:
    """What a factor, or for words several, must be."""

    kind: Kind
    name: str
    star: bool = False
    leaf: str = ""


@dataclass(frozen=True, slots=True)
class Product:
    """A term: its sign, `c` for any coefficient, and its factors."""

    sign: str
    factors: tuple[Factor, ...]
    open: bool
    """Whether the number of factors is not known."""
    inverses: int


@dataclass(frozen=True, slots=True)
class Scheme:
    """left = Σ products, or more terms than these."""

    left: str
    products: tuple[Product, ...]
    more: bool
    inverses: int


System = tuple[Scheme, ...]

_SIGN = re.compile(r"(?:^| )([+−±∓]) ")
_FACTOR = re.compile(r"(…)|\[(\w+)\](\*?)|(inv)\((\w+)\)(\*?)|(in|out)\((\w+), *(\w+)\)(\*?)|(\w+)(\*?)")


def system(*texts: str) -> System:
    """Schemes from their text."""
    return tuple(map(_scheme, texts))


def _scheme(text: str) -> Scheme:
    left, _, right = text.partition(" = ")
    parts = _SIGN.split(right)
    parts = parts[1:] if not parts[0] else ["+", *parts]
    bodies = [(sign, body) for sign, body in zip(parts[::2], parts[1::2], strict=True) if body != "…"]
    products = tuple(_product(sign, body) for sign, body in bodies)
    return Scheme(left, products, 2 * len(bodies) < len(parts), sum(product.inverses for product in products))


def _product(sign: str, body: str) -> Product:
    rest = body.removeprefix("c ")
    factors = () if body == "1" else tuple(map(_factor, _FACTOR.finditer(rest)))
    kinds = [factor.kind for factor in factors]
    return Product("c" if rest != body else sign, factors, "word" in kinds or "any" in kinds, kinds.count("inv"))


def _factor(match: re.Match[str]) -> Factor:
    anything, word, word_star, inverse, inverted, inverse_star, way, leaf, source, way_star, name, star = match.groups()
    if anything:
        return Factor("any", "")
    if word:
        return Factor("word", word, bool(word_star))
    if inverse:
        return Factor("inv", inverted, bool(inverse_star))
    if way:
        return Factor("in" if way == "in" else "out", source, bool(way_star), leaf)
    return Factor("leaf" if name in LEAF_NAMES else "hole", name, bool(star))


@dataclass(frozen=True, slots=True)
class Binding:
    """What fills the holes: values by name (`inv(D)` and leaves, too), products, further terms, the sign of `±`."""

    refs: Mapping[str, Ref] = field(default_factory=dict[str, Ref])
    words: Mapping[str, tuple[Ref, ...]] = field(default_factory=dict[str, tuple[Ref, ...]])
    rest: Mapping[str, tuple[Term, ...]] = field(default_factory=dict[str, tuple[Term, ...]])
    sign: int = 0

    def __getitem__(self, name: str) -> Ref:
        return self.refs[name]

    def further(self, left: str) -> tuple[Term, ...]:
        """The terms of a sum that its scheme only allows."""
        return self.rest.get(left, ())

    def with_ref(self, name: str, ref: Ref) -> Binding | None:
        """One more value, unless another one has the name."""
        known = self.refs.get(name)
        if known is None:
            return Binding({**self.refs, name: ref}, self.words, self.rest, self.sign)
        return self if known == ref else None


@dataclass(frozen=True, slots=True)
class Written:
    """A term of a sum as it is compared, and as it stands; `inverses` are those among its factors."""

    coefficient: Fraction
    factors: tuple[Ref, ...]
    scalars: tuple[int, ...]
    term: Term
    inverses: int


class Reading:
    """The definitions of some values, and the values among them that fill schemes."""

    def __init__(self, values: Mapping[int, Defined], depth: Depth = "written out") -> None:
        self.values = values
        self.depth: Depth = depth
        self._sums: dict[int, tuple[Written, ...]] = {}
        self._sizes: list[tuple[int, int, int]] = []

    def solutions(self, schemes: System, binding: Binding | None = None) -> Iterator[Binding]:
        """Every way to fill the holes."""
        if binding is None:
            binding = Binding()
        if not schemes:
            yield binding
            return
        first, others = schemes[0], schemes[1:]
        known = binding.refs.get(first.left)
        for number in self._candidates(first) if known is None else (known.value,):
            for found in self.fits(first, number, binding):
                yield from self.solutions(others, found)

    def fits(self, scheme: Scheme, number: int, binding: Binding | None = None) -> Iterator[Binding]:
        """Every way to fill the holes of one scheme, where its left side is this value."""
        apart = scheme.more and self.depth == "taken apart"
        if not apart and not _can(scheme, *self._size(number)):
            return
        found = (binding or Binding()).with_ref(scheme.left, Ref(number))
        if found is None:
            return
        written = self._apart(number) if apart else self.sum(number)
        for one, rest in self._terms(scheme.products, written, found):
            if not rest:
                yield one
            elif scheme.more:
                yield replace(one, rest={**one.rest, scheme.left: tuple(term.term for term in rest)})

    def sum(self, number: int) -> tuple[Written, ...]:
        """The terms of a value; a value that is no sum is its own only term."""
        found = self._sums.get(number)
        if found is None:
            found = self._sums[number] = tuple(self._read(number))
        return found

    def inverted(self, ref: Ref) -> int | None:
        """What a value is the inverse of."""
        definition = self.values[ref.value].definition
        return definition.source.value if isinstance(definition, Invert) else None

    def leaf(self, ref: Ref, name: str, *, star: bool = False) -> bool:
        """Whether a value is this leaf of the model, or its adjoint."""
        definition = self.values[ref.value].definition
        if not isinstance(definition, Given) or definition.symbol is None or ref.star != star:
            return False
        return definition.symbol.name == name and definition.symbol.origin == "model"

    def _candidates(self, scheme: Scheme) -> Iterable[int]:
        """The values that may stand on the left of a scheme, told by their size."""
        if scheme.more and self.depth == "taken apart":
            return tuple(self.values)
        if not self._sizes:
            self._sizes = [(number, *self._size(number)) for number in self.values]
        return [number for number, terms, inverses in self._sizes if _can(scheme, terms, inverses)]

    def _size(self, number: int) -> tuple[int, int]:
        """How many terms a value has, and how many inverses among their factors."""
        terms = self.sum(number)
        return len(terms), sum([term.inverses for term in terms])

    # reading

    def _read(self, number: int) -> Iterator[Written]:
        terms = summed(self.values[number].definition)
        return map(self.written, (Term(UNIT, (Ref(number),)),) if terms is None else terms)

    def _apart(self, number: int) -> tuple[Written, ...]:
        """The terms of a block, sums that have a line of their own taken apart."""
        found: list[Written] = []
        for one in self.sum(number):
            bare = one.term.bare
            inner = self.values[bare.value].definition if bare is not None and not bare.star else None
            if bare is not None and isinstance(inner, Linear) and len(inner.terms) > 1:
                found += self.sum(bare.value)
            else:
                found.append(one)
        return tuple(found)

    def written(self, term: Term) -> Written:
        """A term over values that are no single products; self-adjoint values without stars."""
        if self.depth == "as it stands":
            return Written(term.coefficient, term.factors, term.scalars, term, self._inverses(term.factors))
        coefficient = term.coefficient
        factors: list[Ref] = []
        pending = list(reversed(term.factors))
        while pending:
            ref = pending.pop()
            inner = self._single(ref.value)
            if inner is None:
                factors.append(straight(self.values, ref))
                continue
            coefficient *= inner.coefficient
            pending.extend([f.T for f in inner.factors] if ref.star else reversed(inner.factors))
        return Written(coefficient, tuple(factors), term.scalars, term, self._inverses(factors))

    def _inverses(self, factors: Iterable[Ref]) -> int:
        return sum([isinstance(self.values[ref.value].definition, Invert) for ref in factors])

    def _single(self, number: int) -> Term | None:
        value = self.values[number]
        terms = None if value.is_vector else summed(value.definition)
        return terms[0] if terms is not None and len(terms) == 1 and not terms[0].scalars else None

    # comparing

    def _terms(
        self, products: tuple[Product, ...], terms: tuple[Written, ...], binding: Binding
    ) -> Iterator[tuple[Binding, tuple[Written, ...]]]:
        """The ways to find the products among the terms, and the terms that remain."""
        if not products:
            yield binding, terms
            return
        for i, term in enumerate(terms):
            for found in self._product(products[0], term, binding):
                yield from self._terms(products[1:], terms[:i] + terms[i + 1 :], found)

    def _product(self, product: Product, term: Written, binding: Binding) -> Iterator[Binding]:
        if term.inverses < product.inverses or (len(term.factors) != len(product.factors) and not product.open):
            return
        if product.sign != "c":
            found = None if term.scalars else _signed(product.sign, term.coefficient, binding)
            if found is None:
                return
            binding = found
        yield from self._factors(product.factors, term.factors, binding)

    def _factors(self, wanted: tuple[Factor, ...], factors: tuple[Ref, ...], binding: Binding) -> Iterator[Binding]:
        if not wanted:
            if not factors:
                yield binding
            return
        first, others = wanted[0], wanted[1:]
        if first.kind == "any":
            for stop in range(len(factors) + 1):
                yield from self._factors(others, factors[stop:], binding)
        elif first.kind == "word":
            for stop, found in self._word(first, factors, binding, sum(one.kind != "any" for one in others)):
                yield from self._factors(others, factors[stop:], found)
        elif factors:
            found = self._factor(first, factors[0], binding)
            if found is not None:
                yield from self._factors(others, factors[1:], found)

    def _word(
        self, wanted: Factor, factors: tuple[Ref, ...], binding: Binding, after: int
    ) -> Iterator[tuple[int, Binding]]:
        """The products that a word may stand for, where so many factors are wanted after it."""
        known = binding.words.get(wanted.name)
        if known is not None:
            known = self._adjoint(known) if wanted.star else known
            if factors[: len(known)] == known:
                yield len(known), binding
            return
        for stop in range(1, len(factors) - after + 1):
            word = self._adjoint(factors[:stop]) if wanted.star else factors[:stop]
            words = {**binding.words, wanted.name: word}
            yield stop, Binding(binding.refs, words, binding.rest, binding.sign)

    def _factor(self, wanted: Factor, ref: Ref, binding: Binding) -> Binding | None:
        definition = self.values[ref.value].definition
        plain = straight(self.values, ref.T) if wanted.star else ref
        match wanted.kind:
            case "leaf":
                fits = self.leaf(ref, wanted.name, star=wanted.star)
                return binding.with_ref(wanted.name, Ref(ref.value)) if fits else None
            case "inv":
                if not isinstance(definition, Invert):
                    return None
                source = definition.source.T if plain.star else definition.source
                found = binding.with_ref(wanted.name, straight(self.values, source))
                return None if found is None else found.with_ref(f"inv({wanted.name})", plain)
            case "in" | "out":
                if not isinstance(definition, Shift) or not _carries(definition, wanted):
                    return None
                source = definition.source.T if plain.star else definition.source
                return binding.with_ref(wanted.name, straight(self.values, source))
            case _:
                return binding.with_ref(wanted.name, plain)

    def _adjoint(self, factors: Iterable[Ref]) -> tuple[Ref, ...]:
        return tuple(straight(self.values, ref.T) for ref in reversed(tuple(factors)))


def _can(scheme: Scheme, terms: int, inverses: int) -> bool:
    """Whether a value has as many terms and inverses as a scheme: by that most are told apart."""
    wanted = len(scheme.products)
    return (terms == wanted or (scheme.more and terms > wanted)) and inverses >= scheme.inverses


def _carries(shift: Shift, wanted: Factor) -> bool:
    """E X E* from the children, or E* X E from the parent."""
    hop, inward = shift.hop, wanted.kind == "in"
    if hop.inward != inward or shift.closing != hop.T:
        return False
    symbol = hop.symbol
    return wanted.leaf == "_" or (symbol.name == wanted.leaf and symbol.origin == "model" and hop.star != inward)


def _signed(sign: str, coefficient: Fraction, binding: Binding) -> Binding | None:
    """With the sign of a term, if it can have it."""
    if sign in "+−":
        return binding if coefficient == (1 if sign == "+" else -1) else None
    own = coefficient if sign == "±" else -coefficient
    if abs(own) != 1 or own == -binding.sign:
        return None
    return replace(binding, sign=int(own))
