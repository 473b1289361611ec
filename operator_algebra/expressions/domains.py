"""What in a formula holds for some mechanisms alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.traverse import children_and_definition, postorder


def narrow(formulas: Iterable[Expr]) -> Iterator[str]:
    """The names in formulas that hold for constant joint maps alone."""
    return (name for e in formulas for name in _narrow(e))


@lru_cache(maxsize=1024)
def _narrow(e: Expr) -> tuple[str, ...]:
    nodes = postorder(e, children_and_definition)
    return tuple(node.render() for node in nodes if isinstance(node, Symbol) and node.domain)
