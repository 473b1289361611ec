"""Programs as text: nothing is lost, what is read is verified, and a program that was read runs and prints the same."""

import random
import re
from itertools import product
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, task_space
from operator_algebra.errors import InputError, NotLowerable, ParseError
from operator_algebra.expressions.build import diag, inv, operator, root
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.operators.spaces import FORCE, ONE, TORQUE, space
from operator_algebra.programs.program import Program
from tests.expression_strategies import expressions
from tests.golden.pages import pages

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


def programs() -> dict[str, Program]:
    found: dict[str, Program] = {}
    for (name, e), method in product({**FORMULAS, **{p.name: e for p, e in pages().items()}}.items(), METHODS):
        try:
            found[f"{name}, {method}"] = lower(e, method=method)
        except NotLowerable:
            continue
    return found


PROGRAMS = programs()


def test_there_are_programs_of_every_method_and_of_every_kind_of_result() -> None:
    assert {program.method for program in PROGRAMS.values()} == set(METHODS)
    kinds = {output.kind for program in PROGRAMS.values() for output in program.outputs}
    assert {"vector", "matrix", "blocks", "small", "logdet", "dense", "block", "picked"} <= kinds


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_read_back_is_the_same_program(name: str) -> None:
    program = PROGRAMS[name]
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


# -- texts that somebody changed ---------------------------------------------------------------------------------------

TEXT = lower(inv(MASS + oa.scalar("h") * s.armature) @ s.T).text
WRONG = {
    "another version": (TEXT.replace("program 1", "program 7"), "line 1"),
    "a word that is no instruction": (TEXT.replace("= invert", "= divide"), "no such instruction"),
    "a missing field": (TEXT.replace("in:E_phi ", "", 1), "shift takes hop, source, closing"),
    "a formula without a line": (TEXT.replace("out:E_phi'", "out:E_psi'", 1), "E_psi has no line"),
    "a hop the wrong way": (TEXT.replace("in:E_phi", "out:E_phi", 1), "does not"),
    "a value of another space": (re.sub(r"motion>force sym  # P$", "force>motion sym  # P", TEXT, flags=re.M), "fit"),
    "the end is missing": (TEXT[: len(TEXT) // 2], "line"),
    "a sign alone": (TEXT.replace("(+%", "(+ +%", 1), "line"),
    "not a program": ("H phi M phi' H'", "line 1"),
    "brackets without end": (TEXT.replace("(+", "(" * 5000 + "(+", 1), "too deep"),
    "a coefficient that is no number": (TEXT.replace("(+%", "(+1/0·%", 1), "line"),
    "nothing": ("", "ends too early"),
    "a sweep sideways": (TEXT.replace("sweep outward", "sweep sideways"), "sideways"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told(name: str) -> None:
    text, words = WRONG[name]
    with pytest.raises(ParseError, match=words):
        Program.parse(text)


@pytest.mark.parametrize("seed", range(60))
def test_a_changed_text_is_refused_or_a_program(seed: int) -> None:
    """Tokens that were dropped, doubled, swapped or replaced end in an error of the package, or in a sound program."""
    rng = random.Random(seed)
    tokens = re.findall(r"\s+|%\d+'?|\w+|.", TEXT)
    for _ in range(25):
        changed = list(tokens)
        for _ in range(rng.randint(1, 3)):
            i, j = rng.randrange(len(changed)), rng.randrange(len(changed))
            match rng.randrange(4):
                case 0:
                    del changed[i]
                case 1:
                    changed.insert(i, changed[j])
                case 2:
                    changed[i], changed[j] = changed[j], changed[i]
                case _:
                    changed[i] = rng.choice(["%99", "%1'", "(", ")", "<force>", '"', "12", "3/0", "·", "\x00", "{walk"])
        try:
            program = Program.parse("".join(changed))
        except ParseError:
            continue
        assert Program.parse(program.text) == program


def test_texts_beyond_bounds_are_refused() -> None:
    with pytest.raises(ParseError, match="characters"):
        Program.parse(" " * 10_000_001)
    with pytest.raises(InputError):
        Program.parse(7)  # pyright: ignore[reportArgumentType]


def test_a_column_of_numbers_has_a_text() -> None:
    assert "one>torque" in lower(oa.vector("x", TORQUE)).text
    assert ONE.name in lower(oa.scalar("h")).text
