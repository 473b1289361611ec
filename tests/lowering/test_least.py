"""How many sweeps results take at least, and that no form of the formulas that are counted has fewer."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import inv, operator, vector
from operator_algebra.lowering.least import least_sweeps
from operator_algebra.operators.spaces import RATE, space
from operator_algebra.symbols import T
from tests.lowering.rational_expressions import MASS
from tests.lowering.test_fewest import FORMULAS, FREE, graph_of

MODES = space("modes", attached=False)
SHAPE, AMOUNT = operator("Z", MODES >> RATE, structure="column"), vector("c", MODES)


def test_what_no_form_can_beat() -> None:
    """A number takes a sweep; what tips and base need of each other two; with velocities, known at no tip, one more."""
    bounds = {
        name: least_sweeps(graph_of(formula, saved=False))
        for name, formula in {
            "given": T,
            "number": T.T @ inv(MASS) @ T,
            "bodies": inv(MASS) @ T,
            "velocities": inv(MASS) @ FREE,
            "one way": s.phi.T @ s.H.T @ s.v,
            "forces of velocities": dynamics.bias,
            "motions of velocities": s.phi.T @ s.a,
            "bodies that a number moves": SHAPE @ inv(SHAPE.T @ MASS @ SHAPE) @ (SHAPE.T @ FREE),
            "bodies that a column of given numbers moves": s.phi.T @ s.H.T @ SHAPE @ AMOUNT,
            "number of rates": T.T @ s.v,
            "number of velocities": s.v.T @ dynamics.bias,
            "number of both": T.T @ inv(MASS) @ FREE,
        }.items()
    }
    assert bounds == {
        "given": 0, "number": 1, "bodies": 2, "velocities": 3, "one way": 1,
        "forces of velocities": 2, "motions of velocities": 1,
        "bodies that a number moves": 2, "bodies that a column of given numbers moves": 1,
        "number of rates": 0, "number of velocities": 1, "number of both": 2,
    }  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_no_form_beats_the_bound(name: str) -> None:
    one = FORMULAS[name]
    bound = least_sweeps(graph_of(one.formula, saved=False))
    assert bound <= one.sweeps
    if one.optimal and one.written > one.sweeps:
        assert bound == one.sweeps
