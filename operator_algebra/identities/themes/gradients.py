"""How the mass matrix, its determinant and the kinetic energy change from one direction of motion to another."""

from operator_algebra.expressions.build import vector
from operator_algebra.expressions.query import trace
from operator_algebra.identities.identity import Identity, Law, Statement, Twin
from operator_algebra.identities.themes.derivatives import CONSTANT, SINGLE, TURNING
from operator_algebra.identities.themes.factorization import mass
from operator_algebra.operators.spaces import RATE
from operator_algebra.symbols import (
    E_phi,
    H,
    I,
    K,
    M,
    P,
    P_plus,
    Upsilon_plus,
    V,
    V_tilde,
    cross,
    delta,
    differentiate,
    inv,
    motion,
    phi,
    phi_tilde,
    psi,
    rotation,
    rotation_delta,
    v,
)

w = vector("w", RATE)
"""A direction of motion; what holds along every w holds for each derivative by a coordinate."""

mass_along = differentiate(mass, along=w, domain=[CONSTANT])
gradient = v.T @ mass_along @ v
"""w* col[v* ℳᵢ v], with ℳᵢ the derivative of the mass matrix along joint motion i."""

_delta_w, _turn_w = motion(w).delta, motion(w).rotation_delta
_outboard = phi @ M @ V

LAWS: tuple[Law, ...] = (
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
