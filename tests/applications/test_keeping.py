"""Motions that keep loops: errors stay rounding, energy is kept, and what cannot start or go on says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.applications import constraints as cs
from operator_algebra.applications import dynamics
from operator_algebra.applications.simulation import Method
from operator_algebra.errors import InputError, ModelError
from operator_algebra.models.loops import Loop
from operator_algebra.models.model import Model
from tests.rounding import apart, rounding, size

STARTS = {
    "four_bar": ([0.8, -0.3, 1.5], [1.3, 0.0, 0.0]),
    "slider_crank": ([0.8, -1.0, 0.8], [1.0, 0.0, 0.0]),
    "rolling_disk": ([0.2, -0.1, 0.7, 0.4], [-0.6, 1.0, 0.2, 1.3]),
    "knife_edge": ([0.2, -0.1, 0.7], [0.7, 1.0, 0.3]),
}
KEPT = 1e-10
"""What is promised of errors over ten seconds."""
COARSE = 1e-4
"""The tolerance of long motions."""
STAGES = 1e-6
"""Stages of a step are not on the loops: there, rows that follow from others ask for slightly different things."""


def started(name: str) -> tuple[Model, Any, Any]:
    """A mechanism of the gallery, closed, and moving."""
    model = oa.load(name)
    q = cs.closed(model, STARTS[name][0])
    return model, q, cs.kept_rates(model, q, STARTS[name][1])


def broken(model: Model, film: oa.Film) -> float:
    """The largest error and the largest velocity of a row in a film."""
    C = cs.rows(model, q=film.q)["C"]
    velocity = oa.compile(cs.velocity, model)(q=film.q, v=film.v, C=C)
    return size(cs.errors(model, q=film.q), velocity)


@pytest.mark.parametrize("name", STARTS)
def test_ten_seconds_keep_the_loops(name: str) -> None:
    model, q, v = started(name)
    film = oa.simulate(model, q, v, until=10.0, tolerance=COARSE)
    assert broken(model, film) < KEPT
    energy = film.energy()
    total = np.asarray(energy.kinetic + energy.potential)
    if name == "slider_crank":  # which has a damper
        assert np.diff(total).max() < 10 * COARSE * size(total)
    else:
        assert np.ptp(total) < 100 * COARSE * size(energy.kinetic)


def test_tolerance_decides_of_energy() -> None:
    model, q, v = started("four_bar")
    drifts: list[float] = []
    for tolerance in (1e-5, 1e-8):
        energy = oa.simulate(model, q, v, until=1.0, tolerance=tolerance).energy()
        drifts.append(float(np.ptp(energy.kinetic + energy.potential)))
    assert drifts[1] < 0.2 * drifts[0]


def test_the_disk_rolls_in_a_circle() -> None:
    """Both rates of a symmetric disk are constant: the radius is the speed over the turning."""
    model, q, v = started("rolling_disk")
    film = oa.simulate(model, q, v, until=2.0)
    assert apart(film.v, np.broadcast_to(v, film.v.shape)) < rounding(size(v), terms=1000)
    speed, turning = 0.3 * v[3], v[0]
    heading = q[0] + turning * film.t
    x = q[1] + speed / turning * (np.sin(heading) - np.sin(q[0]))
    y = q[2] - speed / turning * (np.cos(heading) - np.cos(q[0]))
    middle = film.poses("disk")[1]
    assert apart(middle[:, 0] - middle[0, 0], x - q[1]) < KEPT * len(film)
    assert apart(middle[:, 1] - middle[0, 1], y - q[2]) < KEPT * len(film)


@pytest.mark.parametrize("method", ["semi-implicit", "implicit"])
def test_steps_of_one_length_keep_the_loops(method: Method) -> None:
    model, q, v = started("slider_crank")
    film = oa.simulate(model, q, v, until=0.5, step=0.01, method=method)
    assert broken(model, film) < KEPT
    exact = oa.simulate(model, q, v, until=0.5)
    assert apart(film.q[-1], exact.q[-1]) < 5 * 0.01


def test_motions_side_by_side() -> None:
    model, q, v = started("four_bar")
    starts = cs.closed(model, q + 0.1 * np.arange(3)[:, None])
    rates = cs.kept_rates(model, starts, v)
    batch = oa.simulate(model, starts, rates, until=0.2, step=0.01)
    alone = oa.simulate(model, starts[1], rates[1], until=0.2, step=0.01)
    assert broken(model, batch) < KEPT
    assert apart(batch.q[:, 1], alone.q) < rounding(size(alone.q), terms=10_000)


def test_other_loops_or_none_may_be_given() -> None:
    model, q, v = started("four_bar")
    free = oa.simulate(model, q, v, until=0.05, constraints=())
    tree = Model(name="tree", bodies=model.bodies, gravity=model.gravity, frames=model.frames)
    assert apart(free.q, oa.simulate(tree, q, v, until=0.05).q) == 0.0
    kept = oa.simulate(tree, q, v, until=0.05, constraints=model.loops)
    assert apart(kept.q, oa.simulate(model, q, v, until=0.05).q) == 0.0


def test_rows_that_follow_from_others_change_nothing() -> None:
    """A planar loop pinned in space has rows that are zero, and one given twice rows that are equal."""
    model, q, v = started("four_bar")
    pin = model.loops[0]
    spatial = [
        Loop("pin", pin.first, pin.second, ("x", "y", "z", "rx", "ry")),
        Loop("again", pin.second, pin.first, ("y",)),
    ]
    film = oa.simulate(model, q, v, until=0.05, step=0.005, constraints=spatial)
    assert apart(film.q[-1], oa.simulate(model, q, v, until=0.05, step=0.005).q[-1]) < STAGES


def test_work_of_the_forces_of_loops() -> None:
    """None: the power of all forces is the rate of the kinetic energy."""
    model, q, v = started("four_bar")
    rows: dict[str, Any] = {**cs.rows(model, q=q, v=v)}
    forces: Any = oa.compile(cs.joint_forces, model)(q=q, v=v, T=np.ones(3), **rows)
    assert abs(forces @ v) < rounding(size(forces) * size(v), terms=100, condition=10.0)


def test_what_does_not_keep_the_loops_cannot_start() -> None:
    model, q, v = started("four_bar")
    with pytest.raises(InputError, match=r"the loops of four_bar are open at the start, by 0\.0\d+ in pin \w"):
        oa.simulate(model, STARTS["four_bar"][0], v, until=1.0)
    with pytest.raises(InputError, match=r"v opens the loops of four_bar, by .* in a second\. oa\.constraints"):
        oa.simulate(model, q, [1.0, 0.0, 0.0], until=1.0)
    with pytest.raises(ModelError, match="is not a Loop"):
        oa.simulate(model, q, v, until=1.0, constraints=["pin"])  # type: ignore[list-item]


def test_digits_that_somebody_left_out_are_mended() -> None:
    model, q, v = started("four_bar")
    film = oa.simulate(model, q.round(8), v.round(8), until=0.1)
    assert broken(model, film) < KEPT


def test_closed_loops_feel_the_torque_of_a_motor() -> None:
    """A torque that holds the mechanism: the constrained acceleration of the pose is zero, and stays so."""
    model, q, _ = started("four_bar")
    weight = oa.compile(dynamics.gravity_term, model)(q=q)
    film = oa.simulate(model, q, np.zeros(3), torque=weight, until=0.5, step=0.01)
    assert size(film.q - film.q[0]) < KEPT
