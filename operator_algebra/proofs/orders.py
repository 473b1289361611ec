"""Orders between operators, X ≤ Y, on exact samples: by the signs of pivots, in fractions."""

from __future__ import annotations

from fractions import Fraction

from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.identity import Statement
from operator_algebra.proofs.fields import Fractions
from operator_algebra.proofs.rigid import Number, Rows
from operator_algebra.proofs.samples import Plan, Sample
from operator_algebra.proofs.statements import Pair
from operator_algebra.proofs.values import Values


def is_order(claim: Statement) -> bool:
    """Whether a statement says lhs ≤ rhs."""
    return claim.rule == "semidefinite"


def order(claim: Statement, values: Values) -> Pair:
    """Both sides of an order."""
    assert isinstance(claim.lhs, Expr)
    assert isinstance(claim.rhs, Expr)
    return values.value(claim.lhs), values.value(claim.rhs)


def order_broken(claim: Statement, plan: Plan, sample: Sample) -> bool:
    """Whether rhs − lhs is not positive semidefinite at a sample."""
    left, right = order(claim, plan.values(Fractions(), [sample]))
    sound = bool((left.sound & right.sound)[0])
    return sound and not is_positive((right.array - left.array)[0].tolist(), strictly=False)


def is_positive(rows: Rows, *, strictly: bool) -> bool:
    """Whether a symmetric matrix is positive definite, or semidefinite.

    >>> is_positive([[1, 1], [1, 1]], strictly=False), is_positive([[1, 1], [1, 1]], strictly=True)
    (True, False)
    """
    work: list[list[Number]] = [list(row) for row in rows]
    for k, row in enumerate(work):
        pivot = row[k]
        if pivot < 0 or (pivot == 0 and (strictly or any(row[k:]))):
            return False
        for below in work[k + 1 :] if pivot else ():
            ratio = Fraction(below[k]) / pivot
            for j in range(k, len(row)):
                below[j] -= ratio * row[j]
    return True
