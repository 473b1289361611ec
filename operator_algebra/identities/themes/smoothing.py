"""Filters and smoothers: forces and accelerations from innovations, and what of the forces remains unknown."""

from operator_algebra.expressions.build import diag
from operator_algebra.identities.identity import Identity, Law, Twin
from operator_algebra.identities.themes.factorization import mass
from operator_algebra.symbols import (
    D,
    E_phi,
    G,
    H,
    K,
    M,
    P,
    P_plus,
    S,
    T,
    U,
    Upsilon,
    Upsilon_plus,
    W,
    a,
    b,
    inv,
    phi,
    psi,
    tau_bar,
)

_qdd = inv(mass) @ (T - H @ phi @ (M @ phi.T @ a + b))
_acceleration = phi.T @ (H.T @ _qdd + a)
_force = phi @ (M @ _acceleration + b)
_filtered = psi @ (K @ T + E_phi @ P_plus @ a + b)
_innovation = T - H @ _filtered
_covariance = phi @ M @ phi.T
_crossed = _covariance @ H.T
_estimate = _crossed @ inv(mass) @ T

LAWS: tuple[Law, ...] = (
    Identity(
        "filtered forces",
        _filtered,
        E_phi @ (_filtered + G @ _innovation + P_plus @ a) + b,
        domain=("any J",),
        cites="filtering and smoothing (36), (41)",
        misprint="(36): z⁺(i) for z⁺(k − 1)",
        idea="E_ψ = E_φ (I − G H).",
        twins=(
            Twin("before the joint", _filtered, E_phi @ (_filtered + P_plus @ a) + b),
            Twin("P for P⁺", _filtered, E_phi @ (_filtered + G @ _innovation + P @ a) + b),
            Twin("sign of the gain", _filtered, E_phi @ (_filtered - G @ _innovation + P_plus @ a) + b),
        ),
    ),
    Identity(
        "handle equation",
        _force,
        P @ _acceleration + _filtered,
        domain=("any J",),
        cites="review (11); filtering and smoothing (34)",
        idea="To its inboard side a body is its articulated inertia and a bias force.",
        twins=(
            Twin("body inertia", _force, M @ _acceleration + _filtered),
            Twin("without velocities", _force, P @ _acceleration + psi @ (K @ T + b)),
            Twin("sign", _force, _filtered - P @ _acceleration),
        ),
    ),
    Identity(
        "accelerations by residuals",
        _acceleration,
        psi.T @ (tau_bar.T @ a + H.T @ inv(D) @ _innovation),
        domain=("any J",),
        cites="filtering and smoothing (46), (48)",
        idea="The adjoint sweep, with what each joint adds while the bodies inward are held.",
        twins=(
            Twin("a as it is", _acceleration, psi.T @ (a + H.T @ inv(D) @ _innovation)),
            Twin("φ for ψ", _acceleration, phi.T @ (tau_bar.T @ a + H.T @ inv(D) @ _innovation)),
        ),
    ),
    Identity(
        "joint accelerations by residuals",
        _qdd,
        inv(D) @ _innovation - G.T @ (E_phi.T @ _acceleration + a),
        domain=("any J",),
        cites="filtering and smoothing (47); review (14)",
        misprint="review (14) takes p^A where p^a is meant",
        idea="What a joint does while the bodies inward are held, less what it yields to their acceleration.",
        twins=(
            Twin("a forgotten", _qdd, inv(D) @ _innovation - G.T @ E_phi.T @ _acceleration),
            Twin("sign", _qdd, inv(D) @ _innovation + G.T @ (E_phi.T @ _acceleration + a)),
            Twin("own acceleration", _qdd, inv(D) @ _innovation - G.T @ _acceleration),
        ),
    ),
    Identity(
        "covariance of innovations",
        W @ mass @ W.T,
        D,
        domain=("any J",),
        cites="filtering and smoothing (58)",
        idea="W is the inverse of U, and the mass matrix is U D U*: they are independent from joint to joint.",
        twins=(
            Twin("U for W", U @ mass @ U.T, D),
            Twin("one side", W @ mass, D @ W.T),
        ),
    ),
    Identity(
        "smoothed estimate",
        _estimate,
        psi @ K @ T + P @ psi.T @ H.T @ inv(D) @ W @ T,
        domain=("any J",),
        cites="filtering and smoothing (60), (61)",
        misprint="(60), (64): x in one, ẑ in the other, for x̂",
        idea="E(x | T) = cov(x, T) cov(T)⁻¹ T; without velocities it is the force between bodies.",
        twins=(
            Twin("filtered alone", _estimate, psi @ K @ T),
            Twin("body inertia", _estimate, psi @ K @ T + M @ psi.T @ H.T @ inv(D) @ W @ T),
            Twin("sign", _estimate, psi @ K @ T - P @ psi.T @ H.T @ inv(D) @ W @ T),
        ),
    ),
    Identity(
        "smoothed covariance",
        S,
        diag(_covariance - _crossed @ inv(mass) @ _crossed.T),
        domain=("any J",),
        cites="filtering and smoothing (64), (65)",
        idea="What is left of cov x once T is known.",
        twins=(
            Twin("before it is known", S, diag(_covariance)),
            Twin("what a filter leaves", P, diag(_covariance - _crossed @ inv(mass) @ _crossed.T)),
            Twin("sign", S, diag(_covariance + _crossed @ inv(mass) @ _crossed.T)),
        ),
    ),
    Identity(
        "smoothed covariance past the joint",
        S,
        P_plus - P_plus @ Upsilon_plus @ P_plus,
        domain=("any J",),
        cites="filtering and smoothing (65)",
        idea="The same from the inboard side of the joint.",
        twins=(
            Twin("P for P⁺", S, P - P @ Upsilon_plus @ P),
            Twin("sign", S, P_plus + P_plus @ Upsilon_plus @ P_plus),
        ),
    ),
    Identity(
        "covariance of the costate",
        diag(phi.T @ H.T @ inv(mass) @ H @ phi),
        Upsilon,
        domain=("any J",),
        cites="filtering and smoothing (66)",
        idea="The costate is φ* H* ℳ⁻¹ T, and cov T = ℳ.",
        twins=(
            Twin("past the joint", diag(phi.T @ H.T @ inv(mass) @ H @ phi), Upsilon_plus),
            Twin("ψ for φ", diag(psi.T @ H.T @ inv(mass) @ H @ psi), Upsilon),
        ),
    ),
)
