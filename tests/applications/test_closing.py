"""Rows of loops: their velocities are the rates of their errors, what they pick is what moves, and loops close."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra.applications import constraints as cs
from operator_algebra.applications import dynamics
from operator_algebra.errors import InputError, ModelError
from operator_algebra.models.loops import DIRECTIONS, Loop
from operator_algebra.models.model import Frame, Model
from operator_algebra.spatial.arrays import Axes
from tests.oracles.finite_differences import allowed, along
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms, random_placement

TURNS = [(), ("rx",), ("ry",), ("rz",), ("rx", "ry"), ("ry", "rz"), ("rz", "rx"), ("rx", "ry", "rz")]


@st.composite
def looped(draw: st.DrawFn) -> tuple[Model, int]:
    """A mechanism with any joints, and loops between bodies and to the ground, in any directions."""
    model = draw(mechanisms(min_bodies=2, max_bodies=5))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    frames = {name: Frame(name, random_placement(rng)) for name in model.body_names}
    frames["floor"] = Frame(None, random_placement(rng))
    places = [*model.body_names, "floor"]
    ends = [rng.choice(places, 2, replace=False).tolist() for _ in range(3)]
    turns = [draw(st.sampled_from(TURNS)) for _ in range(2)]
    at = draw(st.sampled_from(places))
    loops = [
        *(Loop(f"loop {k}", ends[k][0], ends[k][1], ("z", *turns[k], "x")) for k in range(2)),
        Loop("rolling", ends[2][0], ends[2][1], ("ry", "x", "rz"), at),
    ]
    return Model(name="looped", bodies=model.bodies, frames=frames, loops=loops), draw(st.integers(0, 1000))


def value(e: oa.Expr, model: Model, q: Any, v: Any, frame: Axes = "body", **more: Any) -> Any:
    program = oa.compile(e, model, frame=frame)
    given_here = {"v": v, **more}
    return program(q=q, **{name: one for name, one in given_here.items() if name in program.inputs})


def reach(model: Model) -> float:
    """A length that no distance between frames exceeds by much."""
    return 2.0 * model.n + 3.0


@given(looped(), st.sampled_from(["body", "world"]))
@settings(max_examples=15)
def test_velocities_of_rows_are_rates_of_errors(case: tuple[Model, int], frame: Axes) -> None:
    """At every pose, loops open or not, and in both axes; with velocities alone there is no error."""
    model, seed = case
    q, v = model.random(seed)
    rate = along(model, q, v, lambda at: cs.errors(model, q=at))
    found = value(cs.velocity, model, q, v, frame, C=cs.rows(model, q=q, frame=frame)["C"])
    placed = [k for k, name in enumerate(cs.row_names(model)) if not name.startswith("rolling")]
    far = reach(model) + float(np.abs(q).sum())
    assert apart(found[placed], rate[placed]) <= 4 * allowed(far, v)
    assert not cs.errors(model, q=q)[-3:].any()


@given(looped(), st.sampled_from(["body", "world"]))
@settings(max_examples=15)
def test_drifts_of_rows_are_rates_of_their_velocities(case: tuple[Model, int], frame: Axes) -> None:
    """Ȧ v, from C and Ċ, along the motion at constant v."""
    model, seed = case
    q, v = model.random(seed)
    rate = along(model, q, v, lambda at: value(cs.velocity, model, at, v, C=cs.rows(model, q=at)["C"]))
    found = value(cs.drift, model, q, v, frame, **cs.rows(model, q=q, v=v, frame=frame))
    fast = float(np.abs(v).sum())
    far = reach(model) + float(np.abs(q).sum())
    assert apart(found, rate) <= 8 * allowed(far * fast, v) + rounding(far * fast**2)


@given(looped())
@settings(max_examples=15)
def test_velocities_alone_are_those_where_the_third_frame_is(case: tuple[Model, int]) -> None:
    """Of points of two bodies that meet its origin, by poses of the bodies a little later."""
    model, seed = case
    q, v = model.random(seed)
    loop = model.loops[-1]
    axes, origin = dynamics.poses(model, q=q)[loop.at or ""]

    def carried(frame: str) -> tuple[Any, Any]:
        """Rates of a point at that origin, and of the axes of a body."""
        R, p = dynamics.poses(model, q=q)[frame]
        offset = R.T @ (origin - p)
        point = along(model, q, v, lambda at: np.add(*_moved(model, at, frame, offset)))
        return point, along(model, q, v, lambda at: dynamics.poses(model, q=at)[frame][0]) @ R.T

    (point, spin), (other, turn) = carried(loop.second), carried(loop.first)
    skew = axes.T @ (spin - turn) @ axes
    sliding = axes.T @ (point - other)
    expected = [skew[0, 2], sliding[0], skew[1, 0]]
    found = value(cs.velocity, model, q, v, C=cs.rows(model, q=q)["C"])[-3:]
    assert apart(found, expected) <= 8 * allowed(reach(model) + float(np.abs(q).sum()), v)


def _moved(model: Model, q: Any, frame: str, offset: Any) -> tuple[Any, Any]:
    R, p = dynamics.poses(model, q=q)[frame]
    return p, R @ offset


def test_action_is_reaction() -> None:
    """The forces of a loop between two bodies add up to nothing, and have no moment."""
    model = Model(
        name="pair",
        bodies=oa.random_tree(4, joints=("floating", "revolute"), seed=1).bodies,
        frames={"a": Frame("link1"), "b": Frame("link3")},
        loops=[Loop("weld", "a", "b", DIRECTIONS)],
    )
    q, _ = model.random(0)
    C = cs.rows(model, q=q)["C"]
    total = value(
        dynamics.ground_wrench, model, q, 0.0 * model.random(0)[1], qdd=np.zeros(model.nv), f_ext=C @ np.ones(6)
    )
    still = value(dynamics.ground_wrench, model, q, 0.0 * model.random(0)[1], qdd=np.zeros(model.nv), f_ext=0 * C[:, 0])
    assert apart(total, still) <= rounding(size(still) + size(C) * reach(model), terms=24)


HINGED = {
    ("x", "y", "z", "rx", "ry"): 1,
    ("x", "y", "z"): 3,
    DIRECTIONS: 0,
    ("rz",): 5,
    ("y", "z", "rx", "ry", "rz"): 1,
}


@pytest.mark.parametrize(("locked", "free"), HINGED.items())
def test_a_free_body_keeps_the_freedoms_that_are_not_locked(locked: tuple[str, ...], free: int) -> None:
    ball = oa.Body("ball", None, oa.Joint.floating(), inertia=oa.Inertia.sphere(1.0, 0.1))
    place = oa.Placement.from_rpy((0.3, -0.4, 0.5), (0.1, 0.2, 0.3))
    frames = {"here": Frame(None, place), "there": Frame("ball", oa.Placement(translation=(0.1, 0, 0)))}
    model = Model(name="ball", bodies=[ball], frames=frames, loops=[Loop("held", "here", "there", locked)])
    q = cs.closed(model, model.random(3)[0])
    v = cs.kept_rates(model, q, model.random(3)[1])
    assert size(cs.errors(model, q=q)) <= rounding(10.0)
    A = value(cs.jacobian, model, q, v, C=cs.rows(model, q=q)["C"])
    assert 6 - np.linalg.matrix_rank(A) == free
    assert size(A @ v) <= rounding(size(A), terms=36)
    R, p = dynamics.poses(model, q=q)["there"]
    turned, shifted = np.asarray(place.rotation).T @ R, np.asarray(place.rotation).T @ (p - place.translation)
    held = {"x": shifted[0], "y": shifted[1], "z": shifted[2]} if locked[0] in "xyz" else {}
    assert size([held.get(word, 0.0) for word in locked]) <= rounding(10.0)
    if {"rx", "ry"} <= set(locked):
        assert abs(abs(turned[2, 2]) - 1) <= rounding(10.0)


@pytest.mark.parametrize("name", ["four_bar", "slider_crank"])
def test_loops_are_closed_from_afar_in_batches(name: str) -> None:
    model = oa.load(name)
    near = cs.closed(model, {"four_bar": [0.8, -0.3, 1.5], "slider_crank": [0.8, -1.0, 0.8]}[name])
    starts = near + 0.3 * np.random.default_rng(0).standard_normal((20, 3))
    closed = cs.closed(model, starts)
    assert size(cs.errors(model, q=closed)) <= rounding(10.0)
    assert apart(cs.closed(model, closed), closed) <= rounding(10.0)
    assert apart(cs.closed(model, starts[3]), closed[3]) <= rounding(1e4)


def test_what_cannot_be_closed_says_by_how_much() -> None:
    """Bars that are too short."""
    model = oa.load("four_bar")
    far = {**model.frames, "far": Frame(None, oa.Placement(translation=(5.0, 0, 0)))}
    apart_by_far = Model(name="far", bodies=model.bodies, frames=far)
    with pytest.raises(
        InputError, match=r"the loops of far cannot be closed from there; what is left is 3\.\d+ in tie x"
    ):
        cs.closed(apart_by_far, [0.1, 0.1, 0.1], loops=[Loop("tie", "far", "coupler_end", ("x", "y"))])


def test_arguments_are_tested() -> None:
    model = oa.load("four_bar")
    with pytest.raises(InputError):
        cs.rows(model, q=[0.0, 0.0])
    with pytest.raises(InputError, match="frame"):
        cs.rows(model, q=model.neutral(), frame="base")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="loops of four_bar, loop \"a\": first is 'nowhere'"):
        cs.errors(model, q=model.neutral(), loops=[Loop("a", "nowhere", "rocker_end", ("x",))])
    assert cs.rows(model, q=model.neutral(), loops=())["C"].shape == (18, 0)
    assert cs.row_names(oa.load("planar2r")) == ()
