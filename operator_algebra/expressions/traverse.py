"""Walks over expressions, all iterative: a formula 10,000 levels deep is walked like any other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar, assert_never, cast, get_args

from operator_algebra.arguments import entries
from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import (
    Diag,
    Expr,
    Fixpoint,
    Inverse,
    Local,
    Node,
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
from operator_algebra.operators.spaces import Type
from operator_algebra.operators.structure import is_within

R = TypeVar("R")

Children = Callable[[Expr], "tuple[Expr, ...]"]


def children(node: Expr) -> tuple[Expr, ...]:
    """The direct sub-expressions."""
    return node.children


def children_and_definition(node: Expr) -> tuple[Expr, ...]:
    """The direct sub-expressions, and the definition of a defined symbol."""
    if isinstance(node, Symbol) and node.definition is not None:
        return (node.definition,)
    return node.children


def all_below(node: Expr) -> tuple[Expr, ...]:
    """All nodes that one is made of: definitions and bound variables, too."""
    return (node.variable, node.body) if isinstance(node, Fixpoint) else children_and_definition(node)


def postorder(e: Expr, below: Children = children, *, until: Callable[[Expr], bool] | None = None) -> Iterator[Expr]:
    """Every distinct node once, children before parents; nothing below a node for which `until` holds."""
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(e, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
            continue
        if node in seen:
            continue
        seen.add(node)
        stack.append((node, True))
        if until is None or not until(node):
            stack.extend((child, False) for child in reversed(below(node)) if child not in seen)


def fold(e: Expr, combine: Callable[[Expr, tuple[R, ...]], R], below: Children = children) -> R:
    """The value of a formula from the values of its parts; shared parts are combined once."""
    done: dict[Expr, R] = {}
    for node in postorder(e, below):
        done[node] = combine(node, tuple(done[child] for child in below(node)))
    return done[e]


def symbols(e: Expr) -> frozenset[Symbol]:
    """The symbols of a formula, bound variables and those inside definitions not included."""
    return frozenset(node for node in postorder(e) if isinstance(node, Symbol) and node.origin != "bound")


def free_symbols(e: Expr) -> frozenset[Symbol]:
    """The leaves and inputs on which the value depends, found through all definitions."""
    return frozenset(
        node
        for node in postorder(e, children_and_definition)
        if isinstance(node, Symbol) and node.origin in ("model", "input")
    )


def named_apart(symbols: Iterable[Symbol]) -> None:
    """Refuse two different leaves or inputs of one name: values are given, and results are read, by name."""
    known: dict[str, Symbol] = {}
    for symbol in symbols:
        other = known.setdefault(symbol.name, symbol)
        if other is not symbol:
            raise InputError(
                f"two different operators are called {symbol.name}: {_told_apart(other)}, and {_told_apart(symbol)}. "
                "Give one of them another name."
            )


def _told_apart(symbol: Symbol) -> str:
    whence = "of the mechanism" if symbol.origin == "model" else "an input"
    return f"one {whence}, {symbol.type}, {symbol.structure}"


def rebuild(node: Expr, parts: tuple[Expr, ...]) -> Expr:
    """The same node over other parts, made by the smart constructors."""
    from operator_algebra.expressions import build

    node = of_a_kind(node)
    match node:
        case _ if parts == node.children:
            return node
        case Sum():
            return build.add(*parts)
        case Product():
            return build.matmul(*parts)
        case Scale():
            return build.multiply(node.factor, parts[0]) if len(parts) == 1 else build.multiply(parts[0], parts[1])
        case Transpose():
            return parts[0].T
        case Inverse():
            return build.inv(parts[0])
        case Root():
            return build.root(parts[0])
        case Diag():
            return build.diag(parts[0])
        case Fixpoint():
            return build.close_fixpoint(node.name, node.variable, parts[0], node.cites)
        case Local():
            return build.local(node.function, *parts)
        case Symbol() | One() | Zero():
            return node
        case _:
            assert_never(node)


def _replaceable(old: Expr, new: Expr) -> None:
    """Refuse another type; and less structure where the formula was written with it: X* = X, diag(X) = X."""
    from operator_algebra.expressions.mismatch import short
    from operator_algebra.expressions.normalize import equal

    if not (old.typed and new.typed):
        return
    if old.type != new.type:
        raise SpaceMismatch(
            f"cannot substitute {short(new)} ({new.type}) for {short(old)} ({old.type}): "
            "they map other spaces. Give a replacement of the same type."
        )
    if old.structure.flow in ("zero", "diagonal") and not is_within(new.structure.flow, old.structure.flow):
        lost = "block-diagonal"
    elif old.structure.symmetric and not (new.structure.symmetric or equal(new, new.T)):
        lost = "symmetric"
    else:
        return
    raise InputError(
        f"cannot substitute {short(new)} for {short(old)}: {short(old)} is {lost}, {short(new)} is not known to be. "
        "Declare or infer that structure, or write the formula anew."
    )


def substitute(e: Expr, mapping: Mapping[Expr, Expr]) -> Expr:
    """Replace sub-expressions, all at once; a replacement has the type, flow and symmetry of what it replaces."""
    mapping = {
        formula(old, "substitute"): formula(new, "substitute")
        for old, new in entries(mapping, "what substitute is given", "formulas to formulas").items()
    }
    for old, new in mapping.items():
        _replaceable(old, new)

    def below(node: Expr) -> tuple[Expr, ...]:
        return () if node in mapping else node.children

    def combine(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        if node in mapping:
            from operator_algebra.expressions.build import retype

            return retype(mapping[node], node.type)
        return rebuild(node, parts)

    return fold(e, combine, below)


def to_records(e: Expr) -> tuple[tuple[Any, ...], ...]:
    """The formula as a flat tuple of records (children by position), for pickling without recursion."""
    index: dict[Expr, int] = {}
    records: list[tuple[Any, ...]] = []

    def encode(field: Any) -> Any:
        if isinstance(field, Expr):
            return ("#", index[field])
        if isinstance(field, tuple):
            return ("()", *map(encode, cast("tuple[Any, ...]", field)))
        return field

    for node in postorder(e, all_below):
        index[node] = len(records)
        records.append((type(node).__name__, node.type, *(encode(field) for field in node._fields)))  # pyright: ignore[reportPrivateUsage]
    return tuple(records)


KINDS: Mapping[str, type[Expr]] = {kind.__name__: kind for kind in get_args(Node)}
"""The kinds of node by name."""


def from_records(records: tuple[tuple[Any, ...], ...]) -> Expr:
    """The inverse of `to_records`."""
    nodes: list[Expr] = []

    def decode(field: Any) -> Any:
        if not isinstance(field, tuple):
            return field
        tag, *parts = cast("tuple[Any, ...]", field)
        values: list[Any] = [nodes[parts[0]]] if tag == "#" else [decode(part) for part in parts]
        return values[0] if tag == "#" else tuple(values)

    for kind, type_, *fields in records:
        made: Type = type_
        nodes.append(from_fields(kind, made, tuple(decode(field) for field in fields)))
    return nodes[-1]


def from_fields(kind: str, type_: Type, fields: tuple[Any, ...]) -> Expr:
    """The node of a kind with these fields, as `to_records` told them."""
    return KINDS[kind]._make(type_, fields)  # pyright: ignore[reportPrivateUsage]


def definition_of(e: Expr) -> Expr | None:
    """What a symbol, or the adjoint of one, is defined as; None for a leaf and for everything else."""
    symbol = e.body if isinstance(e, Transpose) else e
    if not isinstance(symbol, Symbol) or symbol.definition is None:
        return None
    return symbol.definition if symbol is e else symbol.definition.T
