"""The value of an expression on a scene by plain matrix algebra, with its size before cancellation."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from functools import cache, lru_cache
from typing import assert_never

import numpy as np

from operator_algebra.checking.arithmetic import Array, Floats, Singular, span
from operator_algebra.checking.scene import Scene
from operator_algebra.checking.strips import multiplied
from operator_algebra.checking.values import Value, total, worst
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
from operator_algebra.operators.local import Half, LocalFunction
from operator_algebra.operators.spaces import ONE, Space

# Recursions that are kept of a scene: the laws of the catalogue have five.
_KEPT = 12


class Valuation:
    """Values of expressions on one scene, each computed once."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.arithmetic = scene.arithmetic
        self._found: dict[Expr, Value] = {}
        self._products: dict[tuple[Expr, ...], Value] = {}
        self._blocks: dict[tuple[Space, Space], list[Places]] = {}
        self._sound = np.ones(scene.samples)

    def value(self, e: Expr) -> Value:
        """The value of a closed expression."""
        return self._evaluate(e, self._found, self._products)

    def _evaluate(
        self, e: Expr, found: dict[Expr, Value], products: dict[tuple[Expr, ...], Value], settling: bool = False
    ) -> Value:
        if e in found:
            return found[e]
        for node in _order(e):
            if node not in found:
                found[node] = self._node(node, found, products, settling)
        return found[e]

    # -- nodes -----------------------------------------------------------------------------------------------------

    def _node(
        self, node: Expr, found: dict[Expr, Value], products: dict[tuple[Expr, ...], Value], settling: bool
    ) -> Value:
        node = of_a_kind(node)
        match node:
            case Symbol() if node.definition is not None:
                return found[node.definition]
            case Symbol():
                return self._plain(self.scene.value(node))
            case One():
                return self._plain(self._identity(node.type.domain))
            case Zero():
                rows, cols = self.scene.size(node.type.codomain), self.scene.size(node.type.domain)
                return self._plain(self.arithmetic.zeros((self.scene.samples, rows, cols)))
            case Sum():
                return total([found[child] for child in node.children])
            case Product():
                return self._product(node, found, products)
            case Scale():
                return self._scale(node, found)
            case Transpose():
                return self._turned(found[node.body])
            case Inverse():
                return self._inverse(node, found, settling)
            case Root():
                return self._root(node, found[node.body])
            case Diag():
                value = found[node.body]
                mask = self._same_body(node.type.codomain, node.type.domain)
                return Value(value.array * mask, lambda: value.size * mask, value.condition, value.culprit, [value])
            case Fixpoint() if found is self._found:
                return self._solved(node)
            case Fixpoint():
                return self._fixpoint(node, found, products, settling)
            case Local():
                return self._local(node, found)
            case _:
                assert_never(node)

    def _plain(self, array: Array) -> Value:
        sizes = self.arithmetic.sizes  # no value refers to what keeps it, so that it goes as soon as that goes
        return Value(array, lambda: sizes(array), self._sound)

    def _identity(self, space: Space) -> Array:
        size = self.scene.size(space)
        array = self.arithmetic.zeros((self.scene.samples, size, size))
        array[:, np.arange(size), np.arange(size)] = self.arithmetic.one()
        return array

    def _product(self, node: Product, found: Mapping[Expr, Value], products: dict[tuple[Expr, ...], Value]) -> Value:
        """From the end that starts as a column, else from the left; beginnings that formulas share are kept."""
        factors = node.children
        if node.type.domain == ONE and node.type.codomain != ONE:
            result = found[factors[-1]]
            for start in range(len(factors) - 2, -1, -1):
                key = factors[start:]
                if key not in products:
                    products[key] = self._times(found[factors[start]], result)
                result = products[key]
            return result
        result = found[factors[0]]
        for stop in range(2, len(factors) + 1):
            key = factors[:stop]
            if key not in products:
                products[key] = self._times(result, found[factors[stop - 1]])
            result = products[key]
        return result

    def _times(self, a: Value, b: Value) -> Value:
        array = self.arithmetic.multiply(a.array, b.array)
        return Value(array, lambda: multiplied(a.size, b.size), *worst([a, b]), of=[a, b])

    def _scale(self, node: Scale, found: Mapping[Expr, Value]) -> Value:
        body = found[node.body]
        if isinstance(node.factor, Fraction):
            array, multiple = self.arithmetic.times(node.factor, body.array), abs(float(node.factor))
            return Value(array, lambda: multiple * body.size, body.condition, body.culprit, [body])
        factor = found[node.factor]
        array = self.arithmetic.scaled(factor.array, body.array)
        return Value(array, lambda: factor.size * body.size, *worst([factor, body]), of=[factor, body])

    def _turned(self, value: Value) -> Value:
        array = np.swapaxes(value.array, -1, -2)
        return Value(array, lambda: np.swapaxes(value.size, -1, -2), value.condition, value.culprit, [value])

    # -- inverses --------------------------------------------------------------------------------------------------

    def _inverse(self, node: Inverse, found: Mapping[Expr, Value], settling: bool) -> Value:
        body = node.body
        if isinstance(body, Symbol) and isinstance(body.definition, Inverse):
            return found[body.definition.body]
        value = found[body]
        structure = body.structure
        if structure.flow == "diagonal":
            return self._block_inverse(node, value, settling)
        if structure.unit and structure.flow in ("inward", "outward"):
            return self._unit_inverse(body, value)
        inverse = self.arithmetic.inverse(value.array)
        return self._inverted(value, inverse, self._ratio(value.size, inverse), body)

    def _ratio(self, size: Floats, inverse: Array) -> Floats:
        """The condition: ‖A⁻¹‖ times the size of A before cancellation."""
        # The size of A before cancellation, not of A: what was lost while A was formed is lost in its inverse too, and
        # a block of 1 x 1 that is all rounding has the condition 1 in itself.
        norms = self.arithmetic.norm(inverse) * np.sqrt(np.einsum("sij,sij->s", size, size))
        ratio = norms / max(1, size.shape[-1])
        return np.maximum(np.where(np.isfinite(ratio), ratio, np.inf), 1.0)

    def _inverted(self, value: Value, inverse: Array, ratio: Floats, culprit: Expr) -> Value:
        worse = ratio > value.condition
        condition, blamed = value.condition, value.culprit
        if worse.any():
            condition, blamed = np.where(worse, ratio, condition), culprit
        sizes = self.arithmetic.sizes
        return Value(inverse, lambda: sizes(inverse), condition, blamed)

    def _unit_inverse(self, body: Expr, value: Value) -> Value:
        """Substitution along the tree: inward operators are upper triangular from base to tip."""
        if body.structure.flow == "outward":
            inverse = np.swapaxes(self.arithmetic.inverse(np.swapaxes(value.array, -1, -2)), -1, -2)
        else:
            inverse = self.arithmetic.inverse(value.array)
        ratio = np.ones(self.scene.samples) if _is_resolvent(body) else self._ratio(value.size, inverse)
        return self._inverted(value, inverse, ratio, body)

    def _block_inverse(self, node: Inverse, value: Value, settling: bool) -> Value:
        array = self.arithmetic.zeros(np.swapaxes(value.array, -1, -2).shape)
        ratio = np.ones(self.scene.samples)
        for size, across, down in self._places(node.type.codomain, node.type.domain):
            here, there = (..., down[:, :, None], across[:, None, :]), (..., across[:, :, None], down[:, None, :])
            inverse = self._inverse_blocks(value.array[here].reshape(-1, size, size), settling)
            array[there] = inverse.reshape(self.scene.samples, -1, size, size)
            if not settling:  # what a recursion divides by on its way is not what its solution divides by
                shares = self._ratio(value.size[here].reshape(-1, size, size), inverse)
                ratio = np.maximum(ratio, shares.reshape(self.scene.samples, -1).max(axis=-1))
        return self._inverted(value, array, ratio, node.body)

    def _inverse_blocks(self, blocks: Array, settling: bool) -> Array:
        """Block by block; while a fixed point settles, blocks that have no value yet have the inverse 0."""
        if not settling:
            return self.arithmetic.inverse(blocks)
        known: Array = np.asarray((blocks != 0).any(axis=(-1, -2)))
        if known.all() and blocks.dtype != object:
            result = self.arithmetic.inverse(blocks)
            return result if np.isfinite(result).all() else self._finite(result)
        result = self.arithmetic.zeros(blocks.shape)
        (settled,) = np.nonzero(known)
        if not len(settled):
            return result
        try:
            result[settled] = self.arithmetic.inverse(blocks[settled])
        except Singular:
            for k in settled:
                with suppress(Singular):
                    result[k] = self.arithmetic.inverse(blocks[[k]])[0]
        return result if result.dtype == object else self._finite(result)

    def _finite(self, blocks: Array) -> Array:
        """The blocks, those that are not finite replaced by zeros."""
        finite: Array = np.asarray(np.isfinite(blocks).all(axis=(-1, -2)))
        return np.where(finite[:, None, None], blocks, 0.0)

    def _root(self, node: Root, value: Value) -> Value:
        array = self.arithmetic.zeros(value.array.shape)
        ratio = np.ones(self.scene.samples)
        for size, down, across in self._places(node.type.codomain, node.type.domain):
            blocks = value.array[:, down[:, :, None], across[:, None, :]].reshape(-1, size, size)
            sizes = value.size[:, down[:, :, None], across[:, None, :]].reshape(-1, size, size)
            factor = self.arithmetic.cholesky(blocks)
            inverse = self.arithmetic.inverse(blocks)
            ratio = np.maximum(ratio, self._ratio(sizes, inverse).reshape(self.scene.samples, -1).max(axis=-1))
            array[:, down[:, :, None], across[:, None, :]] = factor.reshape(self.scene.samples, -1, size, size)
        return self._inverted(value, array, ratio, node.body)

    def _places(self, codomain: Space, domain: Space) -> list[Places]:
        if (codomain, domain) not in self._blocks:
            self._blocks[codomain, domain] = _places(self.scene.sizes(codomain), self.scene.sizes(domain))
        return self._blocks[codomain, domain]

    # -- fixed points and local functions --------------------------------------------------------------------------

    def _solved(self, node: Fixpoint) -> Value:
        """A recursion that stands alone: laws have few of them, and share their values."""
        value = self.scene.solved.get(node)
        if value is None:
            value = self._fixpoint(node, self._found, self._products, settling=False)
            _ = value.size  # else what it is computed from would be kept as well
            if len(self.scene.solved) < _KEPT:
                self.scene.solved[node] = value
        return value

    def _fixpoint(
        self, node: Fixpoint, found: dict[Expr, Value], products: dict[tuple[Expr, ...], Value], settling: bool
    ) -> Value:
        """As many rounds as the forest is deep: f looks strictly along the tree, so each round settles one level.

        What does not depend on the unknown is the same in every round, and computed before.
        """
        rows, cols = self.scene.size(node.type.codomain), self.scene.size(node.type.domain)
        value = self._plain(self.arithmetic.zeros((self.scene.samples, rows, cols)))
        closed, open_ = _parts(node)
        for part in closed:
            if part not in found:
                found[part] = self._node(part, found, products, settling)
        outside = {part: known for part, known in found.items() if part not in open_}
        kept: dict[tuple[Expr, ...], Value] = {}
        for left in range(self.scene.depth, -1, -1):
            inside = {**outside, node.variable: value}
            value = self._evaluate(node.body, inside, kept, settling=left > 0)
            kept = {factors: known for factors, known in kept.items() if open_.isdisjoint(factors)}
            if node.structure.symmetric:
                # A skew part at rounding level grows from level to level if it is left in.
                array = self.arithmetic.times(Fraction(1, 2), value.array + np.swapaxes(value.array, -1, -2))
                value = Value(array, value.size, value.condition, value.culprit)
            if left:
                value = self._anew(value)
        return value

    def _anew(self, value: Value) -> Value:
        """A value in which nothing cancelled."""
        array, sizes = value.array, self.arithmetic.sizes
        return Value(array, lambda: sizes(array), value.condition, value.culprit)

    def _local(self, node: Local, found: Mapping[Expr, Value]) -> Value:
        argument = found[node.children[0]]
        array = _crossed(argument.array, node.function, 1)
        return Value(
            array, lambda: _crossed(argument.size, node.function, 0), argument.condition, argument.culprit, [argument]
        )

    def _same_body(self, codomain: Space, domain: Space) -> Array:
        rows, cols = self.scene.sizes(codomain), self.scene.sizes(domain)
        owner_r, owner_c = np.repeat(np.arange(len(rows)), rows), np.repeat(np.arange(len(cols)), cols)
        return (owner_r[:, None] == owner_c[None, :]).astype(np.int64)


def _is_resolvent(e: Expr) -> bool:
    """I minus a hop: the inverse is a sum of products along paths, in which nothing cancels."""
    if not isinstance(e, Sum) or len(e.children) != 2:
        return False
    one, hop = e.children
    return isinstance(one, One) and (hop.body if isinstance(hop, Scale) else hop).structure.hop


def _below(node: Expr) -> tuple[Expr, ...]:
    """Children and definitions; the body of a fixed point has no value of its own."""
    return () if isinstance(node, Fixpoint) else children_and_definition(node)


@lru_cache(maxsize=4096)
def _parts(node: Fixpoint) -> tuple[tuple[Expr, ...], frozenset[Expr]]:
    """The parts of an equation that depend on no unknown, in order, and those that depend on its own."""
    bound: dict[Expr, frozenset[Expr]] = {}
    order = tuple(postorder(node.body, children_and_definition))
    variables = {node.variable, *(part.variable for part in order if isinstance(part, Fixpoint))}
    for part in order:
        free = frozenset({part} & variables).union(*(bound[child] for child in children_and_definition(part)))
        bound[part] = free - {part.variable} if isinstance(part, Fixpoint) else free
    closed = tuple(part for part in order if not bound[part])
    return closed, frozenset(part for part in order if node.variable in bound[part])


@lru_cache(maxsize=4096)
def _order(e: Expr) -> tuple[Expr, ...]:
    return tuple(postorder(e, _below))


Places = tuple[int, Array, Array]
"""The diagonal blocks of one size: their row numbers and their column numbers, (blocks, size) both."""


def _places(rows: Array, cols: Array) -> list[Places]:
    row_starts, col_starts = np.cumsum(rows) - rows, np.cumsum(cols) - cols
    found: list[Places] = []
    for size in np.unique(rows):
        if size:
            (which,) = np.nonzero(rows == size)
            within = span(int(size))
            found.append((int(size), row_starts[which][:, None] + within, col_starts[which][:, None] + within))
    return found


# Row, column, entry and sign of the matrix ã of a cross product; where each half of a twist begins.
_SKEW = ((1, 0, 2, 1), (0, 1, 2, -1), (0, 2, 1, 1), (2, 0, 1, -1), (2, 1, 0, 1), (1, 2, 0, -1))
_BEGINS: dict[Half, int] = {"angular": 0, "linear": 3}


@cache
def _entries(function: LocalFunction) -> Array:
    """Row, column, entry of the twist and sign of each entry of a block that can be other than zero, in four rows."""
    quarters: list[tuple[int, int, Half | None]] = [
        (3 * i, 3 * j, half) for i, row in enumerate(function.quarters) for j, half in enumerate(row)
    ]
    return np.array(
        [(i + r, j + c, _BEGINS[h] + e, s) for i, j, h in quarters if h is not None for r, c, e, s in _SKEW]
    ).T


def _crossed(twists: Array, function: LocalFunction, signed: int) -> Array:
    """A local function of a vector (samples, 6 n, 1) as a block-diagonal matrix; without signs for sizes."""
    samples, rows, _ = twists.shape
    twist = twists[:, :, 0].reshape(samples, -1, 6)
    array = np.zeros((samples, rows, rows), dtype=twists.dtype)
    row, column, entry, sign = _entries(function)
    starts = 6 * span(rows // 6)[:, None]
    array[:, starts + row, starts + column] = twist[:, :, entry] * (sign if signed else 1)
    return array
