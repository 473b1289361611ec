"""Dynamics as estimation: forces between bodies are states, joint forces their measurements, inertias covariances.

Where x = E_φ x + w with cov w = M runs from the tips to the base, and joint k measures T(k) = H(k) x(k) + u(k) with
cov u = J, the mass matrix with armature J is the covariance of all measurements. The force between bodies is then the
smoothed state, and its multiplier, the costate, is the acceleration of the body.
"""

from __future__ import annotations

from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import inv
from operator_algebra.expressions.query import logdet
from operator_algebra.symbols import E_phi, H, M, R, T, a, a_ground, armature, b, f_ext, innovations, phi

_with = innovations(armature)
_P, _D, _G, _K, _E_psi, _psi = _with.P, _with.D, _with.G, _with.K, _with.E_psi, _with.psi

_drift = a + a_ground
_drive = b - f_ext
_measured = T - dynamics.passive

state_covariance = R
"""cov x(k) before anything is measured: the composite inertia.        [filtering and smoothing (28)]"""

predicted_covariance = _P
"""cov x(k) given what is measured outward of k: the articulated inertia.        [filtering and smoothing (56)]"""

updated_covariance = _with.P_plus
"""cov x(k) given T(k), too.        [filtering and smoothing (43)]"""

smoothed_covariance = _with.S
"""cov x(k) given all of T: S = P − P Υ P.        [filtering and smoothing (65)]"""

innovations_covariance = _D
"""cov κ(k).        [filtering and smoothing (57)]"""

costate_covariance = _with.Upsilon
"""cov of the costate at k: Υ = diag(Ω).        [filtering and smoothing (66)]"""

measurement_covariance = dynamics.mass_matrix
"""cov T = ℳ, with armature for measurement noise."""

filtered_state = _psi @ (_K @ _measured + E_phi @ _with.P_plus @ _drift + _drive)
"""z = Σ φ z⁺ + b, the forces predicted from the joints outward.        [filtering and smoothing (34)]"""

innovation = _measured - H @ filtered_state
"""e = T − H z: what T(k) says that was not known outward of k.        [filtering and smoothing (37)]"""

residual = inv(_D) @ innovation
"""e⁺ = D⁻¹ e: the joint acceleration while all bodies inward are held.        [filtering and smoothing (40)]"""

updated_state = filtered_state + _G @ innovation + _with.P_plus @ _drift
"""z⁺ = z + G e + P⁺ a.        [filtering and smoothing (41)]"""

costate = _psi.T @ (_with.tau_bar.T @ _drift + H.T @ residual)
"""α = τ̄* (α⁺ + a) + H* e⁺ with α⁺ = φ* α: the accelerations of bodies.        [filtering and smoothing (46)]"""

smoothed_state = filtered_state + _P @ costate
"""f = z + P α: the forces between bodies, by Bryson and Frazier.        [filtering and smoothing (34)]"""

smoothed_acceleration = residual - _G.T @ (E_phi.T @ costate + _drift)
"""q̈ = e⁺ − G* (α⁺ + a): forward dynamics.        [filtering and smoothing (47)]"""

unexplained = _measured - H @ smoothed_state
"""T − H f, which is J q̈: what rotors take is the noise of the measurements."""

whitened = _with.W @ (T - dynamics.bias)
"""W (T − bias): innovations of what the motion itself leaves unexplained, independent from joint to joint."""

surprise = whitened.T @ inv(_D) @ whitened
"""(T − bias)* ℳ⁻¹ (T − bias), how unlikely the measurements are."""

logdet_covariance = logdet(_D)
"""log det D = log det ℳ: with `surprise`, what the evidence of the measurements is made of."""

force_given_acceleration = phi @ (M @ dynamics.acceleration + _drive)
"""f = φ (M α + b): the other half of the two-point boundary-value problem.        [filtering and smoothing (16)]"""

__all__ = [
    "costate",
    "costate_covariance",
    "filtered_state",
    "force_given_acceleration",
    "innovation",
    "innovations_covariance",
    "logdet_covariance",
    "measurement_covariance",
    "predicted_covariance",
    "residual",
    "smoothed_acceleration",
    "smoothed_covariance",
    "smoothed_state",
    "state_covariance",
    "surprise",
    "unexplained",
    "updated_covariance",
    "updated_state",
    "whitened",
]  # fmt: skip
