"""What is left of a formula when all that is zero, or cancels, has been taken away: what it is as a ring expression."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.expressions.build import diag, inv, zero
from operator_algebra.expressions.nodes import Diag, Expr, Fixpoint, Inverse, Local, Root, Symbol
from operator_algebra.expressions.normalize import normalize
from operator_algebra.expressions.query import Query, body_of
from operator_algebra.expressions.traverse import children_and_definition, fold, postorder, rebuild

_GROWTH = 8
"""How much longer than with definitions written out a normal form may be: beyond that its programs take minutes."""


def reduced(formula: Expr | Query, zeros: Collection[str] = ()) -> Expr | Query | None:
    """The normal form with definitions written out, leaves named in `zeros` being 0; None if it needs every inverse.

    An inverse that cancels, or stands beside a zero, is not in it: neither `evaluate` nor a program has to compute it.

    >>> from operator_algebra.symbols import D, G, H, P, inv, tau
    >>> reduced(tau - P @ H.T @ inv(D) @ H)
    0   force → force   zero
    """
    body = body_of(formula)
    # Trace, determinant and diagonal of what goes one way are those of its diagonal blocks.
    local = isinstance(formula, Query) and formula.kind in ("trace", "logdet", "diag") and _one_way(body)
    try:
        written = _written_out(diag(body) if local else body, zeros)
        form = normalize(written)
        before = {part for inverse in _inverses(_written_out(body, ())) for part in _inverses(normalize(inverse))}
    except (InputError, SpaceMismatch):  # too long to be multiplied out, or what is inverted is zero
        return None
    # Multiplying out costs digits; it is worth them where an inverse goes away.
    if len(_inverses(form)) >= len(before) or _length(form) > _GROWTH * _length(written):
        return None
    return replace(formula, body=form) if isinstance(formula, Query) else form


def _inverses(e: Expr) -> set[Expr]:
    return {node for node in postorder(e) if isinstance(node, Inverse | Root)}


def _length(e: Expr) -> int:
    """Operands, each part counted once."""
    return 1 + sum(len(node.children) for node in postorder(e))


def _one_way(e: Expr) -> bool:
    return e.structure.flow in ("inward", "outward")


def _written_out(e: Expr, zeros: Collection[str]) -> Expr:
    """The formula without names, and without leaves that are zero."""

    def below(node: Expr) -> tuple[Expr, ...]:
        return () if isinstance(node, Fixpoint) else children_and_definition(node)

    def combine(node: Expr, parts: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Symbol):
            if node.origin == "model" and node.name in zeros:
                return zero(node.type)
            return parts[0] if parts else node
        if isinstance(node, Diag) and isinstance(parts[0], Inverse) and _one_way(parts[0].body):
            return inv(diag(parts[0].body))
        if isinstance(node, Local | Root):
            parts = tuple(normalize(part) for part in parts)
        return node if isinstance(node, Fixpoint) else rebuild(node, parts)

    return fold(e, combine, below)
