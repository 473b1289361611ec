"""Queries: what one asks of an operator besides applying it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, get_args

from operator_algebra.arguments import choice, shown, told, whole
from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.expressions.formulas import formula, refused, spoken
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.render import Style, brief

Kind = Literal["diag", "block", "trace", "logdet", "dense"]
Place = int | str
"""A body by index, or by the name of its joint."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question about an expression; lower, compile, evaluate and check take it like an expression."""

    kind: Kind
    body: Expr
    places: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        choice(self.kind, "the kind of a query", get_args(Kind))
        object.__setattr__(self, "body", formula(self.body, self.kind))
        places = tuple(_place(place) for place in _sequence(self.places))
        if len(places) != (2 if self.kind == "block" else 0):
            raise InputError(f"{self.kind} was given {len(places)} bodies. Write block(e, i, j), or {self.kind}(e).")
        object.__setattr__(self, "places", places)

    def __repr__(self) -> str:
        places = "".join(f", {shown(place)}" for place in self.places)
        return f"{self.kind}({brief(self.body)}{places})"

    def render(self, style: Style = "unicode") -> str:
        """The question as text, which `parse` reads back; a joint stands in quotes."""
        choice(style, "style", get_args(Style))
        if style == "latex":
            places = "".join(rf",\,\text{{{place}}}" for place in self.places)
            return rf"\operatorname{{{self.kind}}}\left({self.body.render(style)}{places}\right)"
        places = "".join(f", {place if isinstance(place, int) else _quoted(place)}" for place in self.places)
        return f"{self.kind}({self.body.render(style)}{places})"


def body_of(formula: Expr | Query) -> Expr:
    """The operator that a formula is, or that a query asks about."""
    return formula.body if isinstance(formula, Query) else formula


@dataclass(frozen=True, slots=True)
class Combination:
    """A side of a claim about answers: a sum of multiples of queries, and a number."""

    terms: tuple[tuple[Fraction, Query], ...]
    number: Fraction = Fraction(0)

    def alone(self) -> Query | Combination:
        """The question itself, where it is all of the sum."""
        if len(self.terms) == 1 and self.terms[0][0] == 1 and not self.number:
            return self.terms[0][1]
        return self

    def render(self, style: Style = "unicode") -> str:
        """The sum as text, which `parse_claim` reads back."""
        minus = "−" if style == "unicode" else "-"
        parts = [(c, f"{'' if abs(c) == 1 else f'{abs(c)} '}{query.render(style)}") for c, query in self.terms]
        if self.number or not parts:
            parts.append((self.number, str(abs(self.number))))
        text = "".join(f" {minus if c < 0 else '+'} {part}" for c, part in parts)
        return text[3:] if parts[0][0] >= 0 else f"{minus}{text[3:]}"


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _sequence(places: object) -> tuple[object, ...]:
    if isinstance(places, tuple | list):
        return tuple(places)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    raise InputError(f"the bodies of a query are a pair, not {told(places)}.")


def _place(place: object) -> Place:
    """A body as an int or a name; True, 0.5 and the like are neither."""
    if isinstance(place, str):
        return place
    return whole(place, "the body of a block, an index or the name of a joint,")


def question(value: object, what: str) -> Expr | Query:
    """An argument as an expression or a query; `what` begins the message, such as "lower"."""
    found = spoken(value)
    if isinstance(found, Expr | Query):
        return found
    raise refused(value, what)


def block(e: Expr | str, i: Place, j: Place) -> Query:
    """The block of row body i and column body j (indices, or joint names).

    >>> block("H phi M phi' H'", 0, 1)
    block(H φ M φ* H*, 0, 1)
    """
    e = formula(e, "block")
    if not (e.type.domain.attached and e.type.codomain.attached):
        raise SpaceMismatch(
            f"block({brief(e)}, …): {e.type} has no blocks per body on both sides. Evaluate it as it is."
        )
    return Query("block", e, (i, j))


def trace(e: Expr | str) -> Query:
    """The trace; e must deliver what it takes, or its dual.

    >>> trace("H phi M phi' H'")
    trace(H φ M φ* H*)
    """
    e = formula(e, "trace")
    if not e.type.same_sizes:
        raise SpaceMismatch(f"trace({brief(e)}): rows and columns have different block sizes ({e.type}).")
    return Query("trace", e)


def logdet(e: Expr | str) -> Query:
    """The logarithm of the determinant; it must be positive.

    >>> logdet("H phi M phi' H'")
    logdet(H φ M φ* H*)
    """
    e = formula(e, "logdet")
    if not e.type.same_sizes:
        raise SpaceMismatch(f"logdet({brief(e)}): rows and columns have different block sizes ({e.type}).")
    return Query("logdet", e)


def dense(e: Expr | str) -> Query:
    """The whole matrix.

    >>> dense("H phi M phi' H'")
    dense(H φ M φ* H*)
    """
    return Query("dense", formula(e, "dense"))
