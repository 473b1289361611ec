"""How large the entries of a value are before anything cancels: the scale against which rounding is to be judged.

The same formula over absolute values, entry by entry, so that units do not mix: |A B| ≤ |A| |B|, |A + B| ≤ |A| + |B|.
What the inversion of a block adds is counted apart, by a condition number: |X⁻¹| times the size of X before it
cancelled.
"""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

import numpy as np

from operator_algebra.errors import SingularError
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
from operator_algebra.meaning.evaluator import Evaluation, Request, Steps
from operator_algebra.meaning.inverses import resolved
from operator_algebra.operators.arrays import Sums
from operator_algebra.operators.blockdict import Sparse, compressed, multiplied
from operator_algebra.operators.blocks import BlockGroup, BlockMatrix
from operator_algebra.operators.leaves import local_blocks


def magnitude_steps(run: Evaluation, request: Request) -> Steps[Sparse]:
    """The size of each entry of a node before cancellation, a sparse array."""
    node, here = request.node, request.environment
    if here is not None and node in here.values:
        return _sizes(here.values[node])

    def ask(part: Expr) -> Request:
        return Request("magnitude", part, None, here)

    def value(part: Expr) -> Request:
        return Request("value", part, None, here)

    node = of_a_kind(node)
    match node:
        case Symbol() if node.definition is not None:
            return (yield ask(node.definition))
        case Symbol() | Zero() | One():
            return _sizes((yield value(node)))
        case Sum():
            total: Sparse = yield ask(node.children[0])
            for term in node.children[1:]:
                total = total + (yield ask(term))
            return total
        case Product():
            return (yield from _product(node, request))
        case Scale():
            body: Sparse = yield ask(node.body)
            if isinstance(node.factor, Fraction):
                return body * abs(float(node.factor))
            return body * (yield ask(node.factor)).sum()
        case Transpose():
            return compressed((yield ask(node.body)).T)
        case Inverse():
            return (yield from _inverse(run, node, request))
        case Root():
            root = _sizes((yield value(node)).inverse())
            before: Sparse = yield ask(node.body)
            _condition(run, node.body, root.T @ root @ before.sum(axis=1))
            return _sizes((yield value(node)))
        case Diag() if not run.scaling and node.body.structure.flow in ("related", "full"):
            # For a pivot it is enough; forming what couples siblings would be quadratic in their number.
            return _sizes((yield value(node)))
        case Diag():
            formed: Sparse = yield ask(node.body)
            rows, cols = run.source.layout(node.type.codomain), run.source.layout(node.type.domain)
            return BlockMatrix(node.type, rows, cols, formed, run.source.binding).diagonal().stored
        case Local():
            vector: Sparse = yield ask(node.children[0])
            return _local(node, (yield value(node)), vector)
        case Fixpoint():
            found = _sizes((yield value(node)))
            inside = run.environments.get((node, id(here)))
            return found if inside is None or not run.scaling else (yield Request("magnitude", node.body, None, inside))
        case _:
            assert_never(node)


def _sizes(value: BlockMatrix) -> Sparse:
    """Absolute values of the entries."""
    if value.exact:
        return compressed(np.abs(value.data.toarray()).astype(np.float64))
    return compressed(abs(value.stored))


def _product(node: Product, request: Request) -> Steps[Sparse]:
    here = request.environment
    total: Sparse = yield Request("magnitude", node.children[-1], None, here)
    for factor in reversed(node.children[:-1]):
        size: Sparse = yield Request("magnitude", factor, None, here)
        total = multiplied(size, total)
    return total


def _inverse(run: Evaluation, node: Inverse, request: Request) -> Steps[Sparse]:
    here = request.environment
    target = resolved(node.body)
    if isinstance(target, Inverse):
        return (yield Request("magnitude", target.body, None, here))
    value: BlockMatrix = yield Request("value", node, None, here)
    inverse = _sizes(value)
    try:
        before: Sparse = yield Request("magnitude", node.body, None, here)
    except SingularError:  # solved together with the inverses in it
        return inverse
    if node.body.structure.unit:
        # No pivot is divided by; only rounding that is already in X reaches the inverse, as X⁻¹ δX X⁻¹.
        after = _sizes((yield Request("value", node.body, None, here)))
        excess = compressed(before - after)
        excess.data = np.maximum(excess.data, 0.0)
        excess.eliminate_zeros()
        return inverse + inverse @ excess @ inverse
    _condition(run, node.body, inverse @ before.sum(axis=1))
    return inverse


def _condition(run: Evaluation, e: Expr, sums: Sums) -> None:
    """Note how much an inversion magnifies rounding: the largest row sum of |X⁻¹| |X|."""
    run.inverted(sums, e)


def _local(node: Local, value: BlockMatrix, vector: Sparse) -> Sparse:
    k = np.arange(value.rows.count, dtype=np.intp)
    blocks = np.abs(local_blocks(node.function, vector.toarray()[:, 0].reshape(value.rows.count, -1)))
    group = BlockGroup(k, k, blocks)
    return BlockMatrix.from_groups(node.type, value.rows, value.cols, [group], value.binding).stored
