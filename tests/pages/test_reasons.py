"""The reason beside a line, from what defines the value, or else from who reads it."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, trace
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import MOTION
from operator_algebra.pages.reasons import Explainer, Reason
from operator_algebra.pages.writer import Writer

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T


def reasons(e: Expr | Query) -> dict[str, str]:
    program = lower(e)
    explainer = Explainer(program, Writer(program, "unicode"))
    steps = (step for stage in program.stages for step in stage.steps if not step.inline)
    return {step.name: explainer.reason(step).text() for step in steps}


def test_a_law_stands_in_brackets() -> None:
    assert Reason("words").text() == "words"
    assert Reason("words", "law").text() == "words [law]"


def test_a_role_comes_first() -> None:
    assert reasons(s.P)["P"] == "inertia felt at k, joints beyond it free [Riccati equation, updated inertia]"
    assert reasons(inv(MASS) @ s.T)["D"] == "pivot: inertia felt along joint k [innovations factorization]"


def test_what_is_added_to_a_pivot_is_named() -> None:
    assert reasons(inv(MASS + s.armature) @ s.T)["D"] == "pivot: inertia felt along joint k, and armature"


def test_a_name_of_the_vocabulary_comes_next() -> None:
    assert reasons(s.V) == {"V": "velocity of the body: its parent's and its joint's [velocity]"}


def test_an_instruction_may_be_reason_enough() -> None:
    assert reasons(trace(s.M)) == {"x": "the trace is the sum of the traces of the diagonal blocks"}


def test_a_result_is_its_formula() -> None:
    assert reasons(s.M @ vector("y", MOTION)) == {"x": "the result: M y"}
