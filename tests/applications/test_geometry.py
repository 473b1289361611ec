"""Geometry of the mass matrix: published numbers, complex steps, finite differences, symmetries, known curvatures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import operator_algebra as oa
from operator_algebra.applications import dynamics, geometry, sensitivities
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, SpaceMismatch
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import dense
from operator_algebra.lowering.lower import lower
from operator_algebra.models.model import Body, Model
from operator_algebra.symbols import G, T, V, innovations, v
from tests.applications.inputs import Case, cases, same, seeds
from tests.oracles import dense_dynamics
from tests.rounding import apart, condition, differencing, rounding, size
from tests.strategies import mechanisms

PRINTED = 1e-12
"""What thirteen printed digits leave of entries of about one."""
DIGITS = 1e-9
"""Of the largest term: mass matrices of random trees lose few of sixteen."""
TINY = 1e-40
STEP = 1e-4
"""Of second differences."""
INTEGRATED = 1e-8
"""What steps with a tolerance of 1e-10 leave after some dozens of them."""
COORDINATES = ("revolute", "prismatic", "helical", "cylindrical", "translation", "fixed")
CONSTANT = (*COORDINATES, "spherical", "floating", "planar")
trees = mechanisms(joints=(*COORDINATES, "universal"), armature=True, max_bodies=5)
frames_that_turn = mechanisms(joints=CONSTANT, max_bodies=4)


def planar2r(*, b: float = 0.4) -> Model:
    """Two links along x, turning about z; b is how far the mass centre of the second is from its joint."""
    z = oa.Joint.revolute((0, 0, 1))
    first = Body("upper", None, z, inertia=oa.Inertia(2.0, (0.5, 0, 0), (0.3, 0.3, 0.3)))
    second = oa.Inertia(1.5, (b, 0, 0), (0.2, 0.2, 0.2))
    return Model(bodies=[first, Body("lower", "upper", z, oa.Placement(translation=(1, 0, 0)), second)])


ARM = planar2r()
Q, RATES = np.array([0.3, -0.7]), np.array([1.1, 0.4])


def value(e: Any, model: Model, q: Any, **given_: Any) -> Any:
    return evaluate(e, model, q=q, **given_).dense()


def covector(e: Expr, model: Model, q: Any, **given_: Any) -> Any:
    return value(e, model, q, **given_).ravel()


def slopes(model: Model, q: Any) -> Any:
    """∂ℳ/∂q_k by complex steps, for rates that are those of coordinates: (k, i, j)."""
    steps = [value(dynamics.mass_matrix, model, q + 1j * TINY * one) for one in np.eye(model.nv)]
    return np.array([step.imag / TINY for step in steps]).reshape(model.nv, model.nv, model.nv)


def symbols(model: Model, q: Any) -> Any:
    """½ (∂_k ℳ_ij + ∂_j ℳ_ik − ∂_i ℳ_jk)."""
    d = slopes(model, q)
    return 0.5 * (np.einsum("kij->ijk", d) + np.einsum("jik->ijk", d) - d)


# -- published numbers -------------------------------------------------------------------------------------------------


def test_the_published_arm() -> None:
    mass = [[3.657810624741, 8.989053123707e-01], [8.989053123707e-01, 4.4e-01]]
    matrix = [[1.546122449370e-01, 5.797959185139e-01], [-4.251836735769e-01, 0.0]]
    first = [[[0, 3.865306123426e-01], [3.865306123426e-01] * 2], [[-3.865306123426e-01, 0], [0, 0]]]
    second = [
        [[4.335560976509e-01, 2.122188848381e-01], [2.122188848381e-01] * 2],
        [[-1.764219299390, -4.335560976509e-01], [-4.335560976509e-01] * 2],
    ]
    assert apart(value(dynamics.mass_matrix, ARM, Q), mass) <= PRINTED
    assert apart(value(geometry.connection, ARM, Q, v=RATES), matrix) <= PRINTED
    assert apart(geometry.christoffel_symbols(ARM, q=Q), first) <= PRINTED
    assert apart(geometry.christoffel_symbols(ARM, q=Q, kind="second"), second) <= PRINTED
    assert apart(geometry.sectional_curvature(ARM, q=Q, v=[1, 0], w=[0, 1]), 4.658709117518e-01) <= PRINTED


@given(seeds)
@settings(max_examples=10)
def test_the_closed_form_of_two_links(seed: int) -> None:
    q = ARM.random(seed)[0] * 3.0
    a, b, c = 0.3 + 2.0 * 0.25 + 1.5, 1.5 * 0.4, 0.2 + 1.5 * 0.16
    cosine = np.cos(q[1])
    expected = b * (a * c - b * b) * cosine / (a * c - (b * cosine) ** 2) ** 2
    for plane in ([[1, 0], [0, 1]], [[1.0, 2.0], [-0.3, 0.4]], [[1e-200, 0.0], [0.0, 1e200]]):
        found = geometry.sectional_curvature(ARM, q=q, v=plane[0], w=plane[1])
        assert apart(found, expected) <= DIGITS * (1.0 + abs(expected))


# -- the connection ----------------------------------------------------------------------------------------------------


@given(trees, seeds)
@settings(max_examples=25)
def test_christoffel_symbols_are_slopes_of_the_mass_matrix(model: Model, seed: int) -> None:
    q, _ = model.random(seed)
    expected = symbols(model, q)
    assert apart(geometry.christoffel_symbols(model, q=q), expected) <= DIGITS * (1.0 + size(expected))
    mass = dense_dynamics.mass_matrix(model, q)
    raised = geometry.christoffel_symbols(model, q=q, kind="second")
    lowered = np.einsum("il,ljk->ijk", mass, raised)
    assert apart(lowered, expected) <= DIGITS * (1.0 + size(raised)) * (1.0 + size(mass))


def test_symbols_of_a_batch() -> None:
    q = np.stack([ARM.random(seed)[0] for seed in range(3)])
    for kind in ("first", "second"):
        found = geometry.christoffel_symbols(ARM, q=q, kind=kind)
        assert apart(found[1], geometry.christoffel_symbols(ARM, q=q[1], kind=kind)) <= PRINTED
    assert geometry.riemann_tensor(ARM, q=q).shape == (3, 2, 2, 2, 2)
    assert geometry.sectional_curvature(ARM, q=q, v=[1, 0], w=[0, 1]).shape == (3,)


@given(cases)
@settings(max_examples=25)
def test_of_all_joints_c_v_is_the_velocity_terms_and_c_follows_the_mass_matrix(case: Case) -> None:
    C = case.value(geometry.connection)
    rate = case.value(sensitivities.mass_matrix_rate)
    assert same((C @ case.values["v"]).ravel(), case.value(dynamics.coriolis).ravel(), C)
    assert same(C + C.T, rate, C)


@given(cases)
@settings(max_examples=20)
def test_forces_of_a_motion(case: Case) -> None:
    """Lagrange's Y, dampers and other forces are what inverse dynamics asks for."""
    lagrange = case.value(geometry.lagrange).ravel()
    damped = case.model.arrays.damping * case.values["v"]
    pulled = case.value(geometry.generalized_force).ravel()
    inverse = case.value(dynamics.inverse_dynamics).ravel()
    assert same(lagrange + damped - pulled, inverse, lagrange, pulled)
    power = case.values["v"] @ pulled
    assert same(power, case.value(V).ravel() @ case.values["f_ext"], pulled)


@given(cases)
@settings(max_examples=20)
def test_d_potential_is_the_slope_of_potential_energy(case: Case) -> None:
    model, q, w = case.model, case.q, case.values["w"]
    step = 1e-5
    ahead, behind = (dynamics.potential_energy(model, q=model.integrate(q, s * step * w)) for s in (1.0, -1.0))
    slope = case.value(geometry.d_potential).ravel()
    scale = (1.0 + size(w)) ** 3 * (1.0 + abs(float(ahead)) + size(slope)) * 100.0
    assert abs(float(ahead - behind) / (2.0 * step) - slope @ w) <= differencing(scale, step)
    mass = case.value(dynamics.mass_matrix)
    assert same((mass @ case.value(geometry.gradient)).ravel(), slope, mass)


@given(cases)
@settings(max_examples=20)
def test_actuators_act_on_their_joints_alone(case: Case) -> None:
    model = case.model
    directions = [case.value(G)[6 * k : 6 * k + 6, part] for k, part in enumerate(model.v_slices)]
    given_: dict[str, Any] = {"T": case.values["T"], "zeta": directions}
    wrenches = evaluate(geometry.actuator_wrenches, model, q=case.q, frame=case.frame, **given_).dense()
    pulled = evaluate(geometry.generalized_force, model, q=case.q, frame=case.frame, f_ext=wrenches.ravel()).dense()
    assert same(pulled.ravel(), case.values["T"], wrenches)


def structure_constants(model: Model, q: Any, one: Any, other: Any) -> Any:
    """[one, other] of fields with constant components: how far apart q ⊕ s a ⊕ s b and q ⊕ s b ⊕ s a are, over s²."""

    def corner(a: Any, b: Any) -> Any:
        return model.integrate(model.integrate(q, STEP * a), STEP * b)

    def odd(a: Any, b: Any) -> Any:
        return model.difference(corner(b, a), corner(a, b))

    return (odd(one, other) + odd(-one, -other)) / (2.0 * STEP**2)


@given(frames_that_turn, seeds)
@settings(max_examples=20)
def test_torsion_is_the_bracket(model: Model, seed: int) -> None:
    """∇_v w − ∇_w v = [v, w]: zero for coordinates."""
    q, one = model.random(seed)
    other = np.random.default_rng(seed).standard_normal(model.nv)
    mass = dense_dynamics.mass_matrix(model, q)
    found = covector(geometry.christoffel, model, q, v=one, w=other) - covector(
        geometry.christoffel, model, q, v=other, w=one
    )
    bracket = structure_constants(model, q, one, other)
    scale = (1.0 + size(q)) * (1.0 + size(one, other)) ** 4
    allowed = rounding(scale, terms=9) / STEP**2 + scale * STEP**2
    assert apart(found, mass @ bracket) <= allowed * (1.0 + size(mass)) * model.nv
    assert apart(covector(geometry.bracket, model, q, v=one, w=other), bracket) <= allowed


@given(frames_that_turn, seeds)
@settings(max_examples=20)
def test_koszul(model: Model, seed: int) -> None:
    """2 ⟨∇_u w, z⟩ by slopes of the metric and brackets, each by complex steps and by `bracket`."""
    q, u = model.random(seed)
    rng = np.random.default_rng(seed)
    w, z = rng.standard_normal((2, model.nv))
    mass = dense_dynamics.mass_matrix(model, q)

    def slope(along: Any, a: Any, b: Any) -> float:
        ahead = value(dynamics.mass_matrix, model, model.integrate(q, 1j * TINY * along))
        return float(a @ (ahead.imag / TINY) @ b)

    def product(a: Any, b: Any, c: Any) -> float:
        return float(covector(geometry.bracket, model, q, v=a, w=b) @ mass @ c)

    expected = slope(u, w, z) + slope(w, u, z) - slope(z, u, w) + product(u, w, z) - product(w, z, u) + product(z, u, w)
    found = 2.0 * float(z @ covector(geometry.christoffel, model, q, v=u, w=w))
    assert abs(found - expected) <= DIGITS * (1.0 + size(mass)) * (1.0 + size(u, w, z)) ** 3


# -- axioms of ∇ -------------------------------------------------------------------------------------------------------

FIELD = geometry.gradient
"""A field that is a formula of q."""


@given(mechanisms(joints=CONSTANT, max_bodies=4), seeds)
@settings(max_examples=15)
def test_the_hessian_of_a_function_is_symmetric(model: Model, seed: int) -> None:
    """⟨∇_v grad V, w⟩ = ⟨∇_w grad V, v⟩, as the connection has no torsion and keeps the metric."""
    model = Model(name="heavy", bodies=model.bodies, gravity=(0.3, -2.0, -9.0))
    q, one = model.random(seed)
    other = np.random.default_rng(seed).standard_normal(model.nv)
    mass = dense_dynamics.mass_matrix(model, q)
    along = geometry.covariant(geometry.gradient, rates={"spring": 0})
    terms = [mass @ covector(along, model, q, v=each) for each in (one, other)]
    assert abs(float(other @ terms[0] - one @ terms[1])) <= rounding(terms=100, condition=condition(mass)) * (
        1.0 + size(*terms)
    ) * (1.0 + size(one, other))


def test_products_change_by_covariant_derivatives() -> None:
    """Metric compatibility and the rule of Leibniz, on fields with given rates of components."""
    model = oa.random_tree(5, joints=CONSTANT, seed=4)
    q, u = model.random(2)
    rng = np.random.default_rng(1)
    y, y_dot, z, z_dot = rng.standard_normal((4, model.nv))
    s, s_dot = 0.7, -1.3

    def nabla(w: Any, w_dot: Any) -> Any:
        return covector(geometry.covariant_derivative, model, q, v=u, w=w, w_dot=w_dot)

    ahead = value(dynamics.mass_matrix, model, model.integrate(q, 1j * TINY * u))
    moved = (y + 1j * TINY * y_dot) @ ahead @ (z + 1j * TINY * z_dot)
    mass = ahead.real
    assert abs(moved.imag / TINY - nabla(y, y_dot) @ mass @ z - y @ mass @ nabla(z, z_dot)) <= DIGITS * (
        1.0 + size(mass)
    )
    assert apart(nabla(s * y, s_dot * y + s * y_dot), s * nabla(y, y_dot) + s_dot * y) <= DIGITS * (1.0 + size(y_dot))
    still = covector(geometry.transport, model, q, v=u, w=y)
    assert apart(nabla(y, still), 0.0 * y) <= DIGITS * (1.0 + size(still))


def test_what_is_no_field_is_refused() -> None:
    with pytest.raises(SpaceMismatch, match="no field of rates"):
        geometry.covariant(T)
    with pytest.raises(SpaceMismatch, match="same spaces"):
        geometry.connection_along(T)


# -- geodesics ---------------------------------------------------------------------------------------------------------


def test_geodesics_keep_kinetic_energy_and_the_momenta_of_cyclic_coordinates() -> None:
    joints = ["revolute", "revolute", "prismatic"]
    model = oa.chain(3, joint=joints)
    model = Model(bodies=[replace(body, joint=replace(body.joint, damping=0.3)) for body in model.bodies])
    q, rates = np.array([0.1, 0.7, 0.2]), np.array([1.0, -0.5, 0.3])
    film = geometry.geodesic(model, q, rates, until=0.5, tolerance=1e-10)
    energy = compile_program(dynamics.kinetic_energy, model)(q=film.q, v=film.v)
    momenta = compile_program(dynamics.mass_matrix @ v, model)(q=film.q, v=film.v)
    assert np.ptp(energy) <= INTEGRATED * energy[0]
    assert np.ptp(momenta[:, 0]) <= INTEGRATED * size(momenta[0])
    assert np.ptp(momenta[:, 1]) > 1e-3  # the second angle is not cyclic
    speeding = compile_program(geometry.covariant_acceleration, model)
    free = compile_program(geometry.geodesic_acceleration, model)(q=q, v=rates)
    assert apart(speeding(q=q, v=rates, qdd=free), np.zeros(3)) <= DIGITS


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["spherical", "floating", "planar"])
def test_no_symbols_of_rates_that_are_not_of_coordinates(kind: str) -> None:
    model = oa.chain(2, joint=["revolute", kind])
    with pytest.raises(InputError, match=rf'of kind "{kind}" has rates that are not those of its coordinates'):
        geometry.christoffel_symbols(model, q=model.neutral())
    loaded = [replace(body, joint=replace(body.joint, armature=0.1)) for body in model.bodies]
    with pytest.raises(InputError, match="has armature"):
        geometry.riemann_tensor(Model(bodies=loaded), q=model.neutral())


# -- cost --------------------------------------------------------------------------------------------------------------

SWEEPS = {
    "christoffel": 2,
    "lagrange": 2,
    "christoffel_of_second_kind": 3,
    "geodesic_acceleration": 3,
    "sectional": 3,
    "varying_sectional": 4,
}


@pytest.mark.parametrize("name", SWEEPS)
def test_one_program_of_few_sweeps(name: str) -> None:
    program = lower(getattr(geometry, name))
    assert len(program.sweeps) <= SWEEPS[name]
    assert program.cost(ARM).order == "O(N)"


def test_the_matrix_takes_two_sweeps_and_its_entries() -> None:
    program = lower(dense(geometry.connection))
    assert (len(program.sweeps), program.cost(ARM).order) == (2, "O(N depth)")
    assert innovations(0).G is G
