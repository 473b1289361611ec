"""A content digest of expressions, the same in every run, and the order in which terms are written."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any, cast
from weakref import WeakKeyDictionary

from operator_algebra.expressions.nodes import Expr, Fixpoint
from operator_algebra.expressions.render import brief
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.local import LocalFunction
from operator_algebra.operators.structure import Structure

_digests: WeakKeyDictionary[Expr, bytes] = WeakKeyDictionary()


def _parts(node: Expr) -> tuple[Expr, ...]:
    return (node.variable, node.body) if isinstance(node, Fixpoint) else children_and_definition(node)


def _bytes(field: Any) -> bytes:
    if isinstance(field, Expr):
        return _digests[field]
    if isinstance(field, tuple):
        return b"(" + b",".join(_bytes(part) for part in cast("tuple[Any, ...]", field)) + b")"
    if isinstance(field, Leaf):
        return _bytes(field.structure)
    if isinstance(field, LocalFunction):
        return _bytes(field.name)
    if isinstance(field, Structure):
        return " ".join([field.flow, *sorted(field.flags)]).encode()
    if isinstance(field, Fraction):
        return f"{field.numerator:x}/{field.denominator:x}".encode()
    return repr(field).encode()


def digest(e: Expr) -> bytes:
    """Sixteen bytes that depend on the content alone: equal for equal formulas, in every process.

    >>> from operator_algebra.symbols import H, M, phi
    >>> digest(H @ phi) == digest(H @ phi), digest(H @ phi) == digest(M)
    (True, False)
    """
    for node in postorder(e, _parts, until=_digests.__contains__):
        if node not in _digests:
            content = [type(node).__name__.encode(), repr((node.type.domain, node.type.codomain)).encode()]
            content += [_bytes(field) for field in node._fields]  # pyright: ignore[reportPrivateUsage]
            hashed = hashlib.blake2b(digest_size=16)
            for part in content:
                hashed.update(len(part).to_bytes(8, "big") + part)
            _digests[node] = hashed.digest()
    return _digests[e]


def reading_key(e: Expr) -> tuple[str, bytes]:
    """Sorts expressions as they read; equal texts by content."""
    return brief(e, 200), digest(e)
