"""The instructions: how the block of a value at a body follows from other blocks.

Vectors and block-diagonal operators are values alike. An instruction reads the same body, the children (an inward
shift), the parent (an outward shift), or, for a sum over the mechanism, all bodies; nothing else is needed.

A sum, shift or update that is marked symmetric is averaged with its adjoint: that is part of what it means.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, assert_never, get_args

from operator_algebra.expressions.nodes import Symbol
from operator_algebra.operators.local import LocalFunction, local_function
from operator_algebra.operators.spaces import Space, Type
from operator_algebra.programs.records import (
    EQUATIONS,
    GRID,
    OPTIONAL,
    ROW,
    TERMS,
    Equation,
    Grid,
    Record,
    Ref,
    Row,
    Term,
    along,
    children,
    everywhere,
    here,
    instruction,
    parent,
)


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


@instruction("given")
class Given(Record):
    """A leaf of the model, an input, or (symbol None) the unit columns of a space."""

    symbol: Symbol | None


@instruction("sum")
class Linear(Record):
    """A sum of terms."""

    terms: tuple[Term, ...] = here(TERMS)


@instruction("shift")
class Shift(Record):
    """Inward: Σ_c L(k,c) x(c) [L'(c,k)] over the children c; outward: L(k,p) x(p) [L'(p,k)], 0 at roots."""

    hop: Hop
    source: Ref = along("hop")
    closing: Hop | None = None


@instruction("invert")
class Invert(Record):
    """The inverse of a block."""

    source: Ref = here()


@instruction("root")
class RootOf(Record):
    """The Cholesky factor of a block."""

    source: Ref = here()


@instruction("call")
class Call(Record):
    """A local function of vectors at the same body."""

    name: str
    arguments: tuple[Ref, ...] = here(ROW)

    @property
    def function(self) -> LocalFunction:
        """What it takes and delivers, and how its block is made."""
        return local_function(self.name)


@instruction("stack")
class Stack(Record):
    """A block matrix of blocks at the same body; None stands for zero."""

    rows: Grid = here(GRID)

    def spaces(self, type_: Type) -> tuple[tuple[Space, ...], tuple[Space, ...]]:
        """The spaces of rows and columns in a value of a type: its summands; of one row or column, the whole."""
        one_row, one_column = len(self.rows) == 1, all(len(row) == 1 for row in self.rows)
        down = (type_.codomain,) if one_row else type_.codomain.summands
        return down, (type_.domain,) if one_column else type_.domain.summands


@instruction("part")
class Part(Record):
    """Block row `index` of a stacked column."""

    source: Ref = here()
    index: int


@instruction("reduce")
class Reduce(Record):
    """The sum of a product over all bodies; known when its sweep is over."""

    terms: tuple[Term, ...] = everywhere(TERMS)


@instruction("total")
class Total(Record):
    """The sum over all bodies of the trace, or of the log |determinant|, of a block."""

    kind: Literal["trace", "logdet"]
    source: Ref = everywhere()


@instruction("update")
class Update(Record):
    """P − gain A* P with gain = P A (A* P A + J)⁻¹; equal to (I − gain A*) P (I − gain A*)* + gain J gain*.

    The short form stands where A is one column wide and at root bodies, Joseph's, which is the second, elsewhere; with
    `joseph` it stands everywhere.
    """

    P: Ref = here()
    gain: Ref = here()
    A: tuple[Ref, ...] = here(ROW)
    J: Ref | None = here(OPTIONAL)
    joseph: bool = False


@instruction("rounding")
class Rounding(Record):
    """Two columns w with fixed random signs, of the size that rounding has in a block, in units of eps: w w* ~ |X|.

    `after` is the update of that block, which rounds as much once more; with a gain of several columns, where Joseph's
    form is used, only eps of it.
    """

    source: Ref = here()
    after: Ref | None = here(OPTIONAL, default=None)

    @property
    def salt(self) -> int:
        """What the signs depend on: a block and its adjoint, seen from left and right, have the same."""
        return 2 * self.source.value + (self.after is not None)


@instruction("relate")
class Relate(Record):
    """Orthogonal elimination: what a subtree says about what it sends (u) and what it receives (β): Ru u + Rd β = r.

    `gathers` and `pulls` hold the hop of each and the member that it carries.
    """

    own: Ref = children()
    spaces: tuple[Space, ...]
    equations: tuple[Equation, ...] = here(EQUATIONS)
    gathers: tuple[tuple[Hop, int], ...]
    pulls: tuple[tuple[Hop, int], ...]


@instruction("resolve")
class Resolve(Record):
    """Back substitution of a relation, base to tips: all members of the component, stacked."""

    own: Ref = parent()
    relation: Ref = here()


@instruction("surround")
class Surround(Record):
    """What the rest of the tree says about a subtree, while nothing drives the rest: Ou u + Oβ β = 0, base to tips."""

    own: Ref = parent()
    relation: Ref = here()


@instruction("answer")
class Answer(Record):
    """All members of a component, stacked, where only the equations of the body at hand are driven, by `drives`."""

    relation: Ref = here()
    surroundings: Ref = here()
    drives: Row = here(ROW)


Instruction = (
    Given
    | Linear
    | Shift
    | Invert
    | RootOf
    | Call
    | Stack
    | Part
    | Reduce
    | Total
    | Update
    | Rounding
    | Relate
    | Resolve
    | Surround
    | Answer
)
"""Every instruction there is: a match over them ends in `assert_never`."""

WORDS: Mapping[str, type[Instruction]] = {kind.word: kind for kind in get_args(Instruction)}
"""The instructions by their word in the text of programs."""


def summed(definition: Record) -> tuple[Term, ...] | None:
    """The terms that a value is the sum of, an update written out; None of what is no sum, as of an unknown."""
    if not isinstance(definition, Instruction):
        return None
    match definition:
        case Linear(terms=terms):
            return terms
        case Update(P=P, gain=gain, A=A):
            through = (gain, *(ref.T for ref in reversed(A)), P)
            return (Term(Fraction(1), (P,)), Term(Fraction(-1), through))
        case (
            Given()
            | Shift()
            | Invert()
            | RootOf()
            | Call()
            | Stack()
            | Part()
            | Reduce()
            | Total()
            | Rounding()
            | Relate()
            | Resolve()
            | Surround()
            | Answer()
        ):
            return None
        case _:
            assert_never(definition)


def hops_of(definition: Record) -> Iterator[Hop]:
    """The leaves that an instruction passes."""
    if isinstance(definition, Shift):
        yield definition.hop
        if definition.closing is not None:
            yield definition.closing
    elif isinstance(definition, Relate):
        yield from (hop for hop, _ in (*definition.gathers, *definition.pulls))


def shift_of(definition: Record) -> Shift | None:
    """The instruction itself, if it is a shift."""
    return definition if isinstance(definition, Shift) else None


def called(definition: Record) -> Call | None:
    """The instruction itself, if it is a local function."""
    return definition if isinstance(definition, Call) else None


def added_up(definition: Record) -> tuple[Ref, ...] | None:
    """Of a sum over all bodies the values that have to belong to bodies; None of other instructions."""
    if isinstance(definition, Total):
        return (definition.source,)
    return () if isinstance(definition, Reduce) else None
