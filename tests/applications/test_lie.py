"""Displacements, velocities and screws: published numbers, matrix exponentials, complex steps, particles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra.applications import lie
from operator_algebra.errors import InputError, RangeError
from operator_algebra.spatial.rotations import rotation_about
from operator_algebra.spatial.transforms import Placement
from tests.rounding import EPS, apart, rounding, size
from tests.spatial.test_transforms import expm

PRINTED = 1e-12
"""What twelve printed decimals leave of entries of about one."""
TINY = 1e-40
XI = [0.3, -0.2, 0.5, 0.1, 0.4, -0.7]
EXP_XI = [
    [8.595338985587e-01, -4.979915370029e-01, -1.149169539364e-01, 4.510054496150e-02],
    [4.398676329582e-01, 8.353156052067e-01, -3.297943376923e-01, 5.141610734228e-01],
    [2.602267140481e-01, 2.329211642844e-01, 9.370324372849e-01, -6.213958976078e-01],
    [0, 0, 0, 1],
]
seeds = st.integers(0, 2**20)


def twist(seed: int, turn: float | None = None) -> Any:
    """A random twist, with an angular part of some length."""
    xi = np.random.default_rng(seed).standard_normal(6)
    if turn is not None:
        xi[:3] *= turn / np.linalg.norm(xi[:3])
    return xi


# -- displacements -----------------------------------------------------------------------------------------------------


def test_the_published_displacement() -> None:
    assert apart(lie.exp(XI), EXP_XI) <= PRINTED
    assert apart(lie.log(lie.exp(XI)), XI) <= rounding(terms=9)


@pytest.mark.parametrize("turn", [0.0, 1e-12, 1e-5, 0.0999, 0.1001, 1.0, 3.0, 3.1415, 5.0])
def test_exp_is_the_matrix_exponential(turn: float) -> None:
    xi = twist(1, turn)
    assert apart(lie.exp(xi), expm(lie.hat(xi))) <= rounding(1.0 + size(xi), terms=40)
    assert apart(lie.Ad(lie.exp(xi)), expm(lie.ad(xi))) <= rounding((1.0 + size(xi)) ** 2, terms=40)


@pytest.mark.parametrize("gap", [1.0, 1e-3, 1e-5, 1e-8, 1e-12, 0.0])
@pytest.mark.parametrize("seed", range(4))
def test_logarithms_near_half_turns_keep_all_digits(gap: float, seed: int) -> None:
    xi = twist(seed, np.pi - gap)
    g = lie.exp(xi)
    found = lie.log(g)
    assert apart(lie.exp(found), g) <= rounding(1.0 + size(xi), terms=9)
    assert gap == 0.0 or apart(found, xi) <= rounding(10.0 * (1.0 + size(xi)), terms=9)


@pytest.mark.parametrize("turn", [0.0, 1e-300, 1e-12, 1e-6, 0.05])
def test_logarithms_of_small_turns_keep_all_digits(turn: float) -> None:
    xi = twist(5, turn)
    found = lie.log(lie.exp(xi))
    assert apart(found[:3], xi[:3]) <= rounding(turn, terms=4)
    assert apart(found[3:], xi[3:]) <= rounding(size(xi[3:]), terms=9)


@pytest.mark.parametrize("axis", range(3))
def test_half_turns_about_axes(axis: int) -> None:
    xi = np.pi * np.eye(6)[axis]
    assert apart(np.abs(lie.log(lie.exp(xi))), xi) <= rounding(np.pi)
    assert apart(np.abs(lie.log(np.diag([*(2.0 * np.eye(3)[axis] - 1.0), 1.0]))), xi) <= rounding(np.pi)


@given(seeds)
@settings(max_examples=20)
def test_the_group_and_its_algebra(seed: int) -> None:
    g, h, (x, y, F) = lie.exp(twist(seed)), lie.exp(twist(seed + 1)), map(twist, (seed + 2, seed + 3, seed + 4))
    scale = (1.0 + size(g, h)) ** 4 * (1.0 + size(x, y, F)) ** 2
    pairs = [
        (lie.compose(g, lie.inverse(g)), np.eye(4)),
        (lie.Ad(lie.compose(g, h)), lie.Ad(g) @ lie.Ad(h)),
        (lie.Ad(lie.inverse(g)), np.asarray(np.linalg.inv(lie.Ad(g)))),
        (lie.hat(lie.Ad(g) @ x), g @ lie.hat(x) @ lie.inverse(g)),
        (lie.hat(lie.ad(x) @ y), lie.hat(x) @ lie.hat(y) - lie.hat(y) @ lie.hat(x)),
        (lie.Ad(g) @ lie.ad(x) @ lie.Ad(lie.inverse(g)), lie.ad(lie.Ad(g) @ x)),
        (lie.ad(lie.ad(x) @ y), lie.ad(x) @ lie.ad(y) - lie.ad(y) @ lie.ad(x)),
        ((lie.Ad(lie.inverse(g)).T @ F) @ (lie.Ad(g) @ x), F @ x),
    ]
    for found, expected in pairs:
        assert apart(found, expected) <= rounding(scale, terms=36)


@given(seeds)
@settings(max_examples=20)
def test_velocities_add_as_frames_are_put_together(seed: int) -> None:
    """g_XZ = g_XY g_YZ along motions g exp(t x̂), at t = 0, by a complex step."""
    g, h, x, y = lie.exp(twist(seed)), lie.exp(twist(seed + 1)), twist(seed + 2), twist(seed + 3)

    rates = {"XY": (g, g @ lie.hat(x)), "YZ": (h, h @ lie.hat(y))}
    rates["XZ"] = (g @ h, rates["XY"][1] @ h + g @ rates["YZ"][1])
    body = {name: lie.body_velocity(*pair) for name, pair in rates.items()}
    spatial = {name: lie.spatial_velocity(*pair) for name, pair in rates.items()}
    ahead: Any = lie.compose(lie.exp(twist(seed)) @ lie.exp(1j * TINY * x), h @ lie.exp(1j * TINY * y))
    scale = (1.0 + size(g, h)) ** 4 * (1.0 + size(x, y))
    pairs = [
        (body["XY"], x),
        (spatial["XZ"], lie.Ad(lie.compose(g, h)) @ body["XZ"]),
        (lie.add_body_velocities(body["XY"], body["YZ"], h), body["XZ"]),
        (lie.add_spatial_velocities(spatial["XY"], spatial["YZ"], g), spatial["XZ"]),
        (lie.body_velocity(g @ h, ahead.imag / TINY), body["XZ"]),
    ]
    for found, expected in pairs:
        assert apart(found, expected) <= rounding(scale, terms=36)


def test_the_rate_of_a_point_is_not_its_body_velocity() -> None:
    """V̂_b p is R* ṗ_S, the velocity in body axes: p_B itself rests."""
    g, x, p = lie.exp(twist(3)), twist(4), np.array([0.3, -0.1, 0.7, 1.0])
    ahead: Any = g @ lie.exp(1j * TINY * x) @ p
    rate = ahead.imag / TINY
    assert apart((lie.hat(lie.body_velocity(g, g @ lie.hat(x))) @ p)[:3], g[:3, :3].T @ rate[:3]) <= rounding(10.0)


def test_leading_axes() -> None:
    xi = np.random.default_rng(0).standard_normal((2, 3, 6))
    g = lie.exp(xi)
    assert g.shape == (2, 3, 4, 4)
    assert apart(lie.log(g)[1, 2], lie.log(g[1, 2])) == 0.0
    assert apart(lie.Ad(g)[1, 2], lie.Ad(g[1, 2])) == 0.0
    assert lie.Screw.of_twist(xi).pitch.shape == (2, 3)


# -- screws ------------------------------------------------------------------------------------------------------------


def test_the_published_screws() -> None:
    screw = lie.Screw.of_twist(XI)
    assert apart(screw.axis, [4.866642633923e-01, -3.244428422615e-01, 8.111071056538e-01]) <= PRINTED
    assert apart(screw.point, [-1.578947368421e-01, 6.842105263158e-01, 3.684210526316e-01]) <= PRINTED
    assert apart([screw.pitch, screw.magnitude], [-1.052631578947, 6.164414002969e-01]) <= PRINTED
    screw = lie.Screw.of_wrench([0.7, -0.3, 0.2, 1.0, 2.0, -0.5])
    assert apart(screw.axis, [4.364357804720e-01, 8.728715609440e-01, -2.182178902360e-01]) <= PRINTED
    assert apart(screw.point, [4.761904761905e-02, -1.047619047619e-01, -3.238095238095e-01]) <= PRINTED
    assert apart([screw.pitch, screw.magnitude], [0.0, 2.291287847478]) <= PRINTED


@given(seeds)
@settings(max_examples=20)
def test_chasles_and_poinsot(seed: int) -> None:
    """A turn about an axis through the point and a slide along it; a pull along an axis and a couple about it."""
    xi, F = twist(seed), twist(seed + 1)
    screw, pull = lie.Screw.of_twist(xi), lie.Screw.of_wrench(F)
    R = rotation_about(screw.axis, np.array([screw.magnitude]), np)
    d = screw.point - R @ screw.point + screw.pitch * screw.magnitude * screw.axis
    scale = (1.0 + size(screw.point)) * (1.0 + abs(float(screw.pitch))) * (1.0 + size(xi))
    assert apart(screw.displacement()[:3], np.column_stack([R, d])) <= rounding(scale, terms=9)
    assert apart(screw.twist(), xi) <= rounding(scale, terms=9)
    f = pull.magnitude * pull.axis
    couple = np.cross(pull.point, f) + pull.pitch * pull.magnitude * pull.axis
    scale = (1.0 + size(pull.point)) * (1.0 + abs(float(pull.pitch))) * (1.0 + size(F))
    assert apart(np.concatenate([couple, f]), F) <= rounding(scale, terms=9)
    assert apart(pull.wrench(), F) <= rounding(scale, terms=9)


def test_screws_without_a_turn() -> None:
    screw = lie.Screw.of_twist([[0, 0, 0, 0, 3, 4], [0, 0, 1e-200, 0, 1e-200, 0]])
    assert screw.pitch.tolist() == [np.inf, 0.0]
    assert screw.magnitude.tolist() == [5.0, 1e-200]
    assert apart(screw.twist(), [[0, 0, 0, 0, 3, 4], [0, 0, 1e-200, 0, 1e-200, 0]]) <= rounding(5.0)
    couple = lie.Screw.of_wrench([0, 3, 4, 0, 0, 0])
    assert apart(couple.wrench(), [0, 3, 4, 0, 0, 0]) <= rounding(5.0)


# -- inertia -----------------------------------------------------------------------------------------------------------


def test_inertia_of_a_cloud_of_particles_in_another_frame() -> None:
    rng = np.random.default_rng(2)
    mass, points = rng.uniform(0.1, 1.0, 20), rng.standard_normal((20, 3))
    g = lie.exp(twist(6))
    V_ = twist(7)

    def energy(places: Any) -> float:
        speeds = V_[3:] + np.cross(V_[:3], places)
        return 0.5 * float((mass * (speeds**2).sum(-1)).sum())

    centre = mass @ points / mass.sum()
    arms = points - centre
    about = (
        mass[:, None, None] * ((arms**2).sum(-1)[:, None, None] * np.eye(3) - arms[:, :, None] * arms[:, None])
    ).sum(0)
    M = oa.Inertia(float(mass.sum()), centre.tolist(), about.tolist()).matrix()
    moved = lie.move_inertia(M, g)
    expected = energy(points @ g[:3, :3].T + g[:3, 3])
    assert abs(0.5 * V_ @ moved @ V_ - expected) <= rounding(expected, terms=60)
    assert apart(
        moved, oa.Inertia(float(mass.sum()), centre.tolist(), about.tolist()).moved(lie.placement(g)).matrix()
    ) <= (rounding(size(moved), terms=20))
    d = g[:3, 3]
    central = lie.move_inertia(np.diag([0.0, 0.0, 0.0, 2.0, 2.0, 2.0]), Placement(translation=d.tolist()))
    lever = lie.hat([*d, 0, 0, 0])[:3, :3]
    assert apart(central[:3, :3], -2.0 * lever @ lever) <= rounding(size(central), terms=9)
    assert apart(central[:3, :3], -(lever @ lever)) > 0.1 * size(central)  # as printed, without the mass


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (np.diag([1.0, 1.0, -1.0, 1.0]), "reflection"),
        (np.diag([1.0, 1.0, 1.1, 1.0]), "not orthogonal"),
        (np.diag([1.0, 1.0, 1.0, 2.0]), "last row"),
        (np.eye(3), "shape"),
        (np.full((4, 4), np.nan), "not finite"),
        ("pose", "not an array of numbers"),
    ],
)
def test_what_is_no_pose_is_refused(wrong: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        lie.log(wrong)


def test_what_is_no_twist_is_refused() -> None:
    with pytest.raises(InputError, match=r"\(5,\), not \(..., 6\)"):
        lie.exp(np.zeros(5))
    with pytest.raises(InputError, match="is no twist"):
        lie.vee(np.eye(4))
    with pytest.raises(InputError, match="is no twist"):
        lie.body_velocity(np.eye(4), np.ones((4, 4)))
    with pytest.raises(InputError, match="no axis"):
        lie.Screw.of_twist(np.zeros(6))
    with pytest.raises(InputError, match="complex"):
        lie.Screw.of_twist(1j * np.ones(6))
    with pytest.raises(InputError, match="no Placement"):
        lie.placement(np.stack([np.eye(4)] * 2))
    for huge in (lambda: lie.exp([1e200, 0, 0, 0, 1e200, 0]), lambda: lie.Screw.of_twist([1e-300, 0, 0, 0, 1e20, 0])):
        with pytest.raises(RangeError, match="range of floats"):
            huge()


def test_screws_are_given_by_their_parts() -> None:
    screw = lie.Screw(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0]), np.array(0.5), np.array(2.0))
    assert apart(screw.twist(), [0, 0, 2, 0, -2, 1]) == 0.0
    assert apart(lie.Screw.of_twist(screw.twist()).point, screw.point) == 0.0
    with pytest.raises(InputError, match="length one"):
        lie.Screw(np.array([0.0, 0.0, 2.0]), np.zeros(3), np.array(0.5), np.array(2.0))
    with pytest.raises(InputError, match="magnitude of a screw is not finite"):
        lie.Screw(np.array([0.0, 0.0, 1.0]), np.zeros(3), np.array(0.5), np.array(np.inf))


def test_zero_twists_are_the_identity_to_the_bit() -> None:
    assert apart(lie.exp(np.zeros(6)), np.eye(4)) == 0.0
    assert apart(lie.log(np.eye(4)), np.zeros(6)) <= EPS
