"""Rates of the mass matrix, of its determinant and of its square root."""

from operator_algebra.expressions.build import define
from operator_algebra.expressions.query import trace
from operator_algebra.identities.identity import Identity, Law, Statement, Twin
from operator_algebra.identities.themes.derivatives import CONSTANT, SINGLE, TURNING
from operator_algebra.identities.themes.factorization import mass
from operator_algebra.symbols import (
    D,
    D_ring,
    E_psi,
    H,
    I,
    K,
    M,
    P,
    P_ring,
    U,
    U_ring,
    V,
    V_tilde,
    a,
    b,
    delta,
    differentiate,
    ell,
    inv,
    m,
    m_ring,
    nu,
    phi,
    phi_tilde,
    pi_dot,
    root,
    rotation_delta,
    tau,
    tau_bar,
    v,
)

mass_rate = define("mass_ring", differentiate(mass))
"""d/dt of the mass matrix."""

_turning = M @ differentiate(phi.T @ H.T)
_coriolis = H @ phi @ (_turning + (M @ V_tilde - V_tilde.T @ M) @ phi.T @ H.T)
_lopsided = H @ phi @ (_turning - V_tilde.T @ M @ phi.T @ H.T)
_terms = H @ phi @ (M @ phi.T @ a + b)
_root_rate = differentiate(ell, domain=[SINGLE])
_skewed = E_psi @ pi_dot - pi_dot @ E_psi.T
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
)
