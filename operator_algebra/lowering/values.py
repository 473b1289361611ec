"""The values of a lowered formula: one block per body (or one for the whole mechanism), and how each is defined.

Vectors and block-diagonal operators live in one graph. A definition reads other values at the same body, from the
children (an inward shift) or from the parent (an outward shift); nothing else is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.operators.spaces import Space, Type


@dataclass(frozen=True, slots=True)
class Ref:
    """A value, or its adjoint, at the body at hand."""

    value: int
    star: bool = False

    @property
    def T(self) -> Ref:
        """The adjoint."""
        return Ref(self.value, not self.star)


@dataclass(frozen=True, slots=True)
class Term:
    """coefficient · scalars · product of factors; no factors stand for the identity."""

    coefficient: Fraction
    factors: tuple[Ref, ...]
    scalars: tuple[int, ...] = ()

    def scaled(self, coefficient: Fraction, scalars: tuple[int, ...] = ()) -> Term:
        """The term with another coefficient and more scalars."""
        return Term(self.coefficient * coefficient, self.factors, tuple(sorted(self.scalars + scalars)))

    @property
    def bare(self) -> Ref | None:
        """The one factor of a term without coefficient."""
        if self.coefficient == 1 and not self.scalars and len(self.factors) == 1:
            return self.factors[0]
        return None


@dataclass(frozen=True, slots=True)
class Hop:
    """A leaf that joins parent and child, or its adjoint; inward if it maps the child's space to the parent's."""

    symbol: Symbol
    star: bool
    inward: bool

    @property
    def T(self) -> Hop:
        """The adjoint, which runs the other way."""
        return Hop(self.symbol, not self.star, not self.inward)

    @property
    def type(self) -> Type:
        """What one block takes and delivers."""
        return self.symbol.type.T if self.star else self.symbol.type


@dataclass(frozen=True, slots=True)
class Given:
    """A leaf of the model, an input, or (symbol None) the unit columns of a space."""

    symbol: Symbol | None


@dataclass(frozen=True, slots=True)
class Linear:
    """A sum of terms."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Shift:
    """Inward: Σ_c L(k,c) x(c) [L'(c,k)] over the children c; outward: L(k,p) x(p) [L'(p,k)], 0 at roots."""

    hop: Hop
    source: Ref
    closing: Hop | None = None


@dataclass(frozen=True, slots=True)
class Invert:
    """The inverse of a block; `pivot` marks one that elimination needs."""

    source: Ref


@dataclass(frozen=True, slots=True)
class RootOf:
    """The Cholesky factor of a block."""

    source: Ref


@dataclass(frozen=True, slots=True)
class Call:
    """A local function of vectors at the same body."""

    name: str
    arguments: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class Stack:
    """A block matrix of blocks at the same body; None stands for zero."""

    rows: tuple[tuple[Ref | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Block row `index` of a stacked column."""

    source: Ref
    index: int


@dataclass(frozen=True, slots=True)
class Reduce:
    """The sum of a product over all bodies; known when its sweep is over."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Total:
    """The sum over all bodies of the trace, or of the log |determinant|, of a block."""

    kind: Literal["trace", "logdet"]
    source: Ref


@dataclass(frozen=True, slots=True)
class Unknown:
    """A vector given by an equation 0 = Σ terms, in the space `rows`."""

    terms: tuple[Term, ...]
    rows: Space


@dataclass(frozen=True, slots=True)
class Update:
    """P − gain A* P with gain = P A (A* P A + J)⁻¹; equal to (I − gain A*) P (I − gain A*)* + gain J gain*."""

    P: Ref
    gain: Ref
    A: tuple[Ref, ...]
    J: Ref | None


Definition = Update | Total | Given | Linear | Shift | Invert | RootOf | Call | Stack | Part | Reduce | Unknown


@dataclass(frozen=True, slots=True)
class Value:
    """A value: its type (rows and columns per body), its definition, and the names and formula it came from."""

    type: Type
    definition: Definition
    names: tuple[str, ...] = ()
    origin: Expr | None = None
    symmetric: bool = False

    @property
    def attached(self) -> bool:
        """Whether it has a block for each body."""
        return self.type.domain.attached or self.type.codomain.attached

    @property
    def is_vector(self) -> bool:
        """Whether it is a column (one or several right-hand sides)."""
        return not self.type.domain.attached


def terms_of(definition: Definition) -> tuple[Term, ...]:
    """The terms of a sum; empty for other definitions."""
    return definition.terms if isinstance(definition, Linear | Reduce | Unknown) else ()


def references(definition: Definition) -> Iterator[tuple[Ref, str]]:
    """What a definition reads, with a label: "L" the same body, "U" the children, "D" the parent, "R" all bodies."""
    match definition:
        case Linear() | Unknown():
            for term in definition.terms:
                yield from ((ref, "L") for ref in term.factors)
                yield from ((Ref(scalar), "L") for scalar in term.scalars)
        case Reduce():
            for term in definition.terms:
                yield from ((ref, "R") for ref in term.factors)
                yield from ((Ref(scalar), "R") for scalar in term.scalars)
        case Shift():
            yield definition.source, "U" if definition.hop.inward else "D"
        case Invert() | RootOf() | Part():
            yield definition.source, "L"
        case Call():
            yield from ((ref, "L") for ref in definition.arguments)
        case Stack():
            yield from ((ref, "L") for row in definition.rows for ref in row if ref is not None)
        case Total():
            yield definition.source, "R"
        case Update():
            yield from ((ref, "L") for ref in (definition.P, definition.gain, *definition.A))
            if definition.J is not None:
                yield definition.J, "L"
        case Given():
            return


def map_references(definition: Definition, change: Callable[[Ref], Ref]) -> Definition:
    """The same definition over other values."""
    match definition:
        case Linear() | Unknown() | Reduce():
            terms = tuple(
                Term(
                    term.coefficient,
                    tuple(change(ref) for ref in term.factors),
                    tuple(sorted(change(Ref(scalar)).value for scalar in term.scalars)),
                )
                for term in definition.terms
            )
            return replace(definition, terms=terms)
        case Shift() | Invert() | RootOf() | Part() | Total():
            return replace(definition, source=change(definition.source))
        case Call():
            return Call(definition.name, tuple(change(ref) for ref in definition.arguments))
        case Stack():
            return Stack(tuple(tuple(None if ref is None else change(ref) for ref in row) for row in definition.rows))
        case Update():
            J = None if definition.J is None else change(definition.J)
            return Update(change(definition.P), change(definition.gain), tuple(change(ref) for ref in definition.A), J)
        case Given():
            return definition


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
