"""What the compiler makes is well-formed, what is broken by hand or by one slip is not."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import get_args

import pytest
from hypothesis import given, settings

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.errors import SingularError
from operator_algebra.expressions.build import diag, inv, operator, scalar
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import dense, logdet, trace
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.lowering.values import Unknown
from operator_algebra.operators.spaces import FORCE, RATE, TORQUE
from operator_algebra.programs.instructions import Invert, Linear, Reduce, Shift
from operator_algebra.programs.interpret import Unread, interpret
from operator_algebra.programs.program import Program, Step, Sweep
from operator_algebra.programs.records import Ref, Term
from operator_algebra.programs.verify import IllFormed, check_program
from tests.expression_strategies import expressions
from tests.golden.pages import pages
from tests.lowering.mutants import with_definition
from tests.programs.planted import KINDS, planted
from tests.programs.rational_blocks import exact
from tests.programs.test_interpreted_programs import LITERAL

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
PROGRAM = lower(inv(MASS) @ s.T)
ENERGY = lower(dynamics.kinetic_energy)
UNIT = Fraction(1)


def step(name: str, program: Program = PROGRAM) -> Step:
    """The step of a name."""
    return next(found for found in program.steps.values() if found.name == name)


def replaced(name: str, *factors: Ref, program: Program = PROGRAM) -> Program:
    """The program with a value defined as one product."""
    return with_definition(program, step(name, program).number, Linear((Term(UNIT, factors),)))


def ref(name: str) -> Ref:
    return Ref(step(name).number)


def without(name: str) -> Program:
    stages = tuple(
        replace(stage, steps=tuple(one for one in stage.steps if one.name != name)) for stage in PROGRAM.stages
    )
    return replace(PROGRAM, stages=stages)


def with_stages(change: Callable[[tuple[Sweep, ...]], tuple[Sweep, ...]], program: Program = PROGRAM) -> Program:
    return replace(program, stages=change(program.stages))


def turned(stage: Sweep) -> Sweep:
    return replace(stage, direction="outward" if stage.direction == "inward" else "inward")


def with_output(number: int) -> Program:
    (output,) = PROGRAM.outputs
    return replace(PROGRAM, outputs=(replace(output, ref=Ref(number)),))


def summed_within_the_sweep() -> Program:
    """A sum over all bodies, computed while the bodies are still visited."""
    outward, *rest = ENERGY.stages
    sums = tuple(one for stage in rest for one in stage.steps if isinstance(one.definition, Reduce))
    others = tuple(
        replace(stage, steps=tuple(one for one in stage.steps if not isinstance(one.definition, Reduce)))
        for stage in rest
    )
    return replace(ENERGY, stages=(replace(outward, steps=outward.steps + sums), *others))


BROKEN: dict[str, Callable[[], Program]] = {
    "a value is missing": lambda: without("P"),
    "a message is missing": lambda: without("P_plus"),
    "sweeps in the wrong order": lambda: with_stages(lambda stages: stages[::-1]),
    "sweeps in the wrong direction": lambda: with_stages(lambda stages: tuple(map(turned, stages))),
    "steps in the wrong order": lambda: with_stages(
        lambda stages: tuple(replace(stage, steps=stage.steps[::-1]) for stage in stages)
    ),
    "the result is never computed": lambda: with_output(10**6),
    "factors that do not compose": lambda: replaced("D", ref("H"), ref("H")),
    "another type than its own": lambda: replaced("D", ref("P"), ref("H").T),
    "a vector where a block belongs": lambda: replaced("P", ref("z")),
    "an unknown is left": lambda: with_definition(PROGRAM, step("D").number, Unknown((), FORCE)),
    "a value reads itself": lambda: replaced("D", ref("D")),
    "a value reads a later sweep": lambda: replaced("z", ref("alpha")),
    "a sum before its sweep is over": summed_within_the_sweep,
    "the inverse of a block that is not square": lambda: with_definition(PROGRAM, step("D").number, Invert(ref("H"))),
    "a shift of another space": lambda: with_definition(
        PROGRAM, _shift_of("P_plus").number, replace(_shift_definition("P_plus"), source=ref("G"))
    ),
}


def _shift_of(name: str) -> Step:
    return next(
        one
        for one in PROGRAM.steps.values()
        if isinstance(one.definition, Shift) and one.definition.source == ref(name)
    )


def _shift_definition(name: str) -> Shift:
    definition = _shift_of(name).definition
    assert isinstance(definition, Shift)
    return definition


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_program_is_ill_formed(name: str) -> None:
    with pytest.raises(IllFormed):
        check_program(BROKEN[name]())


# -- one slip ----------------------------------------------------------------------------------------------------------


@cache
def programs() -> list[Program]:
    """Those of all pages."""
    return [lower(e) for e in pages().values()]


EACH = 400


def refused(program: Program) -> bool:
    try:
        check_program(program)
    except IllFormed:
        return True
    return False


def changes_nothing(program: Program, other: Program) -> bool:
    """Whether two programs have equal results over fractions: a star on P⁺ = P (I + Q P)⁻¹ is no slip."""
    values = exact(set(program.symbols), 0)
    try:
        results = [interpret(one, values.tree, values.given, numbers=LITERAL) for one in (program, other)]
    except (Unread, LookupError, TypeError, ValueError, ArithmeticError, SingularError):  # relations, roots, logarithms
        return False
    return results[0] == results[1]


@pytest.mark.parametrize("kind", KINDS)
def test_one_planted_wrong_operand_is_refused(kind: str) -> None:
    """Of each kind at least 98 in 100; those that pass are listed."""
    rng = random.Random(kind)
    passed: Counter[str] = Counter()
    count = 0
    while count < EACH:
        program = rng.choice(programs())
        found = planted(program, kind, rng)
        if found is None:
            continue
        passes = not refused(found.program)
        if passes and changes_nothing(program, found.program):
            continue
        count += 1
        if passes:
            passed[f"{found.program.formula}: {found.what}"] += 1
    assert sum(passed.values()) <= 0.02 * EACH, passed


# -- what is accepted --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", get_args(Method))
@pytest.mark.parametrize(
    "e",
    [
        dynamics.forward_dynamics,
        inv(MASS) @ s.T,
        inv(MASS + 2 * s.armature) @ s.T,
        diag(inv(MASS)),
        dense(inv(MASS)),
        logdet(MASS),
        trace(inv(MASS)),
    ],
    ids=str,
)
def test_what_the_compiler_makes_is_well_formed(e: Expr, method: Method) -> None:
    check_program(lower(e, method=method))


def test_a_multiple_of_a_symmetric_leaf_is_symmetric() -> None:
    """What a joint adds to its pivot stands in an update: h² S where a model has no armature."""
    C, h = operator("C", RATE >> TORQUE, structure="diagonal semidefinite"), scalar("h")
    check_program(lower(inv(MASS + h * s.armature + h * h * C) @ s.T, zeros=frozenset({"armature"})))


@given(expressions())
@settings(max_examples=100)
def test_random_programs_are_well_formed(e: Expr) -> None:
    program = lower(e)
    check_program(program)
    numbers = [one.number for stage in program.stages for one in stage.steps]
    assert len(numbers) == len(set(numbers))
    names = [one.name for one in program.steps.values()]
    assert len(names) == len(set(names))
