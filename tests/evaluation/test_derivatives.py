"""Derivatives by rule are derivatives: a complex step of evaluate judges them, for random formulas and mechanisms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.errors import SingularError
from operator_algebra.evaluation import Scaled, evaluate_with_scale
from operator_algebra.expressions.build import operator, vector
from operator_algebra.expressions.nodes import Expr, Root, Symbol
from operator_algebra.expressions.traverse import children_and_definition, free_symbols, postorder
from operator_algebra.models.changes import with_armature
from operator_algebra.models.families import random_tree
from operator_algebra.models.joints.joint import JOINT_KINDS
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import RATE
from operator_algebra.rates import CONSTANT_MAPS, SINGLE, differentiate
from operator_algebra.spatial.arrays import Axes
from tests.expression_strategies import expressions, inputs_for
from tests.lowering.agreement import agreement
from tests.rounding import apart, rounding
from tests.strategies import mechanisms

STEP = 1e-40
"""Into the complex plane; nothing cancels, so it may be as small as it likes."""

ONE_DOF = ("revolute", "prismatic", "helical")
CONSTANT = tuple(kind for kind in JOINT_KINDS if kind != "universal")
w = vector("w", RATE)
frames = st.sampled_from(["body", "world"])
seeds = st.integers(0, 2**20)


def speaks_of(e: Expr, kind: type[Expr]) -> bool:
    return any(isinstance(node, kind) for node in postorder(e, children_and_definition))


def domain_of(e: Expr) -> tuple[str, ...]:
    """What a formula asks of joints before it has a derivative."""
    single = (SINGLE,) if speaks_of(e, Root) else ()
    return single + ((CONSTANT_MAPS,) if s.H_dot in free_symbols(e) else ())


def joints_for(words: tuple[str, ...]) -> tuple[str, ...]:
    return ONE_DOF if SINGLE in words else CONSTANT if CONSTANT_MAPS in words else tuple(JOINT_KINDS)


def rates_of(e: Expr) -> dict[Symbol, Symbol]:
    """Every input but v, and a symbol for its rate."""
    inputs = [one for one in free_symbols(e) if one.origin == "input" and one is not s.v]
    return {x: operator(f"{x.name}_rate", x.type, structure=x.structure) for x in inputs}


def reads(e: Expr) -> set[str]:
    """The names of what has to be given with q."""
    found = {one.name for one in free_symbols(e) if one.origin == "input"}
    return found | ({"v"} if s.H_dot in free_symbols(e) else set())


@dataclass(frozen=True)
class Path:
    """A mechanism on its way: where it is, and how fast q and the inputs move."""

    model: Model
    frame: Axes
    q: Any
    along: Any
    at: Mapping[str, Any]
    rates: Mapping[str, Any]

    def stepped(self, e: Expr) -> Scaled:
        """The value of a formula a tiny imaginary step ahead."""
        q = self.model.integrate(self.q, 1j * STEP * self.along)
        moved = {name: self.at[name] + 1j * STEP * np.asarray(self.rates.get(name, 0.0)) for name in reads(e)}
        return evaluate_with_scale(e, self.model, q=q, frame=self.frame, **moved)

    def apart(self, e: Expr, rate: Expr) -> float:
        """How far a formula is from the derivative of another, as a share of what rounding may leave."""
        known = {**self.at, **{f"{name}_rate": value for name, value in self.rates.items()}, "qdd": self.rates.get("v")}
        given: dict[str, Any] = {name: known[name] for name in reads(rate)}
        found = evaluate_with_scale(rate, self.model, q=self.q, frame=self.frame, **given)
        whole = self.stepped(e)
        condition = max(found.condition, whole.condition)
        allowed = rounding(found.scale, terms=self.model.depth, condition=condition**2)
        ahead: Any = whole.value.dense()
        left = apart(found.value.dense(), ahead.imag / STEP)
        return left / allowed if left else 0.0


def path(e: Expr, model: Model, seed: int, frame: Axes) -> Path:
    """A motion: q with v, v with any accelerations, other inputs at any rates."""
    q, v = model.random(seed)
    at = {"v": v} | inputs_for(e, model, seed)
    rates = {"v": np.cos(np.arange(model.nv))} | inputs_for(e, model, seed + 1)
    rates["v"] = np.cos(np.arange(model.nv))
    return Path(model, frame, q, at["v"], at, rates)


@given(expressions(), st.data(), seeds, frames)
@settings(max_examples=60)
def test_along_the_motion(e: Expr, data: st.DataObject, seed: int, frame: Axes) -> None:
    model = data.draw(mechanisms(joints=joints_for(domain_of(e)), armature=True, max_bodies=5))
    rate = differentiate(e, rates=dict(rates_of(e)), domain=domain_of(e), frame=frame)
    try:
        assert path(e, model, seed, frame).apart(e, rate) <= 1.0
    except SingularError:
        reject()


@given(expressions(), st.data(), seeds, frames)
@settings(max_examples=40)
def test_in_a_direction_of_q(e: Expr, data: st.DataObject, seed: int, frame: Axes) -> None:
    words = tuple(dict.fromkeys((*domain_of(e), CONSTANT_MAPS)))
    model = data.draw(mechanisms(joints=joints_for(words), armature=True, max_bodies=5))
    rate = differentiate(e, along=w, domain=words, frame=frame)
    moving = path(e, model, seed, frame)
    direction = np.sin(1.0 + np.arange(model.nv))
    try:
        assert replace(moving, along=direction, at={**moving.at, "w": direction}, rates={}).apart(e, rate) <= 1.0
    except SingularError:
        reject()


@given(expressions(), st.data(), seeds, frames)
@settings(max_examples=40)
def test_in_a_direction_of_one_input(e: Expr, data: st.DataObject, seed: int, frame: Axes) -> None:
    symbols = sorted((one for one in free_symbols(e) if one.origin == "input"), key=lambda one: one.name)
    if not symbols:
        reject()
    x = data.draw(st.sampled_from(symbols))
    to = operator(f"{x.name}_rate", x.type, structure=x.structure)
    words = (*domain_of(e), CONSTANT_MAPS) if x is s.v else domain_of(e)
    model = data.draw(mechanisms(joints=joints_for(words), armature=True, max_bodies=5))
    rate = differentiate(e, wrt=x, along=to, domain=words)
    moving = path(e, model, seed, frame)
    try:
        still = replace(moving, along=np.zeros(model.nv), rates={x.name: moving.rates[x.name]})
        assert still.apart(e, rate) <= 1.0
    except SingularError:
        reject()


MODELS = {kind: random_tree(4, joints=(kind, "revolute"), seed=5) for kind in JOINT_KINDS}
NAMES = ("E_phi", "P", "U", "Upsilon", "V", "X_abs")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_the_vocabulary_on_every_kind_of_joint(name: str, kind: str) -> None:
    e = s.vocabulary()[name]
    for axes in ("body", "world"):
        assert path(e, MODELS[kind], 7, axes).apart(e, differentiate(e, frame=axes)) <= 1.0


def test_the_names_of_derivatives_are_the_derivatives() -> None:
    plain, other = s.innovations(0), s.innovations(s.armature)
    for one in (plain, other):
        whole = {"P": one.P_ring, "D": one.D_ring, "G": one.G_ring, "tau_bar": one.tau_bar_ring, "psi": one.psi_ring}
        whole |= {"E_psi": one.E_ring_psi, "U": one.U_ring}
        for name, rate in whole.items():
            assert differentiate(getattr(one, name)) is rate
        assert differentiate(one.m, domain=[SINGLE]) is one.m_ring
    assert differentiate(s.phi) is s.phi_ring


SLIPS: dict[str, tuple[Expr, Expr]] = {
    "sign": (s.phi, -s.phi_ring),
    "one shift more": (s.phi, s.phi_tilde @ s.E_phi @ s.delta @ s.phi),
    "without the armature": (s.innovations(s.armature).P, s.P_ring),
    "half": (s.P, s.P_ring / 2),
    "rotation alone": (s.E_phi, s.E_phi @ s.rotation_delta),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_seen(slip: str) -> None:
    e, wrong = SLIPS[slip]
    geared = with_armature(random_tree(5, joints=("revolute", "prismatic"), seed=2), np.random.default_rng(0), "geared")
    assert path(e, geared, 3, "body").apart(e, wrong) > 1e6


def test_accelerations_enter_through_the_rate_of_v() -> None:
    e = dynamics.velocity
    model = random_tree(4, joints=("revolute", "spherical"), seed=1)
    assert path(e, model, 2, "body").apart(e, s.phi.T @ (s.H.T @ s.qdd + s.a)) <= 1.0


def test_forward_dynamics_in_a_direction() -> None:
    model = random_tree(6, joints=CONSTANT, seed=4)
    rate = differentiate(dynamics.forward_dynamics, along=w, domain=[CONSTANT_MAPS], rates={"spring": 0})
    moving = path(dynamics.forward_dynamics, model, 5, "body")
    direction = np.sin(1.0 + np.arange(model.nv))
    found = replace(moving, along=direction, at={**moving.at, "w": direction}, rates={})
    assert found.apart(dynamics.forward_dynamics, rate) <= 1.0


# -- compiled ----------------------------------------------------------------------------------------------------------


@given(expressions(depth=2), st.data(), seeds, frames)
@settings(max_examples=40)
def test_compiled_derivatives_are_evaluated_ones(e: Expr, data: st.DataObject, seed: int, frame: Axes) -> None:
    model = data.draw(mechanisms(joints=joints_for(domain_of(e)), armature=True, max_bodies=5))
    rate = differentiate(e, rates=dict.fromkeys(rates_of(e), 0), domain=domain_of(e), frame=frame)
    moving = path(e, model, seed, frame)
    given = {name: moving.rates["v"] if name == "qdd" else moving.at[name] for name in reads(rate)}
    try:
        scaled = evaluate_with_scale(rate, model, q=moving.q, frame=frame, **given)
    except SingularError:
        reject()
    assert agreement(rate, model, q=moving.q, frame=frame, scaled=scaled, **given).holds
