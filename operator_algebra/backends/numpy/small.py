"""Values that belong to no body: sums over the bodies, and algebra on such sums."""

from __future__ import annotations

import numpy as np

from operator_algebra.arguments import Redundant
from operator_algebra.backends.numpy.arrays import Block, Blocks
from operator_algebra.backends.numpy.blocks import Factors, Operand, adjoint, multiply_out, total_of
from operator_algebra.backends.numpy.groups import GroupKernels
from operator_algebra.backends.numpy.levels import ANY
from operator_algebra.backends.numpy.redundant import least_norm
from operator_algebra.programs.instructions import Invert, Linear, Reduce, Total
from operator_algebra.programs.program import Step


def small_value(kernels: GroupKernels, step: Step, redundant: Redundant) -> Operand:
    """A sum over the bodies, or algebra on such sums."""
    definition = step.definition
    match definition:
        case Reduce():
            terms = [kernels.product(term, step.type.codomain) for term in definition.terms]
            total = np.asarray(sum(over_bodies(term(group)) for term in terms for group in kernels.levels.whole()))
            return (total + adjoint(total)) / 2 if step.value.symmetric else total
        case Total():
            if definition.source.value in kernels.small:
                return total_of(definition.kind, kernels.small[definition.source.value])
            if definition.source.value in kernels.relations:
                return kernels.relations[definition.source.value].logdet()
            source = kernels.formed(definition.source)
            totals = [total_of(definition.kind, source(group)) for group in kernels.levels.whole()]
            return np.asarray(sum(over_bodies(total) for total in totals))
        case Invert():
            block = multiply_out((kernels.getter(definition.source)(ANY),))[0]
            return Factors(block) if redundant == "raise" else least_norm(kernels, definition.source.value, block)
        case Linear() if not definition.terms:
            return np.zeros(
                (*(1,) * kernels.axes, kernels.size(step.type.codomain, 0), kernels.size(step.type.domain, 0))
            )
        case Linear():
            total = _small_sum(kernels, step, definition)
            return (total + adjoint(total)) / 2 if step.value.symmetric else total
        case _:
            return multiply_out((kernels.kernel(step)(ANY),))[0]


def over_bodies(blocks: Blocks) -> Block:
    """The sum over the first axis, one body after the other.

    NumPy adds a single column in pairs, several ones row by row; two columns make the order that of any batch.
    """
    if blocks[:1].size != 1:
        return blocks.sum(axis=0)
    return np.repeat(blocks, 2, axis=-1).sum(axis=0)[..., :1]


def _small_sum(kernels: GroupKernels, step: Step, definition: Linear) -> Block:
    total: Block | float = 0.0
    for term in definition.terms:
        factor: Block | float = float(term.coefficient)
        for number in term.scalars:
            factor = factor * multiply_out((kernels.small[number],))
        if term.factors:
            values = [kernels.small[ref.value] for ref in term.factors]
            product = multiply_out([adjoint(x) if r.star else x for x, r in zip(values, term.factors, strict=True)])
        else:
            product = np.eye(kernels.size(step.type.codomain, 0)).reshape(
                (1,) * kernels.axes + (kernels.size(step.type.codomain, 0),) * 2
            )
        total = total + factor * product
    return np.asarray(total)
