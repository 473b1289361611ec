"""The adjoint of an expression, pushed to the leaves."""

from __future__ import annotations

from typing import assert_never

from operator_algebra.expressions import build
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
from operator_algebra.expressions.traverse import postorder

_Leaf = Symbol | Fixpoint | Root | Local


def _below(node: Expr) -> tuple[Expr, ...]:
    return () if isinstance(node, _Leaf | Transpose) else node.children


def _is_known(node: Expr) -> bool:
    return isinstance(node, _Leaf) or node._transpose is not None  # pyright: ignore[reportPrivateUsage]


def _remember(node: Expr, adjoint: Expr) -> None:
    object.__setattr__(node, "_transpose", adjoint)


def _adjoint_of(node: Expr) -> Expr:
    node = of_a_kind(node)
    match node:
        case One():
            return build.one(node.type.T) if node.typed else node
        case Zero():
            return build.zero(node.type.T) if node.typed else node
        case Sum():
            return build.add(*(child.T for child in node.children))
        case Product():
            return build.matmul(*(child.T for child in reversed(node.children)))
        case Scale():
            return build.multiply(node.factor, node.body.T)
        case Transpose():
            return node.body
        case Inverse():
            return build.inv(node.body.T)
        case Diag():
            return build.diag(node.body.T)
        case Symbol() | Fixpoint() | Root() | Local():
            raise AssertionError(node)
        case _:
            assert_never(node)


def adjoint(e: Expr) -> Expr:
    """(A B)* = B* A*, (A⁻¹)* = (A*)⁻¹; a symmetric symbol is its own adjoint, a skew function its opposite.

    A leaf does not remember its star: the table of nodes would then hold both for ever.
    """
    if isinstance(e, _Leaf):
        if isinstance(e, Symbol | Fixpoint) and e.type == e.type.T and e.structure.symmetric:
            return e
        if isinstance(e, Local) and e.function.skew:
            return build.scale(-1, e)
        return Transpose._make(e.type.T, (e,))  # pyright: ignore[reportPrivateUsage]
    for node in postorder(e, _below, until=_is_known):
        if not _is_known(node):
            made = _adjoint_of(node)
            _remember(node, made)
            if not isinstance(made, _Leaf):
                _remember(made, node)
    return e.T
