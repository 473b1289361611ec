"""Inverses inside an inverse, solved together: (A + X⁻¹)⁻¹ has a value where X is singular, if all equations have one.

Each inverse is an unknown and its equation: y = X⁻¹ x is the y with X y = x.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from operator_algebra.errors import SingularError
from operator_algebra.expressions.nodes import Expr, Inverse, One, Product, Scale, Sum, Symbol, Transpose
from operator_algebra.meaning.evaluator import Environment, Evaluation, Request, Steps
from operator_algebra.meaning.extent import refuse_beyond
from operator_algebra.meaning.inverses import resolved
from operator_algebra.models.numeric import Scalar
from operator_algebra.operators.arrays import Block
from operator_algebra.operators.blocks import BlockMatrix, machine_number
from operator_algebra.operators.inversion import invert_dense

Form = dict[int, Block]
"""A linear function of the unknowns: a dense matrix for each."""


@dataclass(eq=False)
class _System:
    run: Evaluation
    here: Environment | None
    sizes: list[int] = field(default_factory=list[int])
    rows: dict[int, Form] = field(default_factory=dict[int, Form])

    def unknown(self, e: Inverse) -> int:
        self.sizes.append(self.run.source.layout(e.type.codomain).size)
        return len(self.sizes) - 1

    def itself(self, k: int) -> Form:
        return {k: np.eye(self.sizes[k], dtype=self.run.source.dtype)}


def solved_together(
    run: Evaluation, node: Inverse, here: Environment | None, error: SingularError
) -> Steps[BlockMatrix]:
    """The value of an inverse by the equations of all inverses in it; the error that led here if they have none."""
    system = _System(run, here)
    first = system.unknown(node)
    try:
        system.rows[first] = yield from _applied(system, node.body, system.itself(first))
    except RecursionError:
        raise error from None
    if len(system.sizes) == 1:
        raise error
    total = sum(system.sizes)
    refuse_beyond(run.limit, 16.0 * total**2, node, run.source.binding.name, (total, total))
    zero = np.zeros
    matrix = np.block(
        [
            [system.rows[i].get(k, zero((n, m), dtype=run.source.dtype)) for k, m in enumerate(system.sizes)]
            for i, n in enumerate(system.sizes)
        ]
    )
    inverse, _ = invert_dense(matrix)
    if inverse is None:
        raise error
    size = system.sizes[first]
    rows, cols = run.source.layout(node.type.codomain), run.source.layout(node.type.domain)
    return BlockMatrix.from_dense(node.type, rows, cols, inverse[:size, :size], run.source.binding)


def _applied(system: _System, e: Expr, form: Form) -> Steps[Form]:
    """The value of e times a linear function of the unknowns."""
    match e:
        case One():
            return form
        case Product():
            for factor in reversed(e.children):
                form = yield from _applied(system, factor, form)
            return form
        case Sum():
            total: Form = {}
            for term in e.children:
                total = _plus(total, (yield from _applied(system, term, form)))
            return total
        case Scale():
            number: Scalar | Expr = e.factor
            if isinstance(number, Fraction):
                number = machine_number(number, system.run.source.dtype)
            else:
                number = (yield Request("value", number, None, system.here)).dense()[()]
            return {k: number * part for k, part in (yield from _applied(system, e.body, form)).items()}
        case Symbol() | Transpose() if resolved(e) is not e and not _is_local(e):
            return (yield from _applied(system, resolved(e), form))
        case Inverse() if e.structure.flow in ("related", "full"):
            target = resolved(e.body)
            if isinstance(target, Inverse):
                return (yield from _applied(system, target.body, form))
            k = system.unknown(e)
            own = yield from _applied(system, e.body, system.itself(k))
            system.rows[k] = _plus(own, {i: -part for i, part in form.items()})
            return system.itself(k)
        case _:
            value: BlockMatrix = yield Request("value", e, None, system.here)
            return {k: value.stored @ part for k, part in form.items()}


def _is_local(e: Expr) -> bool:
    return e.structure.flow == "diagonal" or e.structure.hop


def _plus(one: Form, other: Form) -> Form:
    return {**one, **other, **{k: one[k] + other[k] for k in one if k in other}}
