"""The same mechanism told differently has the same joint-space dynamics, by an oracle of dense matrices."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra.models.families import random_tree
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.joints.universal import Universal
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.transforms import Placement
from tests.changed_mechanisms import rebased, reordered, rescaled, split
from tests.oracles.dense_dynamics import allowed, bias, mass_matrix, potential_energy
from tests.rounding import apart, differencing, size
from tests.strategies import ALL_JOINTS, mechanisms, placements

Floats = NDArray[np.float64]
seeds = st.integers(0, 2**20)


def _same(model: Model, other: Model, q: Floats, v: Floats) -> None:
    left = allowed(other, q, v)
    assert apart(mass_matrix(other, q), mass_matrix(model, q)) <= left.mass
    assert apart(bias(other, q, v), bias(model, q, v)) <= left.force


def test_a_thousand_orders_permute_the_answer() -> None:
    model = random_tree(9, joints=ALL_JOINTS, branching=0.8, seed=5)
    q, v = model.random(1)
    mass, force, left = mass_matrix(model, q), bias(model, q, v), allowed(model, q, v)
    rng = random.Random(0)
    for _ in range(1000):
        order = rng.sample(range(model.n), model.n)
        changed = reordered(model, order)
        take = changed.take_v
        assert apart(mass_matrix(changed.model, q[changed.take_q]), mass[np.ix_(take, take)]) <= left.mass
        assert apart(bias(changed.model, q[changed.take_q], v[take]), force[take]) <= left.force


@given(mechanisms(max_bodies=5, armature=True), placements(), st.floats(0.1, 0.9), seeds)
def test_splitting_a_body_by_a_fixed_joint(model: Model, place: Placement, share: float, seed: int) -> None:
    q, v = model.random(seed)
    for k in range(model.n):
        _same(model, split(model, k, place, share), q, v)


@given(mechanisms(max_bodies=5, armature=True), placements(), seeds)
def test_turning_and_moving_the_base_with_gravity(model: Model, place: Placement, seed: int) -> None:
    q, v = model.random(seed)
    _same(model, rebased(model, place), q, v)


@given(mechanisms(max_bodies=5, armature=True), seeds, st.sampled_from([(1e3, 1.0, 1.0), (0.3048, 0.4536, 60.0)]))
def test_other_units(model: Model, seed: int, units: tuple[float, float, float]) -> None:
    length, mass, time = units
    q, v = model.random(seed)
    other = rescaled(model, length=length, mass=mass, time=time)
    energy = mass * length**2
    found = mass_matrix(other.model, q * other.q_units) * np.outer(other.v_units, other.v_units) / energy
    left = allowed(model, q, v)
    assert apart(found, mass_matrix(model, q)) <= left.mass
    force = bias(other.model, q * other.q_units, v * other.v_units / time)
    assert apart(force * other.v_units * time**2 / energy, bias(model, q, v)) <= left.force


@given(mechanisms(joints=("universal", "revolute", "spherical"), max_bodies=4), seeds)
@settings(max_examples=50)
def test_a_universal_joint_is_two_revolute_joints_with_a_massless_body_between(model: Model, seed: int) -> None:
    bodies: list[Body] = []
    for body in model.bodies:
        joint = body.joint
        if isinstance(joint, Universal):
            middle = Body(f"{body.name}_cross", body.parent, Joint.revolute(joint.axis1), body.placement)
            bodies += [middle, Body(body.name, middle.name, Joint.revolute(joint.axis2), inertia=body.inertia)]
        else:
            bodies.append(body)
    q, v = model.random(seed)
    _same(model, Model(bodies=bodies), q, v)


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_gravity_force_is_the_gradient_of_the_potential(kind: str) -> None:
    model = random_tree(4, joints=[kind, "revolute"], seed=3)
    q, _ = model.random(2)
    force = bias(model, q, np.zeros(model.nv))
    h = 1e-5
    for i, step in enumerate(np.eye(model.nv)):
        ends = [potential_energy(model, model.integrate(q, s * h * step)) for s in (1.0, -1.0)]
        slope = (ends[0] - ends[1]) / (2 * h)
        assert apart(slope, force[i]) <= differencing(size(ends) + size(force), h)


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_velocity_forces_conserve_energy(kind: str) -> None:
    """Along free motion dT/dt = −v · (gravity part): v* C = ½ v* Ṁ v, with Ṁ by differences."""
    model = random_tree(4, joints=[kind, "spherical"], seed=4)
    q, v = model.random(3)
    velocity_part = bias(model, q, v) - bias(model, q, np.zeros(model.nv))
    h = 1e-5
    ahead, behind = (mass_matrix(model, model.integrate(q, s * h * v)) for s in (1.0, -1.0))
    rate = (ahead - behind) / (2 * h)
    allowed = differencing(size(ahead) * float(np.abs(v).sum()) ** 2, h, rate=float(np.abs(v).sum()))
    assert apart(v @ velocity_part, 0.5 * v @ rate @ v) <= allowed
