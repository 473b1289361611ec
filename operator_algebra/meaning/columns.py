"""An operator applied to a column, without forming the operator: from right to left, by substitution along the tree."""

from __future__ import annotations

from fractions import Fraction

from operator_algebra.errors import SingularError
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import Expr, Inverse, One, Product, Scale, Sum, Symbol, Transpose, Zero
from operator_algebra.meaning.evaluator import Evaluation, Request, Steps
from operator_algebra.meaning.inverses import resolved, unit_form
from operator_algebra.models.numeric import Scalar
from operator_algebra.operators.arrays import Dense
from operator_algebra.operators.blocks import BlockMatrix
from operator_algebra.operators.inversion import least_norm, solve_unit
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.spaces import Type


def apply_steps(run: Evaluation, request: Request) -> Steps[BlockMatrix]:
    """The value of a node times a column."""
    node, column, here = request.node, request.column, request.environment
    assert column is not None
    if here is not None and node in here.values:
        return here.values[node] @ column

    def ask(part: Expr, to: BlockMatrix = column) -> Request:
        return Request("apply", part, to, here)

    match node:
        case One():
            return column
        case Sum():
            total: BlockMatrix = yield ask(node.children[0])
            for term in node.children[1:]:
                total = total + (yield ask(term))
            return total
        case Product():
            for factor in reversed(node.children):
                column = yield ask(factor, column)
            return column
        case Scale():
            factor: Scalar | Expr = node.factor
            if not isinstance(factor, Fraction):
                factor = (yield Request("value", factor, None, here)).dense()[()]
            return (yield ask(node.body)).scaled(factor)
        case Symbol() if node.definition is not None and not _is_local(node):
            return (yield ask(node.definition))
        case Transpose() if isinstance(node.body, Symbol) and node.body.definition is not None and not _is_local(node):
            return (yield ask(node.body.definition.T))
        case Inverse():
            return (yield from _solve(run, node, request, column))
        case Zero() | _:
            return (yield Request("value", node, None, here)) @ column


def _is_local(node: Expr) -> bool:
    """Whether its value is no larger than the mechanism, so that it is worth keeping."""
    return node.structure.flow == "diagonal" or node.structure.hop


def _solve(run: Evaluation, node: Inverse, request: Request, column: BlockMatrix) -> Steps[BlockMatrix]:
    here = request.environment
    target = resolved(node.body)
    if isinstance(target, Inverse):
        return (yield Request("apply", target.body, column, here))
    flow = node.body.structure.flow
    if flow in ("inward", "outward"):
        left, unit = yield from unit_form(run, node, request)
        right = column if left is None else left @ column
        solution = solve_unit(unit, right.data.toarray(), inward=flow == "inward")
        return _column(node, right, solution, unit.cols)
    if run.redundant == "least norm" and not node.type.domain.attached:
        least = yield from _least_norm(node, request, column)
        if least is not None:
            return least
    inverse: BlockMatrix = yield Request("value", node, None, here)
    solution = inverse @ column
    if flow == "diagonal" or inverse.exact:
        return solution
    # One step of refinement: as accurate as a factorization that is solved anew for each column.
    try:
        matrix: BlockMatrix = yield Request("value", node.body, None, here)
    except SingularError:  # solved together with the inverses in it
        return solution
    return solution + inverse @ (column - matrix @ solution)


def _least_norm(node: Inverse, request: Request, column: BlockMatrix) -> Steps[BlockMatrix | None]:
    """The smallest solution where rows follow from others; None where none does, or numbers do not tell."""
    try:
        matrix: BlockMatrix = yield Request("value", node.body, None, request.environment)
    except SingularError:
        return None
    if matrix.exact:
        return None
    sizes = (yield Request("magnitude", node.body, None, request.environment)).toarray()
    solution, agrees = least_norm(matrix.data.toarray(), column.data.toarray(), sizes)
    if not agrees:
        raise SingularError(
            f"{short(node.body)} is singular: its rows follow from each other, but what they ask for does not. "
            "Change that, or leave rows out."
        )
    return None if solution is None else _column(node, column, solution, matrix.cols)


def _column(node: Expr, column: BlockMatrix, values: Dense, rows: Layout) -> BlockMatrix:
    type_ = Type(column.type.domain, node.type.codomain)
    return BlockMatrix.from_dense(type_, rows, column.cols, values, column.binding)
