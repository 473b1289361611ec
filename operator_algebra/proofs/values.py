"""The value of a formula on exact models: dense matrices over a field, one for each of a stack of samples.

The fourth reading of a formula, beside block matrices of floats (`meaning`), matrices with sizes (`checking`) and
programs (`lowering`): here nothing is rounded, so nothing has to be guarded, and what is singular is a property of a
sample and not an error. Proofs stand below the first two, and must not trust the third.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, assert_never

import numpy as np

from operator_algebra.errors import InputError
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
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.operators.spaces import Space, Type
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.proofs.fields import Array, Field, Mask


class Value(NamedTuple):
    """The matrices of all samples, and at which of them everything was defined."""

    array: Array
    sound: Mask


class Values:
    """Values of expressions from given ones of the leaves; `tree` says how large blocks are.

    Each value that has a name is kept. With `generic` the one body of the tree stands for any: a shift is any matrix.
    """

    def __init__(
        self,
        field: Field,
        tree: Mechanism,
        given: Mapping[Expr, Array],
        samples: int,
        *,
        sound: Mask | None = None,
        generic: bool = False,
    ) -> None:
        self.field = field
        self.tree = tree
        self.samples = samples
        self.generic = generic
        self._sound = np.ones(samples, dtype=np.bool_) if sound is None else sound
        self._given = given
        self._kept = {e: Value(array, self._sound) for e, array in given.items()}
        self._places: dict[tuple[Space, Space], list[tuple[Array, Array]]] = {}

    def value(self, e: Expr) -> Value:
        """The value of a closed expression."""
        found = dict(self._kept)
        result = self._evaluate(e, found)
        self._kept.update((node, value) for node, value in found.items() if isinstance(node, Symbol | Fixpoint))
        return result

    def constant(self, number: Fraction) -> Value:
        """A number, for each sample."""
        return self._plain(self.field.scaled(number, self.field.identity(self.samples, 1)))

    def knowing(self, more: Mapping[Expr, Array]) -> Values:
        """The same values, and those of other expressions besides."""
        given = {**self._given, **more}
        return Values(self.field, self.tree, given, self.samples, sound=self._sound, generic=self.generic)

    def changed(self, tree: Mechanism, change: Callable[[Array, Expr], Array]) -> Values:
        """Values from changed ones of the leaves."""
        given = {e: change(array, e) for e, array in self._given.items()}
        return Values(self.field, tree, given, self.samples, sound=self._sound, generic=self.generic)

    def right_inverse(self, e: Expr) -> Value:
        """A* (A A*)⁻¹ of a block-diagonal A, for each block; sound where each has one."""
        value = self.value(e)
        back = _turned(value)
        square = e.type.codomain.dual >> e.type.codomain
        inverse = self._blockwise(square, square.T, self._times(value, back), self.field.inverses)
        return self._times(back, inverse)

    def size(self, space: Space) -> int:
        """Rows of a whole operator that delivers this space."""
        return self.tree.whole(space)

    def owners(self, space: Space) -> Array:
        """The body of each row."""
        if not space.attached:
            return np.zeros(self.size(space), dtype=np.int64)
        return np.repeat(np.arange(len(self.tree.parent)), [self.tree.size(space, k) for k in self.tree.bodies])

    def same_body(self, type_: Type) -> Mask:
        """Which entries stand in blocks (k, k)."""
        return np.equal.outer(self.owners(type_.codomain), self.owners(type_.domain))

    # -- nodes -----------------------------------------------------------------------------------------------------

    def _evaluate(self, e: Expr, found: dict[Expr, Value], *, settling: bool = False) -> Value:
        for node in postorder(e, _below, until=found.__contains__):
            if node not in found:
                found[node] = self._node(node, found, settling=settling)
        return found[e]

    def _node(self, node: Expr, found: dict[Expr, Value], *, settling: bool) -> Value:
        node = of_a_kind(node)
        match node:
            case Symbol() if node.definition is not None:
                return found[node.definition]
            case Symbol():
                raise InputError(f"{node} has no value in this model.")
            case One():
                return self._plain(self.field.identity(self.samples, self.size(node.type.domain)))
            case Zero():
                return self._plain(self._nothing(node.type))
            case Sum():
                total, *rest = (found[child] for child in node.children)
                for term in rest:
                    total = Value(total.array + term.array, self._both(total, term))
                return total._replace(array=self.field.settled(total.array))
            case Product():
                return self._product([found[child] for child in node.children], column=not node.type.domain.attached)
            case Scale():
                body = found[node.body]
                if isinstance(node.factor, Fraction):
                    return body._replace(array=self.field.scaled(node.factor, body.array))
                factor = found[node.factor]
                return Value(self.field.settled(factor.array * body.array), self._both(factor, body))
            case Transpose():
                return _turned(found[node.body])
            case Inverse():
                return self._inverse(node, found[node.body], settling=settling)
            case Root():
                return self._blockwise(node.body.type, node.type, found[node.body], self.field.factors)
            case Diag():
                body = found[node.body]
                return body._replace(array=body.array * self.same_body(node.type))
            case Fixpoint():
                return self._fixpoint(node, found)
            case Local():
                return self._local(node, found[node.children[0]])
            case _:
                assert_never(node)

    def _plain(self, array: Array) -> Value:
        return Value(array, self._sound)

    def _both(self, a: Value, b: Value) -> Mask:
        return a.sound if a.sound is b.sound else a.sound & b.sound

    def _nothing(self, type_: Type) -> Array:
        return self.field.zeros(self.samples, self.size(type_.codomain), self.size(type_.domain))

    def _times(self, a: Value, b: Value) -> Value:
        return Value(self.field.product(a.array, b.array), self._both(a, b))

    def _product(self, factors: list[Value], *, column: bool) -> Value:
        if column:
            result = factors[-1]
            for factor in reversed(factors[:-1]):
                result = self._times(factor, result)
            return result
        result = factors[0]
        for factor in factors[1:]:
            result = self._times(result, factor)
        return result

    # -- inverses and roots ----------------------------------------------------------------------------------------

    def _inverse(self, node: Inverse, value: Value, *, settling: bool) -> Value:
        structure = node.body.structure
        if structure.flow == "diagonal":
            return self._blockwise(node.body.type, node.type, value, self.field.inverses, settling=settling)
        if structure.unit and structure.flow in ("inward", "outward") and not self.generic:
            return value._replace(array=self._along_the_tree(value.array))
        inverse, sound = self.field.inverses(value.array)
        return Value(inverse, value.sound if settling else value.sound & sound)

    def _along_the_tree(self, unit: Array) -> Array:
        """(I − S)⁻¹ = (I + S)(I + S²)(I + S⁴) ⋯, S strictly along the tree."""
        eye = self.field.identity(self.samples, unit.shape[-1])
        power = self.field.settled(eye - unit)
        result, covered = eye + power, 2
        while covered < len(self.tree.parent):
            power = self.field.product(power, power)
            result = self.field.product(result, eye + power)
            covered *= 2
        return result

    def _blockwise(
        self,
        source: Type,
        target: Type,
        value: Value,
        function: Callable[[Array], tuple[Array, Mask]],
        *,
        settling: bool = False,
    ) -> Value:
        """A function of each block (k, k) of a block-diagonal operator."""
        made, sound = self._nothing(target), value.sound
        rows_then_cols = self._diagonal(target)
        for (rows, cols), (to_rows, to_cols) in zip(self._diagonal(source), rows_then_cols, strict=True):
            size = rows.shape[1]
            blocks = value.array[:, rows[:, :, None], cols[:, None, :]].reshape(-1, size, size)
            found, fine = function(blocks)
            made[:, to_rows[:, :, None], to_cols[:, None, :]] = found.reshape(self.samples, -1, size, size)
            if not (settling or fine.all()):
                sound = sound & fine.reshape(self.samples, -1).all(axis=1)
        return Value(made, sound)

    def _diagonal(self, type_: Type) -> list[tuple[Array, Array]]:
        """The blocks (k, k) of one size: their row and their column numbers, (blocks, size) both."""
        key = type_.codomain, type_.domain
        if key not in self._places:
            self._places[key] = _diagonal_places(self.owners(key[0]), self.owners(key[1]))
        return self._places[key]

    # -- fixed points and local functions --------------------------------------------------------------------------

    def _fixpoint(self, node: Fixpoint, outside: dict[Expr, Value]) -> Value:
        """As many rounds as there are bodies: f looks strictly along the tree, so each round settles one level."""
        if self.generic:
            raise InputError(f"{short(node)} has no value without a tree.")
        closed, open_ = _parts(node)
        for part in closed:
            self._evaluate(part, outside)
        value = self._plain(self._nothing(node.type))
        if node.body not in open_:
            return outside[node.body]
        for left in range(len(self.tree.parent), -1, -1):
            inside = _Inside(node.variable, value, outside)
            for part in open_:
                inside[part] = self._node(part, inside, settling=left > 0)
            value = inside[node.body]
        return value

    def _local(self, node: Local, vector: Value) -> Value:
        """A block-diagonal operator made of a vector."""
        made = self._nothing(node.type)
        parts = vector.array[:, :, 0].reshape(self.samples, -1, 6)
        starts = 6 * np.arange(parts.shape[1])
        for i, line in enumerate(node.function.entries):
            for j, entry in enumerate(line):
                if entry:
                    made[:, starts + i, starts + j] = parts[:, :, abs(entry) - 1] * (1 if entry > 0 else -1)
        return Value(self.field.settled(made), vector.sound)


class _Inside(dict[Expr, Value]):
    """Values in one round of an equation; what does not depend on its unknown is the same in every round, outside."""

    def __init__(self, variable: Symbol, value: Value, outside: Mapping[Expr, Value]) -> None:
        super().__init__({variable: value})
        self._outside = outside

    def __missing__(self, node: Expr) -> Value:
        return self._outside[node]

    def __contains__(self, node: object) -> bool:
        return super().__contains__(node) or node in self._outside


def _turned(value: Value) -> Value:
    return value._replace(array=value.array.transpose(0, 2, 1))


def _diagonal_places(rows: Array, cols: Array) -> list[tuple[Array, Array]]:
    by_size: dict[int, list[tuple[Array, Array]]] = {}
    for k in np.unique(rows):
        here, there = np.nonzero(rows == k)[0], np.nonzero(cols == k)[0]
        by_size.setdefault(len(here), []).append((here, there))
    return [
        (np.array([here for here, _ in found]), np.array([there for _, there in found])) for found in by_size.values()
    ]


def _below(node: Expr) -> tuple[Expr, ...]:
    """Children and definitions; the body of a fixed point has no value of its own."""
    return () if isinstance(node, Fixpoint) else children_and_definition(node)


@lru_cache(maxsize=4096)
def _order(e: Expr) -> tuple[Expr, ...]:
    return tuple(postorder(e, _below))


@lru_cache(maxsize=256)
def _parts(node: Fixpoint) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
    """The largest parts of an equation that don't depend on its unknown, and all that do, in order."""
    order = _order(node.body)
    depending: dict[Expr, None] = {node.variable: None}
    closed: dict[Expr, None] = {}
    for part in order:
        inner = _order(part.body) if isinstance(part, Fixpoint) else _below(part)
        if part is not node.variable and any(child in depending for child in inner):
            depending[part] = None
    for part in depending:
        closed.update((child, None) for child in _below(part) if child not in depending)
    if node.body not in depending:
        closed[node.body] = None
    return tuple(closed), tuple(part for part in depending if part is not node.variable)
