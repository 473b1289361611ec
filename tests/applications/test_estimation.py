"""Dynamics as estimation: the forces of ordinary dynamics, and what conditioning of dense Gaussians says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra.applications import dynamics, estimation
from operator_algebra.evaluation import evaluate
from operator_algebra.lowering.lower import lower
from operator_algebra.models.model import Model
from operator_algebra.symbols import H, M, armature, phi
from tests.applications.inputs import DIGITS, Case, cases, same
from tests.rounding import apart, size
from tests.strategies import mechanisms

LINALG: Any = np.linalg


@given(cases)
@settings(max_examples=20)
def test_the_smoother_is_forward_dynamics(case: Case) -> None:
    forward = case.value(dynamics.forward_dynamics)
    forces = case.value(estimation.force_given_acceleration, qdd=forward.ravel())
    assert same(case.value(estimation.smoothed_acceleration), forward)
    assert same(case.value(estimation.smoothed_state), forces, forward)
    assert same(case.value(estimation.costate), case.value(dynamics.acceleration, qdd=forward.ravel()), forward)


@given(cases)
@settings(max_examples=20)
def test_what_measurements_leave_unexplained_turns_rotors(case: Case) -> None:
    forward = case.value(dynamics.forward_dynamics)
    turned = case.value(armature) @ forward
    assert same(case.value(estimation.unexplained), turned, case.value(estimation.smoothed_state), forward)


@given(cases)
@settings(max_examples=20)
def test_the_evidence_of_measurements(case: Case) -> None:
    mass, rest = case.value(dynamics.mass_matrix), case.values["T"] - case.value(dynamics.bias).ravel()
    assert same(case.value(estimation.surprise), rest @ LINALG.solve(mass, rest), rest)
    assert same(case.value(estimation.logdet_covariance), LINALG.slogdet(mass)[1])


class Gaussian:
    """States and measurements of a mechanism as one dense Gaussian."""

    def __init__(self, model: Model, seed: int) -> None:
        self.model = model
        self.q, _ = model.random(seed)
        self.states: Any = self.dense(phi @ M @ phi.T)
        self.H = self.dense(H)
        self.noise = self.dense(armature)

    def dense(self, e: Any) -> Any:
        return np.asarray(evaluate(e, self.model, q=self.q).dense())

    def blocks(self, e: Any) -> list[Any]:
        """The diagonal blocks of a covariance, one for each body."""
        found = self.dense(e)
        return [found[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] for k in range(self.model.n)]

    def given(self, k: int, bodies: set[int]) -> Any:
        """The covariance of the state at k, given the measurements at the joints of some bodies."""
        rows = [i for body in sorted(bodies) for i in range(*self.model.v_slices[body].indices(self.model.nv))]
        own = slice(6 * k, 6 * k + 6)
        seen: Any = self.H[rows]
        both: Any = seen @ self.states @ seen.T + self.noise[np.ix_(rows, rows)]
        cross: Any = self.states[own] @ seen.T
        explained: Any = LINALG.solve(both, cross.T)
        return self.states[own, own] - cross @ explained

    def outward(self, k: int) -> set[int]:
        """The bodies that stand on a body."""
        found: set[int] = set()
        for child, parent in enumerate(self.model.parent):
            if parent == k or parent in found:
                found.add(child)
        return found


gaussians = st.builds(Gaussian, mechanisms(armature=True, max_bodies=6), st.integers(0, 1000))


def close(found: Any, expected: Any, scale: Any) -> bool:
    return apart(found, expected) <= DIGITS * max(1.0, size(scale))


@given(gaussians)
@settings(max_examples=30)
def test_inertias_are_covariances(one: Gaussian) -> None:
    before, predicted = one.blocks(estimation.state_covariance), one.blocks(estimation.predicted_covariance)
    updated, smoothed = one.blocks(estimation.updated_covariance), one.blocks(estimation.smoothed_covariance)
    everything = set(range(one.model.n))
    for k in range(one.model.n):
        assert close(before[k], one.given(k, set()), before[k])
        assert close(predicted[k], one.given(k, one.outward(k)), before[k])
        assert close(updated[k], one.given(k, one.outward(k) | {k}), before[k])
        assert close(smoothed[k], one.given(k, everything), before[k])


@given(gaussians)
@settings(max_examples=30)
def test_measurements_and_costates(one: Gaussian) -> None:
    seen = one.H @ one.states @ one.H.T + one.noise
    assert close(one.dense(estimation.measurement_covariance), seen, seen)
    reach: Any = one.dense(phi.T @ H.T)
    multipliers: Any = LINALG.solve(seen, reach.T)
    costates = reach @ multipliers
    found = one.blocks(estimation.costate_covariance)
    for k in range(one.model.n):
        assert close(found[k], costates[6 * k : 6 * k + 6, 6 * k : 6 * k + 6], costates)


@pytest.mark.parametrize(
    ("name", "sweeps"),
    [("innovation", 2), ("smoothed_state", 3), ("smoothed_acceleration", 3), ("smoothed_covariance", 2)],
)
def test_sweeps(name: str, sweeps: int) -> None:
    assert len(lower(getattr(estimation, name)).sweeps) == sweeps
