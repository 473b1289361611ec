"""Dynamics without a mass matrix: two kinds of rates in which the kinetic energy is a sum of squares.

Total rates ξ = U* v, with ½ ξ* D ξ for energy, are those of a joint together with all joints outward from it at rest;
normalised rates ν = m* v have ½ ν* ν. With armature, gravity, external forces, springs and dampers as in `dynamics`.
A rate of ν is that of a Cholesky factor of D, whose formula is for joints of one degree of freedom.
"""

from __future__ import annotations

from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import inv, root, scalar, vector
from operator_algebra.operators.spaces import RATE
from operator_algebra.rates import CONSTANT_MAPS, SINGLE
from operator_algebra.symbols import B, H, armature, differentiate, innovations, v

_with = innovations(armature)
_D, _U, _W, _m, _ell = _with.D, _with.U, _with.W, _with.m, _with.ell

xi = _with.xi
"""Total rates, ξ = U* v = v + K* φ* H* v.        [diagonalized dynamics (7.7)]"""

nu = _with.nu
"""Normalised rates, ν = m* v = root(D)* ξ.        [diagonalized dynamics (1.3)]"""

kappa = _with.kappa
"""Total forces, κ = W T.        [diagonalized dynamics, lemma 7.3]"""

epsilon = _with.epsilon
"""Normalised forces, ε = ℓ T.        [diagonalized dynamics (1.4)]"""

total = vector("total", RATE)
"""Values of ξ, where they are what is known."""

total_rate = vector("total_rate", RATE)
"""Values of ξ̇."""

normalised = vector("normalised", nu.type.codomain)
"""Values of ν."""

rates_of_total = _W.T @ total
"""v = W* ξ, one sweep outward.        [diagonalized dynamics (7.8)]"""

rates_of_normalised = _ell.T @ normalised
"""v = ℓ* ν.        [diagonalized dynamics, table 2]"""

velocity_of_total = _with.psi.T @ H.T @ total
"""V = ψ* H* ξ: body velocities need no joint rates.        [diagonalized dynamics (7.8)]"""

coriolis_of_total = _W @ dynamics.coriolis - _D @ _with.U_ring.T @ v
"""C_ξ = W C − D (U̇)* v; it does work as D changes, ξ* C_ξ = ½ ξ* Ḋ ξ.        [diagonalized dynamics, lemma 7.3]"""

coriolis_of_normalised = _ell @ dynamics.coriolis - _with.m_ring.T @ v
"""C_ν = ℓ C − (ṁ)* v; it does no work, ν* C_ν = 0. One degree of freedom.        [diagonalized dynamics (3.2)]"""

total_bias = _W @ dynamics.bias - _D @ _with.U_ring.T @ v
"""κ at ξ̇ = 0: C_ξ, and gravity, external forces, springs and dampers."""

normalised_bias = _ell @ dynamics.bias - _with.m_ring.T @ v
"""ε at ν̇ = 0. One degree of freedom."""

total_acceleration = inv(_D) @ (kappa - total_bias)
"""ξ̇ = D⁻¹ (κ − C_ξ − …): one small equation for each joint.        [diagonalized dynamics (8.3)]"""

normalised_acceleration = epsilon - normalised_bias
"""ν̇ = ε − C_ν − …: none at all. One degree of freedom.        [diagonalized dynamics (3.1)]"""

joint_forces = _U @ (_D @ total_rate + total_bias)
"""T = U (D ξ̇ + C_ξ + …), inverse dynamics."""

joint_acceleration = _W.T @ (total_acceleration - _with.U_ring.T @ v)
"""q̈ = W* (ξ̇ − (U̇)* v), forward dynamics."""

energy_of_total = 0.5 * xi.T @ _D @ xi
"""½ ξ* D ξ = ½ ν* ν.        [diagonalized dynamics (1.2)]"""

power_of_normalised = nu.T @ epsilon
"""ν* ε = ξ* κ = T* v: forces at other joints do no work on ν of this one.        [diagonalized dynamics, lemma 7.2]"""

gain = scalar("gain")
"""How much ν is damped."""

pull = scalar("pull")
"""How strongly picked points are pulled to where they should be."""

error = vector("error", B.type.domain)
"""By how much picked points are away from where they should be, B* φ* H* v being their velocity."""

rate_control = -gain * _m @ nu
"""T from ε = −c ν: kinetic energy falls by c ν* ν.        [diagonalized dynamics, control 8.1]"""

set_point_control = rate_control + pull * _m @ inv(root(_D)) @ H @ _with.psi @ B @ error
"""T from ε = −c₁ ν + c₂ root(D)⁻¹ H ψ B e; the factor root(D)⁻¹ is missing in print.

[diagonalized dynamics, control 8.2]
"""

w = vector("w", RATE)
"""A direction."""

coordinate_test = _with.m_ring.T @ w - differentiate(_m.T @ v, along=w, domain=[SINGLE, CONSTANT_MAPS])
"""(ṁ)* w − ∂_w (m*) v: zero for all v and w if ν is the rate of coordinates. One degree of freedom.

[diagonalized dynamics (2.2), assumption 1]"""

__all__ = [
    "coordinate_test",
    "coriolis_of_normalised",
    "coriolis_of_total",
    "energy_of_total",
    "epsilon",
    "error",
    "gain",
    "joint_acceleration",
    "joint_forces",
    "kappa",
    "normalised",
    "normalised_acceleration",
    "normalised_bias",
    "nu",
    "power_of_normalised",
    "pull",
    "rate_control",
    "rates_of_normalised",
    "rates_of_total",
    "set_point_control",
    "total",
    "total_acceleration",
    "total_bias",
    "total_rate",
    "velocity_of_total",
    "w",
    "xi",
]  # fmt: skip
