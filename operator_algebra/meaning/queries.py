"""Values of expressions and answers to queries about them."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

import numpy as np

from operator_algebra.errors import InputError
from operator_algebra.expressions import build
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.meaning.evaluator import Evaluation, Request
from operator_algebra.meaning.inverses import block_sizes, refuse_dense, refuse_singular
from operator_algebra.operators.arrays import Block, Number
from operator_algebra.operators.blocks import BlockGroup, BlockMatrix
from operator_algebra.operators.factors import determinant
from operator_algebra.operators.inversion import SingularBlock, invert_dense, sound_blocks
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import ONE, Space


def answer(run: Evaluation, e: Expr | Query) -> BlockMatrix:
    """The value of an expression or a query."""
    title = title_of(e)
    if not isinstance(e, Query):
        return run.value(e).titled(title)
    match e.kind:
        case "dense":
            return run.value(e.body).titled(title)
        case "diag":
            return run.value(build.diag(e.body)).titled(title)
        case "block":
            return _block(run, e).titled(title)
        case "trace":
            return _number(run, np.trace(run.value(e.body).data.toarray())).titled(title)
        case "logdet":
            return _number(run, _logdet(run, e.body)).titled(title)
        case _:
            assert_never(e.kind)


def title_of(e: Expr | Query) -> str:
    """The name of the value of an expression or a query."""
    if not isinstance(e, Query):
        return short(e)
    return f"{e.kind}({short(e.body)}{''.join(f', {place!r}' for place in e.places)})"


def _number(run: Evaluation, value: Number | float) -> BlockMatrix:
    layout = run.source.layout(ONE)
    return BlockMatrix.from_dense(ONE >> ONE, layout, layout, value, run.source.binding)


def _logdet(run: Evaluation, e: Expr) -> Number | float:
    """Σ log det of the blocks (k, k), of an operator that goes both ways log det of the whole.

    What has no inverse has no log-determinant. A complex determinant has its analytic continuation from the real one.
    """
    asked = f"logdet({short(e)}): "
    value = run.value(e)
    size: Number | float = 0.0
    sign: Number | float = 1.0
    for block in _determining_blocks(run, e, value, asked):
        of_block, of_size = determinant(block)
        sign, size = sign * of_block, size + of_size
    if not np.real(sign) > 0.0:
        raise InputError(f"{asked}the determinant is negative, so it has no logarithm. Check its sign.")
    if not np.iscomplexobj(sign):
        return size
    angle: Number = np.arctan2(np.imag(sign), np.real(sign))
    return size + 1j * angle


def _determining_blocks(run: Evaluation, e: Expr, value: BlockMatrix, asked: str) -> list[Block]:
    """The blocks whose determinants make up that of an operator; `SingularError` if it has none but zero."""
    if e.structure.unit:
        return []
    if e.structure.flow in ("diagonal", "inward", "outward", "zero"):
        local = value.diagonal()
        sizes = None if local.exact else block_sizes(local, run.magnitude(e))
        try:
            return [block for group in sound_blocks(local, sizes) for block in group.blocks]
        except SingularBlock as block:
            refuse_singular(run.source, e, block, asked)
    entries = value.data.toarray()
    inverse, condition = invert_dense(entries, None if value.exact else run.magnitude(e).toarray())
    if inverse is None:
        refuse_dense(run.source, e, value, condition, asked)
    return [entries]


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
