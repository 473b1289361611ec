"""However a formula with ℳ⁻¹ is written, its pivots come from one recursion, in the form that Joseph's update needs."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, task_space
from operator_algebra.expressions.build import inv, operator, scalar
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.programs.instructions import Invert, Update

h = scalar("h")
B = operator("B_joint", RATE >> TORQUE, structure="diagonal semidefinite")
S = operator("S_joint", RATE >> TORQUE, structure="diagonal semidefinite")
MASS = dynamics.mass_matrix
STEP = MASS + h * B + h * h * S

FORMULAS: dict[str, Expr] = {
    "forward dynamics": dynamics.forward_dynamics,
    "implicit step": inv(STEP) @ s.T,
    "implicit step of velocities": inv(STEP) @ (MASS @ s.v + h * (s.T - dynamics.bias)),
    "work of what is left over": (s.T - dynamics.bias).T @ inv(MASS) @ (s.T - dynamics.bias),
    "free acceleration of a task": task_space.stacked.jacobian @ inv(MASS) @ dynamics.bias - task_space.stacked.drift,
    "force of a task": task_space.stacked.force,
    "held and free": inv(MASS) @ (s.T - MASS @ s.qdd),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_there_is_one_recursion_and_it_is_an_update(name: str) -> None:
    definitions = [step.definition for step in lower(FORMULAS[name]).steps.values() if step.value.attached]
    assert sum(isinstance(definition, Invert) for definition in definitions) == 1
    assert sum(isinstance(definition, Update) for definition in definitions) == 1
