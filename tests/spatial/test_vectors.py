"""Vectors: cross products against their definitions."""

import importlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.spatial.vectors import apply, skew
from tests.rounding import apart, rounding, size

Floats = NDArray[np.float64]


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_skew_is_the_cross_product(rng: np.random.Generator) -> None:
    a, b = rng.standard_normal((2, 4, 5, 3))
    assert apart(apply(skew(a, np), b), np.cross(a, b)) <= rounding(size(a) * size(b), terms=2)


def test_skew_works_on_arrays_of_symbols() -> None:
    sympy: Any = importlib.import_module("sympy")
    a = np.array(sympy.symbols("x y z"), dtype=object)
    assert sympy.Matrix(skew(a, np)) == -sympy.Matrix(skew(a, np)).T
