"""Whether a value is its own adjoint, whatever its numbers: by the products that it is a sum of, or by its formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from operator_algebra.expressions.nodes import Expr
from operator_algebra.programs.instructions import added_up, summed
from operator_algebra.programs.products import straight
from operator_algebra.programs.program import Defined
from operator_algebra.programs.records import Ref, Term

_MOST = 4096
"""Steps in which a sum is multiplied out."""

_Sums = dict[tuple[tuple[int, ...], tuple[Ref, ...]], Fraction]


def mirrored(values: Mapping[int, Defined], terms: Sequence[Term]) -> bool | None:
    """Whether the adjoint of a sum is the same sum, values at a body multiplied out; None if that is too long."""
    sums = _written(values, terms)
    if sums is None:
        return None
    adjoint: _Sums = {}
    for (scalars, factors), c in sums.items():
        adjoint[scalars, tuple(straight(values, ref.T) for ref in reversed(factors))] = c
    return sums == adjoint


def stands_for_mirrored(value: Defined, formula: Expr | None) -> bool:
    """Whether a value of no body is that of a formula which is its own adjoint, however it is computed."""
    known = formula is not None and formula.structure.symmetric and formula.type == value.type
    return known and not value.attached


def _written(values: Mapping[int, Defined], terms: Sequence[Term]) -> _Sums | None:
    """A sum over values that are no sums themselves."""
    total: _Sums = {}
    pending: list[tuple[Fraction, tuple[int, ...], tuple[Ref, ...], tuple[Ref, ...]]] = [
        (term.coefficient, term.scalars, (), term.factors) for term in terms
    ]
    for _ in range(_MOST):
        if not pending:
            break
        coefficient, scalars, done, left = pending.pop()
        count = next((i for i, ref in enumerate(left) if _inside(values, ref.value)), len(left))
        done, left = done + tuple(straight(values, ref) for ref in left[:count]), left[count:]
        if not left:
            total[scalars, done] = total.get((scalars, done), Fraction(0)) + coefficient
            continue
        for term in _inside(values, left[0].value):
            factors = tuple(ref.T for ref in reversed(term.factors)) if left[0].star else term.factors
            more = tuple(sorted(scalars + term.scalars))
            pending.append((coefficient * term.coefficient, more, done, (*factors, *left[1:])))
    return None if pending else {word: c for word, c in total.items() if c}


def _inside(values: Mapping[int, Defined], number: int) -> tuple[Term, ...]:
    """The terms of a value that is a sum at one place, or an update; none of any other."""
    definition = values[number].definition
    return (summed(definition) or ()) if added_up(definition) is None else ()
