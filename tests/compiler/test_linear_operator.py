"""Compiled formulas as SciPy operators: applied, adjoint, and inside SciPy's own algorithms."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, task_space
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate, evaluate_with_scale
from operator_algebra.expressions.build import inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import dense
from operator_algebra.models.families import random_tree
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.spatial.arrays import Axes
from tests.lowering.agreement import bound
from tests.rounding import apart, condition, rounding

Floats = NDArray[np.float64]
linalg: Any = import_module("scipy.sparse.linalg")

TREE = random_tree(8, joints=("revolute", "spherical", "universal", "floating"), seed=11)
Q, V = TREE.random(11)
MASS = dynamics.mass_matrix
GENERAL = operator("C", RATE >> TORQUE, structure="diagonal")
C = [np.eye(p.stop - p.start) + np.tri(p.stop - p.start) for p in TREE.v_slices]

OPERATORS: dict[str, tuple[Expr, dict[str, Any]]] = {
    "mass matrix": (MASS, {}),
    "inverse": (inv(MASS), {}),
    "nonsymmetric inverse": (inv(MASS + GENERAL), {"C": C}),
    "innovations factor": (s.U, {}),
    "inverse factor": (s.I - s.H @ s.psi @ s.K, {}),
    "propagation": (s.phi, {}),
    "kernel": (s.Omega, {}),
    "jacobian": (task_space.jacobian, {"B": {TREE.joint_names[-1]: np.eye(6)}}),
}


@pytest.mark.parametrize("frame", ["body", "world"])
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_acts_as_its_matrix(name: str, frame: Axes) -> None:
    e, inputs = OPERATORS[name]
    A = compile_program(e, TREE, frame=frame).linear_operator(q=Q, **inputs)
    matrix = evaluate(e, TREE, q=Q, frame=frame, **inputs).dense()
    rng = np.random.default_rng(0)
    x, y, X = rng.standard_normal(A.shape[1]), rng.standard_normal(A.shape[0]), rng.standard_normal((A.shape[1], 3))
    found = evaluate_with_scale(e, TREE, q=Q, frame=frame, **inputs)
    each = found.scale * bound(found)
    assert A.shape == matrix.shape
    assert A.dtype == np.float64
    for applied, expected, terms in (
        (A @ x, matrix @ x, np.linalg.norm(x)),
        (A.T @ y, matrix.T @ y, np.linalg.norm(y)),
        (A.H @ y, matrix.T @ y, np.linalg.norm(y)),
        (A @ X, matrix @ X, np.linalg.norm(X)),
        (A.T @ (A @ x), matrix.T @ (matrix @ x), 2 * found.scale * np.linalg.norm(x)),
    ):
        assert apart(applied, expected) <= each * float(terms)


def test_a_vector_formula_is_an_operator_on_what_is_not_given() -> None:
    A = compile_program(inv(MASS) @ s.T, TREE).linear_operator(q=Q)
    matrix = evaluate(inv(MASS), TREE, q=Q).dense()
    T = np.random.default_rng(1).standard_normal(TREE.nv)
    found = evaluate_with_scale(inv(MASS), TREE, q=Q)
    assert apart(A @ T, matrix @ T) <= bound(found) * found.scale * float(np.linalg.norm(T))
    with pytest.raises(InputError, match=r"is affine in T, not linear: .* does not contain T. Compile the linear part"):
        compile_program(dynamics.forward_dynamics, TREE).linear_operator(q=Q, v=V)


@pytest.mark.parametrize(
    ("e", "values", "message"),
    [
        (dynamics.forward_dynamics, {}, "acts on the one vector that is not given; not given: T, v"),
        (dynamics.kinetic_energy, {}, r"v"),
        (inv(MASS) @ s.T, {"T": np.zeros(TREE.nv)}, "acts on the one vector that is not given"),
        ({"a": MASS}, {}, "is not one operator or vector"),
        (dense(MASS), {}, "is not one operator or vector"),
    ],
)
def test_what_is_no_linear_operator_is_refused(e: Any, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compile_program(e, TREE).linear_operator(q=Q, **values)


def test_a_batch_is_no_operator() -> None:
    with pytest.raises(InputError, match="belongs to one configuration"):
        compile_program(MASS, TREE).linear_operator(q=np.stack([Q, Q]))


def test_conjugate_gradients_solve_with_the_mass_matrix() -> None:
    mass = compile_program(MASS, TREE).linear_operator(q=Q)
    inverse = compile_program(inv(MASS), TREE).linear_operator(q=Q)
    T = np.random.default_rng(2).standard_normal(TREE.nv)
    steps: list[Floats] = []
    asked = 1e-12
    found, state = linalg.cg(mass, T, M=inverse, rtol=asked, callback=steps.append)
    assert state == 0
    assert len(steps) <= 3  # with the inverse itself as preconditioner
    matrix = evaluate(MASS, TREE, q=Q).dense()
    left = asked + rounding(terms=TREE.nv, condition=condition(matrix))
    assert apart(matrix @ found, T) <= left * float(np.linalg.norm(T))


def test_eigenvalues_singular_values_and_norms() -> None:
    mass = compile_program(MASS, TREE).linear_operator(q=Q)
    matrix = evaluate(MASS, TREE, q=Q).dense()
    values, vectors = linalg.eigsh(mass, k=3, which="LM", v0=np.ones(TREE.nv))
    # Lanczos and Arnoldi stop at rounding of the norm of the matrix.
    allowed = rounding(float(values.max()), terms=TREE.nv**2)
    assert apart(np.sort(values), np.linalg.eigvalsh(matrix)[-3:]) <= allowed
    assert apart(mass @ vectors, vectors * values) <= allowed
    propagation = compile_program(s.phi, TREE).linear_operator(q=Q)
    dense_phi = evaluate(s.phi, TREE, q=Q).dense()
    _, singular, _ = linalg.svds(propagation, k=2, v0=np.ones(6 * TREE.n))
    # They are the roots of eigenvalues of φ* φ.
    allowed = rounding(float(singular[-1]), terms=(6 * TREE.n) ** 2, condition=float(singular[-1] / singular[0]))
    assert apart(np.sort(singular), np.linalg.svd(dense_phi, compute_uv=False)[1::-1]) <= allowed
    estimate = linalg.onenormest(propagation)
    exact = np.abs(dense_phi).sum(axis=0).max()
    assert 0.3 * exact <= estimate <= exact + rounding(exact, terms=6 * TREE.n)
