"""Forward dynamics of long chains: the sweeps stay accurate, because symmetry that is used is enforced."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from operator_algebra.applications import dynamics
from operator_algebra.backends.numpy.blocks import adjoint
from operator_algebra.compiler import compile as compile_program
from operator_algebra.lowering.lower import Method
from operator_algebra.models.families import chain
from operator_algebra.models.model import Model
from operator_algebra.spatial.arrays import Axes
from tests.oracles import extended_precision, recursive_dynamics
from tests.oracles.extended_precision import Leaves, exact, rounded
from tests.rounding import EPS, rounding

Floats = NDArray[np.float64]

JOINTS = ("revolute", "cylindrical", "spherical", "universal", "prismatic")
METHODS: tuple[Method, ...] = ("auto", "joseph", "orthogonal")


@cache
def case(n: int) -> tuple[Model, Floats, Floats, Floats, Leaves, Any, float]:
    """A chain with joints of one to three degrees of freedom, a state, its acceleration in fifty digits, and ‖ℳ‖."""
    model = chain(n, joint=JOINTS, seed=3)
    q, v = model.random(0)
    T = np.random.default_rng(0).standard_normal(model.nv)
    leaves = Leaves.at(model, q, v)
    norm = float(np.linalg.norm(recursive_dynamics.mass_matrix(model, q), 2))
    return model, q, v, T, leaves, extended_precision.forward_dynamics(leaves, T), norm


def acceleration(n: int, method: Method = "auto", frame: Axes = "body", backend: str = "auto") -> Floats:
    model, q, v, T, *_ = case(n)
    return compile_program(dynamics.forward_dynamics, model, method=method, frame=frame, backend=backend)(q=q, v=v, T=T)


def backward_error(n: int, qdd: Floats) -> float:
    """‖ℳ q̈ + bias − T‖ / (‖ℳ‖ ‖q̈‖ + ‖T‖ + ‖bias‖), the residual in fifty digits."""
    _, _, _, T, leaves, _, norm = case(n)
    residual = rounded(extended_precision.inverse_dynamics(leaves, exact(qdd)) - exact(T))
    bias = rounded(extended_precision.inverse_dynamics(leaves, exact(np.zeros_like(qdd))))
    size = norm * np.linalg.norm(qdd) + np.linalg.norm(T) + np.linalg.norm(bias)
    return float(np.linalg.norm(residual) / size)


def forward_error(n: int, qdd: Floats) -> float:
    expected = case(n)[5]
    return float(np.abs(rounded(exact(qdd) - expected)).max() / np.abs(rounded(expected)).max())


def test_the_reference_is_exact() -> None:
    _, _, _, T, leaves, qdd, _ = case(400)
    assert np.abs(rounded(extended_precision.inverse_dynamics(leaves, qdd) - exact(T))).max() <= 10.0 ** -(50 - 10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("frame", ["body", "world"])
def test_four_hundred_bodies(method: Method, frame: Axes) -> None:
    qdd = acceleration(400, method, frame)
    assert backward_error(400, qdd) <= rounding()
    # The reference has the leaves in body axes; turned to world axes they are rounded once more at every body.
    assert forward_error(400, qdd) <= rounding(terms=9 * 400 if frame == "body" else 3 * 400 * 400)


def test_errors_do_not_grow_with_the_chain() -> None:
    # The sweeps are far more accurate than the condition of the mass matrix (2e9 at 400 bodies) would allow.
    for n in (25, 100, 400):
        assert forward_error(n, acceleration(n)) <= rounding(terms=9 * n)


def naive(P: Any, gain: Any, A_star: Any, _: Any) -> Any:
    """P − gain (P A)*: the symmetry of P is used, and nothing makes P symmetric."""
    return P - gain @ adjoint(P @ adjoint(A_star))


def as_it_is(kernel: Callable[[int], Any]) -> Callable[[int], Any]:
    return kernel


def test_symmetry_that_is_used_but_not_enforced_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = "operator_algebra.backends.numpy.groups"
    monkeypatch.setattr(f"{groups}.joseph", naive)
    read = acceleration(100, backend="interpreter")
    assert forward_error(100, read) <= rounding(terms=9 * 100)  # harmless where the result is made symmetric
    monkeypatch.setattr(f"{groups}.symmetrised", as_it_is)
    assert forward_error(25, acceleration(25, backend="interpreter")) < EPS**0.5  # a short chain does not show it
    assert forward_error(100, acceleration(100, backend="interpreter")) > EPS**0.5
