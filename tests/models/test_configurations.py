"""Configurations of whole models."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.errors import InputError
from operator_algebra.models.configurations import rest
from operator_algebra.models.gallery import load
from operator_algebra.models.joints.joint import Joint, Limits
from operator_algebra.models.kinematics import joint_transforms
from operator_algebra.models.model import Body, Model
from operator_algebra.operators import leaf
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.spatial.inertia import Inertia
from tests.rounding import apart, differencing, rounding, size
from tests.strategies import mechanisms

BALL = Inertia.sphere(1.0, 0.1, com=(0.1, 0.05, 0.0))


@given(mechanisms(), st.integers(0, 1000))
def test_integrate_and_difference_go_joint_by_joint(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    step = 0.4 * v
    moved = model.integrate(q, step)
    for k, body in enumerate(model.bodies):
        own = body.joint.integrate(q[model.q_slices[k]], step[model.v_slices[k]], np)
        assert apart(moved[model.q_slices[k]], own) <= rounding(size(moved))
    assert apart(model.difference(q, moved), step) <= rounding(size(q, moved), terms=9)


@given(mechanisms(), st.integers(0, 1000))
def test_the_rate_is_the_complex_step_of_integrate(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    found = np.imag(model.integrate(q, 1e-30j * v)) / 1e-30
    assert apart(model.rate(q, v), found) <= rounding(size(q, v, found), terms=9)


@given(mechanisms(), st.integers(0, 1000))
def test_the_rate_is_linear_in_v_and_keeps_quaternions_at_length_one(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    rate = model.rate(q, v)
    assert apart(model.rate(q, -3.0 * v), -3.0 * rate) <= rounding(3.0 * size(rate))
    for k, body in enumerate(model.bodies):
        part = body.joint.quaternion
        if part is not None:
            of_joint = model.q_slices[k]
            assert abs(q[of_joint][part] @ rate[of_joint][part]) <= rounding(size(rate), terms=4)


def test_rates_take_leading_axes_and_complex_numbers() -> None:
    model = load("quadruped")
    q, v = model.random(0)
    many = np.stack([v, 2.0 * v, 0.0 * v])
    found = model.rate(q, many)
    assert found.shape == (3, model.nq)
    assert apart(found[1], 2.0 * found[0]) <= rounding(size(found))
    assert not found[2].any()
    bent = model.rate(q, 1j * v)
    assert apart(np.imag(bent), found[0]) <= rounding(size(found))


@given(mechanisms())
def test_leading_axes(model: Model) -> None:
    q, v = model.random(0)
    many = np.stack([np.stack([q, model.neutral()])] * 3)
    moved = model.integrate(many, 0.1 * v)
    assert moved.shape == (3, 2, model.nq)
    assert apart(moved[2, 0], model.integrate(q, 0.1 * v)) <= rounding(size(moved))
    assert model.difference(model.neutral(), moved).shape == (3, 2, model.nv)


@given(mechanisms(), st.integers(0, 1000))
def test_random_depends_on_the_seed_alone(model: Model, seed: int) -> None:
    q, v = model.random(seed)
    again = model.random(seed)
    assert (q == again[0]).all()
    assert (v == again[1]).all()
    model.check_q(q)
    assert (np.abs(v) <= 1.0).all()


def test_random_keeps_the_limits() -> None:
    hinge = Joint.revolute(limits=Limits(lower=(0.1,), upper=(0.2,)))
    half_open = Joint.prismatic((1, 0, 0), limits=Limits(lower=(0.1,), upper=(np.inf,)))
    model = Model(bodies=[Body("a", None, hinge, inertia=BALL), Body("b", "a", half_open, inertia=BALL)])
    angles = np.array([model.random(seed)[0][0] for seed in range(50)])
    assert angles.min() >= 0.1
    assert angles.max() <= 0.2
    assert angles.std() > 0.01


def test_neutral_moves_no_body() -> None:
    model = load("tree4")
    rotation, position = joint_transforms(model, model.neutral(), np)
    assert (rotation == np.eye(3)).all()
    assert not position.any()


def test_rest_and_deflections_of_springs() -> None:
    bodies = [
        Body("a", None, Joint.revolute(stiffness=3.0, rest=0.5), inertia=BALL),
        Body("b", "a", Joint.spherical(stiffness=2.0), inertia=BALL),
        Body("c", "b", Joint.floating(), inertia=BALL),
        Body("d", "c", Joint.fixed(), inertia=BALL),
    ]
    model = Model(bodies=bodies)
    assert rest(model)[:5].tolist() == [0.5, 1.0, 0.0, 0.0, 0.0]
    q = model.integrate(model.neutral(), [0.7, 0.1, 0.2, 0.3, *[0.4] * 6])
    found = spring_force(model, np.stack([q, model.neutral()]))
    assert apart(found[0], [0.6, 0.2, 0.4, 0.6, *[0.0] * 6]) <= rounding()
    assert apart(found[1], [-1.5, *[0.0] * 9]) == 0.0


def spring_force(model: Model, q: np.ndarray) -> np.ndarray:
    """The leaf `spring`, one number for each rate."""
    return np.concatenate(LeafValues(model, q).blocks(leaf.spring), axis=-2)[..., 0]


def test_springs_pull_along_the_gradient_of_their_energy() -> None:
    """Half the stiffness times the squared deflection falls by the work of −stiffness · deflection."""
    rng = np.random.default_rng(4)
    bodies = [
        Body("a", None, Joint.universal(stiffness=(3.0, 1.0), rest=(0.5, -0.2)), inertia=BALL),
        Body("b", "a", Joint.spherical(stiffness=2.0), inertia=BALL),
        Body("c", "b", Joint.translation(stiffness=(1.0, 2.0, 3.0)), inertia=BALL),
    ]
    model = Model(bodies=bodies)
    stiffness = model.arrays.stiffness
    q = model.integrate(model.neutral(), 0.5 * rng.standard_normal(model.nv))

    def energy(at: np.ndarray) -> float:
        return 0.5 * float(stiffness @ np.square(model.difference(rest(model), at)))

    pull = -spring_force(model, q)
    h = 1e-5
    for i, direction in enumerate(np.eye(model.nv)):
        slope = (energy(model.integrate(q, h * direction)) - energy(model.integrate(q, -h * direction))) / (2 * h)
        assert apart(slope, -pull[i]) <= differencing(energy(q), h)


@pytest.mark.parametrize(
    ("q", "message"),
    [
        ([0.0] * 3, r"q has shape \(3,\), not \(..., 7\)"),
        (0.0, r"q has shape \(\), not"),
        ([0, 0, 0, 0, 0, 0, "x"], "q is not an array of numbers"),
        ([0, 0, 0, 1, 0, 0, np.nan], r"q is not finite at \(6,\)"),
        ([0, 0, np.inf, 1, 0, 0, 0], "q is not finite"),
        ([0, 0, 0, 0.5, 0.5, 0, 0], r'joint "socket": norm of q\[3:7\] is 0.7071, not 1. .*w x y z'),
        ([0, 0, 0, 0, 0, 0, 0], r"norm of q\[3:7\] is 0"),
    ],
)
def test_bad_coordinates_are_refused(q: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load("tree4").check_q(q)  # pyright: ignore[reportArgumentType]


def test_bad_rates_are_refused_under_their_name() -> None:
    model = load("planar2r")
    with pytest.raises(InputError, match=r"model planar2r: qdd has shape \(3,\), not \(..., 2\)"):
        model.check_v([1, 2, 3], "qdd")
    with pytest.raises(InputError, match="dv is not finite"):
        model.integrate([0, 0], [np.nan, 0])
