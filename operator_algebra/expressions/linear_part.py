"""The operator of a formula that is linear in one of its vectors."""

from __future__ import annotations

from fractions import Fraction

from operator_algebra.errors import InputError
from operator_algebra.expressions.build import add, local, matmul, multiply, one, retype, scale, zero
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import Expr, Local, Product, Scale, Sum, Symbol, Transpose, Zero
from operator_algebra.expressions.traverse import children_and_definition, definition_of, postorder
from operator_algebra.operators.local import CROSS, CROSSBAR
from operator_algebra.operators.spaces import ONE

_DEEP = 200
"""Operators that hold the vector are unfolded no deeper than this."""


def linear_part(e: Expr, x: Expr) -> Expr:
    """The A with e = A @ x for every x; `InputError` names what is not of this form.

    Where x stands inside a cross product with a vector, the two change places: cross(x) y = −cross(y) x.

    >>> from operator_algebra.symbols import H, M, T, phi, qdd
    >>> linear_part(H @ phi @ M @ phi.T @ H.T @ qdd, qdd)
    H φ M φ* H*   rate → torque   symmetric, definite
    """
    type_ = x.type.codomain >> e.type.codomain
    reader = _Reader(x)
    reader.read(e)
    if e not in reader.dependent:
        raise InputError(f"{short(e)} does not contain {x}. Choose a vector of the formula.")
    slope, offset = reader.of(e)
    A = retype(slope, type_)
    if not isinstance(offset, Zero):
        raise InputError(
            f"{short(e)} is affine in {x}, not linear: {short(offset)} does not contain {x}. "
            f"Compile the linear part alone, {short(A)} applied to {x}."
        )
    return A


class _Reader:
    """A and c of every column A @ x + c that a formula is made of."""

    def __init__(self, x: Expr) -> None:
        self.x = x
        self.dependent: set[Expr] = {x}
        self.found: dict[Expr, tuple[Expr, Expr]] = {x: (one(), zero(x.type))}
        self.seen: set[Expr] = {x}

    def read(self, e: Expr) -> None:
        """Everything below a formula, parts first."""
        for node in postorder(e, children_and_definition, until=self.seen.__contains__):
            if node in self.seen:
                continue
            self.seen.add(node)
            if any(child in self.dependent for child in children_and_definition(node)):
                self.dependent.add(node)
                # Operators that hold x wait for what they are applied to.
                if node.type.domain == ONE:
                    self.found[node] = self._affine(node)

    def of(self, node: Expr) -> tuple[Expr, Expr]:
        """A and c of a column that holds x."""
        if node not in self.found:
            raise self._refused(node)
        return self.found[node]

    def _affine(self, node: Expr) -> tuple[Expr, Expr]:
        match node:
            case Symbol() if node.definition is not None:
                return self.of(node.definition)
            case Sum():
                moving = [self.of(child) for child in node.children if child in self.dependent]
                still = [child for child in node.children if child not in self.dependent]
                return add(*(slope for slope, _ in moving)), add(*still, *(offset for _, offset in moving))
            case Scale() if isinstance(node.factor, Fraction):
                slope, offset = self.of(node.body)
                return scale(node.factor, slope), scale(node.factor, offset)
            case Scale() if node.factor not in self.dependent:
                slope, offset = self.of(node.body)
                return multiply(node.factor, slope), multiply(node.factor, offset)
            case Scale() if isinstance(node.factor, Expr) and node.body not in self.dependent:
                # y (z* x) is written (z* x) y: the operator is y z*.
                slope, offset = self.of(node.factor)
                return matmul(node.body, slope), multiply(offset, node.body)
            case Product():
                return self._of_a_product(node)
            case _:
                raise self._refused(node)

    def _of_a_product(self, node: Product) -> tuple[Expr, Expr]:
        holding = [k for k, factor in enumerate(node.children) if factor in self.dependent]
        if len(holding) > 1:
            raise self._refused(node)
        (k,) = holding
        before, factor, after = node.children[:k], node.children[k], node.children[k + 1 :]
        if after:
            factor = self._applied(factor, matmul(*after), 0)
            self.read(factor)
        slope, offset = self.of(factor)
        return matmul(*before, slope), matmul(*before, offset)

    def _applied(self, e: Expr, y: Expr, depth: int) -> Expr:
        """An operator that holds x applied to a column that does not, written with x at the end."""
        if e not in self.dependent:
            return matmul(e, y)
        if depth > _DEEP:
            raise self._refused(e)
        definition = definition_of(e)
        if definition is not None:
            self.read(definition)
            return self._applied(definition, y, depth + 1)
        match e:
            case Sum():
                return add(*(self._applied(term, y, depth + 1) for term in e.children))
            case Scale() if isinstance(e.factor, Fraction):
                return scale(e.factor, self._applied(e.body, y, depth + 1))
            case Scale() if isinstance(e.factor, Expr) and e.factor not in self.dependent:
                return multiply(e.factor, self._applied(e.body, y, depth + 1))
            case Scale() if isinstance(e.factor, Expr) and e.body not in self.dependent:
                return multiply(e.factor, matmul(e.body, y))
            case Product():
                holding = [k for k, factor in enumerate(e.children) if factor in self.dependent]
                if len(holding) > 1:
                    raise self._refused(e)
                (k,) = holding
                inner = self._applied(e.children[k], matmul(*e.children[k + 1 :], y), depth + 1)
                return matmul(*e.children[:k], inner)
            case Local() if e.function is CROSS:
                return scale(-1, matmul(local(CROSS, y), e.children[0]))
            case Local() if e.function is CROSSBAR:
                return matmul(local(CROSS, y).T, e.children[0])
            case Transpose() if isinstance(e.body, Local) and e.body.function is CROSS:
                return matmul(local(CROSSBAR, y), e.body.children[0])
            case Transpose() if isinstance(e.body, Local) and e.body.function is CROSSBAR:
                return scale(-1, matmul(local(CROSS, y).T, e.body.children[0]))
            case _:
                raise self._refused(e)

    def _refused(self, node: Expr) -> InputError:
        return InputError(
            f"the formula is not an operator applied to {self.x}: {self.x} stands inside {short(node)}. "
            f"Compile a formula of the form A @ {self.x}."
        )
