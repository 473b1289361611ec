"""The graph of values that the passes of the compiler work on, with what is wanted of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol, Self

from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.words import Polynomial, Ring, collected, free
from operator_algebra.lowering.asked import Method
from operator_algebra.lowering.values import Definition, Value
from operator_algebra.operators.spaces import Type
from operator_algebra.programs.instructions import Linear
from operator_algebra.programs.records import Change, Ref, Term, references, terms_of, with_terms


class Wanted(Protocol):
    """What keeps values alive: an output, or references that somebody holds."""

    def refs(self) -> tuple[Ref, ...]:
        """The values that are read."""
        ...

    def map(self, change: Change, /) -> Self:
        """The same over other values."""
        ...


@dataclass(frozen=True, slots=True)
class Held:
    """References that somebody holds while passes renumber the graph."""

    held: tuple[Ref, ...]

    def refs(self) -> tuple[Ref, ...]:
        """The values that are read."""
        return self.held

    def map(self, change: Change, /) -> Held:
        """The same over other values."""
        return Held(tuple(map(change, self.held)))


Form = Polynomial[int, Ref, Fraction]
"""A sum of products of block values, with numbers in front."""
RING: Ring[int, Ref, Fraction] = Ring(Fraction(1), free)


@dataclass
class Graph:
    """The values by number; equal acyclic definitions are one value. Mutable while a pass builds it.

    `wanted` is what the values are computed for: passes keep it alive, and it follows them.
    """

    values: dict[int, Value] = field(default_factory=dict[int, Value])
    wanted: tuple[Wanted, ...] = ()
    method: Method = "auto"
    sizes: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many degrees of freedom a joint has, and how many rows a user's space, as far as is known."""
    coupled: tuple[str, ...] = ()
    """The labels of the components that were there before elimination."""
    eliminated: dict[Expr, None] = field(default_factory=dict[Expr, None])
    """The inverses that elimination took."""
    opened: dict[Expr, tuple[Expr, Expr]] = field(default_factory=dict[Expr, tuple[Expr, Expr]])
    """The inverses that were opened by rows of no body: see `compliance`."""
    choices: tuple[str, ...] = ()
    """What was tried to save sweeps, the form that was taken first."""
    _interned: dict[tuple[Type, Definition], int] = field(default_factory=dict[tuple[Type, Definition], int])
    _next: int = 0

    @property
    def refines(self) -> bool:
        """Whether solutions are refined where an inverse is opened by rows of no body."""
        return self.method in ("refined", "orthogonal")

    def __getitem__(self, number: int) -> Value:
        return self.values[number]

    def copy(self) -> Graph:
        """Another graph with the same values."""
        return replace(self, values=dict(self.values), _interned=dict(self._interned))

    def become(self, other: Graph) -> None:
        """Take the values of a copy that was changed."""
        self.values, self.wanted = other.values, other.wanted
        self._interned, self._next = other._interned, other._next

    def new(self, type_: Type, definition: Definition, *, name: str = "", origin: Expr | None = None) -> int:
        """The number of the value with this definition."""
        key = (type_, definition)
        number = self._interned.get(key)
        if number is None or number not in self.values:
            number = self.reserve()
            self._interned[key] = number
            self.values[number] = Value(type_, definition, origin=origin)
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
        return self.sum(type_, as_form(terms), origin=origin)

    def sum(self, type_: Type, form: Form, *, origin: Expr | None = None) -> int:
        """The value of a sum of products; a bare factor is itself."""
        bare = alone(form)
        if bare is not None and not bare.star:
            return bare.value
        return self.new(type_, Linear(as_terms(form)), origin=origin)

    def reread(self, reader: int, vector: int, terms: Iterable[Term]) -> bool:
        """Let a sum read other terms in the place of a vector; whether it reads that."""
        value, instead = self[reader], as_form(terms)
        before = terms_of(value.definition)
        if all(term.factors[-1:] != (Ref(vector),) for term in before):
            return False
        parts = [
            RING.product((as_form((replace(term, factors=term.factors[:-1]),)), instead))
            if term.factors[-1:] == (Ref(vector),)
            else as_form((term,))
            for term in before
        ]
        self.put(reader, replace(value, definition=with_terms(value.definition, as_terms(RING.sum(parts)))))
        return True

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

    @property
    def roots(self) -> set[int]:
        """The values that are wanted."""
        return {ref.value for one in self.wanted for ref in one.refs()}

    def hold(self, *refs: Ref) -> None:
        """Want some values."""
        self.wanted = (*self.wanted, Held(refs))

    @property
    def held(self) -> tuple[Ref, ...]:
        """Where the values that `hold` was given last stand now."""
        return self.wanted[-1].refs()

    def follow(self, standing: Mapping[int, Ref]) -> None:
        """Let what is wanted read the values that stand for others now, and drop what is needed no more."""
        moved = {number: ref for number, ref in standing.items() if ref != Ref(number)}

        def change(ref: Ref) -> Ref:
            found = moved.get(ref.value)
            return ref if found is None else Ref(found.value, found.star != ref.star)

        if moved:
            self.wanted = tuple(one.map(change) for one in self.wanted)
        self.prune()

    def prune(self) -> None:
        """Drop what is not needed."""
        keep = self.live(self.roots)
        self.values = {number: value for number, value in self.values.items() if number in keep}


def as_form(terms: Iterable[Term]) -> Form:
    """Terms as an element of the ring: the coefficients of equal products are added."""
    return collected(((term.scalars, term.factors), term.coefficient) for term in terms)


def as_terms(form: Form) -> tuple[Term, ...]:
    """An element of the ring as terms."""
    return tuple(Term(c, factors, scalars) for (scalars, factors), c in form.items())


def alone(form: Form) -> Ref | None:
    """The one factor of what has no coefficient."""
    if len(form) == 1:
        (((scalars, factors), c),) = form.items()
        if c == 1 and not scalars and len(factors) == 1:
            return factors[0]
    return None


def collect(terms: Iterable[Term]) -> tuple[Term, ...]:
    """Add the coefficients of equal products, in order of first appearance."""
    return as_terms(as_form(terms))
