"""Filter and smoother of a planar chain in scalars; inertias in ten and in twenty-one parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.applications import dynamics, estimation
from operator_algebra.models.model import Model
from operator_algebra.operators import leaf
from operator_algebra.operators.leaves import LeafValues
from tests.applications.inputs import same
from tests.oracles.recursive_dynamics import tilde
from tests.strategies import mechanisms

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
SOLVE = s.inv(MASS) @ s.T


def planar(count: int) -> Model:
    """Links along the second axis, turning about the third, without weight; in numbers without rounding."""
    turn, bodies = oa.Joint.revolute((0, 0, 1)), list[oa.Body]()
    for k in range(count):
        placement = oa.Placement(translation=(0, (33 + 2 * k) / 64, 0)) if k else oa.Placement()
        mass, centre = (67 + 6 * k) / 64, (17 + 4 * k) / 64
        inertia = oa.Inertia(mass, (0, centre, 0), np.diag([1.25, 1.25, 2 - mass * centre**2]).tolist())
        bodies.append(oa.Body(f"link{k}", f"link{k - 1}" if k else None, turn, placement, inertia))
    return Model(name=f"planar{count}", bodies=bodies, gravity=(0, 0, 0))


def by_scalars(model: Model, q: Any, T: Any) -> Any:
    """ℳ⁻¹ T by filter and smoother with the shift and inertia of (85), (86): moment, force along a link, force across.

    φ = [[1, 0, −l], [0, 1, 0], [0, 0, 1]] and M = [[I, 0, −m p], [0, m, 0], [−m p, 0, m]], and a turn at each joint.
    """
    n = model.n
    shift, passed, gain, pivot, e = [np.eye(3)] * n, np.zeros((3, 3)), np.zeros((n, 3)), np.zeros(n), np.zeros(n)
    z_plus, h = np.zeros(3), np.array([1.0, 0.0, 0.0])
    for k in reversed(range(n)):
        body = model.bodies[k].inertia
        p, cos, sin = body.com[1], np.cos(q[k]), np.sin(q[k])
        inertia = body.inertia_at_com[2][2] + body.mass * p * p
        M = np.array([[inertia, 0, -body.mass * p], [0, body.mass, 0], [-body.mass * p, 0, body.mass]])
        P = M + passed
        pivot[k], gain[k] = h @ P @ h, P @ h / (h @ P @ h)
        e[k] = T[k] - h @ z_plus
        z_here = z_plus + gain[k] * e[k]
        length = model.bodies[k].placement.translation[1]
        # Turned to the axes of the parent, then shifted along its link.
        turn = np.array([[1, 0, 0], [0, cos, sin], [0, -sin, cos]])
        shift[k] = np.array([[1, 0, -length], [0, 1, 0], [0, 0, 1]]) @ turn
        passed = shift[k] @ (P - np.outer(gain[k], h @ P)) @ shift[k].T
        z_plus = shift[k] @ z_here
    rates, alpha = np.zeros(n), np.zeros(3)
    for k in range(n):
        inward = shift[k].T @ alpha
        rates[k] = e[k] / pivot[k] - gain[k] @ inward
        alpha = inward + h * rates[k]
    return rates


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_scalar_filter_and_smoother_of_a_planar_chain(count: int) -> None:
    model = planar(count)
    rng = np.random.default_rng(7)
    q, T = rng.uniform(-3, 3, count), rng.standard_normal(count)
    expected = by_scalars(model, q, T)
    assert same(oa.compile(SOLVE, model)(q=q, T=T), expected)
    whole: dict[str, Any] = {"q": q, "T": T, "v": np.zeros(count)}
    assert same(
        oa.evaluate(estimation.smoothed_acceleration, model, f_ext=np.zeros(6 * count), **whole).dense(), expected
    )


def moved(model: Model, q: Any, k: int) -> tuple[Any, Any]:
    """How body k stands in its parent."""
    rotation, position = LeafValues(model, q).relative
    return rotation[k], position[k]


@given(mechanisms(max_bodies=6), st.integers(0, 1000))
@settings(max_examples=10)
def test_composite_inertia_in_ten_parameters(model: Model, seed: int) -> None:
    """Mass, mass times mass centre, and moments of inertia, by `Inertia` from the tips to the base."""
    q, _ = model.random(seed)
    carried = [body.inertia for body in model.bodies]
    for k in reversed(range(model.n)):
        if model.parent[k] >= 0:
            placement = oa.Placement(*moved(model, q, k))
            carried[model.parent[k]] = carried[model.parent[k]] + carried[k].moved(placement)
    found = oa.evaluate(s.R, model, q=q)
    for k, inertia in enumerate(carried):
        assert same(found[k, k], inertia.matrix(), inertia.matrix())


@given(mechanisms(joints=("revolute",), max_bodies=6), st.integers(0, 1000))
@settings(max_examples=10)
def test_articulated_inertia_in_twenty_one_parameters(model: Model, seed: int) -> None:
    """ρ, C and J of P = [[J, C], [C*, ρ]] as they are printed, shifted, and updated by the axis of a turn."""
    q, _ = model.random(seed)
    found = oa.evaluate(s.P, model, q=q)
    parts = [(np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3)))] * model.n
    for k in reversed(range(model.n)):
        body, joint = model.bodies[k].inertia, LeafValues(model, q).blocks(leaf.H)[k][0]
        rho, C, J = parts[k]
        p = tilde(np.array(body.com))
        rho, C = rho + body.mass * np.eye(3), C + body.mass * p
        J = J + np.array(body.inertia_at_com) - body.mass * p @ p
        P = np.block([[J, C], [C.T, rho]])
        assert same(found[k, k], P, P)
        h, parent = joint[:3], model.parent[k]
        D = h @ J @ h
        Jh, Ch = J @ h, C.T @ h
        rho, C, J = rho - np.outer(Ch, Ch) / D, C - np.outer(Jh, Ch) / D, J - np.outer(Jh, Jh) / D
        if parent >= 0:
            R, length = moved(model, q, k)
            rho, C, J, L = R @ rho @ R.T, R @ C @ R.T, R @ J @ R.T, tilde(length)
            J = J + L @ C.T + C @ L.T + L @ rho @ L.T
            C = C + L @ rho
            parts[parent] = (parts[parent][0] + rho, parts[parent][1] + C, parts[parent][2] + J)


def test_dynamics_of_the_chain_are_those_of_the_package() -> None:
    model = planar(4)
    q, v = model.random(2)
    qdd = oa.compile(dynamics.forward_dynamics, model)(q=q, v=v, T=np.ones(4))
    assert same(oa.compile(dynamics.inverse_dynamics, model)(q=q, v=v, qdd=qdd), np.ones(4))
