"""What a call has to know of a program is told without the program."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.build import diag, inv
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import chain
from operator_algebra.programs.interface import Interface

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
AXES: dict[str, tuple[Expr | Query, int]] = {
    "a vector": (inv(MASS) @ s.T, 1),
    "a row": (s.T.T @ inv(MASS), 2),
    "a number": (s.v.T @ MASS @ s.v, 0),
    "blocks": (diag(MASS), 3),
    "a matrix": (dense(MASS), 2),
    "one block": (block(inv(MASS), 0, 1), 2),
    "a trace": (trace(MASS), 0),
    "a determinant": (logdet(MASS), 0),
}


@pytest.mark.parametrize("name", AXES)
def test_axes_are_those_of_the_result(name: str) -> None:
    e, axes = AXES[name]
    assert list(Interface.of(lower(e)).axes.values()) == [axes]
    arm = chain(3)
    run = compile_program(e, arm)
    values: dict[str, Any] = {one: np.ones(3) for one in run.inputs}
    assert np.ndim(run(q=arm.neutral(), **values)) == axes


def test_inputs_are_those_of_the_program() -> None:
    program = lower({"a": dynamics.inverse_dynamics, "b": s.H_dot.T @ s.v})
    found = Interface.of(program)
    assert (found.inputs, found.accepts, found.keyed) == (program.inputs, program.accepts, True)
    assert found.formula == program.formula
    assert found.reads_rates
    assert list(found.axes) == ["a", "b"]


def test_it_is_the_same_in_other_processes() -> None:
    found = Interface.of(lower(dynamics.forward_dynamics))
    again = pickle.loads(pickle.dumps(found))
    assert again == found
    assert all(one is two for one, two in zip(again.accepts, found.accepts, strict=True))
