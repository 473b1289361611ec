"""Words for what elimination leaves, of any formula."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, logdet
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import FORCE, MOTION
from operator_algebra.pages.leftovers import Leftovers
from operator_algebra.pages.reasons import Bare
from operator_algebra.pages.roles import Roles

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
OTHER = operator("N", MOTION >> FORCE, structure="diagonal definite")


def told(e: Expr | Query) -> dict[str, tuple[str, str]]:
    """Words and law by the name of a value."""
    program = lower(e)
    leftovers = Leftovers(program, Roles(program), Bare(program, "unicode"))
    steps = (step for stage in program.stages for step in stage.steps if not step.inline)
    return {step.name: words for step in steps if (words := leftovers.reason(step)) is not None}


def test_the_forces_of_an_elimination() -> None:
    found = told(inv(MASS) @ s.T)
    assert found["z"] == ("force handed over by the freed children", "")
    assert found["epsilon"] == ("innovation: joint force left over at {k}", "factor inverse")
    assert found["z_plus"] == ("force handed to the parent, {k} solved for", "")
    assert found["nu"] == ("joint motion at {k} if its parent were held still", "")
    assert found["x"] == ("joint motion at {k}, now that its parent's is known", "inverse mass matrix")


def test_without_the_riccati_equation_no_law_is_cited() -> None:
    found = told(inv(s.H @ s.phi @ OTHER @ s.phi.T @ s.H.T) @ s.T)
    assert found["epsilon"] == ("innovation: joint force left over at {k}", "")
    assert found["x"] == ("joint motion at {k}, now that its parent's is known", "")
    assert found["G"] == ("gain: what the unknowns of {k} hand on, over the pivot", "")


def test_a_recurrence_is_a_sum_over_the_tree() -> None:
    found = told(MASS @ s.v)
    assert found["alpha"] == ("φ* H* v, summed outward", "")
    assert found["f"] == ("φ M α, summed inward", "")


def test_determinants_know_whose_pivots_they_multiply() -> None:
    for e, law in ((logdet(MASS), "determinant of the mass matrix"), (logdet(MASS + s.armature), "")):
        program = lower(e)
        leftovers = Leftovers(program, Roles(program), Bare(program, "unicode"))
        (pivot,) = (pivot.value for pivot in program.pivots)
        assert leftovers.determinant(pivot)[1] == law
