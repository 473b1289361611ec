"""The values of a lowered formula: one block per body (or one for the whole mechanism), and how each is defined.

Vectors and block-diagonal operators live in one graph. A definition reads other values at the same body, from the
children (an inward shift) or from the parent (an outward shift); nothing else is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.render import brief
from operator_algebra.operators.spaces import Space, Type

_COLUMNS = 400
"""Columns of a formula in a message."""


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
    def letter(self) -> str:
        """The name on a page: φ for the blocks of E_φ."""
        return self.symbol.name.removeprefix("E_") or self.symbol.name

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


@dataclass(frozen=True, slots=True)
class Rounding:
    """Two columns w with fixed random signs, of the size that rounding has in a block, in units of eps: w w* ~ |X|.

    `after` is the update of that block: its short form rounds as much once more, Joseph's only eps of it.
    """

    source: Ref
    after: Ref | None = None

    @property
    def salt(self) -> int:
        """What the signs depend on: a block and its adjoint, seen from left and right, have the same."""
        return 2 * self.source.value + (self.after is not None)


@dataclass(frozen=True, slots=True)
class Equation:
    """0 = Σ coefficient · source + constant, in `rows`; −v stands in it if it is `explicit`, the definition of v.

    `members` are read at this body, `gathers` from what the children send, `pulls` from what arrives.
    """

    rows: Space
    members: tuple[tuple[int, Term], ...]
    gathers: tuple[tuple[int, Term], ...]
    pulls: tuple[tuple[int, Term], ...]
    constant: Ref | None
    explicit: bool


@dataclass(frozen=True, slots=True)
class Relate:
    """Orthogonal elimination: what a subtree says about what it sends (u) and what it receives (β): Ru u + Rd β = r.

    `carried` holds, for each gather and each pull, its hop and the member that it carries.
    """

    own: Ref
    spaces: tuple[Space, ...]
    equations: tuple[Equation, ...]
    gathers: tuple[tuple[Hop, int], ...]
    pulls: tuple[tuple[Hop, int], ...]


@dataclass(frozen=True, slots=True)
class Resolve:
    """Back substitution of a relation, base to tips: all members of the component, stacked."""

    own: Ref
    relation: Ref


@dataclass(frozen=True, slots=True)
class Surround:
    """What the rest of the tree says about a subtree, while nothing drives the rest: Ou u + Oβ β = 0, base to tips."""

    own: Ref
    relation: Ref


@dataclass(frozen=True, slots=True)
class Answer:
    """All members of a component, stacked, where only the equations of the body at hand are driven, by `drives`."""

    relation: Ref
    surroundings: Ref
    drives: tuple[Ref | None, ...]


Definition = (
    Relate
    | Resolve
    | Surround
    | Answer
    | Update
    | Rounding
    | Total
    | Given
    | Linear
    | Shift
    | Invert
    | RootOf
    | Call
    | Stack
    | Part
    | Reduce
    | Unknown
)


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
    def called(self) -> str:
        """Its name in the formula, or the formula that it stands for."""
        return self.names[0] if self.names else self.formula

    @property
    def formula(self) -> str:
        """The formula that it stands for, cut: to write each part of a nested formula whole is quadratic."""
        return "the formula" if self.origin is None else brief(self.origin, _COLUMNS)

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
        case Rounding():
            yield definition.source, "L"
            if definition.after is not None:
                yield definition.after, "L"
        case Call():
            yield from ((ref, "L") for ref in definition.arguments)
        case Stack():
            yield from ((ref, "L") for row in definition.rows for ref in row if ref is not None)
        case Total():
            yield definition.source, "R"
        case Relate():
            yield definition.own, "U"
            for equation in definition.equations:
                terms = (term for _, term in (*equation.members, *equation.gathers, *equation.pulls))
                for term in terms:
                    yield from ((ref, "L") for ref in term.factors)
                    yield from ((Ref(scalar), "L") for scalar in term.scalars)
                if equation.constant is not None:
                    yield equation.constant, "L"
        case Resolve() | Surround():
            yield definition.own, "D"
            yield definition.relation, "L"
        case Answer():
            read = (definition.relation, definition.surroundings, *definition.drives)
            yield from ((ref, "L") for ref in read if ref is not None)
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
            return replace(definition, terms=tuple(_changed(term, change) for term in definition.terms))
        case Relate():
            equations = tuple(_changed_equation(equation, change) for equation in definition.equations)
            return replace(definition, own=change(definition.own), equations=equations)
        case Resolve() | Surround():
            return replace(definition, own=change(definition.own), relation=change(definition.relation))
        case Answer():
            drives = tuple(None if ref is None else change(ref) for ref in definition.drives)
            return Answer(change(definition.relation), change(definition.surroundings), drives)
        case Shift() | Invert() | RootOf() | Part() | Total():
            return replace(definition, source=change(definition.source))
        case Rounding():
            return Rounding(change(definition.source), None if definition.after is None else change(definition.after))
        case Call():
            return Call(definition.name, tuple(change(ref) for ref in definition.arguments))
        case Stack():
            return Stack(tuple(tuple(None if ref is None else change(ref) for ref in row) for row in definition.rows))
        case Update():
            J = None if definition.J is None else change(definition.J)
            return Update(change(definition.P), change(definition.gain), tuple(change(ref) for ref in definition.A), J)
        case Given():
            return definition


def _changed(term: Term, change: Callable[[Ref], Ref]) -> Term:
    scalars = tuple(sorted(change(Ref(scalar)).value for scalar in term.scalars))
    return Term(term.coefficient, tuple(change(ref) for ref in term.factors), scalars)


def _changed_equation(equation: Equation, change: Callable[[Ref], Ref]) -> Equation:
    def over(parts: tuple[tuple[int, Term], ...]) -> tuple[tuple[int, Term], ...]:
        return tuple((index, _changed(term, change)) for index, term in parts)

    return replace(
        equation,
        members=over(equation.members),
        gathers=over(equation.gathers),
        pulls=over(equation.pulls),
        constant=None if equation.constant is None else change(equation.constant),
    )
