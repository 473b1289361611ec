"""What constraints are made of: the formulas of any A that takes joint rates to velocities that have to be zero."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from operator_algebra.applications import dynamics, embedding, task_space
from operator_algebra.arguments import flag
from operator_algebra.errors import SpaceMismatch
from operator_algebra.expressions.build import define, inv, operator, scalar, vector
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.mismatch import short
from operator_algebra.operators.spaces import FORCE, RATE, Space, space
from operator_algebra.symbols import H, I, T, phi, v

if TYPE_CHECKING:
    from operator_algebra.expressions.nodes import Expr

LOCK: Space = space("lock", attached=False)
"""The velocities that have to be zero, as one vector of no body."""

C = operator("C", LOCK.dual >> FORCE)
"""Takes the forces of the constraints to the bodies."""

C_dot = operator("C_dot", LOCK.dual >> FORCE)
"""Its rate of change, as axes that turn with the bodies see it."""

alpha = scalar("alpha")
"""How fast errors die away, in 1/s."""

h = scalar("h")
"""The length of a step, in seconds."""

_mass_inverse = inv(dynamics.mass_matrix)
_felt = T - dynamics.bias
_free = _mass_inverse @ _felt


@dataclass(frozen=True)
class Constrained:
    """The formulas of one A, with the meanings that `constraints` states for A = C* φ* H*."""

    jacobian: Expr
    velocity: Expr
    drift: Expr
    mobility: Expr
    multipliers: Expr
    joint_forces: Expr
    acceleration: Expr
    stabilised_acceleration: Expr
    driven_acceleration: Expr
    soft_acceleration: Expr
    soft_step: Expr
    P_perp: Expr
    projection: Expr
    projected_velocity: Expr
    projected_acceleration: Expr
    projected_mobility: Expr
    correction: Expr


def of(jacobian: Expr | str, drift: Expr | str, *, geared: bool = False) -> Constrained:
    """The formulas for any A from joint rates to a space of no body, and for Ȧ v.

    With `geared`, joints that mimic others follow them: G (G* ℳ G)⁻¹ G* of `embedding` stands for ℳ⁻¹.

    >>> A = operator("A", RATE >> space("gear", attached=False))
    >>> of(A, vector("A_dot_v", A.type.codomain)).projection
    I − P_⊥   rate → rate   full
    """
    return _of(formula(jacobian, "constraints.of"), formula(drift, "constraints.of"), flag(geared, "geared"))


def answer(forces: Expr, *, geared: bool) -> Expr:
    """ℳ⁻¹ times joint forces, or G (G* ℳ G)⁻¹ G* times these: what a mechanism without constraints answers."""
    return embedding.embedded(dynamics.mass_matrix, forces) if geared else _mass_inverse @ forces


@cache
def _of(A: Expr, drift: Expr, geared: bool) -> Constrained:
    rows = A.type.codomain
    if A.type.domain != RATE or rows.attached:
        raise SpaceMismatch(
            f"{short(A)} ({A.type}) is no constraint: it must take joint rates to a space of no body, such as "
            'oa.space("lock", attached=False).'
        )
    if drift.type.codomain != rows:
        raise SpaceMismatch(f"{short(drift)} ({drift.type}) is no rate of {short(A)} v, which is in {rows.name}.")
    error, target = vector("error", rows), vector("target", rows)
    compliance = operator("compliance", rows.dual >> rows, structure="symmetric definite")
    answered, free = (answer(forces, geared=geared) for forces in (A.T, _felt))
    mobility = A @ answered
    P_perp = define("P_perp", answered @ inv(mobility) @ A)
    projection = I - P_perp
    settled = -drift - 2 * alpha * A @ v - alpha * alpha * error

    def forces(wanted: Expr, resistance: Expr = mobility) -> Expr:
        return inv(resistance) @ (wanted - A @ free)

    def held(multipliers: Expr) -> Expr:
        return answer(_felt + A.T @ multipliers, geared=geared)

    multipliers = forces(-drift)
    alone = embedding.embedded(dynamics.mass_matrix, I) if geared else _mass_inverse
    pushed = inv(h * mobility + compliance) @ (-(A @ v) - alpha * error - h * A @ free)
    return Constrained(
        jacobian=A,
        velocity=A @ v,
        drift=drift,
        mobility=mobility,
        multipliers=multipliers,
        joint_forces=A.T @ multipliers,
        acceleration=held(multipliers),
        stabilised_acceleration=held(forces(settled)),
        driven_acceleration=held(forces(target - drift)),
        soft_acceleration=held(forces(settled, mobility + compliance)),
        soft_step=v + h * held(pushed),
        P_perp=P_perp,
        projection=projection,
        projected_velocity=projection @ v,
        projected_acceleration=projection @ free - answered @ inv(mobility) @ drift,
        projected_mobility=alone - answered @ inv(mobility) @ A @ alone,
        correction=-(answered @ inv(mobility + compliance) @ error),
    )


free = _free
"""q̈ without constraints."""

_A = define("A", C.T @ phi.T @ H.T, cites="geometric treatment (18)")
_drift = task_space.of(C, C_dot).drift

held = of(_A, _drift)
"""The formulas of A = C* φ* H*."""

geared = of(_A, _drift, geared=True)
"""The same where joints follow others."""
