"""Large inverses without matrices: every product and resolvent inside becomes sparse equations with own unknowns.

For (H φ M φ* H*)⁻¹ these are the equations of motion of all bodies at once, whose elimination along a tree fills
nothing in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, assert_never

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from operator_algebra.checking.arithmetic import Floats
from operator_algebra.checking.column import Column, norms
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
from operator_algebra.meaning.evaluator import Worst
from operator_algebra.operators.blockdict import Sparse, compressed
from operator_algebra.operators.spaces import Space

if TYPE_CHECKING:
    from operator_algebra.checking.prober import Prober

Form = dict[int, Sparse]
"""A linear function of the unknowns: a sparse matrix for each."""


@dataclass
class Equations:
    """Unknown vectors by space, and rows that are to vanish, but for the first, which is given."""

    prober: Prober
    spaces: list[Space] = field(default_factory=list[Space])
    rows: list[Form] = field(default_factory=list[Form])

    def unknown(self, space: Space) -> int:
        """A new unknown vector."""
        self.spaces.append(space)
        return len(self.spaces) - 1

    def size(self, k: int) -> int:
        """The number of its entries."""
        return self.prober.source.layout(self.spaces[k]).size

    def apply(self, e: Expr, form: Form) -> Form:
        """The value of e times a linear function of the unknowns."""
        e = of_a_kind(e)
        match e:
            case One():
                return form
            case Product():
                for factor in reversed(e.children):
                    form = self.apply(factor, form)
                return form
            case Sum():
                return add([self.apply(term, form) for term in e.children])
            case Scale():
                factor = e.factor if isinstance(e.factor, Fraction) else self.prober.run.value(e.factor).dense()
                return {k: float(factor) * matrix for k, matrix in self.apply(e.body, form).items()}
            case _ if self.prober.is_local(e):
                value = self.prober.formed(e)[0].stored
                return {k: value @ matrix for k, matrix in form.items()}
            case Symbol() if e.definition is not None:
                return self.apply(e.definition, form)
            case Transpose() if isinstance(e.body, Symbol) and e.body.definition is not None:
                return self.apply(e.body.definition.T, form)
            case Inverse():
                return self._inverse(e, form)
            case Symbol() | Zero() | Transpose() | Root() | Diag() | Fixpoint() | Local():
                value = self.prober.run.value(e).stored
                return {k: value @ matrix for k, matrix in form.items()}
            case _:
                assert_never(e)

    def _inverse(self, e: Inverse, form: Form) -> Form:
        if isinstance(e.body, Symbol) and isinstance(e.body.definition, Inverse):
            return self.apply(e.body.definition.body, form)
        k = self.unknown(e.type.codomain)
        here: Form = {k: compressed(sp.eye_array(self.size(k), format="csr"))}
        negative: Form = {other: -1.0 * matrix for other, matrix in form.items()}
        self.rows.append(add([self.apply(e.body, here), negative]))
        return here


def add(forms: list[Form]) -> Form:
    """The sum of linear functions."""
    total: Form = {}
    for form in forms:
        for k, matrix in form.items():
            total[k] = total[k] + matrix if k in total else matrix
    return total


def factorized(prober: Prober, e: Expr) -> Callable[[Floats], Floats]:
    """A function that solves e y = x for arrays."""
    equations = Equations(prober)
    first = equations.unknown(e.type.domain)
    own: Form = {first: compressed(sp.eye_array(equations.size(first), format="csr"))}
    given = equations.apply(e, own)
    rows = [given, *equations.rows]
    count = len(equations.spaces)
    blocks = [[row.get(k) for k in range(count)] for row in rows]
    factors = splu(sp.csc_array(sp.block_array(blocks)))
    size, total = equations.size(first), sum(map(equations.size, range(count)))

    def solve_one(x: Floats) -> Floats:
        right = np.zeros((total, x.shape[-1]))
        right[:size] = x.reshape(size, -1)
        return factors.solve(right)[:size].reshape(x.shape)

    return solve_one


def solve(prober: Prober, e: Expr, right: Floats) -> tuple[Floats, Worst]:
    """The y with e y = right, refined once, and how much it magnifies rounding, as the refinement shows."""
    if e not in prober.factors:
        prober.factors[e] = factorized(prober, e)
    solve_one = prober.factors[e]
    y = solve_one(right)
    back = prober.apply(e, Column.of(y))
    residual = right - back.entries
    step = solve_one(residual)
    error, share = _share(norms(step), norms(y)), _share(norms(residual), norms(back.size))
    condition = np.where(share > 0.0, error / np.where(share > 0.0, share, 1.0), 1.0)
    return y + step, Worst(condition.max(axis=(1, 2), initial=1.0), e)


def _share(part: Floats, whole: Floats) -> Floats:
    return np.where(whole > 0.0, part / np.where(whole > 0.0, whole, 1.0), 0.0)
