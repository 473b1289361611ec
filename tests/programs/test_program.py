"""A program: its passes, its values, what a call must give, and what depends on the right-hand side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, task_space
from operator_algebra.expressions.build import diag, inv, operator, scalar
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet
from operator_algebra.lowering.lower import lower
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.programs.program import Output, Pivot, Program
from operator_algebra.programs.records import Ref
from tests.lowering.meant import term

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
C = operator("C", RATE >> TORQUE, structure="diagonal")
h = scalar("h")
FORMULAS: dict[str, Expr | Query] = {
    "a velocity": s.V,
    "the inverse mass matrix": inv(MASS) @ s.T,
    "with noise": inv(MASS + h * C) @ s.T,
    "a matrix": dense(inv(MASS)),
    "blocks": diag(inv(MASS)),
    "a number": dynamics.kinetic_energy,
    "forward dynamics": dynamics.forward_dynamics,
    "relations": task_space.inertia,
}
PROGRAMS = {name: lower(e) for name, e in FORMULAS.items()}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_value_stands_at_one_place(name: str) -> None:
    program = PROGRAMS[name]
    listed = [*program.given, *(step for stage in program.stages for step in stage.steps)]
    assert {step.number: step for step in listed} == dict(program.steps)
    bounds = [step for sweep in program.bounds for step in sweep.steps]
    assert len(program.computed) == len(listed) + len(bounds)
    assert [sweep for sweep in program.stages if sweep.direction != "once"] == list(program.sweeps)


@pytest.mark.parametrize(
    ("name", "inputs", "leaves"),
    [
        ("a velocity", ("v",), {"H", "E_phi"}),
        ("the inverse mass matrix", ("T",), {"H", "M", "E_phi"}),
        ("with noise", ("C", "T", "h"), {"H", "M", "E_phi"}),
        ("a matrix", (), {"H", "M", "E_phi"}),
        ("a number", ("v",), {"H", "M", "E_phi", "armature"}),
    ],
)
def test_what_is_read_of_a_call_and_of_a_mechanism(name: str, inputs: tuple[str, ...], leaves: set[str]) -> None:
    program = PROGRAMS[name]
    assert program.inputs == inputs
    assert {leaf.name for leaf in program.leaves} == leaves
    assert [symbol.name for symbol in program.symbols] == sorted(symbol.name for symbol in program.symbols)


def test_leaves_that_read_rates_ask_for_them() -> None:
    program = lower(s.H_dot.T @ s.qdd)
    assert program.reads_rates
    assert program.inputs == ("qdd", "v")
    assert not PROGRAMS["the inverse mass matrix"].reads_rates


def test_formulas_are_told_by_name_if_there_are_names() -> None:
    assert PROGRAMS["a velocity"].formula == str(s.V)
    program = lower({"a": s.V, "b": s.T})
    assert program.formula == f"{{a = {s.V}, b = {s.T}}}"


@pytest.mark.parametrize(
    ("e", "definite", "refinable"),
    [
        (inv(MASS) @ s.T, True, False),
        (inv(MASS + C) @ s.T, False, True),
        (logdet(MASS + C), False, False),
        (diag(inv(MASS + C)), False, False),
        (inv(inv(MASS) + inv(MASS)) @ s.v, True, False),
        (s.V, True, False),
    ],
    ids=str,
)
def test_what_no_other_elimination_does_better_and_what_refinement_helps(
    e: Expr | Query, definite: bool, refinable: bool
) -> None:
    program = lower(e)
    assert (program.definite, program.refinable) == (definite, refinable)


def outputs() -> list[Output]:
    programs: list[Program] = [*PROGRAMS.values(), lower(block(inv(MASS), 0, 1))]
    return [output for program in programs for output in program.outputs]


@pytest.mark.parametrize("output", outputs(), ids=lambda one: str(one.formula))
def test_an_output_reads_its_value_or_its_walk(output: Output) -> None:
    assert (output.ref is None) == (output.walk is not None)
    moved = output.map(lambda ref: Ref(ref.value + 1000, ref.star))
    assert moved.refs() == tuple(Ref(ref.value + 1000, ref.star) for ref in output.refs())
    assert moved.map(lambda ref: Ref(ref.value - 1000, ref.star)) == output


def test_a_pivot_reads_what_it_is_judged_by() -> None:
    pivot = Pivot(1, inv(MASS), (replace(term(2, 3), scalars=(4,)),), left=Ref(5), right=Ref(6).T)
    assert set(pivot.refs()) == {Ref(1), Ref(2), Ref(3), Ref(4), Ref(5), Ref(6).T}
    assert pivot.inverted == MASS
    assert Pivot(1, s.D).inverted == s.D
    assert Pivot(1, None).inverted is None


def test_text_page_and_line_speak_of_the_same_program() -> None:
    program = PROGRAMS["the inverse mass matrix"]
    assert Program.parse(program.text) == program
    assert str(program) == program.pseudocode()
    assert "2 sweeps" in repr(program)
    assert "<" in program._repr_html_()  # pyright: ignore[reportPrivateUsage]
