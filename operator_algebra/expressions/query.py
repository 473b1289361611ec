"""Queries: what one asks of an operator besides applying it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from operator_algebra.errors import SpaceMismatch
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.render import brief

Kind = Literal["diag", "block", "trace", "logdet", "dense"]
Place = int | str
"""A body by index, or by the name of its joint."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question about an expression; lower, compile, evaluate and check take it like an expression."""

    kind: Kind
    body: Expr
    places: tuple[Place, ...] = ()

    def __repr__(self) -> str:
        places = "".join(f", {place!r}" for place in self.places)
        return f"{self.kind}({brief(self.body)}{places})"


def block(e: Expr, i: Place, j: Place) -> Query:
    """The block of row body i and column body j (indices, or joint names)."""
    if not (e.type.domain.attached and e.type.codomain.attached):
        raise SpaceMismatch(
            f"block({brief(e)}, …): {e.type} has no blocks per body on both sides. Evaluate it as it is."
        )
    return Query("block", e, (i, j))


def trace(e: Expr) -> Query:
    """The trace; e must deliver what it takes, or its dual."""
    if not e.type.same_sizes:
        raise SpaceMismatch(f"trace({brief(e)}): rows and columns have different block sizes ({e.type}).")
    return Query("trace", e)


def logdet(e: Expr) -> Query:
    """The logarithm of the determinant; it must be positive."""
    if not e.type.same_sizes:
        raise SpaceMismatch(f"logdet({brief(e)}): rows and columns have different block sizes ({e.type}).")
    return Query("logdet", e)


def dense(e: Expr) -> Query:
    """The whole matrix."""
    return Query("dense", e)
