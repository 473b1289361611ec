"""Diagonalised dynamics: the same motion as ordinary dynamics, rates as derivatives along it, and who does work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from operator_algebra.applications import diagonalized, dynamics, geometry
from operator_algebra.compiler import compile as compile_program
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import random_tree
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.models.numeric import Numbers as Floats
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from operator_algebra.symbols import B, H, V, armature, innovations, phi
from tests.applications.inputs import Case, cases, frames, same, seeds
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms

PRINTED = 1e-12
"""What twelve printed digits leave of a number of about one."""
INTEGRATED = 1e-10
"""What steps with a tolerance of 1e-12 leave after some dozens of them."""
MANY = ("spherical", "universal", "cylindrical", "floating")
single = st.builds(
    Case, mechanisms(joints=("revolute", "prismatic", "helical", "fixed"), armature=True, max_bodies=6), seeds, frames
)


@given(cases)
@settings(max_examples=20)
def test_the_motion_is_that_of_ordinary_dynamics(case: Case) -> None:
    forward = case.value(dynamics.forward_dynamics)
    assert same(case.value(diagonalized.joint_acceleration), forward)
    rate = case.value(diagonalized.total_acceleration)
    terms = case.value(diagonalized.total_bias)
    assert same(case.value(diagonalized.joint_forces, total_rate=rate), case.values["T"], terms)


@given(cases)
@settings(max_examples=20)
def test_total_rates_change_as_their_equation_says(case: Case) -> None:
    forward = case.value(dynamics.forward_dynamics)
    assert same(case.value(diagonalized.total_acceleration), case.along(diagonalized.xi, forward), forward)


@given(single)
@settings(max_examples=20)
def test_normalised_rates_change_as_their_equation_says(case: Case) -> None:
    forward = case.value(dynamics.forward_dynamics)
    found, terms = case.value(diagonalized.normalised_acceleration), case.value(diagonalized.normalised_bias)
    assert same(found, case.along(diagonalized.nu, forward), forward, terms)


@given(cases)
@settings(max_examples=20)
def test_rates_are_found_again(case: Case) -> None:
    total, normalised = case.value(diagonalized.xi), case.value(diagonalized.nu)
    assert same(case.value(diagonalized.rates_of_total, total=total), case.values["v"], total)
    assert same(case.value(diagonalized.rates_of_normalised, normalised=normalised), case.values["v"], total)
    assert same(case.value(diagonalized.velocity_of_total, total=total), case.value(V), total)


@given(cases)
@settings(max_examples=20)
def test_energy_and_power(case: Case) -> None:
    energy = case.value(dynamics.kinetic_energy)
    normalised = case.value(diagonalized.nu)
    assert same(case.value(diagonalized.energy_of_total), energy)
    assert same(0.5 * np.sum(normalised**2), energy.squeeze())
    assert same(case.value(diagonalized.power_of_normalised), case.value(dynamics.power), case.values["T"])


@given(cases)
@settings(max_examples=20)
def test_velocity_terms_of_total_rates_do_the_work_that_d_takes_up(case: Case) -> None:
    total, terms = case.value(diagonalized.xi), case.value(diagonalized.coriolis_of_total)
    changed = case.value(innovations(armature).D_ring)
    work = np.sum(total * terms)
    assert same(work, 0.5 * np.sum(total.T @ changed @ total), size(total) * size(terms))


@given(single)
@settings(max_examples=20)
def test_velocity_terms_of_normalised_rates_do_no_work(case: Case) -> None:
    rates, terms = case.value(diagonalized.nu), case.value(diagonalized.coriolis_of_normalised)
    assert same(np.sum(rates * terms), 0.0, size(rates) * size(terms))


@given(cases)
@settings(max_examples=20)
def test_controls_are_joint_forces(case: Case) -> None:
    """T = m ε: damping of ν is that of momenta, and a pull at points is the force that it takes at joints."""
    error = np.arange(1.0, 1.0 + 3 * case.model.n)
    points = {body.joint.name: np.vstack([np.eye(3), np.full((3, 3), 0.5)]) for body in case.model.bodies}
    damped = -0.7 * case.value(dynamics.mass_matrix) @ case.values["v"]
    assert same(case.value(diagonalized.rate_control, gain=0.7).ravel(), damped)
    given_ = {"gain": 0.7, "pull": 2.0, "B": points, "error": error}
    pulled = 2.0 * case.value(H @ phi @ B, B=points) @ error
    assert same(case.value(diagonalized.set_point_control, **given_).ravel(), damped + pulled, damped, pulled)


@pytest.mark.parametrize(
    ("name", "sweeps"),
    [("total_acceleration", 2), ("normalised_acceleration", 2), ("joint_forces", 2), ("joint_acceleration", 3)],
)
def test_sweeps(name: str, sweeps: int) -> None:
    assert len(lower(getattr(diagonalized, name)).sweeps) == sweeps


@pytest.mark.parametrize(
    ("kind", "joints"),
    [("total", ("revolute", "prismatic")), ("total", MANY), ("normalised", ("revolute", "prismatic"))],
)
def test_the_same_motion_in_other_rates(kind: str, joints: tuple[str, ...]) -> None:
    """(q, ξ), (q, ν) and (q, v) are states of one motion."""
    model = random_tree(4, joints=joints, seed=3)
    q, v = model.random(3)
    T = np.linspace(-0.5, 0.5, model.nv)
    plain: dict[str, Any] = {"T": T, "f_ext": np.zeros(6 * model.n)}
    forward = compile_program(dynamics.forward_dynamics, model)
    back = compile_program(getattr(diagonalized, f"rates_of_{kind}"), model)
    moved = compile_program(getattr(diagonalized, f"{kind}_acceleration"), model)

    def pose(state: Any) -> Any:
        at = np.array(state[: model.nq])
        for part, body in zip(model.q_slices, model.bodies, strict=True):
            if body.joint.quaternion is not None:
                at[part][body.joint.quaternion] /= np.linalg.norm(at[part][body.joint.quaternion])
        return at

    def ordinary(_: float, state: Any) -> Any:
        at, rates = pose(state), state[model.nq :]
        return np.concatenate([model.rate(at, rates), forward(q=at, v=rates, **plain)])

    def diagonal(_: float, state: Any) -> Any:
        at = pose(state)
        rates = back(q=at, **{kind: state[model.nq :]})
        return np.concatenate([model.rate(at, rates), moved(q=at, v=rates, **plain)])

    total = compile_program(diagonalized.xi if kind == "total" else diagonalized.nu, model)

    def after(slope: Callable[[float, Floats], Any], start: Floats) -> Floats:
        found = solve_ivp(
            slope, (0.0, 0.5 if model.nq == model.nv else 0.1), start, method="DOP853", rtol=1e-12, atol=1e-12
        )
        return found.y[:, -1]

    one = after(ordinary, np.concatenate([q, v]))
    other = after(diagonal, np.concatenate([q, total(q=q, v=v)]))
    assert apart(other[: model.nq], one[: model.nq]) <= INTEGRATED
    assert apart(other[model.nq :], total(q=pose(one), v=one[model.nq :])) <= INTEGRATED * max(1.0, size(one))


@given(single)
@settings(max_examples=8)
def test_the_test_for_coordinates_is_a_curl(case: Case) -> None:
    """Against steps into the complex plane."""
    v, w, m = case.values["v"], case.values["w"], innovations(armature).m

    def slope(along: Floats, of: Floats) -> Any:
        ahead = case.model.integrate(case.q, 1j * 1e-40 * along)
        return (case.value(m, q=ahead).T @ of).imag / 1e-40

    assert same(case.value(diagonalized.coordinate_test), slope(v, w) - slope(w, v), case.value(m))


@pytest.mark.parametrize(("offset", "there_are_coordinates"), [(0.0, True), (0.3, False)])
def test_a_balanced_link_leaves_normalised_rates_that_are_rates_of_coordinates(
    offset: float, there_are_coordinates: bool
) -> None:
    """A flat arm of two links: the mass matrix does not change where the second is balanced on its joint."""
    turn, ball = Joint.revolute((0, 0, 1)), Inertia.sphere(1.0, 0.2, com=(0.4, 0, 0))
    second = Body("two", "one", turn, Placement(translation=(1, 0, 0)), Inertia.sphere(1.5, 0.2, com=(offset, 0, 0)))
    arm = Model(name="balanced", bodies=[Body("one", None, turn, inertia=ball), second])
    found = compile_program(diagonalized.coordinate_test, arm)(q=[0.3, 0.7], v=[1.0, 0.2], w=[-0.4, 1.0])
    assert (size(found) <= rounding()) == there_are_coordinates


def test_the_published_curvatures_of_two_freedoms() -> None:
    """Of two links, b (a d − b² − d²) cos q₂ / (a d − d² − b² cos² q₂); of a sliding load, −I m / (I + m r²)."""
    z = Joint.revolute((0, 0, 1))
    second = Body("two", "one", z, Placement(translation=(1, 0, 0)), Inertia(1.5, (0.4, 0, 0), (0.26, 0.26, 0.26)))
    links = Model(bodies=[Body("one", None, z, inertia=Inertia(2.0, (0.5, 0, 0), (0.2, 0.2, 0.2))), second])
    assert apart(geometry.riemann_tensor(links, q=[0.1, 0.4])[0, 1, 0, 1], 0.514667494207) <= PRINTED
    for moment in (0.0, 0.3):
        load = Inertia(1.2, (0, 0, 0), (moment, moment, moment))
        slide = Body("slide", "arm", Joint.prismatic((1, 0, 0)), inertia=load)
        arm = Model(bodies=[Body("arm", None, z), slide])
        q = [0.2, 0.7]
        expected = -moment * 1.2 / (moment + 1.2 * 0.7**2)
        assert apart(geometry.riemann_tensor(arm, q=q)[0, 1, 0, 1], expected) <= rounding(1.0 + abs(expected), terms=60)
        # Even where nothing is curved, the innovations factor need not be a gradient.
        turned = compile_program(diagonalized.coordinate_test, arm)(q=q, v=[1.0, 0.2], w=[-0.4, 1.0])
        assert size(turned) > 0.1
