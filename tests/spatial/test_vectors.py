"""Six-dimensional vectors: cross products against their definitions."""

import importlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.spatial.vectors import apply, motion_cross, skew
from tests.rounding import apart, rounding, size

Floats = NDArray[np.float64]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_skew_is_the_cross_product(rng: np.random.Generator) -> None:
    a, b = rng.standard_normal((2, 4, 5, 3))
    assert apart(apply(skew(a, np), b), np.cross(a, b)) <= rounding(size(a) * size(b), terms=2)


def test_motion_cross_of_a_vector_with_itself_is_zero(rng: np.random.Generator) -> None:
    twist = rng.standard_normal((7, 6))
    assert size(apply(motion_cross(twist, np), twist)) <= rounding(size(twist) ** 2, terms=4)


def test_motion_cross_keeps_the_jacobi_identity(rng: np.random.Generator) -> None:
    x, y, z = rng.standard_normal((3, 6))

    def cross(a: Floats, b: Floats) -> Floats:
        return motion_cross(a, np) @ b

    total = cross(x, cross(y, z)) + cross(y, cross(z, x)) + cross(z, cross(x, y))
    assert size(total) <= rounding(size(x) * size(y) * size(z), terms=3 * 4 * 4)


def test_blocks_hold_the_parts_where_they_belong() -> None:
    twist = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0])  # turns about z, moves along x
    motion = motion_cross(twist, np)
    assert motion[:3, 3:].tolist() == np.zeros((3, 3)).tolist()
    assert (motion @ np.array([1.0, 0, 0, 0, 1.0, 0])).tolist() == [0, 1, 0, -1, 0, 0]


def test_skew_works_on_arrays_of_symbols() -> None:
    sympy: Any = importlib.import_module("sympy")
    a = np.array(sympy.symbols("x y z"), dtype=object)
    assert sympy.Matrix(skew(a, np)) == -sympy.Matrix(skew(a, np)).T
