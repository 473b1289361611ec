"""The same filter and smoother in FilterPy, in which the bodies of a chain are steps in time, tip first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from operator_algebra.applications import estimation
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.model import Model
from operator_algebra.symbols import E_phi, H, M, a, a_ground, armature, b
from tests.applications.inputs import DIGITS, read_by
from tests.rounding import apart, size
from tests.strategies import ALL_JOINTS, random_body

kalman: Any = pytest.importorskip("filterpy.kalman")


class Steps:
    """A chain with joints of many kinds as steps in time, and what FilterPy finds after each."""

    def __init__(self, seed: int, *, rests: bool) -> None:
        rng = np.random.default_rng(seed)
        kinds = [str(kind) for kind in rng.permutation([kind for kind in ALL_JOINTS if kind != "fixed"])[:5]]
        bodies = [random_body(k, k - 1, kind, rng, armature=True) for k, kind in enumerate(kinds)]
        self.model = model = Model(name="steps", bodies=bodies, gravity=(0, 0, 0) if rests else (0, 0, -9.81))
        self.q, v = model.random(seed)
        moving = 0.0 if rests else 1.0
        self.values = {"v": moving * v, "T": rng.normal(size=model.nv), "f_ext": moving * rng.normal(size=6 * model.n)}
        self.hops, self.inertias = self.dense(E_phi), self.dense(M)
        self.found: dict[str, list[Any]] = {}
        self._filter()

    def dense(self, e: Expr) -> Any:
        return np.asarray(evaluate(e, self.model, q=self.q, **read_by(e, self.values)).dense())

    def hop(self, k: int) -> Any:
        """From the body that stands on body k; nothing was before the tip."""
        return self.hops[6 * k : 6 * k + 6, 6 * k + 6 : 6 * k + 12] if k + 1 < self.model.n else np.eye(6)

    def inertia(self, k: int) -> Any:
        return self.inertias[6 * k : 6 * k + 6, 6 * k : 6 * k + 6]

    def _filter(self) -> None:
        maps, noise, drift = self.dense(H), self.dense(armature), self.dense(a + a_ground)
        drive = self.dense(b) - self.values["f_ext"]
        one = kalman.KalmanFilter(dim_x=6, dim_z=1, dim_u=6)
        one.x, one.P, one.B = np.zeros(6), np.zeros((6, 6)), np.eye(6)
        names = ("predicted", "seen", "left", "filtered", "innovation", "updated")
        self.found = {name: [] for name in names}
        for k in reversed(range(self.model.n)):
            own, rows = slice(6 * k, 6 * k + 6), self.model.v_slices[k]
            one.predict(u=drive[own], F=self.hop(k), Q=self.inertia(k))
            before = one.x.copy(), one.P.copy()
            one.dim_z = maps[rows].shape[0]
            one.update(self.values["T"][rows], R=noise[rows, rows], H=maps[rows, own])
            one.x = one.x + one.P @ drift[own]
            steps = (before[1], one.S, one.P, before[0], one.y, one.x)
            for name, value in zip(names, steps, strict=True):
                self.found[name].insert(0, np.array(value))

    def are(self, found: list[Any], e: Expr, condition: float = 1.0) -> bool:
        """Whether these are the blocks of a formula, beside its largest entry."""
        expected = self.dense(e)
        scale = DIGITS * condition * max(1.0, size(expected))
        rows = [slice(6 * k, 6 * k + 6) for k in range(self.model.n)]
        if len(expected) == self.model.nv:
            rows = list(self.model.v_slices)
        own = [expected[at, at] if expected.ndim > 1 else expected[at] for at in rows]
        return all(apart(one, other) <= scale for one, other in zip(found, own, strict=True))


@pytest.mark.parametrize("rests", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_filter_goes_from_the_tip_to_the_base(seed: int, rests: bool) -> None:
    steps = Steps(seed, rests=rests)
    formulas = {
        "predicted": estimation.predicted_covariance,
        "seen": estimation.innovations_covariance,
        "left": estimation.updated_covariance,
        "filtered": estimation.filtered_state,
        "innovation": estimation.innovation,
        "updated": estimation.updated_state,
    }
    for name, e in formulas.items():
        assert steps.are(steps.found[name], e), name


@pytest.mark.parametrize("seed", range(6))
def test_the_smoother_goes_back(seed: int) -> None:
    """Rauch, Tung and Striebel's: it inverts what is predicted, where Bryson and Frazier's has costates."""
    steps = Steps(seed, rests=True)
    tip_first = [list(reversed(steps.found[name])) for name in ("updated", "left")]
    order = list(reversed(range(steps.model.n)))
    hops, inertias = [steps.hop(k) for k in order], [steps.inertia(k) for k in order]
    one = kalman.KalmanFilter(dim_x=6, dim_z=1)
    states, covariances, _, predicted = one.rts_smoother(*map(np.array, tip_first), Fs=hops, Qs=inertias)
    condition = max(float(np.linalg.cond(x)) for x in predicted[:-1])
    assert steps.are(list(reversed(states)), estimation.smoothed_state, condition)
    assert steps.are(list(reversed(covariances)), estimation.smoothed_covariance, condition)
