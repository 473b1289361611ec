"""A formula as a row of tiles: what stands left and right of the equals sign, and the blocks of each factor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from operator_algebra.errors import InputError
from operator_algebra.expressions.nodes import Expr, Fixpoint, Product, Scale, Sum, Symbol, Transpose
from operator_algebra.expressions.render import brief
from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout
from operator_algebra.views.ink.palette import operator_colour
from operator_algebra.views.pattern import Filled, block_layout, structural


@dataclass(frozen=True, eq=False)
class Tile:
    """One operator: its name, spaces, block sizes and filled blocks, bodies base to tip."""

    label: str
    type: str
    filled: Filled
    rows: Layout
    cols: Layout
    unit: bool
    colour: str


@dataclass(frozen=True, eq=False)
class Term:
    """A product of tiles behind its sign and coefficient."""

    sign: str
    tiles: tuple[Tile, ...]


@dataclass(frozen=True, eq=False)
class Equation:
    """The whole, and the terms that it is the sum of; no terms if it has no parts."""

    whole: Tile
    terms: tuple[Term, ...]


def equation(e: Expr, model: Model) -> Equation:
    """The tiles of a formula; a name stands for its definition, terms that the mechanism lacks are left out.

    >>> from operator_algebra.models.families import chain
    >>> from operator_algebra.symbols import H, phi
    >>> [tile.label for tile in equation(H @ phi, chain(2)).terms[0].tiles]
    ['H', 'φ']
    """
    if not e.typed:
        raise InputError(f"{e} has no blocks: the spaces of I and 0 are not known. Put it beside an operator.")
    body = definition(e)
    parts = body.children if isinstance(body, Sum) else (body,)
    terms = [_term(part, model) for part in parts if structural(part, model).any()]
    if not terms:
        terms = [_term(parts[0], model)]
    whole = replace(_tile(e, model), label=brief(e, 24))
    first = Term(terms[0].sign.replace("+", "").strip(), terms[0].tiles)
    if len(terms) == len(first.tiles) == 1 and (first.sign, first.tiles[0].label) == ("", whole.label):
        return Equation(whole, ())
    return Equation(whole, (first, *terms[1:]))


def definition(e: Expr) -> Expr:
    """What a name is equal to; anything else is itself."""
    if isinstance(e, Symbol) and e.definition is not None:
        return e.definition
    if isinstance(e, Fixpoint):
        return e.body.substitute({e.variable: e})
    if isinstance(e, Transpose) and isinstance(e.body, Symbol) and e.body.definition is not None:
        return e.body.definition.T
    return e


def _term(e: Expr, model: Model) -> Term:
    coefficient = Fraction(1)
    while isinstance(e, Scale) and isinstance(e.factor, Fraction):
        coefficient *= e.factor
        e = e.body
    sign = "−" if coefficient < 0 else "+"
    if abs(coefficient) != 1:
        sign += f" {abs(coefficient)}"
    factors = e.children if isinstance(e, Product) else (e,)
    return Term(sign, tuple(_tile(factor, model) for factor in factors))


def _tile(e: Expr, model: Model) -> Tile:
    name = brief(e, 24)
    return Tile(
        label=f"({name})" if isinstance(e, Sum) else name,
        type=repr(e.type),
        filled=structural(e, model),
        rows=block_layout(e.type.codomain, model),
        cols=block_layout(e.type.domain, model),
        unit=e.structure.unit,
        colour=operator_colour(e),
    )
