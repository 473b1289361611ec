"""Formulas whose algorithms others derived by hand, and how many sweeps they take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from operator_algebra import symbols as s
from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import inv, operator, vector
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Query, logdet
from operator_algebra.models.model import Model
from operator_algebra.operators.spaces import FORCE, TORQUE, space

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
T = s.T

LOOP, TASK = space("loop", attached=False), space("task", attached=False)
J = (s.H @ s.phi @ operator("C", LOOP.dual >> FORCE)).T
E = (s.H @ s.phi @ operator("E", TASK.dual >> FORCE)).T
W1 = operator("W1", LOOP >> LOOP.dual, structure="symmetric definite")
W2 = operator("W2", TASK >> TASK.dual, structure="symmetric definite")
LOAD = operator("R", LOOP.dual >> LOOP, structure="symmetric definite")
DRIFT, FORCE_BEFORE = vector("c", LOOP), vector("lambda_0", LOOP.dual)
DELASSUS = J @ inv(MASS) @ J.T


def held(torque: Expr) -> Expr:
    """Accelerations with loops closed: M⁻¹ (t − J* λ), (J M⁻¹ J*) λ = J M⁻¹ t + c."""
    return inv(MASS) @ (torque - J.T @ inv(DELASSUS) @ (J @ inv(MASS) @ torque + DRIFT))


FREE, LED = space("free"), space("led")
S = operator("S", TORQUE >> FREE.dual, structure="diagonal onto")
S_led = operator("S_led", TORQUE >> LED.dual, structure="diagonal onto")
led = vector("a_led", LED)
REDUCED = S @ MASS @ S.T

STATE, CONTROL, MEASURED = space("state"), space("control"), space("measured")
STEP = operator("A", STATE >> STATE, structure="outward hop")
BACK = operator("A", STATE >> STATE, structure="inward hop")
INPUT = operator("B_u", CONTROL >> STATE, structure="diagonal")
Q = operator("Q", STATE >> STATE.dual, structure="diagonal semidefinite")
R_u = operator("R_u", CONTROL >> CONTROL.dual, structure="diagonal definite")
NOISE = operator("N_x", STATE.dual >> STATE, structure="diagonal semidefinite")
ERROR = operator("N_y", MEASURED.dual >> MEASURED, structure="diagonal definite")
SENSOR = operator("C", STATE >> MEASURED, structure="diagonal")
x_0, y = vector("x_0", STATE), vector("y", MEASURED)


def regulator(hop: Expr) -> Expr:
    """Controls that keep a state small: min Σ x* Q x + u* R u, x = (I − A)⁻¹ (B u + x₀)."""
    moved = inv(s.I - hop)
    return -inv(R_u + INPUT.T @ moved.T @ Q @ moved @ INPUT) @ INPUT.T @ moved.T @ Q @ moved @ x_0


def covariance(hop: Expr) -> Expr:
    """Of states that noise drives: (I − A)⁻¹ N (I − A)⁻*."""
    return inv(s.I - hop) @ NOISE @ inv(s.I - hop).T


def smoother(hop: Expr) -> Expr:
    """States most likely after all measurements."""
    C = covariance(hop)
    return C @ SENSOR.T @ inv(SENSOR @ C @ SENSOR.T + ERROR) @ y


def evidence(hop: Expr) -> dict[str, Expr | Query]:
    """What the likelihood of the measurements is made of."""
    S = SENSOR @ covariance(hop) @ SENSOR.T + ERROR
    return {"misfit": y.T @ inv(S) @ y, "logdet": logdet(S)}


def block_sizes(model: Model) -> dict[str, list[int]]:
    """Every second joint is led in one of its freedoms, each has one that gears move; states of three, the rest two.

    The last body is held in two directions.
    """
    joints = [part.stop - part.start for part in model.v_slices]
    led = [min(joint, k % 2) for k, joint in enumerate(joints)]
    free = [joint - one for joint, one in zip(joints, led, strict=True)]
    constant = {"state": 3, "control": 2, "measured": 2}
    gears = {"single": [max(joint - 1, 0) for joint in joints], "leading": [4], "independent": [4]}
    return {
        "free": free,
        "led": led,
        "loop": [2],
        "task": [3],
        "lock": [2],
        "hit": [2],
        "free_rate": [3],
        "held": [0] * (model.n - 1) + [2],
        **gears,
        **{name: [n] * model.n for name, n in constant.items()},
    }


@dataclass(frozen=True)
class Known:
    """A formula and its sweeps."""

    formula: Expr | Query | dict[str, Expr | Query]
    sweeps: int


KNOWN: Mapping[str, Known] = {
    "constrained_dynamics": Known(held(T), 2),
    "constrained_dynamics_with_velocities": Known(held(T - dynamics.bias), 3),
    "delassus_matrix": Known(DELASSUS, 1),
    "constrained_determinant": Known(logdet(DELASSUS), 1),
    "plastic_impact": Known(s.v - inv(MASS) @ J.T @ inv(DELASSUS) @ J @ s.v, 2),
    "proximal_step": Known(inv(DELASSUS + LOAD) @ (DRIFT + LOAD @ FORCE_BEFORE - J @ inv(MASS) @ T), 1),
    "springs": Known(inv(MASS + J.T @ W1 @ J + E.T @ W2 @ E) @ T, 2),
    "hybrid_dynamics": Known(S.T @ inv(REDUCED) @ S @ (T - MASS @ S_led.T @ led) + S_led.T @ led, 2),
    "embedding": Known(S.T @ inv(REDUCED) @ S @ T, 2),
    "free_flyer_jacobian": Known(S_led @ (s.I - MASS @ S.T @ inv(REDUCED) @ S) @ E.T, 2),
    "regulator": Known(regulator(STEP), 2),
    "regulator_inward": Known(regulator(BACK), 2),
    "smoother": Known(smoother(BACK), 2),
    "smoother_outward": Known(smoother(STEP), 2),
    "evidence": Known(evidence(BACK), 1),
    "evidence_outward": Known(evidence(STEP), 1),
}
"""A chain in time is a chain of bodies; its steps hop outward or inward."""
