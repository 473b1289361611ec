"""What is known of values that are motions of rigid bodies, by what leaves and local functions are, never by names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from operator_algebra.operators.leaf import RigidInertia, RigidShift
from operator_algebra.operators.local import LocalFunction
from operator_algebra.programs.instructions import Hop, Shift, called, shift_of, summed
from operator_algebra.programs.program import Defined
from operator_algebra.programs.records import Ref, Term

Values = Mapping[int, Defined]


@dataclass(frozen=True)
class Carried:
    """x = φ* x(parent) + driven, a recurrence along rigid shifts; `shift` is the value φ* x(parent)."""

    number: int
    shift: int
    hop: Hop
    driven: tuple[Term, ...]


def carried(values: Values) -> dict[int, Carried]:
    """The vectors that are such recurrences, by number."""
    return {number: one for number, value in values.items() if value.is_vector for one in _carried(values, number)}


def _carried(values: Values, number: int) -> Iterator[Carried]:
    terms = summed(values[number].definition) or ()
    for term in terms:
        shift = passed(values, term.bare)
        if term.bare is not None and shift is not None and shift.source == Ref(number):
            yield Carried(number, term.bare.value, shift.hop, tuple(other for other in terms if other is not term))


def passed(values: Values, ref: Ref | None) -> Shift | None:
    """The rigid shift of something at the parent that a value is."""
    shift = None if ref is None or ref.star else shift_of(values[ref.value].definition)
    if shift is None or shift.closing is not None or shift.hop.inward:
        return None
    leaf = shift.hop.symbol.leaf
    return shift if leaf is not None and leaf.form == RigidShift("parent") else None


def function_of(values: Values, number: int, function: LocalFunction) -> Ref | None:
    """The vector of which a value is this function."""
    call = called(values[number].definition)
    if call is None or call.function is not function:
        return None
    (argument,) = call.arguments
    return argument


def is_inertia(values: Values, ref: Ref) -> bool:
    """Whether it is the inertia of a rigid body, a leaf."""
    symbol = values[ref.value].leaf
    return symbol is not None and symbol.leaf is not None and symbol.leaf.form == RigidInertia()
