"""Block products, read through the values that name parts of them."""

from __future__ import annotations

from collections.abc import Mapping

from operator_algebra.programs.instructions import summed
from operator_algebra.programs.program import Defined
from operator_algebra.programs.records import Ref


def single_product(value: Defined) -> tuple[Ref, ...] | None:
    """The factors of a block value that is one plain product."""
    terms = None if value.is_vector or not value.attached else summed(value.definition)
    if terms is None or len(terms) != 1:
        return None
    (term,) = terms
    if term.coefficient != 1 or term.scalars or len(term.factors) < 2:
        return None
    return term.factors


def expand_products(values: Mapping[int, Defined], factors: tuple[Ref, ...]) -> tuple[Ref, ...]:
    """Write named products out, but no sums."""
    result: list[Ref] = []
    stack = list(reversed(factors))
    while stack:
        ref = stack.pop()
        inner = single_product(values[ref.value])
        if inner is None:
            result.append(ref)
        elif ref.star:
            stack.extend(factor.T for factor in inner)
        else:
            stack.extend(reversed(inner))
    return tuple(straight(values, ref) for ref in result)


def straight(values: Mapping[int, Defined], ref: Ref) -> Ref:
    """Drop the star of a self-adjoint value."""
    return Ref(ref.value) if ref.star and values[ref.value].symmetric else ref
