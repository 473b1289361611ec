"""Formulas without inverses in fifty digits from the floats q, v and the data of the model: nothing is rounded first.

`ConvertedSource` starts from leaves that are floats already. Where digits are lost, the roundings of sines, joint maps
and inertias count as much as those of the sweeps.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from operator_algebra.evaluation import model_source, start
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.meaning.source import ModelSource
from operator_algebra.models.arrays import JointGroup, ModelArrays
from operator_algebra.models.model import Model
from operator_algebra.operators import leaf
from operator_algebra.operators.blockdict import BlockDict
from operator_algebra.operators.blocks import BlockMatrix
from operator_algebra.operators.leaves import LeafValues, places
from tests.oracles.exact_sources import ConvertedSource
from tests.oracles.extended_precision import DIGITS, exact

_frompyfunc: Any = np.frompyfunc


class Digits:
    """The functions that formulas of joints call, on arrays of numbers with many digits."""

    def __init__(self) -> None:
        self.sin: Any = _frompyfunc(DIGITS.sin, 1, 1)
        self.cos: Any = _frompyfunc(DIGITS.cos, 1, 1)
        self.eye: Any = np.eye
        self.stack: Any = np.stack
        self.concatenate: Any = np.concatenate
        self.zeros_like: Any = np.zeros_like
        self.broadcast_to: Any = np.broadcast_to


def exact_model(model: Model) -> Model:
    """The model with its data as numbers with many digits."""
    made = copy.copy(model)
    made.__dict__["gravity"] = tuple(exact(model.gravity))
    made.__dict__["arrays"] = ModelArrays(**{field: exact(value) for field, value in vars(model.arrays).items()})
    made.__dict__["joint_groups"] = tuple(_exact_group(group) for group in model.joint_groups)
    return made


def _exact_group(group: JointGroup) -> JointGroup:
    joint = copy.copy(group.joint)
    for field in joint.parameters:
        object.__setattr__(joint, field, exact(getattr(joint, field)))
    return replace(group, joint=joint)


class ExactSource(ConvertedSource):
    """Leaves of a model computed in many digits; inputs and springs as they are in floats."""

    def __init__(self, source: ModelSource) -> None:
        super().__init__(source, DIGITS.mpf)
        given = source.leaves
        rates = None if given.v is None else exact(given.v)
        self._leaves = LeafValues(exact_model(source.model), exact(given.q), rates, given.frame, Digits())

    def value(self, symbol: Symbol) -> BlockMatrix:
        """The value of a leaf or an input."""
        # Springs pull by logarithms of rotations, whose series are cut for floats.
        if symbol.leaf is None or symbol.leaf is leaf.spring:
            return super().value(symbol)
        rows, cols = self.layout(symbol.type.codomain), self.layout(symbol.type.domain)
        blocks: dict[tuple[int, int], Any] = {}
        for bodies, group in self._leaves.groups(symbol.leaf):
            for i, row, col in zip(*places(symbol.leaf, bodies, self.parent), strict=True):
                blocks[int(row), int(col)] = group[i]
        return BlockMatrix(symbol.type, rows, cols, BlockDict(rows, cols, blocks), self.binding)


def many_digits(e: Expr, model: Model, **given: Any) -> Any:
    """The dense value of a formula without inverses, in fifty digits."""
    return exact(0.0) + start(ExactSource(model_source(e, model, **given))).value(e).data.toarray()


@dataclass(frozen=True)
class Factors:
    """The rows and columns of a matrix, scaled and in the order of elimination, and its triangles."""

    rows: list[int]
    columns: list[int]
    work: Any
    row_scale: Any
    column_scale: Any
    share: float
    """The least pivot, relative to the largest."""


def factored(matrix: Any, row_scale: Any, column_scale: Any) -> Factors:
    """Gaussian elimination with the largest pivot of the matrix with scaled rows and columns."""
    work: Any = matrix * row_scale[:, None] * column_scale
    n = len(work)
    rows, columns = list(range(n)), list(range(n))
    pivots: list[Any] = []
    for k in range(n):
        sizes = np.abs(work[k:, k:])
        i, j = (int(place) + k for place in np.unravel_index(int(np.argmax(sizes)), sizes.shape))
        work[[k, i]] = work[[i, k]]
        work[:, [k, j]] = work[:, [j, k]]
        rows[k], rows[i] = rows[i], rows[k]
        columns[k], columns[j] = columns[j], columns[k]
        pivots.append(abs(work[k, k]))
        if work[k, k] == 0:
            break
        work[k + 1 :, k] = work[k + 1 :, k] / work[k, k]
        work[k + 1 :, k + 1 :] = work[k + 1 :, k + 1 :] - np.outer(work[k + 1 :, k], work[k, k + 1 :])
    share = float(min(pivots) / max(pivots)) if pivots and max(pivots) else float(n == 0)
    return Factors(rows, columns, work, row_scale, column_scale, share)


def solved(factors: Factors, right: Any) -> Any:
    """The solution for right-hand sides (n, r)."""
    work, n = factors.work, len(factors.work)
    x = (right * factors.row_scale[:, None])[factors.rows]
    for k in range(n):
        x[k + 1 :] = x[k + 1 :] - np.outer(work[k + 1 :, k], x[k])
    for k in reversed(range(n)):
        x[k] = x[k] / work[k, k]
        x[:k] = x[:k] - np.outer(work[:k, k], x[k])
    result = np.empty_like(x)
    result[factors.columns] = x
    return result * factors.column_scale[:, None]


def log_determinant(factors: Factors) -> Any:
    """The logarithm of the size of the determinant."""
    log = _frompyfunc(DIGITS.log, 1, 1)
    return log(np.abs(factors.work.diagonal())).sum() - log(factors.row_scale).sum() - log(factors.column_scale).sum()
