"""Derivatives of dynamics: against a complex step of the formulas themselves, and against those of Pinocchio."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra.applications import dynamics, sensitivities
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import dense, logdet, trace
from operator_algebra.interop import pinocchio
from operator_algebra.lowering.lower import lower
from operator_algebra.models.families import random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.model import Model
from operator_algebra.spatial.arrays import Axes
from operator_algebra.symbols import damping, inv
from tests.applications.inputs import numbers, read_by, sprung
from tests.rounding import apart, size
from tests.strategies import ALL_JOINTS, mechanisms

CONSTANT = tuple(kind for kind in ALL_JOINTS if kind != "universal")
ALL = random_tree(len(CONSTANT), joints=CONSTANT, branching=0.6, seed=5)
TINY = 1e-40
DIGITS = 1e-10
"""Of the largest entry: inverses of well-conditioned mass matrices lose few of sixteen."""
frames = st.sampled_from(["body", "world"])


CASES: dict[str, tuple[Expr, Expr, str]] = {
    "mass matrix": (sensitivities.mass_matrix_along, dynamics.mass_matrix, "q"),
    "inverse dynamics": (sensitivities.inverse_dynamics_along, dynamics.inverse_dynamics, "q"),
    "inverse dynamics by rates": (sensitivities.inverse_dynamics_along_v, dynamics.inverse_dynamics, "v"),
    "forward dynamics": (sensitivities.forward_dynamics_along, dynamics.forward_dynamics, "q"),
    "forward dynamics by rates": (sensitivities.forward_dynamics_along_v, dynamics.forward_dynamics, "v"),
}


@pytest.mark.parametrize("axes", ["body", "world"])
@pytest.mark.parametrize("model", [ALL, sprung(ALL)], ids=["plain", "sprung"])
@pytest.mark.parametrize("name", CASES)
def test_along_a_direction(name: str, model: Model, axes: Axes) -> None:
    rate, e, moving = CASES[name]
    q, _ = model.random(3)
    values: dict[str, Any] = {**numbers(model, 3), "spring_rate": sensitivities.stiffness(model, q=q)}
    if axes == "world":
        values["f_ext"] = 0.0 * values["f_ext"]  # forces are held in the axes of the bodies
    given_ = read_by(rate, values)
    found = evaluate(rate, model, q=q, frame=axes, **given_).dense()
    step = 1j * TINY * values["w"]
    moved = {**values, "v": values["v"] + step} if moving == "v" else values
    ahead = model.integrate(q, step) if moving == "q" else q
    expected: Any = evaluate(e, model, q=ahead, frame=axes, **read_by(e, moved)).dense()
    assert apart(found, expected.imag / TINY) <= DIGITS * size(found)
    compiled = compile_program(rate, model, frame=axes)(q=q, **given_)
    assert apart(np.reshape(compiled, found.shape), found) <= DIGITS * size(found)


@given(mechanisms(armature=True, max_bodies=6), st.integers(0, 1000), frames)
@settings(max_examples=30)
def test_the_coriolis_matrix(model: Model, seed: int, frame: Axes) -> None:
    q, v = model.random(seed)
    C = evaluate(sensitivities.coriolis_matrix, model, q=q, v=v, frame=frame).dense()
    rate = evaluate(sensitivities.mass_matrix_rate, model, q=q, v=v, frame=frame).dense()
    skew = rate - 2 * C
    terms = evaluate(dynamics.coriolis, model, q=q, v=v, frame=frame).dense()
    assert apart(C @ v, terms) <= DIGITS * (1.0 + size(C) * size(v))
    assert apart(skew, -skew.T) <= DIGITS * (1.0 + size(C))


def test_slopes_in_directions_are_refused_where_joint_maps_depend_on_the_pose() -> None:
    """All that moves the pose along w; along the motion and in the rates alone formulas hold for all joints."""
    model = random_tree(3, joints=("universal",), seed=1)
    narrow = {name for name in dir(sensitivities) if name.endswith(("_along", "_by_q"))}
    assert len(narrow) == 6
    for name in narrow:
        with pytest.raises(InputError, match="holds for constant joint maps"):
            oa.compile(getattr(sensitivities, name), model)
    for name in ("inverse_dynamics_along_v", "forward_dynamics_by_v", "coriolis_matrix", "mass_matrix_rate"):
        oa.compile(getattr(sensitivities, name), model)
    program = oa.lower(sensitivities.mass_matrix_along)
    with pytest.raises(InputError, match="holds for constant joint maps"):
        oa.compile(program, model)


def test_a_domain_of_ones_own() -> None:
    mine = oa.define("mine", "H phi M phi' H'", domain=["constant joint maps"])
    arm, bent = oa.load("planar2r"), random_tree(2, joints=("universal",), seed=1)
    assert oa.evaluate(mine, arm, q=arm.neutral()).shape == (2, 2)
    with pytest.raises(
        InputError, match=r'mine holds for constant joint maps, and that of joint ".*" of kind "universal'
    ):
        oa.evaluate(2 * mine, bent, q=bent.neutral())
    with pytest.raises(InputError, match="a word of the domain"):
        oa.define("mine", "H phi M phi' H'", domain=["serial"])


def test_the_rate_of_the_mass_matrix_with_universal_joints() -> None:
    model = random_tree(5, joints=("universal", "revolute"), seed=1)
    q, v = model.random(1)
    found = evaluate(sensitivities.mass_matrix_rate, model, q=q, v=v).dense()
    ahead: Any = evaluate(dynamics.mass_matrix, model, q=model.integrate(q, 1j * TINY * v)).dense()
    assert apart(found, ahead.imag / TINY) <= DIGITS * size(found)


def matrix(e: Expr, model: Model, **values: Any) -> Any:
    """A derivative by every coordinate: the formula at each direction, as one batch."""
    return np.asarray(compile_program(e, model)(w=np.eye(model.nv), **values)).T


@pytest.mark.parametrize("seed", range(4))
def test_pinocchio_has_the_same_derivatives(seed: int) -> None:
    pin: Any = pytest.importorskip("pinocchio")
    model = random_tree(3 + 2 * seed, joints=pinocchio.KINDS, branching=0.6, seed=seed)
    compared_with(pin, model, seed, solved=100 * DIGITS)


@pytest.mark.parametrize("name", ["arm7", "puma560", "tree4", "quadruped", "humanoid"])
def test_pinocchio_has_the_same_derivatives_of_robots(name: str) -> None:
    pin: Any = pytest.importorskip("pinocchio")
    compared_with(pin, load(name), 1)


def compared_with(pin: Any, model: Model, seed: int, solved: float = DIGITS) -> None:
    """`solved` is for what was solved with a mass matrix."""
    other = pinocchio.twin(model)
    q, v = model.random(seed)
    given_ = numbers(model, seed)
    other.model.armature = other.v(model.arrays.armature)
    plain: dict[str, Any] = {"f_ext": np.zeros(6 * model.n), "spring_rate": np.zeros(model.nv)}
    pin.computeRNEADerivatives(other.model, other.data, other.q(q), other.v(v), other.v(given_["qdd"]))
    theirs = [other.matrix(other.data.dtau_dq), other.matrix(other.data.dtau_dv)]
    e = (sensitivities.inverse_dynamics_along, sensitivities.inverse_dynamics_along_v)
    ours = [
        matrix(e[0], model, q=q, v=v, qdd=given_["qdd"], **plain),
        matrix(e[1], model, q=q, v=v) - np.diag(model.arrays.damping),
    ]
    for found, expected in zip(ours, theirs, strict=True):
        assert apart(found, expected) <= DIGITS * size(expected)
    by_q = compile_program(dense(sensitivities.inverse_dynamics_by_q), model)(q=q, v=v, qdd=given_["qdd"], **plain)
    by_v = compile_program(dense(sensitivities.inverse_dynamics_by_v), model)(q=q, v=v)
    for found, expected in zip((by_q, by_v - np.diag(model.arrays.damping)), theirs, strict=True):
        assert apart(found, expected) <= DIGITS * size(expected)
    T = given_["T"]
    pin.computeABADerivatives(other.model, other.data, other.q(q), other.v(v), other.v(T - model.arrays.damping * v))
    by_q, by_v = other.matrix(other.data.ddq_dq), other.matrix(other.data.ddq_dv)
    found = matrix(sensitivities.forward_dynamics_along, model, q=q, v=v, T=T, **plain)
    assert apart(found, by_q) <= solved * size(by_q)
    found = compile_program(dense(sensitivities.forward_dynamics_by_q), model)(q=q, v=v, T=T, **plain)
    assert apart(found, by_q) <= solved * size(by_q)
    # The other engine was given the torque that dampers leave, which does not change with the rates there.
    damped = evaluate(inv(dynamics.mass_matrix) @ damping, model, q=q).dense()
    found = compile_program(dense(sensitivities.forward_dynamics_by_v), model)(q=q, v=v)
    assert apart(found + damped, by_v) <= solved * size(by_v)


@pytest.mark.parametrize("name", ["all joints", "humanoid"])
def test_the_gradient_of_the_log_determinant(name: str) -> None:
    model = ALL if name == "all joints" else load(name)
    model = sprung(model)  # with armature
    q, _ = model.random(2)
    directions = np.eye(model.nv)
    found = compile_program(sensitivities.logdet_along, model)(q=q, w=directions)
    ahead = model.integrate(q, 1j * TINY * directions)
    values: Any = [evaluate(logdet(dynamics.mass_matrix), model, q=one).dense().item() for one in ahead]
    expected = np.imag(values) / TINY
    assert apart(found, expected) <= DIGITS * size(expected)
    by_trace = trace(inv(dynamics.mass_matrix) @ sensitivities.mass_matrix_along)
    assert apart(compile_program(by_trace, model)(q=q, w=directions), expected) <= DIGITS * size(expected)
    assert len(lower(sensitivities.logdet_along).sweeps) == 1


ORDERS = {"inverse_dynamics_by_q": (2, "O(N depth)"), "inverse_dynamics_by_v": (2, "O(N depth)"),
          "forward_dynamics_by_q": (3, "O(N²)"), "forward_dynamics_by_v": (3, "O(N²)")}  # fmt: skip


@pytest.mark.parametrize("name", ORDERS)
def test_matrices_take_no_more_than_their_entries_and_the_sweeps_of_dynamics(name: str) -> None:
    program = lower(dense(getattr(sensitivities, name)))
    sweeps, order = ORDERS[name]
    assert len(program.sweeps) <= sweeps
    assert program.cost(ALL).order == order
