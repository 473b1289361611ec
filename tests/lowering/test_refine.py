"""Iterative refinement as a rewriting of the graph: solve, take the residual of the formula itself, solve again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, task_space
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.build import inv, operator, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering.lower import Method, lower
from operator_algebra.models.families import chain
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.programs.instructions import Invert
from operator_algebra.programs.program import Program
from tests.lowering.cases import case
from tests.lowering.meant import solved
from tests.lowering.verdicts import judge
from tests.oracles.dense_dynamics import mass_matrix
from tests.rounding import apart, condition, rounding, size

C = operator("C", RATE >> TORQUE, structure="diagonal")
F = operator("F", TORQUE >> RATE, structure="diagonal")
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
APPLIED = inv(MASS + C) @ s.T
NESTED = inv(inv(inv(MASS) + F) + C) @ s.T


def matrix_steps(program: Program) -> list[str]:
    """What does not depend on the right-hand side."""
    changing = solved(program)
    return [step.name for step in program.steps.values() if step.number not in changing]


@pytest.mark.parametrize("e", [APPLIED, NESTED], ids=["applied", "nested"])
def test_both_solutions_share_their_pivots(e: Expr) -> None:
    plain, refined = lower(e), lower(e, method="refined")
    assert matrix_steps(plain) == matrix_steps(refined)
    inverses = [sum(isinstance(step.definition, Invert) for step in p.steps.values()) for p in (plain, refined)]
    assert inverses[0] == inverses[1]
    assert len(refined.sweeps) == 2 * len(plain.sweeps)


def test_what_has_no_unknowns_stays_as_it_is() -> None:
    for e in (s.V, dynamics.inverse_dynamics, (s.I - s.H @ s.psi @ s.K) @ s.T):
        assert lower(e, method="refined").pseudocode() == lower(e).pseudocode()


def test_refined_programs_compute_their_formula() -> None:
    found = [judge(replace(case(seed), method="refined")) for seed in range(60)]
    assert {verdict.kind for verdict in found} <= {"agrees", "no value", "refused"}
    assert [verdict.kind for verdict in found].count("agrees") > 45


@pytest.mark.parametrize("share", [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("method", ["auto", "refined"])
def test_small_pivots_cost_no_digits(method: Method, share: float) -> None:
    arm = chain(3, seed=0)
    q, _ = arm.random(0)
    dense = mass_matrix(arm, q)
    noise = np.array([0.0, 0.0, -dense[2, 2] * (1 - share)])
    force = np.array([1.0, 2.0, 3.0])
    found = compile_program(APPLIED, arm, method=method)(q=q, C=noise, T=force)
    expected = np.linalg.solve(dense + np.diag(noise), force)
    # The reference itself is good to eps times its condition; a plain pivot would leave eps / share.
    conditioned = condition(dense + np.diag(noise))
    assert conditioned < 1e4
    assert apart(found, expected) <= rounding(size(expected), terms=3, condition=conditioned)


def test_small_pivots_of_samples_are_refined_and_others_left() -> None:
    arm = chain(3, seed=0)
    q, _ = arm.random(0)
    dense = mass_matrix(arm, q)
    noise = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -dense[2, 2] * (1 - 1e-6)], [1.0, 1.0, 1.0]])
    force = np.array([1.0, 2.0, 3.0])
    run = compile_program(APPLIED, arm)
    found = run(q=[q, q, q], C=noise, T=force)
    assert np.array_equal(found[[0, 2]], run(q=[q, q], C=noise[[0, 2]], T=force))
    expected = np.linalg.solve(dense + np.diag(noise[1]), force)
    allowed = rounding(size(expected), terms=3, condition=condition(dense + np.diag(noise[1])))
    assert apart(found[1], expected) <= allowed


def test_definite_inverses_are_not_refined() -> None:
    # Their pivots are Schur complements of a definite matrix: small ones lose nothing.
    assert not lower(dynamics.forward_dynamics).refinable
    assert not lower(inv(MASS + operator("B", RATE >> TORQUE, structure="diagonal semidefinite")) @ s.T).refinable
    assert lower(APPLIED).refinable
    assert not lower(inv(MASS + C)).refinable  # blocks have no residual to refine


def test_a_relation_has_no_pivot_to_refine() -> None:
    e = task_space.inertia @ vector("w", s.CONTACT)
    assert lower(e, method="refined").pseudocode() == lower(e).pseudocode()
