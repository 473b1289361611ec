"""Rates of the mass matrix and of its square root, and how they change from one direction of motion to another."""

from operator_algebra.expressions.build import define, vector
from operator_algebra.expressions.query import trace
from operator_algebra.identities.identity import Identity, Law, Statement, Twin
from operator_algebra.identities.themes.derivatives import CONSTANT, SINGLE, TURNING
from operator_algebra.identities.themes.factorization import mass
from operator_algebra.operators.spaces import RATE
from operator_algebra.symbols import (
    D,
    D_ring,
    E_phi,
    E_psi,
    H,
    I,
    K,
    M,
    P,
    P_plus,
    P_ring,
    U,
    U_ring,
    Upsilon_plus,
    V,
    V_tilde,
    a,
    b,
    cross,
    delta,
    differentiate,
    ell,
    inv,
    m,
    m_ring,
    motion,
    nu,
    phi,
    phi_tilde,
    pi_dot,
    psi,
    root,
    rotation,
    rotation_delta,
    tau,
    tau_bar,
    v,
)

w = vector("w", RATE)
"""A direction of motion; what holds along every w holds for each derivative by a coordinate."""

mass_along = differentiate(mass, along=w, domain=[CONSTANT])
gradient = v.T @ mass_along @ v
"""w* col[v* ℳᵢ v], with ℳᵢ the derivative of the mass matrix along joint motion i."""

mass_rate = define("mass_ring", differentiate(mass))
"""d/dt of the mass matrix."""

_turning = M @ differentiate(phi.T @ H.T)
_coriolis = H @ phi @ (_turning + (M @ V_tilde - V_tilde.T @ M) @ phi.T @ H.T)
_lopsided = H @ phi @ (_turning - V_tilde.T @ M @ phi.T @ H.T)
_terms = H @ phi @ (M @ phi.T @ a + b)
_root_rate = differentiate(ell, domain=[SINGLE])
_skewed = E_psi @ pi_dot - pi_dot @ E_psi.T
_delta_w, _turn_w = motion(w).delta, motion(w).rotation_delta
_outboard = phi @ M @ V
_spun = rotation_delta @ P + P @ rotation_delta.T
_turned = P_ring + _spun
_turned_skewed = E_psi @ _turned - _turned @ E_psi.T

LAWS: tuple[Law, ...] = (
    Identity(
        "rate of the mass matrix",
        mass_rate,
        H @ phi_tilde @ delta @ phi @ M @ phi.T @ H.T + H @ phi @ M @ phi.T @ delta.T @ phi_tilde.T @ H.T,
        domain=(CONSTANT,),
        idea="The rate of propagation on both sides of M.",
        twins=(
            Twin("one side", mass_rate, 2 * H @ phi_tilde @ delta @ phi @ M @ phi.T @ H.T),
            Twin(
                "φ for φ̃",
                mass_rate,
                H @ phi @ delta @ phi @ M @ phi.T @ H.T + H @ phi @ M @ phi.T @ delta.T @ phi.T @ H.T,
            ),
            Twin("of joint inertia alone", mass_rate, U @ D_ring @ U.T),
        ),
    ),
    Identity(
        "rate of the factors of the mass matrix",
        mass_rate,
        U_ring @ D @ U.T + U @ D_ring @ U.T + U @ D @ U_ring.T,
        idea="The rate of the innovations factorization.",
        twins=(
            Twin("D constant", mass_rate, U_ring @ D @ U.T + U @ D @ U_ring.T),
            Twin("sign", mass_rate, U_ring @ D @ U.T - U @ D_ring @ U.T + U @ D @ U_ring.T),
        ),
    ),
    Statement(
        "rate of the determinant of the mass matrix",
        "entries",
        "query",
        trace(inv(mass) @ mass_rate),
        trace(inv(D) @ D_ring),
        reads="tr (H φ M φ* H*)⁻¹ (H φ M φ* H*)˚ = tr D⁻¹ D̊",
        idea="The rate of the determinant: that of the innovations factor is one at all times.",
        twins=(
            Statement(
                "without D⁻¹",
                "entries",
                "query",
                trace(inv(mass) @ mass_rate),
                trace(D_ring),
                reads="tr (H φ M φ* H*)⁻¹ (H φ M φ* H*)˚ = tr D̊",
            ),
        ),
    ),
    Identity(
        "rate of the square root of the mass matrix",
        m_ring,
        H @ phi @ (delta @ phi_tilde @ P + 0.5 * (I + tau_bar) @ pi_dot) @ H.T @ inv(root(D)).T,
        domain=(SINGLE, CONSTANT, "J = 0"),
        cites="diagonalized dynamics (6.11)",
        misprint="τ and τ̄ cannot be told apart; for turning joints, with Ω̃_δ for δ",
        idea="(U D^½)˚ with Ů and D̊ = H P̊ H*, half of it for the root.",
        twins=(
            Twin(
                "τ for τ̄",
                m_ring,
                H @ phi @ (delta @ phi_tilde @ P + 0.5 * (I + tau) @ pi_dot) @ H.T @ inv(root(D)).T,
            ),
            Twin(
                "rotation alone",
                m_ring,
                H @ phi @ (rotation_delta @ phi_tilde @ P + 0.5 * (I + tau_bar) @ pi_dot) @ H.T @ inv(root(D)).T,
            ),
            Twin(
                "φ for φ̃",
                m_ring,
                H @ phi @ (delta @ phi @ P + 0.5 * (I + tau_bar) @ pi_dot) @ H.T @ inv(root(D)).T,
            ),
        ),
    ),
    Identity(
        "rate of the square root of the mass matrix, turning joints",
        m_ring,
        H @ phi @ (rotation_delta @ phi_tilde @ P + 0.5 * (I + tau_bar) @ _turned) @ H.T @ inv(root(D)).T,
        domain=(TURNING, "J = 0"),
        cites="diagonalized dynamics (6.11)",
        misprint="τ and τ̄ cannot be told apart",
        idea="For a turning joint δ is a rotation.",
        twins=(
            Twin(
                "τ for τ̄",
                m_ring,
                H @ phi @ (rotation_delta @ phi_tilde @ P + 0.5 * (I + tau) @ _turned) @ H.T @ inv(root(D)).T,
            ),
            Twin(
                "sign",
                m_ring,
                H @ phi @ (0.5 * (I + tau_bar) @ _turned - rotation_delta @ phi_tilde @ P) @ H.T @ inv(root(D)).T,
            ),
        ),
    ),
    Identity(
        "rate of the square root at a velocity",
        m_ring @ nu,
        H @ phi @ (delta @ phi @ K @ H @ P + 0.5 * (delta @ P + P @ delta.T + _skewed)) @ V,
        domain=(SINGLE, CONSTANT, "J = 0"),
        cites="diagonalized dynamics (6.12)",
        misprint="for turning joints, with Ω̃_δ for δ",
        idea="ν = D^½ G* V, and π̇ through the joint.",
        twins=(
            Twin(
                "without half",
                m_ring @ nu,
                H @ phi @ (delta @ phi @ K @ H @ P + delta @ P + P @ delta.T + _skewed) @ V,
            ),
            Twin(
                "sign of δ",
                m_ring @ nu,
                H @ phi @ (0.5 * (delta @ P + P @ delta.T + _skewed) - delta @ phi @ K @ H @ P) @ V,
            ),
        ),
    ),
    Identity(
        "rate of the square root at a velocity, turning joints",
        m_ring @ nu,
        H @ phi @ (rotation_delta @ phi @ K @ H @ P + 0.5 * (_spun + _turned_skewed)) @ V,
        domain=(TURNING, "J = 0"),
        cites="diagonalized dynamics (6.12)",
        idea="For a turning joint δ is a rotation.",
        twins=(
            Twin(
                "without half",
                m_ring @ nu,
                H @ phi @ (rotation_delta @ phi @ K @ H @ P + _spun + _turned_skewed) @ V,
            ),
            Twin(
                "sign",
                m_ring @ nu,
                H @ phi @ (0.5 * (_spun + _turned_skewed) - rotation_delta @ phi @ K @ H @ P) @ V,
            ),
        ),
    ),
    Identity(
        "rate of the inverse square root",
        _root_rate,
        -ell @ m_ring @ ell,
        idea="ℓ m = I at all times.",
        twins=(
            Twin("sign", _root_rate, ell @ m_ring @ ell),
            Twin("half", _root_rate, -0.5 * ell @ m_ring @ ell),
        ),
    ),
    Identity(
        "rate of the square of the square root",
        mass_rate,
        m_ring @ m.T + m @ m_ring.T,
        idea="½ Ḋ D^−½* is the rate of a root of D for any joint; of the Cholesky factor for single ones.",
        twins=(
            Twin("sign", mass_rate, m_ring @ m.T - m @ m_ring.T),
            Twin("one side", mass_rate, 2 * m_ring @ m.T),
        ),
    ),
    Identity(
        "Coriolis matrix",
        _coriolis @ v,
        _terms,
        idea="The rate of φ* H*, and Ṽ V = 0.",
        twins=(
            Twin("star", _coriolis.T @ v, _terms),
            Twin("sign", H @ phi @ (_turning - (M @ V_tilde - V_tilde.T @ M) @ phi.T @ H.T) @ v, _terms),
            Twin("φ constant", H @ phi @ (M @ V_tilde - V_tilde.T @ M) @ phi.T @ H.T @ v, _terms),
        ),
    ),
    Identity(
        "Coriolis matrix and the rate of the mass matrix",
        mass_rate,
        _coriolis + _coriolis.T,
        idea="M Ṽ − Ṽ* M is skew: the mass matrix changes by the rest.",
        twins=(
            Twin("not skew inside", mass_rate, _lopsided + _lopsided.T),
            Twin("half", mass_rate, 2 * _coriolis + 2 * _coriolis.T),
            Twin("one side", mass_rate, 2 * _coriolis),
        ),
    ),
    Identity(
        "mass matrix along a direction",
        mass_along,
        H @ phi_tilde @ _delta_w @ phi @ M @ phi.T @ H.T + H @ phi @ M @ phi.T @ _delta_w.T @ phi_tilde.T @ H.T,
        domain=(CONSTANT,),
        cites="diagonalized dynamics (6.14)",
        misprint="φ for φ̃ and a rotation for δ, which hold for turning joints",
        idea="The rate of propagation along w on both sides of M.",
        twins=(
            Twin(
                "φ for φ̃",
                mass_along,
                H @ phi @ _delta_w @ phi @ M @ phi.T @ H.T + H @ phi @ M @ phi.T @ _delta_w.T @ phi.T @ H.T,
            ),
            Twin(
                "along the motion",
                mass_along,
                H @ phi_tilde @ delta @ phi @ M @ phi.T @ H.T + H @ phi @ M @ phi.T @ delta.T @ phi_tilde.T @ H.T,
            ),
        ),
    ),
    Identity(
        "mass matrix along a direction, single joints",
        mass_along,
        H @ phi @ (_delta_w @ phi @ M + M @ phi.T @ _delta_w.T) @ phi.T @ H.T,
        domain=(SINGLE, CONSTANT),
        cites="diagonalized dynamics (6.14)",
        idea="H δ = 0 on both sides.",
        twins=(
            Twin("sign", mass_along, H @ phi @ (_delta_w @ phi @ M - M @ phi.T @ _delta_w.T) @ phi.T @ H.T),
            Twin("rotation alone", mass_along, H @ phi @ (_turn_w @ phi @ M + M @ phi.T @ _turn_w.T) @ phi.T @ H.T),
        ),
    ),
    Identity(
        "mass matrix along a direction, turning joints",
        mass_along,
        H @ phi @ (_turn_w @ phi @ M + M @ phi.T @ _turn_w.T) @ phi.T @ H.T,
        domain=(TURNING,),
        cites="diagonalized dynamics (6.14)",
        idea="For a turning joint δ is a rotation.",
        twins=(
            Twin("sign", mass_along, H @ phi @ (_turn_w @ phi @ M - M @ phi.T @ _turn_w.T) @ phi.T @ H.T),
            Twin("ψ for φ", mass_along, H @ psi @ (_turn_w @ phi @ M + M @ phi.T @ _turn_w.T) @ psi.T @ H.T),
        ),
    ),
    Statement(
        "gradient of the determinant of the mass matrix",
        "entries",
        "query",
        trace(inv(mass) @ mass_along),
        trace(2 * _delta_w @ P_plus @ Upsilon_plus),
        reads="tr (H φ M φ* H*)⁻¹ ∂_w(H φ M φ* H*) = 2 tr δ_w P⁺ Υ⁺",
        domain=(CONSTANT, "any J"),
        idea="The rate of D, summed inward, against how bodies yield, summed outward: either sweep can be done first.",
        twins=(
            Statement(
                "without 2",
                "entries",
                "query",
                trace(inv(mass) @ mass_along),
                trace(_delta_w @ P_plus @ Upsilon_plus),
                reads="tr (H φ M φ* H*)⁻¹ ∂_w(H φ M φ* H*) = tr δ_w P⁺ Υ⁺",
                domain=(CONSTANT,),
            ),
            Statement(
                "before the joint",
                "entries",
                "query",
                trace(inv(mass) @ mass_along),
                trace(2 * _delta_w @ P @ Upsilon_plus),
                reads="tr (H φ M φ* H*)⁻¹ ∂_w(H φ M φ* H*) = 2 tr δ_w P Υ⁺",
                domain=(CONSTANT,),
            ),
        ),
    ),
    Identity(
        "gradient of kinetic energy",
        gradient,
        2 * w.T @ H @ cross(E_phi.T @ V).T @ _outboard,
        domain=(CONSTANT,),
        cites="diagonalized dynamics (6.16a)",
        misprint="V for V⁺, which holds for single joints",
        idea="The momentum outboard of a joint, seen from its inboard side.",
        twins=(
            Twin("V for V⁺", gradient, 2 * w.T @ H @ V_tilde.T @ _outboard),
            Twin("half", gradient, w.T @ H @ cross(E_phi.T @ V).T @ _outboard),
            Twin("sign", gradient, -2 * w.T @ H @ cross(E_phi.T @ V).T @ _outboard),
        ),
    ),
    Identity(
        "gradient of kinetic energy, single joints",
        gradient,
        2 * w.T @ H @ V_tilde.T @ _outboard,
        domain=(SINGLE, CONSTANT),
        cites="diagonalized dynamics (6.16a)",
        idea="H δ = 0, so that V⁺ may be V.",
        twins=(
            Twin("half", gradient, w.T @ H @ V_tilde.T @ _outboard),
            Twin("ψ for φ", gradient, 2 * w.T @ H @ V_tilde.T @ psi @ M @ V),
        ),
    ),
    Identity(
        "gradient of kinetic energy by sums",
        gradient,
        2 * w.T @ H @ phi @ (delta @ phi + V_tilde.T) @ M @ V,
        domain=(CONSTANT,),
        cites="diagonalized dynamics (6.16b)",
        idea="The rate of propagation by velocities.",
        twins=(
            Twin("rotation alone", gradient, 2 * w.T @ H @ phi @ (rotation_delta @ phi + V_tilde.T) @ M @ V),
            Twin("sign", gradient, 2 * w.T @ H @ phi @ (delta @ phi - V_tilde.T) @ M @ V),
        ),
    ),
    Identity(
        "gradient of kinetic energy by sums, turning joints",
        gradient,
        2 * w.T @ H @ phi @ (rotation_delta @ phi + V_tilde.T) @ M @ V,
        domain=(TURNING,),
        cites="diagonalized dynamics (6.16b)",
        idea="For a turning joint δ is a rotation.",
        twins=(
            Twin("whole rotation", gradient, 2 * w.T @ H @ phi @ (rotation @ phi + V_tilde.T) @ M @ V),
            Twin("sign", gradient, 2 * w.T @ H @ phi @ (rotation_delta @ phi - V_tilde.T) @ M @ V),
        ),
    ),
    Identity(
        "gradient of kinetic energy by articulated inertia",
        gradient,
        2 * w.T @ H @ phi @ (delta @ (I + phi @ K @ H) @ P + V_tilde.T @ M) @ V,
        domain=(CONSTANT, "J = 0"),
        cites="diagonalized dynamics (6.16c)",
        misprint="… + Ṽ* ] M V, and Ω̃_δ for δ",
        idea="φ M V = (I + φ K H) P V.",
        twins=(
            Twin(
                "P⁺ for P",
                gradient,
                2 * w.T @ H @ phi @ (delta @ (I + phi @ K @ H) @ P_plus + V_tilde.T @ M) @ V,
            ),
            Twin(
                "rotation alone",
                gradient,
                2 * w.T @ H @ phi @ (rotation_delta @ (I + phi @ K @ H) @ P + V_tilde.T @ M) @ V,
            ),
            Twin("P for M", gradient, 2 * w.T @ H @ phi @ (delta @ (I + phi @ K @ H) @ P + V_tilde.T @ P) @ V),
        ),
    ),
    Identity(
        "gradient of kinetic energy by P, turning joints",
        gradient,
        2 * w.T @ H @ phi @ (rotation_delta @ (I + phi @ K @ H) @ P + V_tilde.T @ M) @ V,
        domain=(TURNING, "J = 0"),
        cites="diagonalized dynamics (6.16c)",
        misprint="… + Ṽ* ] M V",
        idea="For a turning joint δ is a rotation.",
        twins=(
            Twin(
                "P for M",
                gradient,
                2 * w.T @ H @ phi @ (rotation_delta @ (I + phi @ K @ H) @ P + V_tilde.T @ P) @ V,
            ),
            Twin(
                "sign",
                gradient,
                2 * w.T @ H @ phi @ (rotation_delta @ (I - phi @ K @ H) @ P + V_tilde.T @ M) @ V,
            ),
        ),
    ),
)
