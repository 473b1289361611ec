"""Constrained dynamics as formulas: forces that keep loops closed, wheels rolling and joints coupled.

A takes joint rates to velocities that have to be zero. Where those are of bodies, A = C* φ* H*, and C takes the forces
of the constraints to the bodies; the names of this page are for it. `of` writes the same for any A, `reduced` for rates
that keep the constraints by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from operator_algebra.applications import dynamics, task_space
from operator_algebra.errors import SpaceMismatch
from operator_algebra.expressions.build import define, inv, operator, scalar, vector
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.mismatch import short
from operator_algebra.operators.spaces import FORCE, RATE, Space, space
from operator_algebra.symbols import H, I, T, phi, qdd, v

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
    """The formulas of one A, with the meanings that this module states for A = C* φ* H*."""

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


def of(jacobian: Expr | str, drift: Expr | str) -> Constrained:
    """The formulas for any A from joint rates to a space of no body, and for Ȧ v.

    >>> A = operator("A", RATE >> space("gear", attached=False))
    >>> of(A, vector("A_dot_v", A.type.codomain)).projection
    I − P_⊥   rate → rate   full
    """
    return _of(formula(jacobian, "constraints.of"), formula(drift, "constraints.of"))


@cache
def _of(A: Expr, drift: Expr) -> Constrained:
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
    mobility = A @ _mass_inverse @ A.T
    P_perp = define("P_perp", _mass_inverse @ A.T @ inv(mobility) @ A)
    projection = I - P_perp
    settled = -drift - 2 * alpha * A @ v - alpha * alpha * error

    def forces(wanted: Expr, resistance: Expr = mobility) -> Expr:
        return inv(resistance) @ (wanted - A @ _free)

    def held(multipliers: Expr) -> Expr:
        return _mass_inverse @ (_felt + A.T @ multipliers)

    multipliers = forces(-drift)
    pushed = inv(h * mobility + compliance) @ (-(A @ v) - alpha * error - h * A @ _free)
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
        projected_acceleration=projection @ _free - _mass_inverse @ A.T @ inv(mobility) @ drift,
        projected_mobility=_mass_inverse - _mass_inverse @ A.T @ inv(mobility) @ A @ _mass_inverse,
        correction=-(_mass_inverse @ A.T @ inv(mobility) @ error),
    )


_picked = task_space.of(C, C_dot)
_held = of(define("A", C.T @ phi.T @ H.T, cites="geometric treatment (18)"), _picked.drift)

jacobian = _held.jacobian
"""A = C* φ* H*, with A v = 0.        [geometric treatment (18)] [review (16)]"""

velocity = _held.velocity
"""A v, zero for a motion that keeps the constraints.        [geometric treatment (18)]"""

drift = _held.drift
"""Ȧ v = C* φ* a + Ċ* V: the rate of A v at q̈ = 0.        [review (17)]"""

mobility = _held.mobility
"""A ℳ⁻¹ A*: what the forces of the constraints do to their accelerations.        [review (21)]"""

multipliers = _held.multipliers
"""λ = (A ℳ⁻¹ A*)⁻¹ (−Ȧ v − A ℳ⁻¹ (T − bias)), so that A q̈ + Ȧ v = 0.        [geometric treatment (20)] [review (21)]"""

joint_forces = _held.joint_forces
"""A* λ, which does no work on a motion that keeps the constraints.        [geometric treatment (19)]"""

body_forces = C @ multipliers
"""C λ: the same as forces on the bodies, which f_ext would have to be without constraints."""

acceleration = _held.acceleration
"""q̈ = ℳ⁻¹ (T − bias + A* λ), in three sweeps.        [geometric treatment (20)] [review (20)]"""

stabilised_acceleration = _held.stabilised_acceleration
"""The same with A q̈ + Ȧ v = −2 α A v − α² e, so that an error e with ė = A v dies away.

[Baumgarte, Stabilization of constraints and integrals of motion in dynamical systems, 1972]
"""

driven_acceleration = _held.driven_acceleration
"""The same with A q̈ + Ȧ v = target: constraints that move."""

soft_acceleration = _held.soft_acceleration
"""The stabilised one with constraints that give way by compliance λ; they may depend on each other."""

soft_step = _held.soft_step
"""v⁺ = v + h ℳ⁻¹ (T − bias + A* λ) with A v⁺ + α e + compliance λ = 0: springs and dampers at the end of a step.

A row with stiffness k and damper d has compliance 1 / (d + h k) and α = k / (d + h k): any stiffness is stable.
"""

P_perp = _held.P_perp
"""P_⊥ = ℳ⁻¹ A* (A ℳ⁻¹ A*)⁻¹ A: what of a rate breaks the constraints, P_⊥ v = 0.        [geometric treatment (24)]"""

projection = _held.projection
"""P = I − P_⊥: of rates that keep the constraints the nearest one, in kinetic energy."""

projected_velocity = _held.projected_velocity
"""P v, the plastic impact into the constraints."""

projected_acceleration = _held.projected_acceleration
"""P ℳ⁻¹ (T − bias) − ℳ⁻¹ A* (A ℳ⁻¹ A*)⁻¹ Ȧ v: the constrained acceleration again.

In print the force stands for its vector ℳ⁻¹ Y.        [geometric treatment (25), (27)]
"""

projected_mobility = _held.projected_mobility
"""P ℳ⁻¹ = ℳ⁻¹ − ℳ⁻¹ A* (A ℳ⁻¹ A*)⁻¹ A ℳ⁻¹: takes joint forces to accelerations that keep the constraints."""

correction = _held.correction
"""−ℳ⁻¹ A* (A ℳ⁻¹ A*)⁻¹ e: the smallest step of q, in kinetic energy, that mends an error e to first order."""

gauss = 0.5 * (qdd - _free).T @ dynamics.mass_matrix @ (qdd - _free)
"""½ (q̈ − q̈ free)* ℳ (q̈ − q̈ free), least where q̈ is the constrained acceleration: the principle of Gauss."""


@dataclass(frozen=True)
class Reduced:
    """The formulas of one basis, with the meanings that this module states for `basis`."""

    velocity: Expr
    mass_matrix: Expr
    bias: Expr
    rate: Expr
    acceleration: Expr
    projection: Expr


def reduced(basis: Expr | str, drift: Expr | str) -> Reduced:
    """The formulas in rates ν that keep the constraints by themselves, v = S ν, for any S and for Ṡ ν.

    ν may be a vector of no body, or belong to joints: then S, if it is block-diagonal, takes to the joints of a
    mechanism those of one that leads them, as gears do.

    >>> S = operator("S", space("crank", attached=False) >> RATE)
    >>> reduced(S, vector("S_dot_nu", RATE)).mass_matrix
    S* ℳ S   crank → crank*   small, symmetric, semidefinite
    """
    return _reduced(formula(basis, "constraints.reduced"), formula(drift, "constraints.reduced"))


@cache
def _reduced(S: Expr, drift: Expr) -> Reduced:
    if S.type.codomain != RATE:
        raise SpaceMismatch(f"{short(S)} ({S.type}) is no basis of rates: it must deliver joint rates.")
    if drift.type.codomain != RATE:
        raise SpaceMismatch(f"{short(drift)} ({drift.type}) is no rate of {short(S)} ν, which are joint rates.")
    nu = vector("nu_basis", S.type.domain)
    mass_matrix = S.T @ dynamics.mass_matrix @ S
    bias = S.T @ (dynamics.mass_matrix @ drift + dynamics.bias)
    rate = inv(mass_matrix) @ (S.T @ T - bias)
    return Reduced(
        velocity=S @ nu,
        mass_matrix=mass_matrix,
        bias=bias,
        rate=rate,
        acceleration=S @ rate + drift,
        projection=S @ inv(mass_matrix) @ S.T @ dynamics.mass_matrix,
    )


FREE: Space = space("free_rate", attached=False)
"""Rates that keep the constraints by themselves, as one vector of no body."""

basis = operator("basis", FREE >> RATE)
"""S with A S = 0: takes these rates to those of the joints."""

basis_drift = vector("basis_drift", RATE)
"""Ṡ ν, which is quadratic in ν: Σ_k ∂S/∂q_k (S ν)_k ν."""

_in_basis = reduced(basis, basis_drift)

velocity_of_basis = _in_basis.velocity
"""v = S ν.        [geometric treatment (21)]"""

reduced_mass_matrix = _in_basis.mass_matrix
"""S* ℳ S, a small matrix.        [geometric treatment (22)]"""

reduced_bias = _in_basis.bias
"""S* (ℳ Ṡ ν + bias): the forces at ν̇ = 0.        [geometric treatment (22)]"""

reduced_rate = _in_basis.rate
"""ν̇ = (S* ℳ S)⁻¹ S* (T − ℳ Ṡ ν − bias), bias being that at v = S ν. In print Ṡ ν and C v lack a factor ν and v.

[geometric treatment (22)]
"""

reduced_acceleration = _in_basis.acceleration
"""q̈ = S ν̇ + Ṡ ν, the constrained acceleration again."""

projection_of_basis = _in_basis.projection
"""S (S* ℳ S)⁻¹ S* ℳ = P, whichever basis it is."""

__all__ = [
    "FREE", "LOCK", "C", "C_dot", "Constrained", "P_perp", "Reduced", "acceleration", "alpha", "basis", "basis_drift",
    "body_forces", "correction", "drift", "driven_acceleration", "gauss", "h", "jacobian", "joint_forces", "mobility",
    "multipliers", "of", "projected_acceleration", "projected_mobility", "projected_velocity", "projection",
    "projection_of_basis", "reduced", "reduced_acceleration", "reduced_bias", "reduced_mass_matrix", "reduced_rate",
    "soft_acceleration", "soft_step", "stabilised_acceleration", "velocity", "velocity_of_basis",
]  # fmt: skip
