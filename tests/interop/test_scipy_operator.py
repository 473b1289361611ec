"""Compiled programs in SciPy's iterative solvers, and the operator of a formula that is linear in a vector."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg as sparse_linalg
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.errors import InputError, ModelError
from operator_algebra.expressions.linear_part import linear_part
from operator_algebra.expressions.nodes import Expr
from tests.rounding import apart, condition, rounding, size
from tests.strategies import mechanisms

dyn = oa.dynamics
ASKED = 1e-12  # of an iteration
TREE = oa.random_tree(12, seed=1)
Q, V = TREE.random(1)
cg: Any = sparse_linalg.cg
gmres: Any = sparse_linalg.gmres
eigsh: Any = sparse_linalg.eigsh
svds: Any = sparse_linalg.svds
onenormest: Any = sparse_linalg.onenormest


def noise(size: int) -> Any:
    """A vector of normal numbers."""
    return np.random.default_rng(size).standard_normal(size)


def agree(found: Any, expected: Any) -> None:
    """Equal up to the rounding of sums over the tree, in units of the largest entry."""
    assert apart(found, expected) <= rounding(max(1.0, size(expected)), terms=(6 * TREE.n) ** 2)


def operator_and_matrix(e: Expr, model: Any = TREE, q: Any = Q, **inputs: Any) -> tuple[Any, Any]:
    operator: Any = oa.compile(e, model).linear_operator(q=q, **inputs)
    return operator, oa.evaluate(e, model, q=q, **inputs).dense()


@pytest.mark.parametrize("e", [dyn.mass_matrix, s.W, s.phi, s.psi.T, s.H, s.K, dyn.ground_inertia, s.E_ground], ids=str)
def test_an_operator_and_its_adjoint_are_the_matrix_and_its_transpose(e: Expr) -> None:
    operator, matrix = operator_and_matrix(e)
    assert operator.shape == matrix.shape
    assert operator.dtype == np.float64
    x, y = (noise(size) for size in matrix.shape[::-1])
    assert (operator @ x).shape == y.shape
    assert (operator @ x[:, None]).shape == (len(y), 1)
    agree(operator @ x, matrix @ x)
    agree(operator.T @ y, matrix.T @ y)
    agree(operator.H @ y, matrix.T @ y)
    agree(operator @ np.eye(len(x)), matrix)
    agree(operator.T @ np.eye(len(y)), matrix.T)


def test_complex_vectors_and_other_numbers() -> None:
    operator, matrix = operator_and_matrix(s.phi.T @ s.H.T)
    x = noise(TREE.nv) + 1j * noise(TREE.nv + 1)[1:]
    y = 1j * noise(6 * TREE.n)
    agree(operator @ x, matrix @ x)
    agree(operator.H @ y, matrix.T @ y)
    agree(operator @ np.outer(x, [1, 2j]), matrix @ np.outer(x, [1, 2j]))
    agree((1j * operator) @ x, 1j * matrix @ x)
    agree(operator @ np.arange(TREE.nv), matrix @ np.arange(TREE.nv))
    assert (operator @ np.ones(TREE.nv, dtype=np.float32)).dtype == np.float64
    assert (operator @ np.ones((TREE.nv, 0))).shape == (6 * TREE.n, 0)


@pytest.mark.parametrize("shape", [(TREE.nv + 1,), (TREE.nv + 1, 2), (2, TREE.nv), ()])
def test_vectors_of_another_size_are_refused(shape: tuple[int, ...]) -> None:
    operator, _ = operator_and_matrix(dyn.mass_matrix)
    with pytest.raises(ValueError, match=r"dimension mismatch|expected 1-d or 2-d"):
        operator.dot(np.ones(shape))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_stops_a_solver(value: float) -> None:
    operator, _ = operator_and_matrix(dyn.mass_matrix)
    with pytest.raises(InputError, match=f"not finite at .*{value}"):
        operator.dot(np.full(TREE.nv, value))


def test_vectors_are_not_written_to() -> None:
    operator, _ = operator_and_matrix(dyn.mass_matrix)
    X = noise(2 * TREE.nv).reshape(TREE.nv, 2)
    kept = X.copy()
    first = operator @ X
    operator.T.dot(X[:, ::-1])
    np.testing.assert_array_equal(X, kept)
    np.testing.assert_array_equal(first, operator @ np.asfortranarray(X))


def test_the_inner_product_is_kept_by_the_adjoint() -> None:
    """⟨y, A x⟩ = ⟨A* y, x⟩, for operators that are not square and for what was compiled as a vector."""
    q, v = TREE.random(3)
    formulas = [s.phi.T @ s.H.T, s.H @ s.phi @ s.V_tilde.T @ s.M @ s.phi.T @ s.H.T @ s.qdd, oa.inv(s.D) @ s.W @ s.T]
    for e in formulas:
        operator: Any = oa.compile(e, TREE).linear_operator(q=q, **({"v": v} if "Ṽ" in str(e) else {}))
        rows, columns = operator.shape
        x, y = noise(columns), noise(rows)
        forward, backward = y @ (operator @ x), (operator.H @ y) @ x
        scale = float(np.linalg.norm(y) * np.linalg.norm(operator @ x))
        assert apart(forward, backward) <= rounding(scale, terms=(6 * TREE.n) ** 2)


def test_the_largest_eigenvalue_of_a_thousand_bodies() -> None:
    model = oa.chain(1000, seed=1)
    q, _ = model.random(0)
    mass: Any = oa.compile(dyn.mass_matrix, model).linear_operator(q=q)
    (value,), vectors = eigsh(mass, k=1, v0=np.ones(model.nv))
    (x,) = vectors.T
    residual = np.linalg.norm(mass @ x - value * x)
    assert residual <= rounding(float(value), terms=model.n**2)
    whole = oa.compile(oa.dense(dyn.mass_matrix), model)(q=q)
    assert apart(value, np.linalg.eigvalsh(whole)[-1]) <= rounding(float(value), terms=model.n)


@settings(max_examples=15, deadline=None)
@given(model=mechanisms(max_bodies=5).filter(lambda model: model.nv > 0), frame=st.sampled_from(["body", "world"]))
def test_on_any_mechanism_and_frame(model: Any, frame: Any) -> None:
    q, v = model.random(2)
    damped = dyn.mass_matrix @ s.qdd + s.H @ s.phi @ s.V_tilde.T @ s.M @ s.phi.T @ s.H.T @ s.qdd
    operator = oa.compile(damped, model, frame=frame).linear_operator(q=q, v=v)
    matrix = oa.evaluate(linear_part(damped, s.qdd), model, q=q, v=v, frame=frame).dense()
    agree(operator @ np.eye(model.nv), matrix)
    agree(operator.T @ np.eye(model.nv), matrix.T)


def test_conjugate_gradients_solve_with_the_mass_matrix() -> None:
    operator, matrix = operator_and_matrix(dyn.mass_matrix)
    T = noise(TREE.nv)
    allowed = (ASKED + rounding(terms=TREE.nv, condition=condition(matrix))) * float(np.linalg.norm(T))
    x, failed = cg(operator, T, rtol=ASKED)
    assert failed == 0
    assert apart(matrix @ x, T) <= allowed
    inverse = oa.compile(oa.inv(dyn.mass_matrix) @ s.T, TREE).linear_operator(q=Q)
    x, failed = cg(operator, T, M=inverse, rtol=ASKED, maxiter=2)
    assert failed == 0
    assert apart(matrix @ x, T) <= allowed


def test_nonsymmetric_systems_are_solved() -> None:
    operator, matrix = operator_and_matrix(s.W)
    T = noise(TREE.nv)
    x, failed = gmres(operator, T, rtol=ASKED)
    assert failed == 0
    allowed = (ASKED + rounding(terms=TREE.nv, condition=condition(matrix))) * float(np.linalg.norm(T))
    assert apart(matrix @ x, T) <= allowed


def test_eigenvalues_singular_values_and_norms() -> None:
    mass, matrix = operator_and_matrix(dyn.mass_matrix)
    start = np.ones(TREE.nv)
    # Lanczos stops at rounding of the norm of the matrix, also where it works with the inverse.
    every = np.linalg.eigvalsh(matrix)
    allowed = rounding(every[-1], terms=TREE.nv**2)
    assert apart(eigsh(mass, k=3, v0=start)[0], every[-3:]) <= allowed
    least = eigsh(mass, k=2, sigma=0.0, v0=start, OPinv=oa.compile(oa.inv(dyn.mass_matrix), TREE).linear_operator(q=Q))
    assert apart(np.sort(least[0]), every[:2]) <= allowed
    whitening, triangle = operator_and_matrix(s.W)
    singular = np.sort(svds(whitening, k=2, v0=start)[1])
    # They are the roots of eigenvalues of W* W.
    allowed = rounding(singular[-1], terms=TREE.nv**2, condition=singular[-1] / singular[0])
    assert apart(singular, np.linalg.svd(triangle)[1][1::-1]) <= allowed
    norm = float(np.linalg.norm(triangle, 1))
    assert apart(onenormest(whitening), norm) <= rounding(norm, terms=TREE.nv)
    jacobian, J = operator_and_matrix(s.E_ground @ s.phi @ s.M @ s.phi.T @ s.H.T)
    largest = np.linalg.svd(J)[1][:1]
    assert apart(svds(jacobian, k=1)[1], largest) <= rounding(size(largest), terms=TREE.nv**2)


def test_a_vector_formula_acts_on_the_input_that_is_not_given() -> None:
    e = oa.scalar("h") * (oa.inv(dyn.mass_matrix) @ s.T) + 0.5 * (oa.inv(s.D) @ s.W @ s.T)
    operator = oa.compile(e, TREE).linear_operator(q=Q, h=0.25)
    mass, D, W = (oa.evaluate(oa.dense(part), TREE, q=Q).dense() for part in (dyn.mass_matrix, s.D, s.W))
    matrix = 0.25 * np.linalg.inv(mass) + 0.5 * np.linalg.solve(D, W)
    allowed = rounding(size(matrix), terms=TREE.nv, condition=condition(mass))
    assert apart(operator @ np.eye(TREE.nv), matrix) <= allowed
    assert apart(operator.T @ np.eye(TREE.nv), matrix.T) <= allowed


def test_f_ext_may_be_the_vector() -> None:
    operator = oa.compile(s.H @ s.phi @ s.f_ext, TREE).linear_operator(q=Q)
    agree(operator @ np.eye(6 * TREE.n), oa.evaluate(s.H @ s.phi, TREE, q=Q).dense())


@pytest.mark.parametrize(
    ("e", "inputs", "words"),
    [
        (dyn.forward_dynamics, {"v": V}, r"is affine in T, not linear: −ℳ⁻¹ bias .*linear part alone, ℳ⁻¹ applied"),
        (dyn.coriolis, {}, r"v stands inside Ṽ"),
        (dyn.kinetic_energy, {}, "not an operator applied to v"),
        (dyn.inverse_dynamics, {}, "not given: qdd, v. Give all inputs but that vector"),
        (dyn.mass_matrix @ s.qdd, {"qdd": V}, "not given: none"),
        (oa.dense(dyn.mass_matrix), {}, "not one operator or vector"),
        ({"M": dyn.mass_matrix}, {}, "not one operator or vector"),
        (dyn.mass_matrix @ s.qdd, {"q": Q[None]}, "no leading axes"),
        (dyn.mass_matrix @ s.qdd, {"v": V}, "does not mention v"),
    ],
)
def test_what_is_no_linear_operator_is_said(e: Any, inputs: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        oa.compile(e, TREE).linear_operator(**{"q": Q, **inputs})


def test_arguments_are_checked_when_the_operator_is_made() -> None:
    compiled = oa.compile(s.V_tilde @ s.phi.T @ s.H.T @ s.qdd, TREE)
    with pytest.raises(InputError, match=r"v .*has shape \(1,\)"):
        compiled.linear_operator(q=Q, v=[1.0])
    with pytest.raises((InputError, ModelError), match="q"):
        compiled.linear_operator(q=Q[1:], v=V)


X, Y = oa.vector("x", oa.RATE), oa.vector("y", oa.MOTION)
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T


@pytest.mark.parametrize(
    ("e", "x", "A"),
    [
        (X, X, s.I),
        (3 * X - X, X, 2 * s.I),
        (MASS @ X, X, MASS),
        (oa.define("named", MASS @ X), X, MASS),
        (oa.scalar("h") * (MASS @ X) - MASS @ X, X, oa.scalar("h") * MASS - MASS),
        (s.H @ s.phi @ (s.M @ (s.phi.T @ s.H.T @ X + 0 * Y) - s.M @ s.H.T @ X), X, MASS - s.H @ s.phi @ s.M @ s.H.T),
        (s.T @ (s.v.T @ MASS @ X), X, s.T @ s.v.T @ MASS),
    ],
    ids=str,
)
def test_the_linear_part_of_formulas(e: Expr, x: Expr, A: Expr) -> None:
    found = linear_part(e, x)
    assert found.type == x.type.codomain >> e.type.codomain
    assert oa.equal(found @ x, A @ x)


def test_a_formula_without_the_vector_has_no_linear_part() -> None:
    x = X
    with pytest.raises(InputError, match="does not contain x"):
        linear_part(dyn.mass_matrix @ s.v, x)


def test_a_formula_of_ten_thousand_sums_has_its_linear_part() -> None:
    x = oa.vector("x", oa.TORQUE)
    e = x
    for _ in range(3000):
        e = oa.inv(s.D) @ e
        e = s.D @ e + x
    assert linear_part(e, x).type == oa.TORQUE >> oa.TORQUE
