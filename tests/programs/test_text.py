"""Programs as text: nothing is lost, what is read is verified, and a program that was read runs and prints the same."""

import re
from collections import Counter
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, task_space
from operator_algebra.errors import InputError, NotLowerable, SingularError
from operator_algebra.evaluation import evaluate_with_scale
from operator_algebra.expressions.build import diag, inv, operator, root
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.operators.spaces import FORCE, ONE, TORQUE, space
from operator_algebra.programs.instructions import Relate
from operator_algebra.programs.program import Program
from tests.expression_strategies import expressions
from tests.golden.pages import pages
from tests.lowering.agreement import bound, scale
from tests.lowering.cases import case
from tests.often import backend_for
from tests.oracles.interpreted import interpreted
from tests.outcomes import outcome
from tests.rounding import apart

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
CONTACT = space("a contact", attached=False)
B = operator("B", CONTACT.dual >> FORCE)
FORMULAS: dict[str, Expr | Query] = {
    "a vector": inv(MASS) @ s.T,
    "a matrix by a walk": dense(inv(MASS)),
    "a block at a joint whose name needs quotes": block(inv(MASS), 0, 'the "left" knee'),
    "blocks": diag(inv(MASS)),
    "a number": trace(inv(MASS)),
    "a determinant": logdet(MASS),
    "a root": root(s.D),
    "a user's space of no body, with a blank in its name": B.T @ s.phi.T @ s.H.T @ inv(MASS) @ s.H @ s.phi @ B,
    "relations": task_space.inertia,
    "coefficients and scalars": 0.1 * s.M @ s.phi.T @ s.H.T @ s.v + oa.scalar("h") * (s.b + s.b),
    "velocities": dynamics.forward_dynamics,
}
METHODS = get_args(Method)


LOWERED = {**FORMULAS, **{path.name: e for path, e in pages().items()}}


def test_there_are_programs_of_every_method_and_of_every_kind_of_result() -> None:
    programs = [lower(e, method=method) for e, method in product(LOWERED.values(), METHODS)]
    assert {program.method for program in programs} == set(METHODS)
    kinds = {output.kind for program in programs for output in program.outputs}
    assert {"vector", "matrix", "blocks", "small", "logdet", "dense", "block", "picked"} <= kinds


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", LOWERED)
def test_what_is_read_back_is_the_same_program(name: str, method: Method) -> None:
    program = lower(LOWERED[name], method=method)
    found = Program.parse(program.text)
    assert found == program
    assert found.text == program.text
    assert found.pseudocode(reasons=True) == program.pseudocode(reasons=True)


@given(expressions(), st.sampled_from(METHODS))
@settings(max_examples=100)
def test_random_programs_are_read_back(e: Expr, method: Method) -> None:
    try:
        program = lower(e, method=method)
    except NotLowerable:
        return
    assert Program.parse(program.text) == program


def test_several_results_keep_their_names() -> None:
    program = lower({"solution": inv(MASS) @ s.T, "velocity V": s.V})
    found = Program.parse(program.text)
    assert found == program
    assert found.keyed


def test_names_behind_the_values_are_for_pages_alone() -> None:
    """Without them a program computes the same."""
    program = lower(inv(MASS) @ s.T)
    found = Program.parse(re.sub(r"  # .*", "", program.text))
    assert found != program
    arm = oa.chain(4, joint=["revolute", "universal", "prismatic", "spherical"], seed=1)
    q, _ = arm.random(0)
    values: dict[str, Any] = {"q": q, "T": np.ones(arm.nv)}
    assert (oa.compile(found, arm)(**values) == oa.compile(program, arm)(**values)).all()


@pytest.mark.parametrize("method", METHODS)
def test_a_program_that_was_read_computes_the_same_bits(method: Method) -> None:
    arm = oa.random_tree(6, joints=["revolute", "spherical", "prismatic"], seed=3)
    q, v = arm.random(1)
    program = lower(dynamics.forward_dynamics, method=method)
    values: dict[str, Any] = {"q": q, "v": v, "T": np.ones(arm.nv)}
    found = oa.compile(Program.parse(program.text), arm)(**values)
    assert (found == oa.compile(program, arm)(**values)).all()
    assert (found == oa.compile(dynamics.forward_dynamics, arm, method=method)(**values)).all()


def test_a_program_for_mechanisms_without_a_leaf_is_refused_for_others() -> None:
    bare, geared = (
        oa.chain(3),
        oa.Model(
            name="geared",
            bodies=[oa.Body("a", None, oa.Joint.revolute(armature=0.5), oa.Placement(), oa.Inertia(1.0))],
        ),
    )
    program = Program.parse(oa.compile(dynamics.mass_matrix, bare).program.text)
    assert "armature" in program.absent
    assert oa.compile(program, bare)(q=bare.neutral()).shape == (3, 3)
    with pytest.raises(InputError, match="armature, which geared has"):
        oa.compile(program, geared)
    with pytest.raises(InputError, match='lowered with method="auto"'):
        oa.compile(program, bare, method="joseph")


def test_a_column_of_numbers_has_a_text() -> None:
    assert "one>torque" in lower(oa.vector("x", TORQUE)).text
    assert ONE.name in lower(oa.scalar("h")).text


# -- random programs ---------------------------------------------------------------------------------------------------


def read_again(seed: int) -> str:
    """What became of a random case: its program read back, compiled, and interpreted from the text alone."""
    drawn = case(seed)
    e, model, backend = drawn.formula, drawn.model, backend_for(seed)
    try:
        program = oa.compile(e, model, frame=drawn.frame, method=drawn.method).program
    except NotLowerable:
        return "refused"
    text = program.text
    found = Program.parse(text)
    assert (found, found.text) == (program, text), drawn
    assert found.pseudocode(reasons=True) == program.pseudocode(reasons=True), drawn
    own, again = (
        outcome(lambda p=p: oa.compile(p, model, frame=drawn.frame, backend=backend)(**drawn.arguments))
        for p in (program, found)
    )
    assert (own.warned, type(own.error)) == (again.warned, type(again.error)), drawn
    assert own.error is not None or alike(own.result, again.result), drawn
    if any(isinstance(step.definition, Relate) for step in found.steps.values()):
        return "relations"
    if own.error is not None or own.warned:
        return "without digits"
    sample = drawn.samples[0]
    values: dict[str, Any] = {"q": sample.q, **sample.inputs}
    try:
        scaled = evaluate_with_scale(drawn.body, model, frame=drawn.frame, **chosen(drawn.body, values))
    except SingularError:  # beyond rounding: there is nothing to compare with
        return "without digits"
    if not np.isfinite(scaled.condition) or bound(scaled) > 1e-3:
        return "without digits"
    meant = interpreted(Program.parse(text), model, frame=drawn.frame, **values)
    compiled, _, _ = outcome(lambda: oa.compile(program, model, frame=drawn.frame, backend=backend)(**values))
    sized = scale(e, arrays_of(meant)[0], scaled) if isinstance(e, Query) else scaled.scale or 1.0
    for one, other in zip(arrays_of(meant), arrays_of(compiled), strict=True):
        assert apart(one, other.reshape(one.shape)) <= 2 * bound(scaled) * sized, drawn
    return "agrees"


def chosen(e: Expr, values: dict[str, Any]) -> dict[str, Any]:
    """The configuration, and the values that a formula mentions."""
    names = {"v" if symbol.leaf is not None and symbol.leaf.reads_rates else symbol.name for symbol in free_symbols(e)}
    return {name: value for name, value in values.items() if name in names | {"q"}}


def arrays_of(result: Any) -> list[Any]:
    """The arrays of a result; blocks of several shapes are several."""
    parts: list[Any] = result if isinstance(result, list) else [result]  # pyright: ignore[reportUnknownVariableType]
    return [np.asarray(one) for one in parts]


def alike(one: Any, other: Any) -> bool:
    """Whether two results are the same bits."""
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(arrays_of(one), arrays_of(other), strict=True))


def test_random_programs_are_what_their_texts_say() -> None:
    counts = Counter(read_again(seed) for seed in range(25))
    assert counts["agrees"] >= 12, counts


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1000, 50))
def test_a_thousand_random_programs_are_what_their_texts_say(first: int) -> None:
    counts = Counter(read_again(seed) for seed in range(first, first + 50))
    assert counts["agrees"] >= 25, counts
