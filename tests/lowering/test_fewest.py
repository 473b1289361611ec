"""How many sweeps formulas take as their users write them, what is refused, and why; numbers beside the evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, task_space
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import inv, operator, root, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, logdet, trace
from operator_algebra.lowering.fewest import DEARER, fewest_sweeps
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.lower import Method, lower, named_formulas
from operator_algebra.lowering.lower import lifted as all_lifted
from operator_algebra.lowering.passes import LAST, PASSES, save_sweeps
from operator_algebra.models.families import random_tree
from operator_algebra.operators.spaces import RATE, TORQUE, WHITE
from operator_algebra.operators.vanishing import vanishing
from operator_algebra.programs.cost import cost
from tests.expression_grammar import h
from tests.lowering.cases import Case, Sample
from tests.lowering.form_grammar import GIVE, MORE, PICK, REACH, SLIP, STIFF
from tests.lowering.forms import TREE, as_written
from tests.lowering.rational_expressions import EIGHTH, GEAR, LOOPS, MASS, RELATION, WEIGHT, rational_inputs
from tests.lowering.test_translation_validation import mechanism
from tests.lowering.verdicts import judge

J = PICK.T @ s.phi.T @ s.H.T
J2 = REACH.T @ s.phi.T @ s.H.T
T = s.T
FREE = T - dynamics.bias
ARMATURE = operator("J", RATE >> TORQUE, structure="diagonal definite")
DRIFT = vector("drift_loops", LOOPS)
e = vector("x_white", WHITE)


def coupling(system: Expr = MASS, rows: Expr = J) -> Expr:
    """J A⁻¹ J*."""
    return rows @ inv(system) @ rows.T


def constrained(u: Expr, *more: Expr, system: Expr = MASS, rows: Expr = J, soft: Expr | None = None) -> Expr:
    """A⁻¹ (u − J* (J A⁻¹ J* + soft)⁻¹ (J A⁻¹ u + more))."""
    inner = coupling(system, rows) if soft is None else coupling(system, rows) + soft
    driven = rows @ inv(system) @ u
    for one in more:
        driven += one
    return inv(system) @ (u - rows.T @ inv(inner) @ driven)


@dataclass(frozen=True)
class Counted:
    """A formula, the sweeps that it takes and that it takes as written, and whether no form has fewer."""

    formula: Expr | Query
    sweeps: int
    written: int
    optimal: bool = True


GEARS = MASS + GEAR @ ARMATURE @ GEAR.T
SOFT = MASS + J.T @ WEIGHT @ J
HELD = inv(MASS) - inv(MASS) @ J.T @ inv(coupling()) @ J @ inv(MASS)
CROSS = MASS + s.H @ s.phi @ s.M @ s.V_tilde @ s.phi.T @ s.H.T
ROWS = RELATION + EIGHTH * J
ROWS2 = MORE + EIGHTH * J2
WHITENED = inv(root(s.D)) @ s.W @ T

FORMULAS: Mapping[str, Counted] = {
    "constrained dynamics": Counted(constrained(T), 2, 4),
    "with velocities": Counted(constrained(FREE), 3, 5),
    "with velocities and drift": Counted(constrained(FREE, DRIFT), 3, 5),
    "with drift of the pick": Counted(constrained(FREE, PICK.T @ s.phi.T @ s.a), 3, 5),
    "with armature": Counted(constrained(T, system=MASS + ARMATURE), 2, 4),
    "with gears": Counted(constrained(T, system=GEARS), 2, 4),
    "of joints": Counted(constrained(T, rows=MORE), 2, 4),
    "regularised": Counted(constrained(T, soft=SLIP), 2, 4),
    "Delassus": Counted(coupling(), 1, 2),
    "its inverse": Counted(inv(coupling()), 1, 2),
    "its determinant": Counted(logdet(coupling()), 1, 2),
    "its trace": Counted(trace(coupling() @ WEIGHT), 1, 2),
    "between two loops": Counted(J @ inv(MASS) @ J2.T, 1, 2),
    "of a system that is not symmetric": Counted(coupling(CROSS), 2, 3),
    "energy of a torque": Counted(T.T @ inv(MASS) @ T, 1, 2),
    "evidence of innovations": Counted(WHITENED.T @ WHITENED, 1, 2),
    "a sum with innovations": Counted(e.T @ WHITENED, 1, 1),
    "energy of rates": Counted(s.v.T @ MASS @ s.v, 1, 2),
    "multiplier": Counted(inv(coupling()) @ (J @ inv(MASS) @ T), 1, 2),
    "proximal step": Counted(inv(coupling() + SLIP) @ (J @ inv(MASS) @ T), 1, 2),
    "plastic impact": Counted(s.v - inv(MASS) @ J.T @ inv(coupling()) @ J @ s.v, 2, 4),
    "null space": Counted((s.I - inv(MASS) @ J.T @ inv(coupling()) @ J) @ s.v, 2, 4),
    "soft constraint": Counted(inv(SOFT) @ T, 2, 4),
    "soft constraint with velocities": Counted(inv(SOFT) @ FREE, 3, 5),
    "soft and hard loops": Counted(constrained(T, system=SOFT, rows=J2), 2, 8),
    "soft and hard loops with velocities": Counted(constrained(FREE, system=SOFT, rows=J2), 3, 9),
    "two tears at a body": Counted(coupling(MASS + inv(inv(MASS + ARMATURE) + inv(ARMATURE))), 1, 2),
    "constrained, with two tears": Counted(constrained(T, system=MASS + MASS @ inv(MASS + ARMATURE) @ MASS), 2, 4),
    "scaled on the way": Counted(J @ inv(MASS) @ (h * T) - J @ (h * (inv(MASS) @ (h * T - T))), 1, 2),
    "dearer when split": Counted((T.T @ inv(MASS) @ J.T) @ WEIGHT @ (J @ s.v), 2, 3, optimal=False),
    "a dear sum beside a cheap one": Counted((s.v.T @ MASS @ s.v) * (J2 @ inv(MASS) @ T), 2, 3, optimal=False),
    "second multiplier": Counted(inv(coupling(rows=J2)) @ J2 @ constrained(T), 1, 4),
    "second loop": Counted(constrained(T) - inv(MASS) @ J2.T @ inv(coupling(rows=J2)) @ J2 @ constrained(T), 2, 6),
    "second loop on the first": Counted(
        constrained(T) - constrained(J2.T @ inv(J2 @ HELD @ J2.T) @ J2 @ constrained(T)), 2, 8
    ),
    "two springs": Counted(inv(SOFT + J2.T @ STIFF @ J2) @ T, 2, 4),
    "a number in front": Counted(trace((coupling(MASS + T @ T.T) + SLIP) @ WEIGHT), 1, 4),
    "motion of a spring": Counted(
        J2 @ (s.v - inv(MASS + (REACH.T @ s.H.T).T @ STIFF @ REACH.T @ s.H.T) @ J.T @ WEIGHT @ DRIFT),
        1,
        4,
    ),
    "low rank": Counted(inv(MASS + T @ T.T) @ T, 2, 4),
    "a number times a vector": Counted((T.T @ inv(MASS) @ T) * (inv(MASS) @ T), 2, 3),
    "softened by an inverse": Counted(inv(MASS) @ J2.T @ inv(GIVE) @ vector("drift_tasks", MORE.type.codomain), 2, 2),
    "a part that is scaled": Counted(s.v.T @ s.H @ s.phi @ (h * (s.M @ s.phi.T @ s.H.T @ s.v) + s.f_ext), 1, 2),
    "springs and a loop": Counted(
        inv(ARMATURE) @ (MASS + ROWS2.T @ STIFF @ ROWS2) @ s.v + constrained(FREE, rows=ROWS, soft=SLIP), 3, 5
    ),
    "trace of an inverse": Counted(trace(inv(MASS) @ ARMATURE), 1, 2),
    "of an inverse alone": Counted(trace(inv(MASS)), 2, 2, optimal=False),
    "of one that is not symmetric": Counted(trace(inv(CROSS) @ ARMATURE), 2, 3),
    "with gears, of a square": Counted(trace(inv(GEARS) @ ARMATURE @ inv(GEARS) @ ARMATURE), 1, 2),
    "of an inverse in an inverse": Counted(trace(inv(MASS + inv(inv(MASS) + inv(ARMATURE))) @ MASS), 1, 2),
    "of a compliance": Counted(trace(s.Omega @ s.M), 1, 2),
    "multiplier with velocities": Counted(inv(coupling()) @ (J @ inv(MASS) @ FREE), 2, 3),
    "power of the bias": Counted(s.v.T @ dynamics.bias, 1, 2),
}
"""Dear forms are not known to be optimal, and traces from a space to its dual, in which factors do not take turns."""

DEAR: Mapping[str, tuple[Expr, int]] = {
    "acceleration of a pick": (J @ inv(MASS) @ T, 2),
    "momentum": (dynamics.momentum, 2),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_sweeps(name: str) -> None:
    one = FORMULAS[name]
    program = lower(one.formula)
    with as_written():
        written = lower(one.formula)
    assert (len(program.sweeps), len(written.sweeps)) == (one.sweeps, one.written)
    assert cost(program, TREE).total <= DEARER * cost(written, TREE).total
    told = program.report.choices
    assert told[0].endswith("no form has fewer") == one.optimal
    assert one.sweeps == one.written or f"as written: {one.written} sweep" in told[1]


METHODS: tuple[Method, ...] = ("auto", "joseph", "refined", "orthogonal")


@pytest.mark.parametrize(("place", "name"), list(enumerate(FORMULAS)), ids=list(FORMULAS))
def test_numbers(place: int, name: str) -> None:
    formula, model, method = FORMULAS[name].formula, mechanism(place % 3), METHODS[place % len(METHODS)]
    body = formula.body if isinstance(formula, Query) else formula
    sample = Sample(model.random(3)[0], rational_inputs(body, model, 5))
    verdict = judge(Case(formula, model, (sample,), "body", method))
    assert verdict.kind == "agrees", verdict


@pytest.mark.parametrize("name", DEAR)
def test_what_would_cost_more_stays_and_the_report_says_so(name: str) -> None:
    formula, sweeps = DEAR[name]
    program = lower(formula)
    with as_written():
        written = lower(formula)
    assert len(program.sweeps) == len(written.sweeps) == sweeps
    assert program.pseudocode() == written.pseudocode()
    best, plain, *tried = program.report.choices
    assert best == f"{plain}, none has fewer than 1" == f"as written: {sweeps} sweeps, none has fewer than 1"
    (refused,) = tried
    assert refused.startswith("one sum transposed: 1 sweep, ")
    assert refused.endswith(" of the operations, refused")
    assert float(refused.split(", ")[1].split()[0]) > DEARER


def test_what_has_no_sum_is_not_touched() -> None:
    program = lower(inv(MASS) @ T)
    assert program.report.choices == ("as written: 2 sweeps, no form has fewer",)
    assert len(program.sweeps) == 2


def test_the_report_tells_each_form_that_could_be_taken() -> None:
    program = lower(constrained(T))
    best, plain, first, second = program.report.choices
    assert best == "2 sums transposed, superposed: 2 sweeps, no form has fewer"
    assert plain == "as written: 4 sweeps"
    assert first.startswith("2 sums transposed: 3 sweeps, 0.")
    assert second.startswith("2 sums transposed, superposed: 2 sweeps, 0.")


def test_of_forms_that_meet_the_bound_the_cheapest_is_taken() -> None:
    """That all sums are transposed is enough for the fewest sweeps, but one of them need not be."""
    program = lower(task_space.stacked.force)
    assert program.report.choices[0] == "2 sums transposed: 2 sweeps, no form has fewer"
    shares = [float(one.split(", ")[-1].split()[0]) for one in program.report.choices[2:] if ": 2 sweeps" in one]
    assert len(shares) > 1
    assert cost(program, TREE).total <= min(shares) * 1.01 * written_cost(task_space.stacked.force)


def written_cost(formula: Expr) -> int:
    """Operations of the program as it is written."""
    with as_written():
        return cost(lower(formula), TREE).total


def test_known_sizes_decide() -> None:
    """One row of a task takes one column where six would be too dear; joints of six freedoms leave nothing to save."""
    formula = J @ inv(MASS) @ T
    assert len(lower(formula).sweeps) == 2
    assert len(lower(formula, sizes={"loops": 1}).sweeps) == 1
    assert len(lower(formula, sizes={"loops": 12}).sweeps) == 2
    for sizes, sweeps in ((None, 2), ({"loops": 1}, 1)):
        model = mechanism(0)
        run = compile_program(formula, model, sizes=sizes)
        assert len(run.program.sweeps) == sweeps
        sample = Sample(model.random(3)[0], rational_inputs(formula, model, 5))
        verdict = judge(Case(formula, model, (sample,), "body", "auto"))
        assert verdict.kind == "agrees"


def test_joints_of_a_model_are_known() -> None:
    floating = random_tree(8, joints=("floating",), branching=0.5, seed=1)
    formula = s.v.T @ MASS @ s.v
    assert compile_program(formula, floating).program == lower(formula, zeros=vanishing(floating), sizes={"joint": 6})
    hinges = random_tree(8, joints=("revolute",), branching=0.5, seed=1)
    assert compile_program(formula, hinges).program == lower(formula, zeros=vanishing(hinges))


@pytest.mark.parametrize(
    ("sizes", "said"),
    [({"loop": 1}, "Use .joint. or .loops."), ({"loops": 0}, "the size of loops"), ([3], "sizes")],
)
def test_sizes_are_read_strictly(sizes: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        lower(J @ inv(MASS) @ T, sizes=sizes)
    with pytest.raises(InputError, match=said):
        compile_program(J @ inv(MASS) @ T, mechanism(0), sizes=sizes)


def test_what_is_reported_is_what_is_taken() -> None:
    """A form that was refused after the best leaves the best as it was."""
    program = lower(FORMULAS["dearer when split"].formula)
    assert program.report.choices[0] == "one sum transposed: 2 sweeps, none has fewer than 1"
    assert program.report.choices[-1].startswith("one sum transposed, superposed: 2 sweeps, 1.")
    assert len(program.sweeps) == 2


def test_several_results_share_what_is_summed() -> None:
    system = coupling()
    program = lower({"delassus": system, "lambda": inv(system) @ (J @ inv(MASS) @ T), "qdd": constrained(T)})
    assert len(program.sweeps) == 2
    inner = [step for stage in program.stages for step in stage.steps if step.type == LOOPS.dual >> LOOPS]
    assert len(inner) == 1


def graph_of(formula: Expr | Query, *, saved: bool) -> Graph:
    """The graph before or after sweeps are saved."""
    graph = Graph()
    graph.wanted = all_lifted(Lift(graph, frozenset()), named_formulas(formula))
    for one in PASSES:
        if one is save_sweeps:
            if saved:
                one(graph)
            return graph
        one(graph)
    raise AssertionError("there is no such pass")


def test_a_graph_that_is_at_its_best_stays() -> None:
    graph = graph_of(constrained(T), saved=True)
    again = graph.copy()
    fewest_sweeps(again, LAST)
    assert again.values == graph.values
    assert again.choices[0] == "as written: 2 sweeps, no form has fewer"
