"""Substitution along the tree: one right-hand side, and many one after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra.operators.inversion import solve_unit, unit_solver
from operator_algebra.symbols import E_phi, E_psi, I


@given(st.integers(1, 30), st.integers(0, 10**6))
@pytest.mark.parametrize("inward", [True, False])
def test_solutions_are_those_of_dense_algebra(inward: bool, bodies: int, seed: int) -> None:
    model = oa.random_tree(bodies, seed=seed)
    unit = oa.evaluate(I - (E_phi if inward else E_psi.T), model, q=model.random(seed)[0])
    matrix = unit.data.toarray()
    right = np.random.default_rng(seed).standard_normal((unit.rows.size, 2))
    found = np.linalg.solve(matrix, right)
    # Each row is a sum of at most so many products; rounding is magnified by what the inverse makes of it.
    allowed = 2 * len(matrix) * np.finfo(float).eps * np.linalg.cond(matrix) * np.linalg.norm(found)
    solve = unit_solver(unit, inward=inward)
    one_by_one = np.stack([solve(column) for column in right.T], axis=-1)
    for solution in (solve_unit(unit, right, inward=inward), solve(right), one_by_one):
        assert np.linalg.norm(solution - found) <= allowed
