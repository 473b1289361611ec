"""The equations of the table: in which programs they hold, and in which that only look alike they do not."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import diag, inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE
from operator_algebra.programs import roles
from operator_algebra.programs.instructions import Update
from operator_algebra.programs.schemes import Reading, System

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
J = operator("J", RATE >> TORQUE, structure="diagonal semidefinite")
OTHER = operator("N", MOTION >> FORCE, structure="diagonal definite")


def holds(system: System, e: Expr | Query) -> int:
    """In how many ways."""
    program = lower(e)
    values = {number: step.value for number, step in program.steps.items()}
    return len(list(Reading(values, "taken apart").solutions(system)))


@pytest.mark.parametrize("e", [inv(MASS) @ s.T, s.P, s.W @ s.T, diag(inv(MASS)), s.G], ids=str)
def test_the_riccati_equation_is_found_once_however_it_comes(e: Expr) -> None:
    assert holds(roles.RICCATI, e) == 1


def test_what_is_added_to_the_pivot_is_told() -> None:
    program = lower(inv(MASS + J) @ s.T)
    reading = Reading({number: step.value for number, step in program.steps.items()})
    (one,) = reading.solutions(roles.RICCATI)
    (noise,) = one.further("D")
    assert noise.bare is not None
    assert program.steps[noise.bare.value].name == "J"


@pytest.mark.parametrize(
    "e", [inv(s.H @ s.phi @ OTHER @ s.phi.T @ s.H.T) @ s.T, MASS @ s.v, s.R, inv(s.M) @ s.f_ext], ids=str
)
def test_the_riccati_equation_is_not_found_elsewhere(e: Expr) -> None:
    assert holds(roles.RICCATI, e) == 0


def test_the_costate_belongs_to_the_inverse() -> None:
    assert holds((*roles.RICCATI, *roles.COMPLEMENT, *roles.COSTATE), diag(inv(MASS))) == 1
    assert holds((*roles.RICCATI, *roles.COMPLEMENT, *roles.COSTATE, *roles.DIAGONAL), diag(inv(MASS))) == 1
    assert holds(roles.COSTATE, s.P) == 0


def test_composite_inertia() -> None:
    assert holds(roles.COMPOSITE, diag(MASS)) == 1
    assert holds(roles.COMPOSITE, s.P) == 0


def test_innovations_and_gain() -> None:
    assert holds((*roles.RICCATI, *roles.INNOVATION), inv(MASS) @ s.T) == 1
    assert holds((*roles.RICCATI, *roles.INNOVATION), s.P) == 0
    assert holds((*roles.RICCATI, *roles.GAIN), s.G) == 1


def test_every_update_of_a_program_is_an_update() -> None:
    for e in (inv(MASS) @ s.T, inv(s.H @ s.phi @ OTHER @ s.phi.T @ s.H.T) @ s.T):
        updates = sum(isinstance(step.definition, Update) for step in lower(e).steps.values())
        assert updates == holds(roles.UPDATE, e) == holds(roles.ELIMINATION, e) == 1
