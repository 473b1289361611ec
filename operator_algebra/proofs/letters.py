"""The letters of proofs: what a formula is made of when every definition is written out.

A letter is a leaf, an input, the solution of an equation, or the inverse, root, block diagonal or bracket of a
polynomial in other letters. Equal content gives one letter, whatever the operator was called.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias
from weakref import WeakValueDictionary

from operator_algebra.expressions.infer import in_a_row
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.words import Polynomial, Ring
from operator_algebra.expressions.words import Word as AnyWord
from operator_algebra.operators.local import LocalFunction
from operator_algebra.operators.spaces import Type
from operator_algebra.operators.structure import Flow, Structure, join_flow

Kind = Literal["leaf", "number", "unknown", "inverse", "root", "diag", "local", "own"]


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Letter:
    """One letter, or the adjoint of one; `source` is what it was first read from.

    `body` is the polynomial that it is the inverse, root, … of, `function` the local function of which it is a value.
    The adjoint of an inverse or of a block diagonal is one itself; any other adjoint is `starred`.
    """

    kind: Kind
    source: Expr | None
    body: Form | None
    type: Type
    structure: Structure
    serial: int
    turned: list[Letter] = field(default_factory=list["Letter"], repr=False)
    starred: bool = False
    function: LocalFunction | None = None

    @property
    def star(self) -> Letter:
        """The adjoint."""
        return self.turned[0]

    def __lt__(self, other: Letter) -> bool:
        return (str(self.source), self.serial) < (str(other.source), other.serial)


Rational: TypeAlias = int | Fraction
"""Coefficients: whole numbers are many times faster than fractions, and most are whole."""
Word: TypeAlias = AnyWord[Letter, Letter]
Form: TypeAlias = Polynomial[Letter, Letter, Rational]


def row(numbers: Sequence[Letter], letters: Sequence[Letter]) -> Word:
    """Numbers in one order, then letters as they stand."""
    return tuple(sorted(numbers)) if len(numbers) > 1 else tuple(numbers), tuple(letters)


ONE: Word = ((), ())
LIMIT = 20_000


class TooLong(Exception):
    """A polynomial has more terms than a proof is worth."""


def _limited(terms: int) -> None:
    if terms > LIMIT:
        raise TooLong


RING: Ring[Letter, Letter, Rational] = Ring(1, row, _limited)


def quotient(a: Rational, b: Rational) -> Rational:
    """A coefficient by another; what is whole is an integer."""
    if b in (1, -1):
        return whole(a if b == 1 else -a)
    return whole(Fraction(a) / b)


def whole(c: Rational) -> Rational:
    """The same number, an integer if it is one."""
    return c.numerator if c.denominator == 1 else c


def adjoint(p: Form) -> Form:
    """The adjoint of a polynomial."""
    return RING.adjoint(p, lambda letter: letter.star)


def times(*factors: Form) -> Form:
    """The product of polynomials."""
    return RING.product(factors)


def word(*letters: Letter) -> Form:
    """The polynomial of one word."""
    return RING.of(*letters)


# -- what is known of the blocks of a word ----------------------------------------------------------------------------


class _Block(NamedTuple):
    """Anything with a structure."""

    structure: Structure


@lru_cache(maxsize=1 << 13)
def _row(structures: tuple[Structure, ...]) -> Structure:
    return in_a_row(map(_Block, structures))


def pattern(letters: Iterable[Letter]) -> Structure:
    """The structure of a word between attached spaces; few rows of structures make many words."""
    listed = tuple(letters)
    if any(not (x.type.domain.attached and x.type.codomain.attached) for x in listed):
        return Structure("full")
    return _row(tuple(x.structure for x in listed))


def whole_pattern(p: Form) -> Structure:
    """The structure of a polynomial."""
    flow: Flow = "zero"
    total: Rational | None = 0
    for (numbers, letters), c in p.items():
        part = pattern(letters) if letters else Structure.make("diagonal", ("unit",))
        flow = join_flow(flow, part.flow)
        if not part.strict:
            total = total + c if part.unit and not numbers and total is not None else None
    flags = {"strict"} if total == 0 else {"unit"} if total == 1 and flow in ("diagonal", "inward", "outward") else ()
    return Structure.make(flow, flags)


# -- one letter for equal content -------------------------------------------------------------------------------------

_known: WeakValueDictionary[tuple[object, ...], Letter] = WeakValueDictionary()
_count = iter(range(1, 1 << 62))


def _content(p: Form) -> frozenset[tuple[Word, Rational]]:
    return frozenset(p.items())


def _entered(key: tuple[object, ...], kind: Kind, source: Expr | None, body: Form | None, type_: Type,
             structure: Structure, function: LocalFunction | None = None) -> Letter:  # fmt: skip
    made = Letter(kind, source, body, type_, structure, next(_count), function=function)
    if structure.symmetric:
        made.turned.append(made)
    else:
        twofold = kind in ("inverse", "diag")
        turned = adjoint(body) if twofold and body is not None else None
        starred = Letter(
            kind, source, turned, type_.T, structure.T, next(_count), starred=not twofold, function=function
        )
        made.turned.append(starred)
        starred.turned.append(made)
    _known[key] = made
    return made


def leaf(source: Expr, kind: Kind, structure: Structure) -> Letter:
    """The letter of a leaf, an input, a number or the solution of an equation."""
    found = _known.get((source, kind))
    return found if found is not None else _entered((source, kind), kind, source, None, source.type, structure)


def made_of(
    kind: Kind, body: Form, type_: Type, source: Expr | None = None, function: LocalFunction | None = None
) -> Letter:
    """The inverse, root, diagonal … of a polynomial; that of the adjoint is the adjoint of the letter."""
    key = (kind, _content(body), type_, function)
    if (found := _known.get(key)) is not None:
        return found
    turned = adjoint(body)
    if (
        kind not in ("root", "local", "own")
        and (found := _known.get((kind, _content(turned), type_.T, None))) is not None
    ):
        return found.star
    return _entered(key, kind, source, body, type_, _structure(kind, body, symmetric=turned == body), function)


def _structure(kind: Kind, body: Form, *, symmetric: bool) -> Structure:
    """What is known of the inverse, root, diagonal … of a polynomial."""
    flags = {"symmetric"} if symmetric and kind in ("inverse", "diag") else set[str]()
    if kind != "inverse":
        return Structure.make("diagonal", flags)
    inner = whole_pattern(body)
    flow: Flow = inner.flow if inner.flow in ("diagonal", "inward", "outward") else "full"
    return Structure.make(flow, flags | (inner.flags & {"unit"}) | {"invertible"})
