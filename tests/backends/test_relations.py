"""What relations say of their own digits: calibrated like local pivots, ε where all are lost, near one in health."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

from operator_algebra.backends.pivots import SINGULAR, SMALL
from operator_algebra.compiler import compile as compile_program
from operator_algebra.models.model import Model
from tests.lowering.lost_digits import EPS, FORMULAS, SILENT, Truth, Verdict, error_of, inputs
from tests.nearly_singular import (
    DOUBTFUL,
    healthy_tree,
    long_chain,
    point_on_hinges,
    redundant_body,
    redundant_point,
    sample,
)
from tests.often import some

POSES = 100


def answered(formula: str, model: Model, q: Any, given: dict[str, Any]) -> tuple[Any, Any]:
    """The plain result by relations, and what is left of the digits at each body."""
    run = compile_program(FORMULAS[formula], model, method="orthogonal")
    values = {name: given[name] for name in run.inputs}
    call = run._bound(q, values)  # pyright: ignore[reportPrivateUsage]
    found = run._numeric().interpreted(call.q, call.v, call.inputs)  # pyright: ignore[reportPrivateUsage]
    (pivot,) = found.pivots
    return next(iter(found.results.values())), pivot.measure


@pytest.mark.parametrize("seed", range(8))
def test_healthy_mechanisms_keep_their_digits(seed: int) -> None:
    model = healthy_tree(np.random.default_rng(seed))
    if model.nv:
        q, v = model.random(seed)
        assert answered("step", model, q, {"T": np.ones(model.nv), "v": v})[1].min() > 1e-4


def test_long_chains_keep_their_digits() -> None:
    model = long_chain(np.random.default_rng(0))
    assert answered("logdet", model, model.random(0)[0], {})[1].min() > 1e-4


@pytest.mark.parametrize("make", [redundant_point, redundant_body])
def test_dependent_joints_leave_no_digit(make: Any) -> None:
    told: list[float] = []
    for seed in range(60):
        model = make(np.random.default_rng(seed))
        q, _ = model.random(seed)
        if all(body.inertia.is_zero for body in model.bodies[:-1]) and Truth(model, q, {}).share == 0.0:
            told.append(float(answered("logdet", model, q, {})[1].min()))
    assert told
    assert max(told) < SINGULAR


# Many poses of one mechanism at once: by luck one in some hundreds of columns of signs does not see what is singular.
@pytest.mark.parametrize(
    ("make", "seeds"), [(redundant_point, (188, 195)), (point_on_hinges, (14, 149, 150, 153, 154))]
)
def test_no_luck_hides_a_singular_mechanism(make: Any, seeds: tuple[int, ...]) -> None:
    told: list[Verdict] = []
    for seed, formula in product(seeds, ("step", "diagonal")):
        model = make(np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        q = np.stack([model.random(k)[0] for k in range(POSES)])
        given = {"T": rng.standard_normal((POSES, model.nv)), "v": rng.uniform(-1.0, 1.0, (POSES, model.nv))}
        assert Truth(model, q[0], {}).share == 0.0
        for left in answered(formula, model, q, given)[1].min(axis=-1):
            if left >= SINGULAR:
                kind, said = ("warned", 1.0 / left) if left < SMALL else ("silent", SILENT)
                told.append(Verdict(formula, "orthogonal", kind, math.inf, said))
    assert [one for one in told if one.broken] == []


@pytest.mark.parametrize(("family", "first"), some(product(DOUBTFUL, (0, 3)), each=2))
def test_errors_stay_below_what_is_told(family: str, first: int) -> None:
    for seed in range(first, first + 3):
        one = sample(family, seed)
        given = inputs(one, seed)
        truth = Truth(one.model, one.q, given)
        for formula in ("inverse", "diagonal"):
            found, measure = answered(formula, one.model, one.q, given)
            expected = truth.answer(formula)
            if expected is not None and measure.min() > SINGULAR:
                assert error_of(found, expected, formula) <= 100 * EPS / measure.min()
