"""Free joints inside trees of uneven masses: backward errors stay at rounding by default."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.applications import dynamics
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import OperatorAlgebraWarning, SingularError
from operator_algebra.lowering.lower import Method
from operator_algebra.models.families import forest, random_tree
from operator_algebra.models.model import Model
from tests.lowering.lost_digits import FORMULAS, Truth, error_of
from tests.often import backend_for, some
from tests.oracles import extended_precision, recursive_dynamics
from tests.oracles.extended_precision import Leaves, exact, rounded
from tests.rounding import EPS, condition, rounding
from tests.strategies import ALL_JOINTS

Floats = NDArray[np.float64]

METHODS: tuple[Method, ...] = ("auto", "joseph", "orthogonal")
MOVING = [kind for kind in ALL_JOINTS if kind != "fixed"]

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
        qdd = compile_program(dynamics.forward_dynamics, model, backend=backend_for(seed))(q=q, v=v, T=T)
    assert all(issubclass(warning.category, OperatorAlgebraWarning) for warning in caught)
    return qdd, [str(warning.message) for warning in caught], Leaves.at(model, q, v), q, T


def backward_error(leaves: Leaves, q: Floats, T: Floats, qdd: Floats) -> float:
    """‖ℳ q̈ + bias − T‖ / (‖ℳ‖ ‖q̈‖ + ‖T‖ + ‖bias‖), the residual in fifty digits."""
    residual = rounded(extended_precision.inverse_dynamics(leaves, exact(qdd)) - exact(T))
    bias = rounded(extended_precision.inverse_dynamics(leaves, exact(np.zeros_like(qdd))))
    norm = np.linalg.norm(recursive_dynamics.mass_matrix(leaves.model, q), 2)
    return float(np.linalg.norm(residual) / (norm * np.linalg.norm(qdd) + np.linalg.norm(T) + np.linalg.norm(bias)))


@pytest.mark.parametrize(
    ("kind", "tree"), some(product([kind for kind in ALL_JOINTS if kind != "fixed"], TREES), each=2)
)
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
    conditioned = condition(scaled(recursive_dynamics.mass_matrix(model, model.random(place)[0])))
    try:
        qdd, told, leaves, _, T = solved(model, place)
    except SingularError:
        assert conditioned * EPS > 1.0
        return
    expected = rounded(extended_precision.forward_dynamics(leaves, T))
    error = float(np.abs(qdd - expected).max() / np.abs(expected).max())
    assert error <= rounding(terms=model.n, condition=conditioned) or told


@pytest.mark.parametrize(("seed", "spread"), some(product(range(8), [0.0, 6.0, 12.0]), each=2))
def test_no_method_is_worse_than_the_condition(spread: float, seed: int) -> None:
    """Forward errors of ℳ⁻¹ T and of the diagonal of ℳ⁻¹, against fifty digits from the pose on."""
    model = random_tree(4 + 2 * seed, joints=ALL_JOINTS, mass_spread=spread, seed=seed)
    q, _ = model.random(seed)
    given: dict[str, Any] = {"T": np.random.default_rng(seed).standard_normal(model.nv)}
    truth = Truth(model, q, given)
    conditioned = condition(scaled(recursive_dynamics.mass_matrix(model, q)))
    for formula, method in product(("inverse", "diagonal"), METHODS):
        run = compile_program(FORMULAS[formula], model, method=method, backend=backend_for(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OperatorAlgebraWarning)
            try:
                found = run(q=q, **{name: given[name] for name in run.inputs})
            except SingularError:
                assert conditioned * EPS > 1e-3
                continue
        assert error_of(found, truth.answer(formula), formula) <= rounding(terms=model.n, condition=conditioned)


def scaled(matrix: Floats) -> Floats:
    """Rows and columns of a definite matrix scaled to a unit diagonal."""
    root = np.sqrt(matrix.diagonal())
    return matrix / np.outer(root, root)
