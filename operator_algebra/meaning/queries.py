"""Values of expressions and answers to queries about them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from operator_algebra.errors import InputError
from operator_algebra.expressions import build
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.meaning.evaluator import Evaluation, Request
from operator_algebra.operators.blocks import BlockGroup, BlockMatrix
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import ONE, Space


def answer(run: Evaluation, e: Expr | Query) -> BlockMatrix:
    """The value of an expression or a query."""
    if not isinstance(e, Query):
        return run.value(e).titled(short(e))
    places = "".join(f", {place!r}" for place in e.places)
    title = f"{e.kind}({short(e.body)}{places})"
    match e.kind:
        case "dense":
            return run.value(e.body).titled(title)
        case "diag":
            return run.value(build.diag(e.body)).titled(title)
        case "block":
            return _block(run, e).titled(title)
        case "trace":
            return _number(run, float(np.trace(_entries(run, e.body)))).titled(title)
        case _:
            return _number(run, _logdet(run, e)).titled(title)


def _entries(run: Evaluation, e: Expr) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return run.value(e).data.toarray()


def _number(run: Evaluation, value: float) -> BlockMatrix:
    layout = run.source.layout(ONE)
    return BlockMatrix.from_dense(ONE >> ONE, layout, layout, [[value]], run.source.binding)


def _logdet(run: Evaluation, e: Query) -> float:
    if e.body.structure.flow == "diagonal":
        blocks = [block for block in run.value(e.body).diagonal_blocks() if block.size]
    else:
        blocks = [_entries(run, e.body)]
    total, sign = 0.0, 1.0
    for block in blocks:
        one, value = np.linalg.slogdet(block)
        sign *= float(one)
        total += float(value)
    if sign <= 0.0:
        kind = "zero" if sign == 0.0 else "negative"
        raise InputError(f"logdet({short(e.body)}): the determinant is {kind}, so it has no logarithm. Check its sign.")
    return total


def _block(run: Evaluation, e: Query) -> BlockMatrix:
    """Block (i, j): the operator applied to the unit columns of body j, seen at body i."""
    rows, cols = run.source.layout(e.body.type.codomain), run.source.layout(e.body.type.domain)
    i, j = (run.source.binding.place(place, rows.count) for place in e.places)
    single = Layout.of([cols.sizes[j]], attached=False)
    domain = _alone(e.body.type.domain)
    eye = BlockGroup(np.array([j]), np.array([0]), np.eye(int(cols.sizes[j]))[None])
    unit_columns = BlockMatrix.from_groups(
        domain >> e.body.type.domain, cols, single, [eye], run.source.binding, run.source.dtype
    )
    column: BlockMatrix = run.run(Request("apply", e.body, unit_columns))
    part = column.data.toarray()[rows.part(i)]
    kind = domain >> _alone(e.body.type.codomain)
    return BlockMatrix.from_dense(kind, Layout.of([rows.sizes[i]], attached=False), single, part, run.source.binding)


def _alone(space: Space) -> Space:
    """The space of one body's block."""
    return replace(space, attached=False)
