"""Whether a sum of block products is its own adjoint, whatever its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from operator_algebra.programs.instructions import summed
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
    """The terms of a value at a body that is a sum, or an update; none of any other."""
    value = values[number]
    return (summed(value.definition) or ()) if value.attached else ()
