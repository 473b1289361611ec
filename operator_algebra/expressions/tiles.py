"""Structure as a picture: the block pattern that an operator has on a small tree, in the colour of its name."""

from __future__ import annotations

from fractions import Fraction

from operator_algebra.expressions.nodes import Expr, Fixpoint, Product, Scale, Symbol, Transpose
from operator_algebra.expressions.render import brief
from operator_algebra.markup import NEUTRAL, colour, element, escape, pattern
from operator_algebra.operators.structure import Structure

# A trunk of two bodies and two branches: the smallest tree on which siblings show.
_PARENT = (-1, 0, 1, 1)
_MOST = 16
_ROW = "display:flex;flex-wrap:wrap;gap:0.6em;align-items:center;margin:0.4em 0"
_CELL = "text-align:center;font-size:small;line-height:1.3"


def _ancestors(k: int) -> set[int]:
    found: set[int] = set()
    while k >= 0:
        found.add(k)
        k = _PARENT[k]
    return found


def _inward(structure: Structure, i: int, j: int) -> bool:
    if structure.hop:
        return _PARENT[j] == i
    return i in _ancestors(j) and not (structure.strict and i == j)


def cells(structure: Structure) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """The blocks that may be there on the small tree, bodies base to tip, and the shape of the pattern."""
    n = len(_PARENT)
    places = [(i, j) for i in range(n) for j in range(n)]
    match structure.flow:
        case "zero":
            return [], (n, n)
        case "diagonal":
            return [(k, k) for k in range(n)], (n, n)
        case "inward":
            return [(i, j) for i, j in places if _inward(structure, i, j)], (n, n)
        case "outward":
            return [(i, j) for i, j in places if _inward(structure, j, i)], (n, n)
        case "related":
            return [(i, j) for i, j in places if _inward(structure, i, j) or _inward(structure, j, i)], (n, n)
        case "full":
            return [(i, j) for i, j in places if not (structure.strict and i == j)], (n, n)
        case "column":
            return [(k, 0) for k in range(n)], (n, 1)
        case "row":
            return [(0, k) for k in range(n)], (1, n)
        case "small":
            return [(0, 0)], (1, 1)


def _colour_of(e: Expr) -> str:
    inner = e.body if isinstance(e, Transpose) else e
    return colour(inner.name) if isinstance(inner, Symbol | Fixpoint) else NEUTRAL


def _tile(e: Expr) -> str:
    label = f"{brief(e, 24)}: {e.type}, {e.structure}" if e.typed else brief(e, 24)
    square = pattern(*cells(e.structure), label=label, fill=_colour_of(e), cell=7)
    return element("div", square, "<br/>", escape(brief(e, 24)), style=_CELL)


def row(e: Expr) -> str:
    """A product as tiles, factor by factor, and the tile of the whole; anything else as one tile."""
    body = e
    while isinstance(body, Scale) and isinstance(body.factor, Fraction):
        body = body.body
    if not isinstance(body, Product) or len(body.children) > _MOST:
        return element("div", _tile(e), style=_ROW)
    factors = [_tile(factor) for factor in body.children]
    return element("div", *factors, element("div", "="), _tile(e), style=_ROW)
