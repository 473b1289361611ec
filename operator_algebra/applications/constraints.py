"""Constrained dynamics as formulas: forces that keep loops closed, wheels rolling and joints coupled.

A takes joint rates to velocities that have to be zero. Where those are of bodies, A = C* φ* H*, and C takes the forces
of the constraints to the bodies; the names of this page are for it. `of` writes the same for any A, `reduced` for rates
that keep the constraints by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from operator_algebra.applications import dynamics, geometry, holding
from operator_algebra.applications.closing import errors, row_names, rows
from operator_algebra.applications.holding import Constrained, of
from operator_algebra.applications.keeping import closed, kept_rates
from operator_algebra.errors import SpaceMismatch
from operator_algebra.expressions.build import inv, operator, vector
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.mismatch import short
from operator_algebra.operators.spaces import RATE, Space, space
from operator_algebra.symbols import T, qdd

if TYPE_CHECKING:
    from operator_algebra.expressions.nodes import Expr

LOCK = holding.LOCK
"""The velocities that have to be zero, as one vector of no body."""

C = holding.C
"""Takes the forces of the constraints to the bodies."""

C_dot = holding.C_dot
"""Its rate of change, as axes that turn with the bodies see it."""

alpha = holding.alpha
"""How fast errors die away, in 1/s."""

h = holding.h
"""The length of a step, in seconds."""

_held = holding.held

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
"""−ℳ⁻¹ A* (A ℳ⁻¹ A* + compliance)⁻¹ e: the step of q, small in kinetic energy, that mends an error e.

To first order it does so with a compliance that is small beside A ℳ⁻¹ A*; rows may depend on each other.
"""

gauss = 0.5 * (qdd - holding.free).T @ dynamics.mass_matrix @ (qdd - holding.free)
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

_moving = {geometry.w: geometry.w_dot, C: C_dot}

covariant_derivative = (
    geometry.covariant_derivative
    + geometry.covariant(P_perp @ geometry.w, rates=_moving)
    - P_perp @ geometry.covariant_derivative
)
"""∇̃_v w = ∇_v w + ∇_v (P_⊥ w) − P_⊥ ∇_v w, the connection of the constraints; P ∇_v w for fields w that keep them.

[geometric treatment (26)]"""


__all__ = [
    "FREE", "LOCK", "C", "C_dot", "Constrained", "P_perp", "Reduced", "acceleration", "alpha", "basis", "basis_drift",
    "body_forces", "closed", "correction", "covariant_derivative", "drift", "driven_acceleration", "errors", "gauss",
    "h", "jacobian", "joint_forces", "kept_rates", "mobility", "multipliers", "of", "projected_acceleration",
    "projected_mobility", "projected_velocity", "projection", "projection_of_basis", "reduced", "reduced_acceleration",
    "reduced_bias", "reduced_mass_matrix", "reduced_rate", "row_names", "rows", "soft_acceleration", "soft_step",
    "stabilised_acceleration", "velocity", "velocity_of_basis",
]  # fmt: skip
