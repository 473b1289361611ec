"""The graph of values that the passes of the compiler work on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.values import Definition, Linear, Ref, Term, Value, references
from operator_algebra.operators.spaces import Type


@dataclass
class Graph:
    """The values by number; equal acyclic definitions are one value. Mutable while a pass builds it."""

    values: dict[int, Value] = field(default_factory=dict[int, Value])
    _interned: dict[tuple[Type, Definition], int] = field(default_factory=dict[tuple[Type, Definition], int])
    _next: int = 0

    def __getitem__(self, number: int) -> Value:
        return self.values[number]

    def new(self, type_: Type, definition: Definition, *, name: str = "", origin: Expr | None = None) -> int:
        """The number of the value with this definition."""
        key = (type_, definition)
        number = self._interned.get(key)
        if number is None or number not in self.values:
            number = self.reserve()
            self._interned[key] = number
            self.values[number] = Value(type_, definition, (), origin)
        if name:
            self.name(number, name)
        return number

    def reserve(self) -> int:
        """A fresh number, for a value that its own definition reads."""
        self._next += 1
        return self._next

    def put(self, number: int, value: Value) -> None:
        """Set or replace a value."""
        self.values[number] = value

    def name(self, number: int, name: str) -> None:
        """Remember that the formula calls this value by a name."""
        value = self.values[number]
        if name not in value.names:
            self.values[number] = replace(value, names=(*value.names, name))

    def linear(self, type_: Type, terms: Iterable[Term], *, origin: Expr | None = None) -> int:
        """The value of a sum of terms, equal terms collected; a bare term is its factor."""
        collected = collect(terms)
        if len(collected) == 1:
            bare = collected[0].bare
            if bare is not None and not bare.star:
                return bare.value
        return self.new(type_, Linear(collected), origin=origin)

    def type_of(self, ref: Ref) -> Type:
        """The type of a reference."""
        type_ = self.values[ref.value].type
        return type_.T if ref.star else type_

    def reads(self) -> Mapping[int, int]:
        """How often each value is read."""
        counts: dict[int, int] = {}
        for value in self.values.values():
            for ref, _ in references(value.definition):
                counts[ref.value] = counts.get(ref.value, 0) + 1
        return counts

    def live(self, roots: Iterable[int]) -> set[int]:
        """The values on which the roots depend."""
        found: set[int] = set()
        pending = list(roots)
        while pending:
            number = pending.pop()
            if number not in found:
                found.add(number)
                pending.extend(ref.value for ref, _ in references(self.values[number].definition))
        return found

    def prune(self, roots: Iterable[int]) -> None:
        """Drop what the roots do not need."""
        keep = self.live(roots)
        self.values = {number: value for number, value in self.values.items() if number in keep}


def collect(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Add the coefficients of equal products, in order of first appearance."""
    sums: dict[tuple[tuple[int, ...], tuple[Ref, ...]], Fraction] = {}
    for term in terms:
        key = (term.scalars, term.factors)
        sums[key] = sums.get(key, Fraction(0)) + term.coefficient
    return tuple(Term(c, factors, scalars) for (scalars, factors), c in sums.items() if c)
