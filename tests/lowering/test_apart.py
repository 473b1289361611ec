"""Known motions apart change variables and no values: exactly so over fractions, for blocks of any kind."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import define, inv, operator, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, logdet
from operator_algebra.lowering.lower import Method, for_numbers, lower
from operator_algebra.operators.spaces import FORCE, MOTION, TORQUE, space
from operator_algebra.programs.instructions import Update
from operator_algebra.programs.program import Program
from operator_algebra.programs.records import terms_of
from tests.golden.known import INPUT, MASS, STATE, STEP, Q, R_u, held, regulator
from tests.lowering.test_classical import FACTORS, same
from tests.often import some
from tests.programs.test_interpreted_programs import GOLDEN, RATIONAL

Formulas = Expr | Query | Mapping[str, Expr | Query]

x, y = vector("x_motion", MOTION), vector("y_force", FORCE)
SIDES = space("sides", attached=False)
SEVERAL, PUSHED = operator("X_several", SIDES >> MOTION), operator("T_several", SIDES >> TORQUE)
SKEW = operator("N", MOTION >> FORCE, structure="diagonal")
BACK = operator("B", FORCE >> MOTION, structure="diagonal")
OTHER = operator("F", MOTION >> MOTION, structure="outward hop")
DRIVEN = s.phi.T @ x
"""What an outward sweep knows before anything is solved for."""


def carried_inertia(inertia: Expr = s.M, carried: Expr = s.phi.T) -> Expr:
    """H φ M φ*, for any inertia and any way outward."""
    return s.H @ carried.T @ inertia @ carried


def solved(load: Expr, drive: Expr, passed: Expr | None = None) -> Expr:
    """(H φ M φ* H*)⁻¹ (t − H φ M φ* c)."""
    one = carried_inertia() if passed is None else passed
    return inv(one @ s.H.T) @ (load - one @ drive)


def moved(load: Expr, drive: Expr) -> Expr:
    """φ* (H* q̈ + c) of the solution."""
    return s.phi.T @ (s.H.T @ solved(load, drive) + drive)


def driven_regulator() -> Expr:
    """Controls that keep states small which something drives that has come a long way."""
    to, x_1 = inv(s.I - STEP), vector("x_1", STATE)
    weight = INPUT.T @ to.T @ Q @ to
    return -inv(R_u + weight @ INPUT) @ weight @ to @ x_1


SPLIT: dict[str, Formulas] = {
    "forward dynamics": dynamics.forward_dynamics,
    "a known motion": solved(s.T, DRIVEN),
    "with a factor": solved(s.T, Fraction(-2, 3) * DRIVEN),
    "with forces": solved(s.T - s.H @ s.phi @ y, DRIVEN),
    "where M is not symmetric": solved(s.T, DRIVEN, carried_inertia(SKEW)),
    "several sides": solved(PUSHED, s.phi.T @ SEVERAL),
    "states in time": driven_regulator(),
    "and the motion": {"qdd": solved(s.T, DRIVEN), "alpha": moved(s.T, DRIVEN)},
    "and what the parent hands on": {"qdd": solved(s.T, DRIVEN), "above": s.E_phi.T @ moved(s.T, DRIVEN)},
    "and a function of the motion": {"qdd": solved(s.T, DRIVEN), "b": s.cross(moved(s.T, DRIVEN)).T @ s.M @ DRIVEN},
    "twice": {"one": solved(s.T, DRIVEN), "two": solved(s.T, s.V)},
    "summed": s.T.T @ solved(s.T, DRIVEN),
}
"""Where something known that an outward sweep makes anyway drives what is solved for."""

WHOLE: dict[str, Formulas] = {
    "nothing known": inv(MASS) @ s.T,
    "nothing solved for": MASS @ s.v,
    "one way only": s.phi.T @ (s.H.T @ s.v + DRIVEN),
    "the known part, too": {"qdd": solved(s.T, DRIVEN), "alpha_0": s.phi.T @ DRIVEN},
    "along two hops": solved(s.T, DRIVEN, carried_inertia(s.M, inv(s.I - s.E_phi.T - OTHER))),
    "loops held": held(s.T - carried_inertia() @ DRIVEN),
    "what is given": solved(s.T, x),
    "states that start anywhere": regulator(STEP),
    "what an inward sweep makes": solved(s.T, BACK @ s.phi @ y),
    "a determinant": logdet(MASS),
}
"""Nothing to split, what is apart already, and what would need a sweep before the first."""


@pytest.mark.parametrize("method", ["auto", "joseph", "refined"])
@pytest.mark.parametrize("name", SPLIT)
def test_both_forms_have_the_values_of_the_program(name: str, method: Method) -> None:
    program = lower(SPLIT[name], method=method)
    first, second = for_numbers(program)
    assert len(second.sweeps) == len(program.sweeps)
    for other in (first, second):
        same(program, other)


@pytest.mark.parametrize("name", WHOLE)
def test_other_programs_have_one_form(name: str) -> None:
    program = lower(WHOLE[name])
    assert for_numbers(program) == (program,)


def test_a_sweep_is_not_paid_for_it() -> None:
    """What is given, or made inward, can drive elimination at once, but a recurrence outward would go before it."""
    for drive, sweeps in ((x, 2), (BACK @ s.phi @ y, 2), (DRIVEN, 3)):
        assert len(lower(solved(s.T, drive)).sweeps) == sweeps


def test_orthogonal_elimination_has_one_form() -> None:
    program = lower(dynamics.forward_dynamics, method="orthogonal")
    assert for_numbers(program) == (program,)


def meeting(program: Program) -> set[str]:
    """The inertias that vectors meet in the sweep of elimination."""
    values = {number: step.value for number, step in program.computed.items()}
    articulated = {one.definition.P for one in values.values() if isinstance(one.definition, Update)}
    (inward,) = (sweep for sweep in program.sweeps if sweep.direction == "inward")
    heads = {
        term.factors[0]
        for step in inward.steps
        for term in terms_of(step.definition)
        if step.value.is_vector and len(term.factors) > 1
    }
    found = {"P": bool(heads & articulated), "M": any(values[head.value].leaf == s.M for head in heads)}
    return {name for name, is_there in found.items() if is_there}


def test_no_inertia_meets_in_elimination_what_is_known() -> None:
    """Forces of known motions are made on the way outward, in the sweep that makes these."""
    program = lower(solved(s.T - s.H @ s.phi @ y, DRIVEN))
    first, second = for_numbers(program)
    assert meeting(first) == {"P"}
    assert meeting(second) == set()


def test_names_do_not_matter() -> None:
    drive, load = define("something", DRIVEN), define("anything", s.T)
    program = lower(define("all", solved(load, drive)))
    first, second = for_numbers(program)
    assert second is not first
    same(program, second)


@pytest.mark.parametrize(
    "name", [*some(RATIONAL, each=5), "dynamics/forward_dynamics", "sensitivities/forward_dynamics_along"]
)
def test_pages_keep_their_values(name: str) -> None:
    program = lower(GOLDEN[name])
    for other in for_numbers(program):
        assert len(other.sweeps) <= len(program.sweeps)
        if other is not program:
            same(program, other)


@given(FACTORS, FACTORS, FACTORS, FACTORS, st.booleans(), st.sampled_from(["auto", "joseph", "refined"]))
@settings(max_examples=40)
def test_random_drives(
    drive: Fraction, force: Fraction, of_velocity: Fraction, wanted: Fraction, symmetric: bool, method: Method
) -> None:
    """Sums of motions and forces with any factors, beside results that read the motion."""
    passed = carried_inertia(s.M if symmetric else SKEW)
    c = drive * DRIVEN + of_velocity * s.cross(s.V) @ s.H.T @ s.v
    qdd = solved(s.T - force * s.H @ s.phi @ (s.M @ s.V), c, passed)
    program = lower({"qdd": qdd, "alpha": wanted * s.phi.T @ (s.H.T @ qdd + c)}, method=method)
    for other in for_numbers(program):
        assert len(other.sweeps) <= len(program.sweeps)
        same(program, other)
