"""The operator of a formula that is linear in one of its vectors."""

from __future__ import annotations

from fractions import Fraction

from operator_algebra.errors import InputError
from operator_algebra.expressions.build import add, matmul, multiply, one, retype, scale, zero
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import Expr, Product, Scale, Sum, Symbol, Zero
from operator_algebra.expressions.traverse import children_and_definition, postorder
from operator_algebra.operators.spaces import ONE


def linear_part(e: Expr, x: Expr) -> Expr:
    """The A with e = A @ x for every x; `InputError` names what is not of this form.

    >>> from operator_algebra.symbols import H, M, T, phi, qdd
    >>> linear_part(H @ phi @ M @ phi.T @ H.T @ qdd, qdd)
    H φ M φ* H*   rate → torque   symmetric, definite
    """
    type_ = x.type.codomain >> e.type.codomain
    dependent: set[Expr] = set()
    slope: dict[Expr, Expr] = {x: one()}
    offset: dict[Expr, Expr] = {x: zero(x.type)}
    for node in postorder(e, children_and_definition):
        if node == x or any(child in dependent for child in children_and_definition(node)):
            dependent.add(node)
            if node != x:
                slope[node], offset[node] = _affine(node, x, dependent, slope, offset)
    if e not in dependent:
        raise InputError(f"{short(e)} does not contain {x}. Choose a vector of the formula.")
    A = retype(slope[e], type_)
    if not isinstance(offset[e], Zero):
        raise InputError(
            f"{short(e)} is affine in {x}, not linear: {short(offset[e])} does not contain {x}. "
            f"Compile the linear part alone, {short(A)} applied to {x}."
        )
    return A


def _affine(
    node: Expr, x: Expr, dependent: set[Expr], slope: dict[Expr, Expr], offset: dict[Expr, Expr]
) -> tuple[Expr, Expr]:
    """A and c with node = A @ x + c."""
    match node:
        case Symbol() if node.definition is not None:
            return slope[node.definition], offset[node.definition]
        case Sum():
            moving = [child for child in node.children if child in dependent]
            still = [child for child in node.children if child not in dependent]
            return add(*(slope[child] for child in moving)), add(*still, *(offset[child] for child in moving))
        case Scale() if isinstance(node.factor, Fraction):
            return scale(node.factor, slope[node.body]), scale(node.factor, offset[node.body])
        case Scale() if node.factor not in dependent:
            return multiply(node.factor, slope[node.body]), multiply(node.factor, offset[node.body])
        case Scale() if isinstance(node.factor, Expr) and node.body not in dependent and node.type.domain == ONE:
            # y (z* x) is written (z* x) y: the operator is y z*.
            return matmul(node.body, slope[node.factor]), multiply(offset[node.factor], node.body)
        case Product() if not dependent.intersection(node.children[:-1]):
            *before, last = node.children
            return matmul(*before, slope[last]), matmul(*before, offset[last])
        case _:
            raise InputError(
                f"the formula is not an operator applied to {x}: {x} stands inside {short(node)}. "
                f"Compile a formula of the form A @ {x}."
            )
