"""Free joints inside trees of uneven masses: backward errors stay at rounding by default."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import OperatorAlgebraWarning
from operator_algebra.models.families import forest
from operator_algebra.models.model import Model
from tests.oracles import extended_precision, recursive_dynamics
from tests.oracles.extended_precision import Leaves, exact, rounded
from tests.rounding import condition, rounding
from tests.strategies import ALL_JOINTS

Floats = NDArray[np.float64]

TREES = {
    "chain": (-1, 0, 1, 2, 3, 4, 5),
    "branched": (-1, 0, 0, 1, 1, 2, 3),
    "forest": (-1, 0, 1, -1, 3, 3, 5),
}


def uneven(tree: str, place: int, kind: str, spread: float, seed: int) -> Model:
    """A random mechanism with one joint of a kind at a place, masses over ± so many powers of ten."""
    kinds = ["revolute", "spherical", "prismatic", "universal", "revolute", "cylindrical", "revolute"]
    kinds[place] = kind
    return forest(f"{tree}_{kind}", TREES[tree], kinds, np.random.default_rng(seed), spread)


def solved(model: Model, seed: int) -> tuple[Any, list[str], Leaves, Floats, Floats]:
    q, v = model.random(seed)
    T = np.random.default_rng(seed).standard_normal(model.nv)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        qdd = compile_program(dynamics.forward_dynamics, model)(q=q, v=v, T=T)
    assert all(issubclass(warning.category, OperatorAlgebraWarning) for warning in caught)
    return qdd, [str(warning.message) for warning in caught], Leaves.at(model, q, v), q, T


def backward_error(leaves: Leaves, q: Floats, T: Floats, qdd: Floats) -> float:
    """‖ℳ q̈ + bias − T‖ / (‖ℳ‖ ‖q̈‖ + ‖T‖ + ‖bias‖), the residual in fifty digits."""
    residual = rounded(extended_precision.inverse_dynamics(leaves, exact(qdd)) - exact(T))
    bias = rounded(extended_precision.inverse_dynamics(leaves, exact(np.zeros_like(qdd))))
    norm = np.linalg.norm(recursive_dynamics.mass_matrix(leaves.model, q), 2)
    return float(np.linalg.norm(residual) / (norm * np.linalg.norm(qdd) + np.linalg.norm(T) + np.linalg.norm(bias)))


@pytest.mark.parametrize("kind", [kind for kind in ALL_JOINTS if kind != "fixed"])
@pytest.mark.parametrize("tree", TREES)
def test_backward_errors_are_rounding(tree: str, kind: str) -> None:
    worst = 0.0
    for place in range(7):
        for spread in (0.0, 6.0):
            model = uneven(tree, place, kind, spread, seed=place)
            qdd, _, leaves, q, T = solved(model, place)
            worst = max(worst, backward_error(leaves, q, T, qdd))
    assert worst <= rounding()


@pytest.mark.parametrize("place", range(7))
@pytest.mark.parametrize("tree", TREES)
def test_beyond_that_errors_are_bounded_or_told(tree: str, place: int) -> None:
    model = uneven(tree, place, "floating", 12.0, seed=place)
    qdd, told, leaves, q, T = solved(model, place)
    expected = rounded(extended_precision.forward_dynamics(leaves, T))
    error = float(np.abs(qdd - expected).max() / np.abs(expected).max())
    conditioned = condition(scaled(recursive_dynamics.mass_matrix(model, q)))
    assert error <= rounding(terms=model.n, condition=conditioned) or told


def scaled(matrix: Floats) -> Floats:
    """Rows and columns of a definite matrix scaled to a unit diagonal."""
    root = np.sqrt(matrix.diagonal())
    return matrix / np.outer(root, root)
