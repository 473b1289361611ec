"""How many sweeps a formula takes, and what two forms of it share."""

from __future__ import annotations

from itertools import pairwise

import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import diag, inv, operator, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, block, dense, logdet, trace
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.lower import lower
from operator_algebra.lowering.passes import PASSES as GRAPH_PASSES
from operator_algebra.lowering.schedule import Stage, schedule
from operator_algebra.operators.spaces import FORCE, ONE, RATE, TORQUE, space
from operator_algebra.programs.instructions import Given
from operator_algebra.programs.program import Program
from operator_algebra.programs.records import Ref, references
from tests.lowering.meant import solved

H, K, M, T, phi, psi, D = s.H, s.K, s.M, s.T, s.phi, s.psi, s.D
MASS = H @ phi @ M @ phi.T @ H.T
W = s.I - H @ psi @ K
CONSTRAINT = space("constraint", attached=False)
A = operator("A", RATE >> CONSTRAINT)
c = vector("c", CONSTRAINT)
x = vector("x", FORCE)
y = vector("y", s.CONTACT.dual)
C = operator("C", RATE >> RATE, structure="diagonal")
B = operator("B_joint", RATE >> TORQUE, structure="diagonal")
OPERATIONAL = s.B.T @ phi.T @ H.T @ inv(MASS) @ H @ phi @ s.B

Lowerable = Expr | Query | dict[str, Expr | Query]

PASSES: dict[str, tuple[Lowerable, int]] = {
    "velocity": (s.V, 1),
    "inverse dynamics": (dynamics.inverse_dynamics, 2),
    "mass matrix times acceleration": (MASS @ s.qdd, 2),
    "inverse mass matrix times force": (inv(MASS) @ T, 2),
    "its factored form": (W.T @ inv(D) @ W @ T, 2),
    "forward dynamics, after the velocities": (dynamics.forward_dynamics, 1 + 2),
    "bias": (dynamics.bias, 2),
    "operational-space kernel": (s.Omega @ x, 2),
    "the kernel through the inverse": (phi.T @ H.T @ inv(MASS) @ H @ phi @ x, 2),
    "accelerations by spatial forces": (inv(MASS) @ H @ phi @ x, 2),
    "innovations filter": (W @ T, 1),
    "innovations factor": (s.U @ T, 1),
    "inverse factor": (inv(s.I + H @ phi @ K) @ T, 1),
    "adjoint of the inverse factor": (inv(s.I + H @ phi @ K).T @ s.v, 2),
    "velocities, forces and accelerations": ({"V": s.V, "T": MASS @ s.qdd, "qdd": inv(MASS) @ T}, 3),
    "M C M⁻¹": (MASS @ C @ inv(MASS) @ T, 3),
    "M⁻¹ B M⁻¹": (inv(MASS) @ B @ inv(MASS) @ T, 4),
    "inverse operational-space inertia applied": (OPERATIONAL @ y, 2),
    "diagonal of the inverse": (diag(inv(MASS)), 2),
    "trace of the inverse": (trace(inv(MASS)), 2),
    "a block of the inverse": (block(inv(MASS), 0, 1), 2),
    "log-determinant": (logdet(MASS), 1),
    "dense mass matrix": (dense(MASS), 1),
    "dense inverse": (dense(inv(MASS)), 2),
    "kinetic energy": (dynamics.kinetic_energy, 1),
    "momentum": (dynamics.momentum, 2),
    "constraint forces": (inv(A @ inv(MASS) @ A.T) @ c, 1),
    "constrained dynamics": (
        inv(MASS)
        @ (T - dynamics.coriolis - A.T @ inv(A @ inv(MASS) @ A.T) @ (A @ inv(MASS) @ (T - dynamics.coriolis) + c)),
        3,
    ),
}


def directions(program: Program) -> list[str]:
    return [sweep.direction for sweep in program.sweeps]


@pytest.mark.parametrize("name", PASSES)
def test_passes(name: str) -> None:
    e, expected = PASSES[name]
    program = lower(e)
    assert len(program.sweeps) == expected, program.pseudocode()
    found = directions(program)
    # Two sweeps of one direction in a row would be one.
    assert all(a != b for a, b in pairwise(found))


@pytest.mark.parametrize("name", [name for name in PASSES if "inver" in name or "orward" in name or "M⁻¹" in name])
def test_one_factorisation_is_enough(name: str) -> None:
    assert lower(PASSES[name][0]).report.pivots in (("D",), ())


def test_velocities_ride_on_the_outward_sweep() -> None:
    first, second = lower(dynamics.inverse_dynamics).sweeps
    assert (first.direction, second.direction) == ("outward", "inward")
    assert {"V", "alpha"} <= {step.name for step in first.steps}


def recursion(program: Program) -> list[str]:
    """The lines of the first inward sweep that compute blocks."""
    lines = program.pseudocode().splitlines()
    start = lines.index("for k from the tips to the base")
    steps = [" ".join(line.split("over")[0].split()) for line in lines[start + 1 :]]
    return [step for step in steps if step.startswith(("P", "D", "G"))]


def test_both_forms_of_the_inverse_have_the_same_recursion_and_names() -> None:
    inverse, factored = lower(inv(MASS) @ T), lower(W.T @ inv(D) @ W @ T)
    assert recursion(inverse) == recursion(factored)
    assert len(recursion(inverse)) == 4
    names = [{step.name for sweep in program.sweeps for step in sweep.steps} for program in (inverse, factored)]
    assert {"P", "P_plus", "D", "G", "z"} <= names[0] & names[1]


def test_both_forms_together_share_one_recursion() -> None:
    program = lower({"inverse": inv(MASS) @ T, "factored": W.T @ inv(D) @ W @ T})
    assert len(program.sweeps) == 2
    assert program.report.pivots == ("D",)
    assert recursion(program) == recursion(lower(inv(MASS) @ T))


def test_the_derived_gain_is_the_symbol() -> None:
    program = lower({"G": s.G, "P": s.P, "qdd": inv(MASS) @ T})
    assert program.report.pivots == ("D",)
    names = [step.name for sweep in program.sweeps for step in sweep.steps]
    assert {"P", "G", "D", "P_plus"} <= set(names)
    assert not [name for name in names if name.startswith(("P_2", "G_2", "D_2"))]


def test_armature_damping_and_noise_only_change_the_pivot() -> None:
    noise = operator("J", RATE >> TORQUE, structure="diagonal semidefinite")
    step = inv(MASS + noise) @ T
    assert len(lower(step).sweeps) == 2
    assert [line.replace("J(k) + ", "") for line in recursion(lower(step))] == recursion(lower(inv(MASS) @ T))
    noisy = s.innovations(noise)
    factored = lower(noisy.W.T @ inv(noisy.D) @ noisy.W @ T)
    assert len(factored.sweeps) == 2
    assert len(factored.report.pivots) == 1


def test_only_what_an_input_reaches_is_solved_for() -> None:
    program = lower(inv(MASS) @ T)
    solves = {program.steps[number].name for number in solved(program)}
    assert {"P", "P_plus", "D", "G"} <= {step.name for step in program.steps.values()} - solves
    assert {"T", "z", "epsilon"} <= solves


# -- stages of a graph -------------------------------------------------------------------------------------------------


def stages(e: Expr) -> tuple[Graph, tuple[Stage, ...]]:
    """A graph after all passes, and its stages."""
    graph = Graph()
    graph.hold(Ref(Lift(graph).vector(e)))
    for one in GRAPH_PASSES:
        one(graph)
    return graph, schedule(graph)


@pytest.mark.parametrize(
    "name", [name for name, (e, _) in PASSES.items() if isinstance(e, Expr) and e.type.domain == ONE]
)
def test_a_value_is_placed_once_and_after_what_it_reads(name: str) -> None:
    e, _ = PASSES[name]
    assert isinstance(e, Expr)
    graph, found = stages(e)
    placed = [number for stage in found for number in stage.values]
    given = {n for n, value in graph.values.items() if isinstance(value.definition, Given)}
    assert sorted(placed) == sorted(graph.values.keys() - given)
    done = set(given)
    for stage in found:
        inside: set[int] = set()
        for number in stage.values:
            for ref, label in references(graph[number].definition):
                running = label in "UD" and stage.direction == {"U": "inward", "D": "outward"}[label]
                assert ref.value in done or ref.value in inside or (running and ref.value in stage.values)
            inside.add(number)
        done |= inside


def test_what_belongs_to_no_body_is_computed_between_sweeps() -> None:
    graph, found = stages(dynamics.kinetic_energy)
    for stage in found:
        assert all(graph[number].attached == (stage.direction != "once") for number in stage.values)


def test_without_a_shift_any_order_will_do() -> None:
    _, found = stages(inv(s.M) @ x)
    assert [stage.direction for stage in found] == ["local"]
