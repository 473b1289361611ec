"""What is read of motions in programs: recurrences along rigid shifts, local functions of them, inertias."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.local import CROSS, SPIN
from operator_algebra.operators.spaces import FORCE, MOTION
from operator_algebra.programs.instructions import summed
from operator_algebra.programs.motions import Values, carried, function_of, is_inertia, passed
from operator_algebra.programs.records import Ref


def values(e: Expr) -> Values:
    return {number: step.value for number, step in lower(e).steps.items()}


def named(found: Values, name: str) -> int:
    (number,) = (number for number, value in found.items() if name in value.names)
    return number


def test_velocities_and_accelerations_are_carried_outward_along_rigid_shifts() -> None:
    found = values(dynamics.inverse_dynamics)
    motions = carried(found)
    assert len(motions) == 2  # forces run inward
    V = motions[named(found, "V")]
    shift = passed(found, Ref(V.shift))
    assert shift is not None
    assert (shift.source, shift.hop) == (Ref(V.number), V.hop)
    (driven,) = V.driven
    assert driven.bare is not None
    terms = summed(found[driven.bare.value].definition) or ()
    assert [[found[ref.value].leaf for ref in term.factors] for term in terms] == [[s.H, s.v]]


def test_other_hops_are_no_rigid_shifts() -> None:
    hop = operator("A", FORCE >> FORCE, structure="inward hop")
    assert carried(values(inv(s.I - hop.T) @ s.H.T @ s.v)) == {}


def test_functions_are_known_by_their_kind() -> None:
    found = values(dynamics.inverse_dynamics)
    crossed, V = named(found, "V_tilde"), named(found, "V")
    assert function_of(found, crossed, CROSS) == Ref(V)
    assert function_of(found, crossed, SPIN) is None
    assert function_of(found, V, CROSS) is None


def test_inertias_are_leaves_of_a_kind() -> None:
    guess = operator("guess", MOTION >> FORCE, structure="diagonal definite")
    found = values(s.M @ dynamics.acceleration + guess @ s.a)
    assert [value.leaf for n, value in found.items() if is_inertia(found, Ref(n))] == [s.M]
