"""Rigid-body inertia against sums over point masses."""

import math

import numpy as np
import pytest
from hypothesis import given

from operator_algebra.errors import ModelError
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement, phi_block
from operator_algebra.spatial.vectors import skew
from tests.rounding import apart, rounding, size
from tests.strategies import placements


def _points() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    return rng.uniform(0.1, 1.0, 6), rng.uniform(-1.0, 1.0, (6, 3))


def _inertia() -> Inertia:
    masses, points = _points()
    com = masses @ points / masses.sum()
    moment = sum(-m * skew(p - com, np) @ skew(p - com, np) for m, p in zip(masses, points, strict=True))
    return Inertia(float(masses.sum()), com.tolist(), np.asarray(moment).tolist())


def test_matrix_is_the_sum_over_point_masses() -> None:
    """Kinetic energy decides: ½ V* M V = Σ ½ m |v + ω × p|²."""
    masses, points = _points()
    matrix = _inertia().matrix()
    for twist in np.random.default_rng(6).standard_normal((5, 6)):
        energy = sum(
            0.5 * m * np.square(twist[3:] + np.cross(twist[:3], p)).sum() for m, p in zip(masses, points, strict=True)
        )
        found = 0.5 * twist @ matrix @ twist
        assert apart(found, energy) <= rounding(size(matrix) * float(twist @ twist), terms=6 + len(masses))


@given(placements())
def test_a_moved_body_has_the_congruent_matrix(place: Placement) -> None:
    """The inertia in the parent's frame is φ M φ*."""
    phi = phi_block(np.array(place.rotation), np.array(place.translation), np)
    moved = _inertia().moved(place).matrix()
    still = _inertia().matrix()
    assert apart(moved, phi @ still @ phi.T) <= rounding(size(still) * size(phi) ** 2, terms=6 * 6)


@given(placements())
def test_joined_bodies_add(place: Placement) -> None:
    a, b = _inertia(), Inertia.box(2.0, (0.1, 0.2, 0.3)).moved(place)
    # Both are moved to the common mass centre and back.
    parts = a.matrix(), b.matrix()
    assert apart((a + b).matrix(), sum(parts)) <= rounding(size(*parts), terms=4 * 3)


def test_joining_bodies_without_mass() -> None:
    rotor = Inertia(0.0, inertia_at_com=(1.0, 2.0, 2.5))
    assert (rotor + rotor).inertia_at_com[2][2] == 5.0
    assert (Inertia() + Inertia()).is_zero


def test_solids() -> None:
    assert Inertia.sphere(5.0, 2.0).inertia_at_com[0][0] == 8.0
    assert Inertia.box(12.0, (1.0, 2.0, 3.0)).inertia_at_com[0][0] == 13.0
    assert Inertia.cylinder(12.0, 1.0, 1.0, axis=0).inertia_at_com[0][0] == 6.0
    assert Inertia.cylinder(12.0, 1.0, 1.0, axis=0).inertia_at_com[2][2] == 4.0


@pytest.mark.parametrize("mass", [math.nan, math.inf, "1", None, True, 10**400])
def test_masses_that_are_no_numbers(mass: float) -> None:
    with pytest.raises(ModelError, match="mass is not a finite number"):
        Inertia(mass)


@pytest.mark.parametrize(
    ("moments", "message"),
    [
        ([[1, 2, 0], [0, 1, 0], [0, 0, 1]], "not symmetric"),
        ([1, 2], "3 rows"),
        ([1, math.nan, 2], "not finite"),
        ([[1, 0, 0], [0, 1, 0], [0, 0, math.inf]], "not finite"),
        ("abc", "3 × 3"),
        (4.0, "3 × 3"),
        ([[1, 0, 0], [0, "x", 0], [0, 0, 1]], "needs 3 numbers"),
    ],
)
def test_rotational_inertias_that_are_none(moments: list[float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Inertia(1.0, inertia_at_com=moments)


def test_rounded_products_of_inertia_are_made_symmetric() -> None:
    found = Inertia(1.0, inertia_at_com=[[1, 0.1, 0], [0.1 + 1e-12, 1, 0], [0, 0, 1]]).inertia_at_com
    assert found[0][1] == found[1][0]
