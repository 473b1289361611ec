"""The adjoint of an expression, pushed to the leaves."""

from __future__ import annotations

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
    set_transposes,
)
from operator_algebra.expressions.traverse import postorder


def _has_adjoint(node: Expr) -> bool:
    return node._transpose is not None  # pyright: ignore[reportPrivateUsage]


def _adjoint_of(node: Expr) -> Expr:
    match node:
        case Symbol() | Fixpoint():
            if node.type == node.type.T and node.structure.symmetric:
                return node
            return Transpose._make(node.type.T, (node,))  # pyright: ignore[reportPrivateUsage]
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
        case Root() | Local():
            return Transpose._make(node.type.T, (node,))  # pyright: ignore[reportPrivateUsage]
        case _:
            raise AssertionError(node)


def adjoint(e: Expr) -> Expr:
    """(A B)* = B* A*, (A⁻¹)* = (A*)⁻¹; a symmetric symbol is its own adjoint."""
    for node in postorder(e, until=_has_adjoint):
        if not _has_adjoint(node):
            set_transposes([(node, _adjoint_of(node))])
    return e.T
