"""Fixed points X = f(X): the equation is called while it is built and never kept; what stays is its body.

The bound variable carries a digest of the equation, so that two equations never share a variable and equal ones do.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from operator_algebra.errors import SpaceMismatch, TheoryError
from operator_algebra.expressions import mismatch
from operator_algebra.expressions.nodes import Expr, Fixpoint, Symbol
from operator_algebra.expressions.order import digest
from operator_algebra.expressions.ring import operand, retype
from operator_algebra.expressions.traverse import children_and_definition, fold, rebuild
from operator_algebra.operators.spaces import Type
from operator_algebra.operators.structure import Structure, is_within

_GUESSES = ("diagonal symmetric", "diagonal", "inward", "outward", "full")
_calls = itertools.count()


def solve(name: str, type_: Type, f: Callable[[Expr], Expr], cites: str) -> Expr:
    """The fixed point with the strongest structure, from a short list, that f maps to itself."""
    guesses = _GUESSES if type_ == type_.T else _GUESSES[1:]
    if not (type_.domain.attached and type_.codomain.attached):
        guesses = ("full",)
    for words in guesses:
        variable = _variable(name, type_, Structure.of(words), f"call {next(_calls)}")
        body = retype(operand(f(variable), "define a fixed point by"), type_)
        if body.type != type_:
            raise SpaceMismatch(
                f"fixpoint {name}: X is {type_}, but f(X) = {mismatch.short(body)} is {body.type}. Both must agree."
            )
        if _consistent(variable, body):
            return _closed(name, *_signed(variable, body), cites)
    raise TheoryError(f"fixpoint {name}: the structure of f(X) does not settle. Check its equation.")


def close_fixpoint(name: str, variable: Symbol, body: Expr, cites: str) -> Expr:
    """A fixed point from its bound variable and another body, of which the blocks of X must still be those."""
    if not _consistent(variable, body):
        if variable.structure.semidefinite:  # of another body X need not be positive
            weaker = _variable(name, variable.type, Structure.of("diagonal symmetric"), f"call {next(_calls)}")
            return close_fixpoint(name, weaker, renamed(body, variable, weaker), cites)
        raise TheoryError(
            f"fixpoint {name}: X was {variable.structure}, but with X = {mismatch.short(body)} it need not be. "
            "Write the equation anew with fixpoint(...)."
        )
    return _closed(name, variable, body, cites)


def _variable(name: str, type_: Type, structure: Structure, tag: str) -> Symbol:
    return Symbol._make(type_, (name, "bound", structure, None, tag))  # pyright: ignore[reportPrivateUsage]


def _signed(variable: Symbol, body: Expr) -> tuple[Symbol, Expr]:
    """The same equation of an unknown that is known to be definite, or semidefinite, if f keeps that."""
    if variable.structure == Structure.of("diagonal symmetric"):
        for words in ("diagonal definite", "diagonal semidefinite"):
            stronger = _variable(variable.name, variable.type, Structure.of(words), f"call {next(_calls)}")
            image = renamed(body, variable, stronger)
            if _consistent(stronger, image):
                return stronger, image
            if not image.structure.semidefinite:  # where less is assumed no more follows
                break
    return variable, body


def _closed(name: str, variable: Symbol, body: Expr, cites: str) -> Expr:
    """The fixed point, its variable named by the content of the equation."""
    structure = variable.structure
    anonymous = _variable(name, variable.type, structure, f"level {_level(body)}")
    equation = renamed(body, variable, anonymous)
    bound = _variable(name, variable.type, structure, digest(equation).hex())
    made = renamed(equation, anonymous, bound)
    return Fixpoint._make(made.type, (name, bound, made, cites))  # pyright: ignore[reportPrivateUsage]


def _level(body: Expr) -> int:
    """How deeply fixed points are nested, definitions included: variables of different levels never meet."""
    return fold(
        body,
        lambda node, levels: max(levels, default=0) + isinstance(node, Fixpoint),
        children_and_definition,
    )


def renamed(body: Expr, old: Expr, new: Expr) -> Expr:
    """The body with something else for a node, inside definitions too, but where it is the unknown of an equation."""

    def below(node: Expr) -> tuple[Expr, ...]:
        return () if isinstance(node, Fixpoint) and node.variable is old else children_and_definition(node)

    def combine(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        if node is old:
            return new
        if isinstance(node, Fixpoint) and node.variable is old:
            return node
        if isinstance(node, Symbol) and parts and parts[0] is not node.definition:
            fields = (node.name, node.origin, None, parts[0], node.cites, node.domain)
            return Symbol._make(node.type, fields)  # pyright: ignore[reportPrivateUsage]
        return node if isinstance(node, Symbol) else rebuild(node, parts)

    return fold(body, combine, below)


def _consistent(variable: Symbol, body: Expr) -> bool:
    """Whether f maps operators of the structure assumed for X to operators of that structure.

    Positive blocks follow body by body: f of those that are known is positive, and the next block is one of it.
    """
    assumed, given = variable.structure, body.structure
    if not variable.type.domain.attached or not variable.type.codomain.attached:
        return True
    if not is_within(given.flow, assumed.flow):
        return False
    if (assumed.semidefinite and not given.semidefinite) or (assumed.definite and not given.definite):
        return False
    if not assumed.symmetric or given.symmetric:
        return True
    from operator_algebra.expressions.normalize import equal

    return equal(body, body.T)
