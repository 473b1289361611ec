"""Expressions as dense NumPy matrices, by plain recursion; fixed points by rounds of the whole equation."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from operator_algebra.expressions import nodes as n
from operator_algebra.models.model import Model
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.spatial.arrays import Axes

Floats = NDArray[np.float64]


class DenseAlgebra:
    """The dense value of expressions on a mechanism; inputs are columns, and the diagonals of diagonal operators."""

    def __init__(self, model: Model, q: Floats, inputs: Mapping[str, Any], frame: Axes = "body") -> None:
        self.model = model
        self.leaves = LeafValues(model, q, inputs.get("v"), frame)
        self.inputs = inputs
        self.sizes = {"spatial": [6] * model.n, "joint": [part.stop - part.start for part in model.v_slices]}

    def value(self, e: n.Expr, bound: dict[n.Expr, Floats] | None = None) -> Floats:
        bound = bound or {}
        match e:
            case _ if e in bound:
                return bound[e]
            case n.Symbol() if e.definition is not None:
                return self.value(e.definition, bound)
            case n.Symbol():
                return self._leaf(e)
            case n.One():
                return np.eye(sum(self._sizes(e.type.domain)))
            case n.Zero():
                return np.zeros((sum(self._sizes(e.type.codomain)), sum(self._sizes(e.type.domain))))
            case n.Sum():
                terms = [self.value(child, bound) for child in e.children]
                return np.asarray(np.sum(terms, axis=0), dtype=np.float64)
            case n.Product():
                result = self.value(e.children[0], bound)
                for child in e.children[1:]:
                    result = result @ self.value(child, bound)
                return result
            case n.Scale():
                factor = e.factor
                number = float(factor) if isinstance(factor, Fraction) else self.value(factor, bound)[0, 0]
                return number * self.value(e.body, bound)
            case n.Transpose():
                return self.value(e.body, bound).T
            case n.Inverse():
                return np.asarray(np.linalg.inv(self.value(e.body, bound)), dtype=np.float64)
            case n.Root():
                return self._blockwise(e, self.value(e.body, bound), np.linalg.cholesky)
            case n.Diag():
                return self._blockwise(e, self.value(e.body, bound), np.array)
            case n.Local():
                return self._local(e, self.value(e.children[0], bound))
            case n.Fixpoint():
                return self._fixpoint(e, bound)
            case _:
                raise AssertionError(e)

    def _sizes(self, space: Any) -> list[int]:
        return self.sizes.get(space.sizes, [1])

    def _starts(self, space: Any) -> list[int]:
        return [0, *np.cumsum(self._sizes(space)).tolist()]

    def _leaf(self, e: n.Symbol) -> Floats:
        if e.origin == "input":
            value = np.asarray(self.inputs[e.name], dtype=np.float64)
            return np.diag(value) if e.structure.flow == "diagonal" else value.reshape(-1, 1)
        rows, cols = self._starts(e.type.codomain), self._starts(e.type.domain)
        result = np.zeros((rows[-1], cols[-1]))
        assert e.leaf is not None
        for k, block in enumerate(self.leaves.blocks(e.leaf)):
            i, j = k, 0 if e.leaf.stands == "column" else k
            if e.leaf.stands == "edge":
                i = self.model.parent[k]
                if i < 0:
                    continue
            result[rows[i] : rows[i] + block.shape[0], cols[j] : cols[j] + block.shape[1]] = block
        return result

    def _blockwise(self, e: n.Expr, value: Floats, function: Any) -> Floats:
        rows, cols = self._starts(e.type.codomain), self._starts(e.type.domain)
        result = np.zeros_like(value)
        for k in range(self.model.n):
            part = slice(rows[k], rows[k + 1]), slice(cols[k], cols[k + 1])
            if value[part].size:
                result[part] = function(value[part])
        return result

    def _local(self, e: n.Local, vector: Floats) -> Floats:
        result = np.zeros((len(vector), len(vector)))
        for k in range(self.model.n):
            x = vector[6 * k : 6 * k + 6, 0]
            turn, shift = np.cross(x[:3], np.eye(3)).T, np.cross(x[3:], np.eye(3)).T
            part = slice(6 * k, 6 * k + 6)
            lower = shift if e.name == "cross" else np.zeros((3, 3))
            result[part, part] = np.block([[turn, np.zeros((3, 3))], [lower, turn]])
        return result

    def _fixpoint(self, e: n.Fixpoint, bound: dict[n.Expr, Floats]) -> Floats:
        # The equation looks strictly outboard or inboard: from any start it settles in as many rounds as levels.
        rows, cols = sum(self._sizes(e.type.codomain)), sum(self._sizes(e.type.domain))
        value = np.eye(rows, cols)
        for _ in range(self.model.depth + 1):
            value = self.value(e.body, {**bound, e.variable: value})
        return value
