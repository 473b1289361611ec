"""The value of each kind of node, from the values of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import assert_never

import numpy as np

from operator_algebra.errors import InputError, SingularError
from operator_algebra.expressions import build
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
from operator_algebra.meaning.evaluator import Evaluation, Request, Steps
from operator_algebra.meaning.extent import SPARSE_ENTRY, refuse_beyond
from operator_algebra.meaning.inverses import inverse_steps
from operator_algebra.models.numeric import Scalar
from operator_algebra.operators.blocks import BlockGroup, BlockMatrix, group_by_size
from operator_algebra.operators.inversion import identity
from operator_algebra.operators.leaves import local_blocks
from operator_algebra.operators.root import SquareRootError, block_root

_GREEDY = 24
"""Longer products are multiplied from left to right; looking for the cheapest pair would be quadratic."""


def untyped(e: Expr) -> str:
    """Why I and 0 alone have no value."""
    return f"{short(e)} has no value: the spaces of I and 0 are not known. Put it beside a typed operator."


def value_steps(run: Evaluation, request: Request) -> Steps[BlockMatrix]:
    """The value of a node."""
    node, here = request.node, request.environment
    if not node.typed:
        raise InputError(untyped(node))
    if here is not None and node in here.values:
        return here.values[node]

    def ask(part: Expr) -> Request:
        return Request("value", part, None, here)

    run.afford(node)
    node = of_a_kind(node)
    match node:
        case Symbol() if node.definition is not None:
            return (yield ask(node.definition))
        case Symbol():
            if node.origin == "bound":
                raise InputError(f"{node} is the bound variable of a fixed point and has no value of its own.")
            return run.source.value(node)
        case One() | Zero():
            return constant(run, node)
        case Sum():
            total: BlockMatrix = yield ask(node.children[0])
            for term in node.children[1:]:
                total = total + (yield ask(term))
            return total
        case Scale():
            factor: Scalar | Expr = node.factor
            if not isinstance(factor, Fraction):
                factor = (yield ask(factor)).dense()[()]
            return (yield ask(node.body)).scaled(factor)
        case Transpose():
            return (yield ask(node.body)).T
        case Product():
            return (yield from _product(run, node, request))
        case Inverse():
            return (yield from inverse_steps(run, node, request))
        case Root():
            return _root(node, (yield ask(node.body)), run)
        case Diag():
            return (yield from _diag(run, node, request))
        case Fixpoint():
            from operator_algebra.meaning.fixed_points import fixpoint_steps

            return (yield from fixpoint_steps(run, node, request))
        case Local():
            vectors: list[BlockMatrix] = []
            for argument in node.children:
                vectors.append((yield ask(argument)))
            return _local(run, node, vectors)
        case _:
            assert_never(node)


def constant(run: Evaluation, node: Expr) -> BlockMatrix:
    """I or 0."""
    rows, cols = run.source.layout(node.type.codomain), run.source.layout(node.type.domain)
    nothing = BlockMatrix.from_groups(node.type, rows, cols, [], run.source.binding, run.source.dtype)
    return identity(rows, nothing) if isinstance(node, One) else nothing


def _product(run: Evaluation, node: Product, request: Request) -> Steps[BlockMatrix]:
    segments = _segments(node)
    if len(segments) == 1:
        return (yield from _segment(run, node, request))
    if run.redundant == "least norm":
        return (yield from _applied(run, node, segments, request))
    values: list[BlockMatrix] = []
    for segment in segments:
        values.append((yield Request("value", segment, None, request.environment)))
    return multiply_all(run, node, values)


def _applied(run: Evaluation, node: Product, segments: Sequence[Expr], request: Request) -> Steps[BlockMatrix]:
    """The product from the right: what an inverse is applied to tells whether redundant rows agree."""
    value: BlockMatrix = yield Request("value", segments[-1], None, request.environment)
    for segment in reversed(segments[:-1]):
        if isinstance(segment, Inverse):
            value = yield Request("apply", segment, value, request.environment)
        else:
            left: BlockMatrix = yield Request("value", segment, None, request.environment)
            value = multiply_all(run, node, [left, value])
    return value


def _segments(node: Product) -> list[Expr]:
    """The product cut where it passes through a space without bodies: column · row, row · column."""
    parts: list[list[Expr]] = [[]]
    for factor in node.children[:-1]:
        parts[-1].append(factor)
        if not factor.type.domain.attached:
            parts.append([])
    parts[-1].append(node.children[-1])
    return [build.matmul(*part) for part in parts]


def _segment(run: Evaluation, node: Product, request: Request) -> Steps[BlockMatrix]:
    """A product within spaces of bodies: a column from right to left, a row as the adjoint of a column."""
    here = request.environment
    if not node.type.domain.attached:
        *operators, last = node.children
        column: BlockMatrix = yield Request("value", last, None, here)
        for operator in reversed(operators):
            column = yield Request("apply", operator, column, here)
        return column
    if not node.type.codomain.attached:
        return (yield Request("value", node.T, None, here)).T
    values: list[BlockMatrix] = []
    for factor in node.children:
        values.append((yield Request("value", factor, None, here)))
    return multiply_all(run, node, values)


def multiply_all(run: Evaluation, node: Expr, values: list[BlockMatrix]) -> BlockMatrix:
    """The product of values, the cheapest pair first."""
    values = list(values)
    while len(values) > 1:
        at = 0
        if len(values) <= _GREEDY:
            at = min(range(len(values) - 1), key=lambda i: _work(values[i], values[i + 1]))
        left, right = values[at], values[at + 1]
        shape = left.shape[0], right.shape[1]
        stored = min(_work(left, right), float(shape[0]) * shape[1])
        refuse_beyond(run.limit, SPARSE_ENTRY * stored, node, run.source.binding.name, shape)
        values[at : at + 2] = [left @ right]
    return values[0]


def _work(left: BlockMatrix, right: BlockMatrix) -> float:
    """Multiplications of a sparse product, if entries are spread evenly."""
    return float(left.data.nnz) * right.data.nnz / max(left.shape[1], 1)


def _root(node: Root, value: BlockMatrix, run: Evaluation) -> BlockMatrix:
    k = np.arange(value.rows.count, dtype=np.intp)
    groups: list[BlockGroup] = []
    for group in group_by_size(value.rows, value.cols, value.diagonal_blocks(), k, k):
        try:
            groups.append(group._replace(blocks=block_root(group.blocks)))
        except SquareRootError as error:
            body = int(group.rows[error.index])
            name = run.source.binding.joint_names[body]
            raise SingularError(
                f'{short(node.body)} has no square root at joint "{name}" (smallest eigenvalue {error.least:.1e}): '
                "it is not definite there. Give the bodies outboard of it inertia, or fix the joint.",
                joints=[name],
            ) from None
    rows, cols = value.rows, run.source.layout(node.type.domain)
    return BlockMatrix.from_groups(node.type, rows, cols, groups, value.binding, value.dtype)


def _diag(run: Evaluation, node: Diag, request: Request) -> Steps[BlockMatrix]:
    from operator_algebra.meaning.fixed_points import local_steps
    from operator_algebra.meaning.plan import NoSinglePath

    try:
        return (yield from local_steps(run, node, request.environment))
    except NoSinglePath:
        return (yield Request("value", node.body, None, request.environment)).diagonal()


def _local(run: Evaluation, node: Local, vectors: list[BlockMatrix]) -> BlockMatrix:
    k = np.arange(vectors[0].rows.count, dtype=np.intp)
    arguments = [np.array(vector.blocks_at(k, np.zeros_like(k)))[..., 0] for vector in vectors]
    blocks = local_blocks(node.function, *arguments)
    rows, cols = run.source.layout(node.type.codomain), run.source.layout(node.type.domain)
    return BlockMatrix.from_groups(
        node.type, rows, cols, [BlockGroup(k, k, blocks)], run.source.binding, run.source.dtype
    )
