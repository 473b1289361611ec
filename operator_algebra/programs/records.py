"""How an instruction is declared: each field says what it holds, and at which bodies that is read.

What an instruction reads, the same instruction over other values, and its text follow from the fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, cast, dataclass_transform

Label = Literal["L", "U", "D", "R"]
"""Where a value is read: at the same body, from the children (up), from the parent (down), from all bodies."""


class Ref(NamedTuple):
    """A value, or its adjoint, at the body at hand."""

    # A tuple hashes and compares fast, and sharing looks up more references than anything else.
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

    @property
    def bare(self) -> Ref | None:
        """The one factor of a term without coefficient."""
        if self.coefficient == 1 and not self.scalars and len(self.factors) == 1:
            return self.factors[0]
        return None


Change = Callable[[Ref], Ref]
Row = tuple[Ref | None, ...]
Grid = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Holding:
    """What a field holds: the values in it, and the same over others."""

    name: str
    refs: Callable[[Any], Iterable[Ref]]
    mapped: Callable[[Any, Change], Any]


def _row_refs(row: Row) -> Iterator[Ref]:
    return (ref for ref in row if ref is not None)


def map_row(row: Row, change: Change) -> Row:
    """A row of blocks over other values; None stays zero."""
    return tuple(None if ref is None else change(ref) for ref in row)


def _term_refs(term: Term) -> Iterator[Ref]:
    yield from term.factors
    for scalar in term.scalars:
        yield Ref(scalar)


def map_term(term: Term, change: Change) -> Term:
    """A term over other values."""
    scalars = tuple(sorted(change(Ref(scalar)).value for scalar in term.scalars)) if term.scalars else ()
    return Term(term.coefficient, tuple(map(change, term.factors)), scalars)


@dataclass(frozen=True, slots=True)
class Equation:
    """0 = Σ coefficient · source + constant, in `rows`; −v stands in it if it is `explicit`, the definition of v.

    `members` are read at this body, `gathers` from what the children send, `pulls` from what arrives.
    """

    rows: Any
    members: tuple[tuple[int, Term], ...]
    gathers: tuple[tuple[int, Term], ...]
    pulls: tuple[tuple[int, Term], ...]
    constant: Ref | None
    explicit: bool

    @property
    def terms(self) -> Iterator[Term]:
        """All coefficients."""
        return (term for _, term in (*self.members, *self.gathers, *self.pulls))


def _equation_refs(equations: tuple[Equation, ...]) -> Iterator[Ref]:
    for equation in equations:
        for term in equation.terms:
            yield from _term_refs(term)
        if equation.constant is not None:
            yield equation.constant


def _map_equation(equation: Equation, change: Change) -> Equation:
    def over(parts: tuple[tuple[int, Term], ...]) -> tuple[tuple[int, Term], ...]:
        return tuple((index, map_term(term, change)) for index, term in parts)

    constant = None if equation.constant is None else change(equation.constant)
    return replace(
        equation,
        members=over(equation.members),
        gathers=over(equation.gathers),
        pulls=over(equation.pulls),
        constant=constant,
    )


def _all_terms(terms: tuple[Term, ...]) -> Iterator[Ref]:
    for term in terms:
        yield from term.factors
        for scalar in term.scalars:
            yield Ref(scalar)


REF = Holding("ref", lambda ref: (ref,), lambda ref, change: change(ref))
OPTIONAL = Holding(
    "optional", lambda ref: () if ref is None else (ref,), lambda ref, change: None if ref is None else change(ref)
)
ROW = Holding("row", _row_refs, map_row)
GRID = Holding(
    "grid",
    lambda grid: (ref for row in grid for ref in row if ref is not None),
    lambda grid, change: tuple(map_row(row, change) for row in grid),
)
TERMS = Holding("terms", _all_terms, lambda terms, change: tuple(map_term(term, change) for term in terms))
EQUATIONS = Holding(
    "equations", _equation_refs, lambda equations, change: tuple(_map_equation(one, change) for one in equations)
)

_HOLDING = "holding"
_READ = "read"


def here(holding: Holding = REF, **options: Any) -> Any:
    """A field that is read at the same body."""
    return field(metadata={_HOLDING: holding, _READ: "L"}, **options)


def children(holding: Holding = REF) -> Any:
    """A field that is read at the children."""
    return field(metadata={_HOLDING: holding, _READ: "U"})


def parent(holding: Holding = REF) -> Any:
    """A field that is read at the parent."""
    return field(metadata={_HOLDING: holding, _READ: "D"})


def everywhere(holding: Holding = REF) -> Any:
    """A field that is read at all bodies."""
    return field(metadata={_HOLDING: holding, _READ: "R"})


def along(hop: str) -> Any:
    """A field that is read where a hop comes from: at the children if it runs inward, else at the parent."""
    return field(metadata={_HOLDING: REF, _READ: hop})


@dataclass(frozen=True, slots=True)
class Reading:
    """A field with values in it, and where they are read: a label, or the name of the hop that tells."""

    name: str
    holding: Holding
    where: str

    @property
    def own(self) -> bool:
        """Whether the value itself is read, at the children or at the parent."""
        return self.name == "own"


class Record:
    """An instruction; see `instruction`."""

    __slots__ = ("_read",)
    # Passes ask again and again what a record reads, which never changes.
    _read: tuple[tuple[Ref, Label], ...]

    word: ClassVar[str]
    readings: ClassVar[tuple[Reading, ...]]
    sums: ClassVar[str]
    """The field that holds the terms of a sum, if one does."""


R = TypeVar("R", bound=type[Record])
D = TypeVar("D", bound=Record)


@dataclass_transform(frozen_default=True, field_specifiers=(field, here, children, parent, everywhere, along))
def instruction(word: str) -> Callable[[R], R]:
    """Declare an instruction: a frozen record with its word in the text of programs."""

    def declare(cls: R) -> R:
        made = dataclass(frozen=True, slots=True)(cls)
        made.word = word
        made.readings = tuple(
            Reading(one.name, one.metadata[_HOLDING], one.metadata[_READ])
            for one in fields(cast("Any", made))
            if _HOLDING in one.metadata
        )
        made.sums = next((r.name for r in made.readings if r.holding is TERMS), "")
        return cast("R", made)

    return declare


def terms_of(definition: Record) -> tuple[Term, ...]:
    """The terms of a sum; empty for other instructions."""
    return getattr(definition, definition.sums) if definition.sums else ()


def with_terms(definition: D, terms: tuple[Term, ...]) -> D:
    """The same sum of other terms."""
    return replace(cast("Any", definition), **{definition.sums: terms})


def references(definition: Record) -> tuple[tuple[Ref, Label], ...]:
    """What an instruction reads, with a label."""
    try:
        return definition._read  # pyright: ignore[reportPrivateUsage]
    except AttributeError:
        found = tuple(_found(definition))
        object.__setattr__(definition, "_read", found)
        return found


def _found(definition: Record) -> Iterator[tuple[Ref, Label]]:
    for reading in definition.readings:
        label = _label(definition, reading.where)
        for ref in reading.holding.refs(getattr(definition, reading.name)):
            yield ref, label


def _label(definition: Record, where: str) -> Label:
    if len(where) == 1:
        return cast("Label", where)
    return "U" if getattr(definition, where).inward else "D"


def map_references(definition: D, change: Change) -> D:
    """The same instruction over other values."""
    readings = definition.readings
    moved = {r.name: r.holding.mapped(getattr(definition, r.name), change) for r in readings}
    if all(getattr(definition, name) == value for name, value in moved.items()):
        return definition
    return replace(cast("Any", definition), **moved)
