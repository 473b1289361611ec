"""Derivatives of dynamics as formulas: the rate of the mass matrix, a Coriolis matrix, and what a direction changes.

All follow from `differentiate`. Along w the pose changes, or the rates; joint maps are constant, as they are for every
joint but the universal one; f_ext is held in the axes of the bodies. Springs change by `spring_rate`, whose value is
`stiffness`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import CONSTANT_MAPS, define, operator, vector
from operator_algebra.expressions.linear_part import linear_part
from operator_algebra.expressions.query import trace
from operator_algebra.models.configurations import rest
from operator_algebra.models.cuts import joint_blocks
from operator_algebra.models.model import Model, check_model
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.symbols import (
    H,
    M,
    V_tilde,
    armature,
    differentiate,
    innovations,
    motion,
    phi,
    spring,
    v,
)

w = vector("w", RATE)
"""A direction: what is linear in it, for every w, is a derivative by each coordinate or rate."""

spring_rate = operator("spring_rate", RATE >> TORQUE, structure="diagonal")
"""How the forces of springs change with the pose; its value is `stiffness`."""

_held = {spring: spring_rate @ w}

mass_matrix_rate = differentiate(dynamics.mass_matrix)
"""d/dt ℳ = H φ̊ M φ* H* + its adjoint, and what Ḣ adds."""

coriolis_matrix = H @ phi @ (M @ differentiate(phi.T @ H.T) + (M @ V_tilde - V_tilde.T @ M) @ phi.T @ H.T)
"""C with C v = `dynamics.coriolis` and C + C* = d/dt ℳ, so that d/dt ℳ − 2 C is skew."""

mass_matrix_along = differentiate(dynamics.mass_matrix, along=w, domain=[CONSTANT_MAPS])
"""How ℳ changes with the pose.        [diagonalized dynamics (6.14)]"""

_with = innovations(armature)

logdet_along = trace(
    define("logdet_along_w", 2 * motion(w).delta @ _with.P_plus @ _with.Upsilon_plus, domain=[CONSTANT_MAPS])
)
"""How log det ℳ changes with the pose: tr ℳ⁻¹ times `mass_matrix_along`, which is 2 tr δ P⁺ Υ⁺, in one sweep."""

inverse_dynamics_along = differentiate(dynamics.inverse_dynamics, along=w, rates=_held, domain=[CONSTANT_MAPS])
"""How the joint forces change with the pose, at the same q̈ and v."""

inverse_dynamics_along_v = differentiate(dynamics.inverse_dynamics, wrt=v, along=w, domain=[CONSTANT_MAPS])
"""How they change with the joint rates."""

forward_dynamics_along = differentiate(dynamics.forward_dynamics, along=w, rates=_held, domain=[CONSTANT_MAPS])
"""How the accelerations change with the pose, at the same T and v: −ℳ⁻¹ times the change of forces."""

forward_dynamics_along_v = differentiate(dynamics.forward_dynamics, wrt=v, along=w, domain=[CONSTANT_MAPS])
"""How they change with the joint rates."""


inverse_dynamics_by_q = define("inverse_dynamics_by_q", linear_part(inverse_dynamics_along, w), domain=[CONSTANT_MAPS])
"""∂T/∂q: the same as an operator, in which each cross product with what w moves is one with what it acts on."""

inverse_dynamics_by_v = linear_part(inverse_dynamics_along_v, w)
"""∂T/∂v."""

forward_dynamics_by_q = define("forward_dynamics_by_q", linear_part(forward_dynamics_along, w), domain=[CONSTANT_MAPS])
"""∂q̈/∂q."""

forward_dynamics_by_v = linear_part(forward_dynamics_along_v, w)
"""∂q̈/∂v."""


def stiffness(model: Model, *, q: ArrayLike) -> list[NDArray[np.float64]]:
    """The value of `spring_rate`, a block for each joint: stiffness times the slope of q ⊖ rest; zero without springs.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> [block.shape for block in stiffness(arm, q=arm.neutral())]
    [(1, 1), (1, 1)]
    """
    q = check_model(model, "stiffness").check_q(q)
    tiny = 1e-40
    ahead = model.integrate(q, 1j * tiny * np.eye(model.nv))
    slope = np.imag(np.asarray(model.difference(rest(model), ahead), dtype=np.complex128)).T / tiny
    whole = model.arrays.stiffness[:, None] * slope
    return joint_blocks(model, whole)


__all__ = [
    "coriolis_matrix", "forward_dynamics_along", "forward_dynamics_along_v", "forward_dynamics_by_q",
    "forward_dynamics_by_v", "inverse_dynamics_along", "inverse_dynamics_along_v", "inverse_dynamics_by_q",
    "inverse_dynamics_by_v", "logdet_along", "mass_matrix_along", "mass_matrix_rate", "spring_rate", "stiffness", "w",
]  # fmt: skip
