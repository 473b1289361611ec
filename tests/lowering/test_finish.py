"""From a graph whose passes are done to a program: nothing is lost, doubled, or read before it is known."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import diag, inv, operator, root, scalar, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, dense, logdet
from operator_algebra.lowering.finish import finished
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.lower import lifted, lower, named_formulas
from operator_algebra.lowering.passes import PASSES
from operator_algebra.operators.spaces import FORCE, RATE, TORQUE
from operator_algebra.programs.instructions import Given, Invert, Relate, RootOf
from operator_algebra.programs.program import Program
from operator_algebra.programs.records import references
from operator_algebra.programs.verify import check_program

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
C = operator("C", RATE >> TORQUE, structure="diagonal")
h = scalar("h")
x = vector("x", FORCE)

FORMULAS: dict[str, Expr | Query] = {
    "a velocity": s.V,
    "the inverse mass matrix": inv(MASS) @ s.T,
    "dense": dense(inv(MASS)),
    "a diagonal": diag(inv(MASS + C)),
    "a determinant": logdet(MASS + C),
    "a number": s.v.T @ MASS @ s.v,
    "a root": root(s.D),
}


def made(e: Expr | Query, *, zeros: frozenset[str] = frozenset()) -> tuple[Graph, Program]:
    """A graph after all passes, and its program."""
    graph = Graph()
    graph.wanted = lifted(Lift(graph, zeros), named_formulas(e))
    for one in PASSES:
        one(graph)
    return graph, finished(graph, zeros, keyed=False)


@pytest.mark.parametrize("name", FORMULAS)
def test_each_value_of_the_graph_is_one_step(name: str) -> None:
    graph, program = made(FORMULAS[name])
    numbers = [step.number for step in program.given] + [one.number for stage in program.stages for one in stage.steps]
    assert sorted(numbers) == sorted(graph.values)
    assert all(program.steps[n].value == graph[n].block for n in numbers)
    assert {step.number for step in program.given} == {
        n for n, value in graph.values.items() if isinstance(value.definition, Given)
    }
    check_program(program)


@pytest.mark.parametrize("name", FORMULAS)
def test_pivots_are_what_is_inverted_or_has_a_root_or_a_determinant(name: str) -> None:
    _, program = made(FORMULAS[name])
    steps = program.steps.values()
    expected = {one.definition.source.value for one in steps if isinstance(one.definition, Invert)}
    expected |= {one.number for one in steps if isinstance(one.definition, RootOf | Relate)}
    assert expected <= {pivot.value for pivot in program.pivots}
    assert len({pivot.value for pivot in program.pivots}) == len(program.pivots)


def test_a_pivot_knows_its_formula_and_the_products_that_may_cancel_in_it() -> None:
    _, program = made(inv(MASS + C) @ s.T)
    (pivot,) = program.pivots
    assert pivot.formula == inv(MASS + C)
    assert pivot.inverted == MASS + C
    words = [[program.steps[ref.value].name for ref in one.factors] for one in pivot.terms]
    assert sorted(words) == [["C"], ["H", "P", "H"]]


def test_bounds_come_after_the_program_and_read_what_it_computes() -> None:
    _, program = made(inv(MASS) @ s.T)
    inside = {step.number for sweep in program.bounds for step in sweep.steps}
    assert inside
    assert inside.isdisjoint(program.steps)
    read = {ref.value for sweep in program.bounds for one in sweep.steps for ref, _ in references(one.definition)}
    assert read <= inside | program.steps.keys()


def test_inputs_that_cancel_are_accepted_and_not_needed() -> None:
    e = s.H @ x + s.T - s.H @ x
    _, program = made(e)
    assert {symbol.name for symbol in program.accepts} == {"x", "T"}
    assert program.inputs == ("T",)


def test_leaves_that_read_rates_make_rates_accepted() -> None:
    _, program = made(s.H_dot.T @ s.qdd)
    assert "v" in {symbol.name for symbol in program.accepts}


def test_leaves_taken_to_vanish_are_told_if_the_formula_has_them() -> None:
    zeros = frozenset({"armature", "damping"})
    _, program = made(inv(MASS + s.armature) @ s.T, zeros=zeros)
    assert program.absent == ("armature",)
    assert "armature" not in {leaf.name for leaf in program.leaves}


def test_the_report_names_what_was_found_on_the_way() -> None:
    report = lower(inv(MASS) @ s.T).report
    assert report.components == ("DLU",)
    assert report.pivots == ("D",)
    assert {"P", "D", "P_plus"} <= set(report.symmetric)
    assert report.eliminated == (inv(MASS),)
