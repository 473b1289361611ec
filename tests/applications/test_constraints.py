"""Constrained dynamics and impacts: against dense systems of equations and differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import operator_algebra as oa
from operator_algebra import symbols as s
from operator_algebra.applications import constraints as cs
from operator_algebra.applications import dynamics, impacts, task_space
from operator_algebra.errors import SingularError, SpaceMismatch
from operator_algebra.models.model import Model
from operator_algebra.spatial.arrays import Axes
from tests.applications.inputs import TINY, Case, frames, same, seeds
from tests.rounding import apart, rounding, size
from tests.strategies import ALL_JOINTS, mechanisms

LINALG: Any = np.linalg


class Held(Case):
    """A mechanism with two random rows, and a state that keeps them."""

    def __init__(self, model: Model, seed: int, frame: Axes) -> None:
        super().__init__(model, seed, frame)
        rng = np.random.default_rng([seed, 5])
        C, C_dot, N = (rng.standard_normal((6 * model.n, count)) for count in (2, 2, 1))
        self.A: Any = C.T @ self.value(s.phi).T @ self.value(s.H).T
        self.basis: Any = LINALG.svd(self.A)[2][2:].T
        spread = rng.standard_normal((2, 2))
        rows: dict[str, Any] = {"C": C, "C_dot": C_dot, "N": N, "basis": self.basis}
        rows["v"] = self.basis @ rng.standard_normal(model.nv - 2)
        rows |= {"error": rng.standard_normal(2), "target": rng.standard_normal(2), "alpha": 1.7, "h": 0.01}
        rows |= {"compliance": spread @ spread.T + 0.1 * np.eye(2), "restitution": 0.4}
        self.values: dict[str, Any] = {**self.values, **rows}
        self.mass: Any = self.value(dynamics.mass_matrix)
        self.felt: Any = self.values["T"] - self.value(dynamics.bias).ravel()
        self.drift: Any = self.value(cs.drift).ravel()
        self.condition = float(LINALG.cond(self.mass) * LINALG.cond(self.A @ LINALG.solve(self.mass, self.A.T)))

    def solved(self, wanted: Any, compliance: Any = None) -> tuple[Any, Any]:
        """Acceleration and multipliers from the whole system of equations."""
        corner = np.zeros((2, 2)) if compliance is None else compliance
        rows = np.block([[self.mass, -self.A.T], [self.A, corner]])
        both = LINALG.solve(rows, np.concatenate([self.felt, wanted]))
        return both[: self.model.nv], both[self.model.nv :]

    def inside(self, rng: np.random.Generator) -> Any:
        """Random rates that keep the rows."""
        return self.basis @ rng.standard_normal(self.model.nv - 2)

    def same(self, e: Any, expected: Any, *terms: Any) -> bool:
        return same(self.value(e), expected, self.condition * 1e-4, *terms)


moving = mechanisms(max_bodies=6).filter(lambda model: model.nv >= 4)
held = st.builds(Held, moving, seeds, frames)


@given(held)
@settings(max_examples=12)
def test_accelerations_and_forces_solve_the_whole_system(case: Held) -> None:
    v, alpha, error = (case.values[name] for name in ("v", "alpha", "error"))
    qdd, multipliers = case.solved(-case.drift)
    assert case.same(cs.acceleration, qdd)
    assert case.same(cs.projected_acceleration, qdd)
    assert case.same(cs.multipliers, multipliers)
    assert case.same(cs.joint_forces, case.A.T @ multipliers)
    assert case.same(cs.body_forces, case.values["C"] @ multipliers)
    settled = -case.drift - 2 * alpha * case.A @ v - alpha**2 * error
    assert case.same(cs.stabilised_acceleration, case.solved(settled)[0])
    assert case.same(cs.driven_acceleration, case.solved(case.values["target"] - case.drift)[0])
    assert case.same(cs.soft_acceleration, case.solved(settled, case.values["compliance"])[0])


@given(held)
@settings(max_examples=6)
def test_soft_constraints_hold_at_the_end_of_the_step(case: Held) -> None:
    """M (v⁺ − v) = h (T − bias + A* λ) and A v⁺ + α e + compliance λ = 0, for λ found from the first."""
    after = case.value(cs.soft_step).ravel()
    h, alpha, compliance, error = (case.values[name] for name in ("h", "alpha", "compliance", "error"))
    pushed = case.mass @ (after - case.values["v"]) / h - case.felt
    multipliers = LINALG.lstsq(case.A.T, pushed)[0]
    scale = (case.condition, size(pushed), size(multipliers) * size(case.A))
    assert same(case.A.T @ multipliers, pushed, *scale)
    assert same(case.A @ after + alpha * error + compliance @ multipliers, np.zeros(2), *scale)


@given(held)
@settings(max_examples=10)
def test_projections_are_those_of_the_metric(case: Held) -> None:
    P, P_perp = case.value(cs.projection), case.value(cs.P_perp)
    mass, A, basis = case.mass, case.A, case.basis
    assert same(P + P_perp, np.eye(len(P)), case.condition * 1e-4)
    assert same(P @ P, P, size(P) ** 2, case.condition * 1e-4)
    assert same(mass @ P, (mass @ P).T, size(mass) * size(P) * case.condition * 1e-4)
    assert same(A @ P, 0 * A, size(A) * size(P) * case.condition * 1e-4)
    assert same(P @ basis, basis, size(P) * case.condition * 1e-4)
    assert case.same(cs.projection_of_basis, P, size(P))
    assert case.same(cs.projected_mobility, P @ LINALG.inv(mass), size(LINALG.inv(mass)) * size(P))
    # The nearest rate that keeps the constraints, by least squares in coordinates where energy is a sum of squares.
    root = LINALG.cholesky(mass).T
    loose = np.random.default_rng(0).standard_normal(case.model.nv)
    nearest = basis @ LINALG.lstsq(root @ basis, root @ loose)[0]
    assert same(case.value(cs.projected_velocity, v=loose), nearest, size(P) * size(loose) * case.condition * 1e-4)


@given(held)
@settings(max_examples=10)
def test_rates_that_keep_the_constraints_give_the_same_acceleration(case: Held) -> None:
    """Any Ṡ ν that does what the drift asks for; what it does beside changes ν̇ alone."""
    rng = np.random.default_rng(1)
    beside = case.inside(rng)
    drift: Any = LINALG.lstsq(case.A, -case.drift)[0] + beside
    nu = case.basis.T @ case.values["v"]
    assert same(case.value(cs.velocity_of_basis, nu_basis=nu), case.values["v"])
    found = case.value(cs.reduced_acceleration, basis_drift=drift).ravel()
    assert same(found, case.solved(-case.drift)[0], case.condition * 1e-4)
    rate = case.value(cs.reduced_rate, basis_drift=drift).ravel()
    mass, bias = (case.value(e, basis_drift=drift) for e in (cs.reduced_mass_matrix, cs.reduced_bias))
    assert same(mass @ rate + bias.ravel(), case.basis.T @ case.values["T"], case.condition * 1e-4, size(bias))


@given(held)
@settings(max_examples=6)
def test_the_principle_of_gauss(case: Held) -> None:
    """Of accelerations that keep the constraints the real one has the least, and by as much as they differ."""
    qdd = case.solved(-case.drift)[0]
    least = case.value(cs.gauss, qdd=qdd).item()
    rng = np.random.default_rng(2)
    away = case.inside(rng)
    more = case.value(cs.gauss, qdd=qdd + away).item()
    assert same(more - least, 0.5 * away @ case.mass @ away, least, more, case.condition * 1e-4)


@given(held)
@settings(max_examples=10)
def test_the_drift_is_a_derivative(case: Held) -> None:
    """Of A v along the motion at constant rates, by a complex step; C moves by Ċ, as axes of the bodies see it."""
    v = case.values["v"]
    case.frame = "body"
    ahead = case.model.integrate(case.q, 1j * TINY * v)
    moved = case.values["C"] + 1j * TINY * case.values["C_dot"]
    rate = case.value(cs.velocity, q=ahead, v=v + 0j, C=moved).ravel().imag / TINY
    assert same(case.value(cs.drift), rate, size(v) ** 2 * 1e2)


@given(held)
@settings(max_examples=10)
def test_impacts(case: Held) -> None:
    mass, v, e = case.mass, case.values["v"], case.values["restitution"]
    J = case.value(impacts.jacobian)
    # Alone, and beside the rows that are held: then the whole system of both.
    for rows, wanted, after, loss in (
        (J, -(1 + e) * J @ v, impacts.velocity_after, impacts.energy_loss),
        (
            np.vstack([case.A, J]),
            np.concatenate([np.zeros(2), -(1 + e) * J @ v]),
            impacts.velocity_after_while_held,
            impacts.energy_loss_while_held,
        ),
    ):
        nv, count = len(v), len(rows)
        whole = np.block([[mass, -rows.T], [rows, np.zeros((count, count))]])
        jump = LINALG.solve(whole, np.concatenate([np.zeros(nv), wanted]))
        scale = LINALG.cond(mass) * LINALG.cond(rows @ LINALG.solve(mass, rows.T)) * 1e-4
        found = case.value(after).ravel()
        assert same(found, v + jump[:nv], scale)
        assert same(J @ found, -e * J @ v, scale)
        lost = 0.5 * v @ mass @ v - 0.5 * found @ mass @ found
        assert same(case.value(loss), lost, v @ mass @ v, scale * size(found))
        impulse = impacts.impulse if count == 1 else impacts.impulse_while_held
        assert same(case.value(impulse), jump[-1:], scale * size(mass))
    assert same(
        case.value(impacts.joint_impulse), mass @ (case.value(impacts.velocity_after).ravel() - v), scale * size(mass)
    )


@pytest.mark.parametrize("e", [cs.acceleration, cs.soft_step, cs.body_forces, impacts.velocity_after_while_held])
@pytest.mark.parametrize("seed", range(3))
def test_compiled_is_evaluated(e: oa.Expr, seed: int) -> None:
    case = Held(oa.random_tree(7, joints=ALL_JOINTS, seed=seed), seed, "body")
    program = oa.compile(e, case.model)
    given_here = {name: value for name, value in case.values.items() if name in program.inputs}
    assert same(program(q=case.q, **given_here), case.value(e).ravel(), case.condition * 1e-4)


def test_as_few_sweeps_as_can_be() -> None:
    """Vectors of a moving mechanism need three, of one that is pushed two, and small ones one less."""
    three = (cs.acceleration, cs.stabilised_acceleration, cs.driven_acceleration, cs.soft_acceleration, cs.soft_step)
    two = (cs.multipliers, cs.projected_velocity, cs.correction, cs.reduced_acceleration, impacts.velocity_after)
    one = (cs.mobility, cs.drift, cs.reduced_rate, impacts.impulse, impacts.energy_loss, impacts.impulse_while_held)
    for count, listed in ((3, three), (2, (*two, impacts.velocity_after_while_held)), (1, one)):
        assert {len(oa.lower(e).sweeps) for e in listed} == {count}


# -- what cannot be ----------------------------------------------------------------------------------------------------


def test_dependent_rows_are_named_and_solved_on_request() -> None:
    """The same point twice, and then asked to go two ways."""
    arm = oa.load("arm7")
    q, _ = arm.random(seed=1)
    once = task_space.stack(arm, task_space.picks(arm, ["tool"], linear=True))
    twice = np.hstack([once, once[:, 1:2]])
    state: dict[str, Any] = {"q": q, "v": np.zeros(7), "T": np.ones(7)}
    with pytest.raises(SingularError, match=r"its rows 1, 3 \(counted from 0\) depend on each other"):
        oa.compile(cs.acceleration, arm)(**state, C=twice, C_dot=0 * twice)
    alone = oa.compile(cs.acceleration, arm)(**state, C=once, C_dot=0 * once)
    least = oa.compile(cs.acceleration, arm, redundant="least norm")(**state, C=twice, C_dot=0 * twice)
    assert apart(least, alone) < rounding(size(alone), terms=100, condition=1e4)
    asked: dict[str, Any] = {"target": np.array([0.0, 1.0, 0.0, 2.0])}
    with pytest.raises(SingularError, match="what they ask for does not"):
        oa.compile(cs.driven_acceleration, arm, redundant="least norm")(**state, C=twice, C_dot=0 * twice, **asked)


def test_what_is_no_constraint_is_refused() -> None:
    rows = oa.space("row", attached=False)
    A, drift = oa.operator("A", oa.RATE >> rows), oa.vector("A_dot_v", rows)
    with pytest.raises(SpaceMismatch, match="is no constraint"):
        cs.of(s.phi, drift)
    with pytest.raises(SpaceMismatch, match="is no rate of A v"):
        cs.of(A, s.qdd)
    with pytest.raises(SpaceMismatch, match="is no basis"):
        cs.reduced(A, s.qdd)
    with pytest.raises(SpaceMismatch, match="is no rate of S ν"):
        cs.reduced(oa.operator("S", rows >> oa.RATE), drift)
    with pytest.raises(SpaceMismatch, match="is no approach"):
        impacts.of(s.H)
