"""Derivatives by rule: of any expression, from the rates of what has no definition. No leaf is known here.

The derivative of a name is a name again, that of a fixed point the fixed point of the linear equation that it solves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from operator_algebra.arguments import entries
from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.expressions.build import (
    add,
    define,
    diag,
    fixpoint,
    inv,
    local,
    matmul,
    multiply,
    retype,
    scale,
    zero,
)
from operator_algebra.expressions.fixpoints import renamed
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import (
    Diag,
    Expr,
    Fixpoint,
    Inverse,
    Local,
    One,
    Product,
    Root,
    Scale,
    Sum,
    Symbol,
    Transpose,
    Zero,
    of_a_kind,
)
from operator_algebra.expressions.normalize import equal
from operator_algebra.expressions.traverse import children_and_definition, free_symbols, postorder
from operator_algebra.operators.structure import is_within

Known = Mapping[Expr, Expr]
"""Nodes and their derivatives."""


@dataclass(frozen=True)
class Derivation:
    """What decides a derivative."""

    rate: Callable[[Symbol], Expr]
    """That of a leaf or an input; an error where it has none."""
    named: Callable[[str], str]
    """What the derivative of something of this name is called."""
    domain: Callable[[Expr], tuple[str, ...]]
    """On which mechanisms what an expression has been differentiated to is its derivative, in words."""
    single: bool = False
    """Whether joints have one degree of freedom at most, so that their blocks are numbers."""


def derivatives(formulas: Sequence[Expr], by: Derivation) -> list[Expr]:
    """The derivatives of closed expressions, in order; what they share is done once."""
    known: Known = {}
    for e in formulas:
        known = _derivatives(e, by, known, naming=True)
    return [known[e] for e in formulas]


def _derivatives(e: Expr, by: Derivation, known: Known, *, naming: bool) -> Known:
    """The derivatives of e and of what it is made of, parts first."""
    found = dict(known)
    for node in postorder(e, _below, until=found.__contains__):
        if node not in found:
            found[node] = _derivative(node, by, found, naming=naming)
    return found


def _below(node: Expr) -> tuple[Expr, ...]:
    """Children and definitions; of a fixed point those inside that do not mention its unknown."""
    if not isinstance(node, Fixpoint):
        return children_and_definition(node)
    unknowns: dict[Expr, frozenset[Expr]] = {}
    for part in postorder(node.body, children_and_definition):
        inside = frozenset[Expr]().union(*(unknowns[child] for child in children_and_definition(part)))
        if isinstance(part, Symbol) and part.origin == "bound":
            inside = frozenset((part,))
        unknowns[part] = inside - {part.variable} if isinstance(part, Fixpoint) else inside
    return tuple(part for part, inside in unknowns.items() if isinstance(part, Fixpoint) and not inside)


def _derivative(node: Expr, by: Derivation, found: Known, *, naming: bool) -> Expr:
    """The rule of one kind of node, from the derivatives of its parts."""
    node = of_a_kind(node)
    match node:
        case Symbol() if node.definition is not None:
            return _of_a_name(node, node.definition, by, found, naming=naming)
        case Symbol():
            return by.rate(node)
        case One() | Zero():
            return zero(node.type)
        case Sum():
            return add(*(found[term] for term in node.children))
        case Product():
            return _of_a_product(node, found)
        case Scale() if isinstance(node.factor, Fraction):
            made = found[node.body]
            # Term by term, so that what is symmetric still looks it.
            return add(*(scale(node.factor, term) for term in (made.children if isinstance(made, Sum) else (made,))))
        case Scale():
            factor, body = node.children
            return add(multiply(found[factor], body), multiply(factor, found[body]))
        case Transpose():
            return found[node.body].T
        case Inverse():
            return scale(-1, matmul(node, found[node.body], node))
        case Root():
            return _of_a_root(node, by, found[node.body])
        case Diag():
            return diag(found[node.body])
        case Fixpoint():
            return _of_a_fixed_point(node, by, found)
        case Local():
            (argument,) = node.children
            assert node.function.linear, node.function
            return local(node.function, found[argument])
        case _:
            assert_never(node)


def _of_a_product(node: Product, found: Known) -> Expr:
    factors = node.children
    terms = [
        matmul(*factors[:k], found[factor], *factors[k + 1 :])
        for k, factor in enumerate(factors)
        if not isinstance(found[factor], Zero)
    ]
    return add(*terms) if terms else zero(node.type)


def _of_a_name(node: Symbol, definition: Expr, by: Derivation, found: Known, *, naming: bool) -> Expr:
    """A name is kept in what it changes by: φ̊ = φ Å φ where φ = (I − A)⁻¹."""
    made = found[definition]
    if isinstance(definition, Inverse):
        made = scale(-1, matmul(node, found[definition.body], node))
    bare = made.body if isinstance(made, Scale | Transpose) else made
    if isinstance(bare, Zero | Symbol | Fixpoint) or not naming:
        return made
    return define(by.named(node.name), made, domain=by.domain(node))


def _of_a_root(node: Root, by: Derivation, rate: Expr) -> Expr:
    """½ Ḋ root(D)⁻* where blocks are numbers."""
    if isinstance(rate, Zero):
        return zero(node.type)
    if not (by.single and node.type.codomain.sizes == "joint"):
        raise InputError(
            f"{short(node)} has a derivative by formula only where its blocks are numbers. "
            'Say so of joints: domain=("1-DOF",); elsewhere differentiate what the root is taken of.'
        )
    return Fraction(1, 2) * matmul(rate, inv(node).T)


def _of_a_fixed_point(node: Fixpoint, by: Derivation, found: Known) -> Expr:
    """X = f(X) gives Ẋ = f'(X) Ẋ + ḟ(X), which is linear in Ẋ."""
    equation = renamed(node.body, node.variable, node)

    def linear(rate: Expr) -> Expr:
        return _derivatives(equation, by, {**found, node: rate}, naming=False)[equation]

    if isinstance(linear(zero(node.type)), Zero):
        return zero(node.type)
    return fixpoint(by.named(node.name), node.type, linear)


# -- rates that a user gives -------------------------------------------------------------------------------------------


def given_rates(e: Expr, rates: object) -> dict[Symbol, Expr]:
    """The rates of leaves and inputs of a formula, by symbol or by name; 0 says that one does not change."""
    free = free_symbols(e)
    by_name = {symbol.name: symbol for symbol in free}
    found: dict[Symbol, Expr] = {}
    for key, value in entries({} if rates is None else rates, "rates", "symbols or their names to rates").items():
        symbol = by_name.get(key) if isinstance(key, str) else key
        if symbol not in free:
            listed = ", ".join(sorted(by_name)) or "none"
            raise InputError(
                f"rates speaks of {key if isinstance(key, str) else formula(key, 'rates')}, which is no leaf or input "
                f"of {short(e)}. There are {listed}."
            )
        found[symbol] = fitting(symbol, value, "rates")
    return found


def fitting(symbol: Symbol, value: object, what: str) -> Expr:
    """A rate of the type and the structure of what it belongs to."""
    rate = zero() if isinstance(value, int | float) and value == 0 else formula(value, what)
    rate = rate if rate.typed else retype(rate, symbol.type)
    if rate.type != symbol.type:
        raise SpaceMismatch(
            f"{what}: {symbol} is {symbol.type}, its rate {short(rate)} is {rate.type}. They must map the same spaces."
        )
    lost = ""
    if symbol.structure.flow in ("zero", "diagonal") and not is_within(rate.structure.flow, symbol.structure.flow):
        lost = "block-diagonal"
    elif symbol.structure.symmetric and not (rate.structure.symmetric or equal(rate, rate.T)):
        lost = "symmetric"
    if lost:
        raise InputError(
            f"{what}: {symbol} is {lost}, its rate {short(rate)} is not known to be. Declare that structure for it."
        )
    return rate
