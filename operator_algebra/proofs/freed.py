"""A recursion turned round: its solution is drawn, and the leaf that drives it follows.

P = M + E_φ P⁺ E_φ* gives M := P − E_φ P⁺ E_φ*. So every operator of a claim is rational in what is drawn, and what
stands under a root can be made a square.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from operator_algebra.expressions.nodes import Expr, Fixpoint, Product, Root, Sum, Symbol
from operator_algebra.expressions.traverse import children_and_definition, definition_of, postorder


@dataclass(frozen=True)
class Freed:
    """A fixed point X = L + g(X), with L a leaf that g does not mention: any X solves it for L := X − g(X)."""

    solution: Fixpoint
    driver: Symbol


def recursions(sides: Iterable[Expr]) -> tuple[Freed | None, ...]:
    """All recursions of some expressions, turned round; None for one that no leaf drives alone."""
    fixed = [node for node in _nodes(sides) if isinstance(node, Fixpoint)]
    drivers = [(node, _driver(node)) for node in fixed]
    return tuple(None if driver is None else Freed(node, driver) for node, driver in drivers)


def _nodes(sides: Iterable[Expr]) -> list[Expr]:
    """Every node below some expressions once, those inside of fixed points too."""
    return list(dict.fromkeys(node for side in sides for node in postorder(side, children_and_definition)))


def _driver(node: Fixpoint) -> Symbol | None:
    terms = node.body.children if isinstance(node.body, Sum) else ()
    for term in terms:
        if isinstance(term, Symbol) and term.definition is None and term.origin != "bound":
            others = [other for other in terms if other is not term]
            if term not in _nodes(others):
                return term
    return None


@dataclass(frozen=True)
class Pivot:
    """What stands under a root: A X A* + the rest, X the solution of a recursion, A a leaf with a right inverse."""

    root: Root
    of: Freed
    outer: Expr


def pivots(sides: Sequence[Expr]) -> tuple[Pivot, ...]:
    """All roots of such operators, for each driver one at most."""
    known = [one for one in recursions(sides) if one is not None]
    found: dict[Symbol, Pivot] = {}
    for node in _nodes(sides):
        if isinstance(node, Root):
            for one in known:
                outer = _outer(node.body, one)
                if outer is not None:
                    found.setdefault(one.driver, Pivot(node, one, outer))
    return tuple(found.values())


def _outer(under: Expr, recursion: Freed) -> Expr | None:
    """The A of A X A* + the rest."""
    e = under
    while (definition := definition_of(e)) is not None:
        e = definition
    found: list[Expr] = []
    for term in e.children if isinstance(e, Sum) else (e,):
        if recursion.solution in _nodes([term]):
            match term:
                case Product(children=(outer, middle, back)) if middle is recursion.solution and back is outer.T:
                    found.append(outer)
                case _:
                    return None
    return found[0] if len(found) == 1 and found[0].structure.has("onto") else None
