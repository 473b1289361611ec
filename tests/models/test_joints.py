"""Every kind of joint: transform, joint map and rates must tell one story, whatever computes them."""

import importlib
import itertools
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from operator_algebra.errors import ModelError
from operator_algebra.models.families import random_joint
from operator_algebra.models.joints.joint import Joint, Limits, joint_class, make_joint
from operator_algebra.spatial.vectors import skew
from tests.rounding import apart, differencing, rounding, size
from tests.strategies import ALL_JOINTS
from tests.wrong_numbers import not_numbers

Floats = NDArray[np.float64]
COORDINATE_RATES = ("revolute", "prismatic", "helical", "cylindrical", "universal", "translation")
seeds = st.integers(0, 2**20)


def _sample(kind: str, seed: int) -> tuple[Joint, Floats, Floats]:
    rng = np.random.default_rng(seed)
    joint = random_joint(kind, rng)
    return joint, joint.random(rng), rng.uniform(-1.0, 1.0, joint.nv)


def allowed(*coordinates: Floats) -> float:
    """What rounding may leave after two rotations, or of coordinates, whose last digits are also those of the sines."""
    return rounding(1.0 + size(*coordinates), terms=9)


def _twist(joint: Joint, q: Floats, derivative: tuple[Floats, Floats]) -> Floats:
    """The twist in child axes that belongs to the derivative of (R, p)."""
    rotation, _ = joint.transform(q, np)
    spin = rotation.T @ derivative[0]
    return np.concatenate([[spin[2, 1], spin[0, 2], spin[1, 0]], rotation.T @ derivative[1]])


@pytest.mark.parametrize("kind", COORDINATE_RATES)
@given(seed=seeds)
def test_map_is_the_complex_step_of_the_transform(kind: str, seed: int) -> None:
    joint, q, _ = _sample(kind, seed)
    given_map = joint.motion_map(q, np)
    for i in range(joint.nv):
        step = 1e-30 * np.eye(joint.nq)[i]
        rotation, position = joint.transform(q + 1j * step, np)
        found = _twist(joint, q, (np.imag(rotation) / 1e-30, np.imag(position) / 1e-30))
        assert apart(found, given_map[:, i]) <= allowed(q)


@pytest.mark.parametrize("kind", ["spherical", "floating", "planar"])
@given(seed=seeds)
def test_map_is_the_difference_quotient_of_the_transform(kind: str, seed: int) -> None:
    joint, q, _ = _sample(kind, seed)
    given_map = joint.motion_map(q, np)
    h = 1e-5
    for i, direction in enumerate(np.eye(joint.nv)):
        ahead, behind = (joint.transform(joint.integrate(q, s * h * direction, np), np) for s in (1.0, -1.0))
        found = _twist(joint, q, ((ahead[0] - behind[0]) / (2 * h), (ahead[1] - behind[1]) / (2 * h)))
        assert apart(found, given_map[:, i]) <= differencing(allowed(q) / rounding(), h)


@pytest.mark.parametrize("kind", [kind for kind in ALL_JOINTS if kind not in ("spherical", "floating", "planar")])
@given(seed=seeds)
def test_map_rate_is_the_complex_step_of_the_map(kind: str, seed: int) -> None:
    joint, q, v = _sample(kind, seed)
    moved = joint.motion_map(q + 1e-30j * v, np) if joint.nv else np.zeros((6, 0))
    rate = joint.motion_map_rate(q, v, np)
    assert apart(np.imag(moved) / 1e-30, rate) <= allowed(q)
    if joint.has_constant_map:
        assert not rate.any()


@pytest.mark.parametrize("kind", ALL_JOINTS)
@given(seed=seeds)
def test_transform_gives_a_rotation(kind: str, seed: int) -> None:
    joint, q, _ = _sample(kind, seed)
    rotation, _ = joint.transform(q, np)
    assert apart(rotation @ rotation.T, np.eye(3)) <= allowed(q)
    assert np.linalg.det(rotation) > 0.0


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_neutral_is_the_identity(kind: str) -> None:
    joint, _, _ = _sample(kind, 3)
    rotation, position = joint.transform(joint.neutral(), np)
    assert apart(rotation, np.eye(3)) <= rounding()
    assert not position.any()


@pytest.mark.parametrize("kind", ALL_JOINTS)
@given(seed=seeds, size=st.sampled_from([1e-9, 1e-3, 0.1, 1.0, 3.0]))
def test_difference_undoes_integrate(kind: str, seed: int, size: float) -> None:
    joint, q, v = _sample(kind, seed)
    step = size * v / max(1.0, float(np.linalg.norm(v)))  # turns stay below π
    found = joint.difference(q, joint.integrate(q, step, np), np)
    assert apart(found, step) <= allowed(q, step)


@pytest.mark.parametrize("kind", ALL_JOINTS)
@given(seed=seeds)
def test_integrate_undoes_difference(kind: str, seed: int) -> None:
    joint, q, _ = _sample(kind, seed)
    other = joint.random(np.random.default_rng(seed + 1))
    step = joint.difference(q, other, np)
    reached = joint.integrate(q, step, np)
    for found, wanted in zip(joint.transform(reached, np), joint.transform(other, np), strict=True):
        # Towards a full turn a step in the plane grows like 1 / (2π − θ).
        assert apart(found, wanted) <= allowed(q, other, step)


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_two_half_steps_make_a_whole_one(kind: str) -> None:
    """Constant body rates: the flow of a constant twist is a one-parameter group."""
    joint, q, v = _sample(kind, 11)
    halves = joint.integrate(joint.integrate(q, 0.5 * v, np), 0.5 * v, np)
    for found, wanted in zip(joint.transform(halves, np), joint.transform(joint.integrate(q, v, np), np), strict=True):
        assert apart(found, wanted) <= allowed(q, v)


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_leading_axes_and_stacked_parameters(kind: str) -> None:
    """One formula serves one joint and many."""
    rng = np.random.default_rng(2)
    joints: list[Joint] = [random_joint(kind, rng) for _ in range(4)]
    q = joints[0].random(rng, (5, 3, 4))
    v = rng.uniform(-1.0, 1.0, (5, 3, 4, joints[0].nv))
    together = joints[0].stacked(joints)
    many = [*together.transform(q, np), together.motion_map(q, np), together.motion_map_rate(q, v, np)]
    many += [together.integrate(q, v, np), together.difference(q, q[::-1], np)]
    for index in itertools.product(range(5), range(3), range(4)):
        one, at, rate = joints[index[2]], q[index], v[index]
        alone: list[Floats] = [*one.transform(at, np), one.motion_map(at, np), one.motion_map_rate(at, rate, np)]
        alone += [one.integrate(at, rate, np), one.difference(at, q[::-1][index], np)]
        for value, values in zip(alone, many, strict=True):
            assert apart(values[index], value) <= allowed(at, rate)
            assert values.shape == (5, 3, 4, *value.shape)


@pytest.mark.parametrize("kind", [kind for kind in ALL_JOINTS if _sample(kind, 0)[0].series()])
def test_a_series_does_what_the_joint_does(kind: str) -> None:
    joint, q, _ = _sample(kind, 5)
    rotation, position = np.eye(3), np.zeros(3)
    for k, (part, axis) in enumerate(joint.series()):
        turn, shift = make_joint(part, axis=axis).transform(q[k : k + 1], np)
        rotation, position = rotation @ turn, position + rotation @ shift
    R, p = joint.transform(q, np)
    assert apart(rotation, R) <= rounding(1.0)
    assert apart(position, p) <= rounding(size(q))


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_formulas_accept_symbols(kind: str) -> None:
    """Backends trace the same formulas: arrays of symbols, and a namespace whose functions know them."""
    sympy: Any = importlib.import_module("sympy")

    numpy: Any = np
    xp: Any = SimpleNamespace(
        sin=numpy.frompyfunc(sympy.sin, 1, 1),
        cos=numpy.frompyfunc(sympy.cos, 1, 1),
        **{name: getattr(np, name) for name in ("eye", "stack", "concatenate", "zeros_like", "broadcast_to")},
    )
    joint, values, rates = _sample(kind, 7)
    q = np.array([sympy.Symbol(f"q{i}") for i in range(joint.nq)], dtype=object)
    v = np.array([sympy.Symbol(f"v{i}") for i in range(joint.nv)], dtype=object)
    traced = [*joint.transform(q, xp), joint.motion_map(q, xp), joint.motion_map_rate(q, v, xp)]
    direct = [*joint.transform(values, np), joint.motion_map(values, np), joint.motion_map_rate(values, rates, np)]
    known = dict(zip([*q, *v], [*values.tolist(), *rates.tolist()], strict=True))
    for symbolic, numeric in zip(traced, direct, strict=True):
        found = np.array([float(sympy.sympify(x).subs(known)) for x in np.ravel(symbolic)]).reshape(numeric.shape)
        assert apart(found, numeric) <= allowed(values, rates)


def test_a_helical_joint_advances_with_its_turn() -> None:
    joint = make_joint("helical", axis=(0, 0, 1), pitch=0.25)
    assert joint.transform(np.array([2.0]), np)[1].tolist() == [0.0, 0.0, 0.5]


def test_a_planar_joint_with_the_normal_z_uses_x_and_y() -> None:
    joint = Joint.planar()
    rotation, position = joint.transform(np.array([np.pi / 2, 1.0, 2.0]), np)
    assert position.tolist() == [1.0, 2.0, 0.0]
    # Rates are in the axes of the child: forward is now along y.
    moved = joint.integrate(np.array([np.pi / 2, 1.0, 2.0]), np.array([0.0, 1.0, 0.0]), np)
    assert apart(moved, [np.pi / 2, 1.0, 3.0]) <= allowed(moved)
    assert apart(rotation @ [1, 0, 0], [0, 1, 0]) <= allowed(moved)


STEEP = [(x, y, -1) for x, y in itertools.product((0, 1e-300, 1e-150, 1e-9, 1.3e-6, 1e-3), (0, -1e-9, 1e-6))]


@pytest.mark.parametrize("normal", [(0, 0, 1), (1, 0, 0), (0.6, 0, -0.8), *STEEP])
def test_planar_joints_have_right_handed_axes(normal: tuple[float, float, float]) -> None:
    basis = Joint.planar(normal).motion_map(np.zeros(3), np)
    first, second = basis[3:, 1], basis[3:, 2]
    assert apart(np.cross(first, second), basis[:3, 0]) <= rounding(terms=3)
    assert apart(basis[3:, 1:].T @ basis[3:, 1:], np.eye(2)) <= rounding(terms=3)


def test_universal_is_two_revolute_joints() -> None:
    joint = make_joint("universal", axis1=(0, 0, 1), axis2=(0.6, 0.8, 0))
    first, second = Joint.revolute((0, 0, 1)), Joint.revolute((0.6, 0.8, 0))
    q = np.array([0.4, -1.3])
    wanted = first.transform(q[:1], np)[0] @ second.transform(q[1:], np)[0]
    assert apart(joint.transform(q, np)[0], wanted) <= allowed(q)


@pytest.mark.parametrize("kind", ALL_JOINTS)
@given(seed=seeds)
def test_no_pose_takes_a_rate_away(kind: str, seed: int) -> None:
    """Rates move the body in as many ways in one pose as in another: no kind of the package has a gimbal lock."""
    joint, q, _ = _sample(kind, seed)
    here, there = (np.linalg.svd(joint.motion_map(x, np), compute_uv=False) for x in (q, joint.neutral()))
    assert apart(here, there) <= allowed(q) * (1.0 + size(there))
    assert here.min(initial=1.0) > 0.0


def test_quaternions_need_no_unit_length() -> None:
    q = np.array([0.3, -0.4, 0.2, 0.9])
    joint = Joint.spherical()
    assert apart(joint.transform(3.0 * q, np)[0], joint.transform(q, np)[0]) <= allowed(q)


def test_options_become_tuples() -> None:
    joint = Joint.universal(armature=0.1, damping=(1, 2), stiffness=3.0, rest=0.5)
    assert joint.armature == (0.1, 0.1)
    assert joint.damping == (1.0, 2.0)
    assert joint.stiffness == (3.0, 3.0)
    assert joint.rest == (0.5, 0.5)
    for value in (np.float64(0.1), np.array(0.1), np.float32(0.5), np.int64(2), Fraction(1, 8)):
        joint = make_joint("universal", armature=value, damping=value, stiffness=value, rest=value)
        assert joint.armature == joint.damping == joint.stiffness == joint.rest == (float(value),) * 2
    assert make_joint("universal", armature=np.array([1, 2])).armature == (1.0, 2.0)
    assert make_joint("helical", pitch=np.float64(0.1)) == make_joint("helical", pitch=0.1)
    assert Joint.spherical().armature == (0.0, 0.0, 0.0)
    assert Joint.fixed().armature == ()


def test_joints_are_values() -> None:
    assert Joint.revolute((0, 0, 2)) == Joint.revolute((0, 0, 1))
    assert Joint.revolute((0, 0, 1)) != Joint.prismatic((0, 0, 1))
    assert hash(Joint.revolute((-0.0, 0, 1))) == hash(Joint.revolute((0, 0, 1)))
    assert repr(Joint.revolute((0, 0, 1), damping=2.0)) == "Revolute(damping=(2.0,), axis=(0.0, 0.0, 1.0))"


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_each_kind_is_the_class_in_the_file_of_its_name(kind: str) -> None:
    assert joint_class(kind).kind == kind
    assert joint_class(kind).__module__ == f"operator_algebra.models.joints.{kind}"


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("revolute", {"axis": (0, 0, 0)}, "the axis has no direction"),
        ("revolute", {"axis": (0, 0)}, "needs 3 numbers"),
        ("revolute", {"axis": (0, float("nan"), 1)}, "not finite"),
        ("revolute", {"axis": "z"}, "not the text 'z'"),
        ("revolute", {"axis": None}, "needs 3 numbers"),
        ("revolute", {"armature": -1.0}, "armature is negative"),
        ("revolute", {"armature": (1.0, 2.0)}, "armature needs 1 finite numbers"),
        ("revolute", {"armature": "0.1"}, "armature needs 1 finite numbers"),
        ("revolute", {"armature": True}, "armature needs 1 finite numbers"),
        ("revolute", {"armature": 0.1j}, "armature needs 1 finite numbers"),
        ("revolute", {"damping": float("inf")}, "damping needs 1 finite numbers"),
        ("revolute", {"stiffness": -2.0}, "stiffness is negative"),
        ("revolute", {"rest": (1.0, 2.0)}, "rest needs 1 finite numbers"),
        ("revolute", {"limits": Limits(lower=(1.0,), upper=(0.0,))}, "above the upper"),
        ("revolute", {"limits": Limits(lower=(1.0, 2.0))}, "the limit 'lower' needs 1 numbers"),
        ("revolute", {"limits": Limits(effort=(float("nan"),))}, "the limit 'effort' needs 1 numbers"),
        ("revolute", {"axle": (0, 0, 1)}, "takes no 'axle'"),
        ("revolute", {"kind": "fixed"}, "takes no 'kind'"),
        ("universal", {"axis1": (0, 0, 1), "axis2": (0, 0, -1)}, "parallel"),
        ("helical", {}, "needs its pitch"),
        ("helical", {"pitch": "1"}, "pitch needs 1 finite numbers"),
        ("planar", {"stiffness": 1.0}, "a spring needs rates"),
        ("floating", {"stiffness": 1.0}, "a spring needs rates"),
        ("spherical", {"stiffness": (1.0, 2.0, 3.0)}, "a spring needs rates"),
        ("ball", {}, "unknown kind of joint 'ball'"),
    ],
)
def test_bad_options_are_refused(kind: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make_joint(kind, **options)


def test_isotropic_springs_on_spherical_joints_are_fine() -> None:
    assert Joint.spherical(stiffness=2.0).stiffness == (2.0, 2.0, 2.0)


def test_skew_of_the_spin_is_the_derivative_of_the_rotation() -> None:
    """dR/dt = R ω̃ with ω in child axes: the convention of every map."""
    joint = Joint.universal()
    q, v, h = np.array([0.3, 0.7]), np.array([1.0, -2.0]), 1e-30
    rotation, _ = joint.transform(q + 1j * h * v, np)
    spin = skew(joint.motion_map(q, np)[:3] @ v, np)
    assert apart(np.imag(rotation) / h, np.real(rotation) @ spin) <= allowed(q, v)


@pytest.mark.parametrize("name", not_numbers((2,)))
@pytest.mark.parametrize("option", ["armature", "damping", "stiffness", "rest"])
def test_options_are_real_numbers(option: str, name: str) -> None:
    with pytest.raises(ModelError, match=f"{option} needs 2 finite numbers"):
        make_joint("universal", **{option: not_numbers((2,))[name]})


@pytest.mark.parametrize("value", [np.complex128(0.1), np.eye(2), np.array([]), np.ma.masked, np.bool_(True)], ids=str)
def test_an_option_of_another_kind_is_refused(value: Any) -> None:
    with pytest.raises(ModelError, match="armature needs 2 finite numbers"):
        make_joint("universal", armature=value)
