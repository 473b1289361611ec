"""Inverses: of a definition by what it is defined as, block by block, by substitution along the tree, or dense."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from operator_algebra.errors import SingularError
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import Expr, Inverse, Symbol, Transpose
from operator_algebra.meaning.evaluator import Environment, Evaluation, Request, Steps
from operator_algebra.meaning.source import Source
from operator_algebra.models.kinematics import dependent_rates
from operator_algebra.models.model import Model
from operator_algebra.operators.arrays import Norms, OfBodies
from operator_algebra.operators.blockdict import Sparse
from operator_algebra.operators.blocks import BlockMatrix
from operator_algebra.operators.factors import eps, extreme_singular_values
from operator_algebra.operators.inversion import (
    PIVOT,
    SingularBlock,
    identity_like,
    invert_dense,
    invert_diagonal,
    nilpotent_inverse,
    solve_unit,
)
from operator_algebra.operators.spaces import RATE, TORQUE


def resolved(e: Expr) -> Expr:
    """What a name is defined as; what the adjoint of a name is the adjoint of."""
    while True:
        if isinstance(e, Symbol) and e.definition is not None:
            e = e.definition
        elif isinstance(e, Transpose) and isinstance(e.body, Symbol) and e.body.definition is not None:
            e = e.body.definition.T
        else:
            return e


def inverse_steps(run: Evaluation, node: Inverse, request: Request) -> Steps[BlockMatrix]:
    """The value of an inverse."""
    here = request.environment
    target = resolved(node.body)
    if isinstance(target, Inverse):
        return (yield Request("value", target.body, None, here))
    flow = node.body.structure.flow
    if flow in ("inward", "outward"):
        left, unit = yield from unit_form(run, node, request)
        inverse = _invert_unit(run, node, unit, inward=flow == "inward")
        return inverse if left is None else inverse @ left
    try:
        matrix: BlockMatrix = yield Request("value", node.body, None, here)
    except SingularError as error:
        if flow not in ("related", "full") or run.source.dtype == object:
            raise
        from operator_algebra.meaning.nested import solved_together

        return (yield from solved_together(run, node, here, error))
    if flow == "diagonal":
        return (yield from _invert_blocks(run, node.body, matrix, here))
    if flow == "zero":
        raise SingularError(f"{short(node.body)} is zero: it has no inverse.")
    run.afford(node, dense=True)
    sizes = None if matrix.exact else (yield Request("magnitude", node.body, None, here)).toarray()
    inverse, condition = invert_dense(matrix.data.toarray(), sizes)
    if inverse is None:
        refuse_dense(run.source, node.body, matrix, condition)
    return BlockMatrix.from_dense(node.type, matrix.cols, matrix.rows, inverse, matrix.binding)


def _invert_blocks(run: Evaluation, e: Expr, matrix: BlockMatrix, here: Environment | None) -> Steps[BlockMatrix]:
    sizes = None if matrix.exact else block_sizes(matrix, (yield Request("magnitude", e, None, here)))
    try:
        return invert_diagonal(matrix, sizes)
    except SingularBlock as block:
        refuse_singular(run.source, e, block)


def block_sizes(matrix: BlockMatrix, magnitude: Sparse) -> Norms:
    """The sizes of the blocks (k, k) before cancellation, from those of their entries."""
    return matrix.like(magnitude).diagonal_norms()


def unit_form(run: Evaluation, node: Inverse, request: Request) -> Steps[tuple[BlockMatrix | None, BlockMatrix]]:
    """For X along the tree: the inverse L of its diagonal blocks (None if they are I), and the unit operator L X."""
    body, here = node.body, request.environment
    if body.structure.strict:
        raise SingularError(
            f"{short(body)} is strictly {body.structure.flow}: its diagonal blocks are zero, so it has no inverse. "
            "Did you mean the inverse of I minus it?"
        )
    matrix: BlockMatrix = yield Request("value", body, None, here)
    if body.structure.unit:
        return None, matrix
    left = yield from _invert_blocks(run, body, matrix.diagonal(), here)
    return left, left @ matrix


def _invert_unit(run: Evaluation, node: Inverse, unit: BlockMatrix, *, inward: bool) -> BlockMatrix:
    strict = identity_like(unit) - unit
    rows, cols = strict.places()
    child, above = (cols, rows) if inward else (rows, cols)
    if np.array_equal(run.source.parent[child], above):
        return nilpotent_inverse(strict, run.depth)
    run.afford(node, dense=True)
    eye = identity_like(unit).data.toarray()
    inverse = solve_unit(unit, eye, inward=inward)
    return BlockMatrix.from_dense(unit.type, unit.rows, unit.cols, inverse, unit.binding)


# -- wording -----------------------------------------------------------------------------------------------------------


def refuse_singular(source: Source, e: Expr, block: SingularBlock, asked: str = "") -> NoReturn:
    """Say which joint makes a block singular, what hangs on it, and what helps; `asked` is what it was wanted for."""
    name = source.binding.joint_names[block.body]
    outboard = [source.binding.joint_names[k] for k in _outboard(source.parent, block.body)]
    facts = f'{asked}{short(e)} is singular at joint "{name}" (pivot {block.pivot:.0e}, scale {block.scale:.0e})'
    if e.type == RATE >> TORQUE and e.structure.symmetric:
        beyond = f" (it carries {_some(outboard)})" if outboard else ""
        why = f"nothing outboard of it{beyond} has inertia about its axis. Give the tip body inertia, or fix the joint."
    else:
        why = "what it is made of cancels there. Invert a part that is definite, or fix the joint."
    here = source.binding
    if e.type == RATE >> TORQUE and here.q is not None and isinstance(here.model, Model):
        why = dependent_rates(here.model, block.body, here.q) or why
    raise SingularError(f"{facts}: {why}", joints=[name])


def _outboard(parent: OfBodies, body: int) -> list[int]:
    inside = {body}
    for k in range(body + 1, len(parent)):
        if int(parent[k]) in inside:
            inside.add(k)
    return sorted(inside - {body})


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (", …" if len(names) > 4 else "")


def refuse_dense(source: Source, e: Expr, matrix: BlockMatrix, condition: float, asked: str = "") -> NoReturn:
    """Say that an operator as a whole is singular, and where, if a block of its diagonal is."""
    if matrix.rows.attached and not matrix.exact:
        scale = float(matrix.norms().data.max(initial=0.0))
        for body, block in enumerate(matrix.diagonal_blocks()):
            if block.size and not extreme_singular_values(block[None])[0][0] > PIVOT * eps(matrix.dtype) * scale:
                refuse_singular(source, e, SingularBlock(body, 0.0, scale), asked)
    lacks = "its determinant is zero" if asked else "it has no inverse"
    raise SingularError(
        f"{asked}{short(e)} on {source.binding.name} is singular to rounding (condition {condition:.0e}): {lacks}. "
        "Check for massless tips, aligned axes, or constraints that depend on each other."
    )
