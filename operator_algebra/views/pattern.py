"""Which blocks of an operator can be other than zero on a mechanism: patterns, multiplied as the operators are."""

from __future__ import annotations

from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

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
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.models.model import Model
from operator_algebra.operators.inputs import model_layouts
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import Space
from operator_algebra.operators.structure import Structure

Filled = NDArray[np.bool_]


def structural(e: Expr, model: Model) -> Filled:
    """The blocks that may be there for every configuration: (block rows, block columns).

    Only the tree, block sizes, inferred structure and what the mechanism lacks (no armature: no block) enter.

    >>> from operator_algebra.models.families import chain
    >>> from operator_algebra.symbols import phi
    >>> structural(phi, chain(3)).astype(int).tolist()
    [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    """
    return _Patterns(model).of(e)


def block_layout(space: Space, model: Model) -> Layout:
    """Block sizes of a space; a user's own space, whose sizes come with its value, counts as one row per body."""
    known = model_layouts(model)
    if space.sizes in known:
        return known[space.sizes]
    return Layout.of(np.ones(model.n if space.attached else 1), attached=space.attached)


class _Patterns:
    def __init__(self, model: Model) -> None:
        self.model = model
        n = model.n
        parent = np.array(model.parent, dtype=np.intp)
        self.eye: Filled = np.eye(n, dtype=np.bool_)
        self.hop: Filled = np.zeros((n, n), dtype=np.bool_)
        (below,) = np.nonzero(parent >= 0)
        self.hop[parent[below], below] = True
        self.above = _closure(self.hop)
        self.known: dict[Expr, Filled] = {}

    def of(self, e: Expr) -> Filled:
        for node in postorder(e, self._below):
            if node not in self.known:
                self.known[node] = self._masked(node, self._pattern(node))
        return self.known[e]

    def _below(self, node: Expr) -> tuple[Expr, ...]:
        if isinstance(node, Fixpoint) or node in self.known:
            return ()
        return children_and_definition(node)

    def _masked(self, node: Expr, filled: Filled) -> Filled:
        """Without what the inferred structure excludes, and without blocks that have no rows or no columns."""
        if not node.typed:
            return filled
        if node.type.domain.attached and node.type.codomain.attached:
            filled = filled & self._allowed(node, node.structure)
        rows, cols = (block_layout(space, self.model).sizes > 0 for space in (node.type.codomain, node.type.domain))
        return filled & rows[:, None] & cols[None, :]

    def _pattern(self, node: Expr) -> Filled:
        parts = [self.known[child] for child in self._below(node)]
        node = of_a_kind(node)
        match node:
            case Symbol() if node.definition is not None:
                return parts[0]
            case Symbol():
                return self._leaf(node)
            case One() | Local():
                return self.eye if node.type.domain.attached else np.ones((1, 1), dtype=np.bool_)
            case Zero():
                return self._none(node)
            case Sum():
                return np.logical_or.reduce(parts)
            case Product():
                return _product(parts)
            case Scale():
                return parts[-1]
            case Transpose():
                return parts[0].T
            case Inverse():
                return _closure(parts[0]) if node.type.domain.attached else np.ones_like(parts[0])
            case Root() | Diag():
                return parts[0] & self.eye
            case Fixpoint():
                return self._fixpoint(node)
            case _:
                assert_never(node)

    def _none(self, node: Expr) -> Filled:
        rows, cols = (block_layout(space, self.model).count for space in (node.type.codomain, node.type.domain))
        return np.zeros((rows, cols), dtype=np.bool_)

    def _leaf(self, symbol: Symbol) -> Filled:
        leaf = symbol.leaf
        if leaf is None:
            return self._allowed(symbol, symbol.structure)
        if leaf.absent(self.model):
            return self._none(symbol)
        bodies = np.array([leaf.at(body) for body in self.model.bodies], dtype=np.bool_)
        match leaf.stands:
            case "body":
                return self.eye & bodies
            case "edge":
                return self.hop & bodies
            case "ground edge":
                return bodies[None, :]
            case "column":
                return bodies[:, None]
            case _:
                assert_never(leaf.stands)

    def _allowed(self, node: Expr, structure: Structure) -> Filled:
        """All blocks that a structure has room for."""
        inward = self.hop if structure.hop else self.above & ~self.eye if structure.strict else self.above
        match structure.flow:
            case "zero":
                return self._none(node)
            case "diagonal":
                return self.eye
            case "inward":
                return inward
            case "outward":
                return inward.T
            case "related":
                return inward | inward.T if not structure.strict else (inward | inward.T) & ~self.eye
            case _:
                return ~self._none(node)

    def _fixpoint(self, node: Fixpoint) -> Filled:
        """The least pattern with X = f(X); it is reached after as many rounds as blocks depend on each other."""
        found = self._none(node)
        while True:
            inner = _Patterns(self.model)
            inner.known = dict(self.known) | {node.variable: found, node.variable.T: found.T}
            after = self._masked(node, inner.of(node.body))
            if np.array_equal(after, found):
                return found
            found = after


def _product(parts: list[Filled]) -> Filled:
    result = parts[0]
    for part in parts[1:]:
        result = (result.astype(np.float32) @ part.astype(np.float32)) > 0
    return result


def _closure(filled: Filled) -> Filled:
    """Who reaches whom, each itself included; doubles the length of the paths in every round."""
    found: Any = filled | np.eye(len(filled), dtype=np.bool_)
    while True:
        after = _product([found, found])
        if np.array_equal(after, found):
            return found
        found = after
