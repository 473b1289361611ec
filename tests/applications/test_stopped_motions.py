"""Motions that cannot go on, or not start: what is told, and the film up to there."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import operator_algebra as oa
from operator_algebra.applications.simulation import Film, simulate
from operator_algebra.errors import InputError, ModelError, RangeError, SingularError
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.model import Body, Model
from operator_algebra.spatial.inertia import Inertia
from operator_algebra.spatial.transforms import Placement
from tests.applications.test_simulation import Floats, lost, model_of, pendulum
from tests.rounding import apart, size


def test_an_explosion_is_told_with_the_film_so_far() -> None:
    """v̇ = v² for one unit of inertia ends at t = 1: 1 / v = 1 − t, and each step may err by a share of 1 + v in v."""
    cart = Model(bodies=[Body("cart", None, Joint.prismatic((1, 0, 0)), inertia=Inertia.sphere(1.0, 0.1))])
    tolerance = 1e-5
    with pytest.raises(RangeError, match=r"simulate model, after t = .* s: .*the motion breaks off here") as caught:
        simulate(cart, [0.0], [1.0], torque=lambda t, q, v: v * v, until=2.0, tolerance=tolerance)
    film = caught.value.result
    assert isinstance(film, Film)
    assert np.isfinite(film.v).all()
    left, erred = 1.0 / film.v[:, 0], tolerance * float(np.sum((1.0 + film.v) / film.v**2))
    assert apart(left, 1.0 - film.t) <= erred
    assert left[-1] <= erred


SHORT_OF = 1e-5
"""The tolerance of steps towards a singular pose, of which there are many."""


def bead_on_arms() -> Model:
    """A point mass at the end of two arms without any mass: stretched, they cannot hold it back."""
    hinges = (Joint.revolute((0, 0, 1), name="shoulder"), Joint.revolute((0, 0, 1), name="elbow"))
    arm = Body("arm", None, hinges[0])
    bead = Body("bead", "arm", hinges[1], Placement(translation=(1, 0, 0)), Inertia(1.0, (1, 0, 0), (0, 0, 0)))
    return Model(name="bead", bodies=[arm, bead], gravity=(0.0, 0.0, 0.0), strict=False)


@pytest.mark.filterwarnings("ignore::operator_algebra.errors.OperatorAlgebraWarning")
def test_a_singular_pose_is_named_at_the_start_and_on_the_way() -> None:
    """The bead flies straight until the arms are stretched; where they are, the joint is named.

    Each step may err by the tolerance in angles, which move the bead by three metres at most for each radian, and by a
    share of 1 + |v| in rates, which, and wrong arms as well, carry it away for the rest of the time.
    """
    model = bead_on_arms()
    with pytest.raises(SingularError, match=r"simulate bead, at the start: .*shoulder") as caught:
        simulate(model, [0.0, 0.0], [0.0, 1.0], until=1.0)
    assert caught.value.joints == ("shoulder",)
    for q, v in (([0.3, 1.2], [1.0, -1.0]), ([0.3, -2.0], [-1.0, 0.3])):
        with pytest.raises((SingularError, RangeError), match=r"simulate bead, after t = [\d.]+ s: ") as stopped:
            simulate(model, q, v, until=20.0, tolerance=SHORT_OF)
        film = stopped.value.result
        assert isinstance(film, Film)
        R, p = film.poses("bead")
        place = p + R[:, :, 0]
        first, both = q[0], q[0] + q[1]
        across = np.array([[-math.sin(first), math.cos(first), 0.0], [-math.sin(both), math.cos(both), 0.0]])
        straight = place[0] + film.t[:, None] * (np.array([v[0], v[0] + v[1]]) @ across)
        rates, left = 1.0 + np.abs(film.v).max(axis=-1), film.t[-1] - film.t
        erred = 3.0 * SHORT_OF * float(np.sum(1.0 + 2.0 * rates * left))
        assert size(place - straight) <= erred
        assert abs(np.linalg.norm(place[-1]) - 2.0) <= erred


@pytest.mark.parametrize("joint", [Joint.spherical(), Joint.floating(), Joint.planar((0, 1, 0))], ids=lambda j: j.kind)
def test_half_a_turn_within_a_step_is_refused(joint: Joint) -> None:
    model = model_of(joint)
    v = np.zeros(model.nv)
    v[0 if joint.kind == "planar" else 1] = 400.0
    with pytest.raises(RangeError, match=r"half a turn within a step of 0.01 s\. Give a shorter step"):
        simulate(model, model.neutral(), v, until=0.1, step=0.01)
    film = simulate(model, model.neutral(), v, until=0.02, tolerance=1e-8)
    assert film.energy().drift <= lost(film, 1e-8)


def test_a_custom_joint_whose_integrate_is_not_analytic_is_named() -> None:
    class Folded(Joint):
        """A slider whose functions lose the imaginary part."""

        kind = "folded"
        nq = 1
        nv = 1

        def transform(self, q: Any, xp: Any) -> Any:
            return xp.broadcast_to(np.eye(3), (*q.shape[:-1], 3, 3)), q * np.array([1.0, 0.0, 0.0])

        def motion_map(self, q: Any, xp: Any) -> Any:
            return xp.broadcast_to(np.eye(6)[:, 3:4], (*q.shape[:-1], 6, 1))

        def integrate(self, q: Any, dv: Any, xp: Any) -> Any:
            return np.real(q + dv)

    model = model_of(Folded(name="slide"))
    with pytest.raises(ModelError, match=r'joint "slide" .*complex'):
        simulate(model, [0.0], [1.0], until=1.0)
    fixed = simulate(model, [0.0], [1.0], until=1.0, step=0.1, method="semi-implicit")
    assert fixed.q.shape == (11, 1)


ARM = oa.chain(2)
WRONG: dict[str, tuple[Callable[[], Any], str]] = {
    "model": (lambda: simulate("arm", [0], [0], until=1.0), "simulate takes a model"),  # pyright: ignore[reportArgumentType]
    "q": (lambda: simulate(ARM, [0], [0, 0], until=1.0), r"q has shape \(1,\), not \(..., 2\)"),
    "v": (lambda: simulate(ARM, [0, 0], [0, np.nan], until=1.0), r"v is not finite at \(1,\)"),
    "axes": (lambda: simulate(ARM, np.zeros((3, 2)), np.zeros((4, 2)), until=1.0), "leading axes of q"),
    "no motion": (lambda: simulate(ARM, np.zeros((0, 2)), [0, 0], until=1.0), "hold no motion"),
    "complex": (lambda: simulate(ARM, [1j, 0], [0, 0], until=1.0), "float64; q is complex128"),
    "until": (lambda: simulate(ARM, [0, 0], [0, 0], until=0.0), "until is 0.0. Give a positive number"),
    "endless": (lambda: simulate(ARM, [0, 0], [0, 0], until=math.inf), "until is inf"),
    "step": (lambda: simulate(ARM, [0, 0], [0, 0], until=1.0, step="small"), "step is 'small'. .*, or \"auto\""),  # pyright: ignore[reportArgumentType]
    "steps": (lambda: simulate(ARM, [0, 0], [0, 0], until=1.0, step=1e-9), "Give a longer step"),
    "tolerance": (lambda: simulate(ARM, [0, 0], [0, 0], until=1.0, tolerance=-1.0), "tolerance is -1.0"),
    "too fine": (lambda: simulate(ARM, [0, 0], [0, 0], until=1.0, tolerance=1e-20), "Give at least 1e-13"),
    "method": (lambda: simulate(ARM, [0, 0], [0, 0], until=1.0, method="euler"), 'Use "runge-kutta"'),  # pyright: ignore[reportArgumentType]
    "no step": (lambda: simulate(ARM, [0, 0], [0, 0], until=1.0, method="implicit"), "such as step=0.001"),
    "torque": (lambda: simulate(ARM, [0, 0], [0, 0], torque=[1.0], until=1.0), r"torque has shape \(1,\)"),
    "torques": (lambda: simulate(ARM, [0, 0], [0, 0], torque=np.zeros((3, 2)), until=1.0), "torque has shape"),
    "torque at t": (
        lambda: simulate(ARM, [0, 0], [0, 0], torque=lambda t, q, v: [np.nan, 0.0] if t > 0.5 else [0.0, 0.0], until=1),
        "the torque at t = 0.5.* s is not finite",
    ),
    "progress": (lambda: simulate(ARM, [0, 0], [0, 0], until=1.0, progress=3), "progress=3"),  # pyright: ignore[reportArgumentType]
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told(case: str) -> None:
    function, message = WRONG[case]
    with pytest.raises(InputError, match=message):
        function()


def test_what_a_torque_raises_is_the_users() -> None:
    def torque(t: float, q: Floats, v: Floats) -> Floats:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        simulate(ARM, [0, 0], [0, 0], torque=torque, until=1.0)


def test_progress_grows_to_its_end() -> None:
    told: list[tuple[int, int | None, str]] = []

    def tell(done: int, total: int | None, text: str) -> None:
        told.append((done, total, text))

    simulate(pendulum(), [1.0], [0.0], until=1.0, progress=tell)
    done = [each[0] for each in told]
    assert done == sorted(done)
    assert told[-1] == (1000, 1000, "t = 1 s")
