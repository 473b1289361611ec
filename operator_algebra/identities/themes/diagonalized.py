"""Equations of motion in total rates: what velocities do to them, and where it does no work."""

from operator_algebra.expressions.build import vector
from operator_algebra.identities.identity import Identity, Law, Twin
from operator_algebra.identities.themes.derivatives import CLOSED, CONSTANT, SINGLE, TURNING
from operator_algebra.identities.themes.factorization import mass
from operator_algebra.identities.themes.gradients import gradient, w
from operator_algebra.identities.themes.noise import ZERO
from operator_algebra.identities.themes.sensitivities import mass_rate
from operator_algebra.symbols import (
    B,
    C_nu,
    C_xi,
    D,
    D_ring,
    E_phi,
    E_psi,
    H,
    M,
    P,
    P_plus,
    P_ring,
    V,
    V_tilde,
    W,
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
    pi_dot,
    psi,
    qdd,
    root,
    rotation_delta,
    tau_bar,
    v,
    xi,
)

_terms = H @ phi @ (M @ phi.T @ a + b)
_torque = mass @ qdd + _terms
_inboard = E_phi.T @ V
_joint_side = P_ring @ H.T @ xi - V_tilde.T @ M @ V
_skewed = E_psi @ pi_dot - pi_dot @ E_psi.T
_bent = P_ring @ tau_bar.T @ _inboard
_across = V_tilde @ H.T @ v
_rest = inv(root(D)) @ H @ psi
_error = vector("error", B.type.domain)
_energy = 0.5 * V.T @ M @ V

LAWS: tuple[Law, ...] = (
    Identity(
        "power of all forces",
        differentiate(_energy),
        v.T @ _torque,
        idea="Kinetic energy changes by the work of the joint forces alone.",
        twins=(
            Twin("twice", differentiate(V.T @ M @ V), v.T @ _torque),
            Twin("without velocity terms", differentiate(_energy), v.T @ mass @ qdd),
        ),
    ),
    Identity(
        "power of velocity terms",
        v.T @ _terms,
        0.5 * v.T @ mass_rate @ v,
        cites="diagonalized dynamics, text after (7.5)",
        idea="The energy of bodies changes by the work of joint forces alone.",
        twins=(
            Twin("twice", v.T @ _terms, v.T @ mass_rate @ v),
            Twin("no work", v.T @ _terms, ZERO),
        ),
    ),
    Identity(
        "velocity terms as derivatives of the mass matrix",
        w.T @ _terms,
        w.T @ mass_rate @ v - 0.5 * gradient + w.T @ H @ delta @ phi @ M @ V,
        domain=(CONSTANT,),
        cites="diagonalized dynamics (2.1)",
        misprint="without the last term, which is that of Hamel and zero for single joints",
        idea="Lagrange's equations in rates that need not be derivatives of coordinates.",
        twins=(
            Twin("without Hamel's term", w.T @ _terms, w.T @ mass_rate @ v - 0.5 * gradient),
            Twin("without half", w.T @ _terms, w.T @ mass_rate @ v - gradient + w.T @ H @ delta @ phi @ M @ V),
        ),
    ),
    Identity(
        "velocity terms as derivatives, single joints",
        w.T @ _terms,
        w.T @ mass_rate @ v - 0.5 * gradient,
        domain=(SINGLE, CONSTANT),
        cites="diagonalized dynamics (2.1)",
        idea="Lagrange's equations.",
        twins=(
            Twin("sign", w.T @ _terms, w.T @ mass_rate @ v + 0.5 * gradient),
            Twin("without half", w.T @ _terms, w.T @ mass_rate @ v - gradient),
        ),
    ),
    Identity(
        "equations of motion in total rates",
        D @ differentiate(xi) + C_xi,
        W @ _torque,
        idea="ξ = U* v, and U D U* is the mass matrix.",
        twins=(
            Twin("sign", D @ differentiate(xi) - C_xi, W @ _torque),
            Twin("rates for total rates", D @ qdd + C_xi, W @ _torque),
        ),
    ),
    Identity(
        "equations of motion in normalised rates",
        differentiate(nu, domain=[SINGLE]) + C_nu,
        ell @ _torque,
        idea="ν = m* v, and m m* is the mass matrix.",
        twins=(
            Twin("sign", differentiate(nu, domain=[SINGLE]) - C_nu, ell @ _torque),
            Twin("C_ξ for C_ν", differentiate(nu, domain=[SINGLE]) + inv(root(D)) @ C_xi, ell @ _torque),
        ),
    ),
    Identity(
        "power in normalised rates",
        differentiate(_energy),
        nu.T @ ell @ _torque,
        cites="diagonalized dynamics, lemma 7.2",
        idea="ℓ* ν = v.",
        twins=(
            Twin("twice", differentiate(V.T @ M @ V), nu.T @ ell @ _torque),
            Twin("without velocity terms", differentiate(_energy), nu.T @ ell @ mass @ qdd),
        ),
    ),
    Identity(
        "normalised velocity terms by rates of the root",
        w.T @ m @ C_nu,
        w.T @ m_ring @ nu - 0.5 * gradient,
        domain=(SINGLE, CONSTANT),
        cites="diagonalized dynamics (3.2)",
        idea="Lagrange's equations with ℳ̇ = ṁ m* + m ṁ*.",
        twins=(
            Twin("sign", w.T @ m @ C_nu, w.T @ m_ring @ nu + 0.5 * gradient),
            Twin("without half", w.T @ m @ C_nu, w.T @ m_ring @ nu - gradient),
        ),
    ),
    Identity(
        "velocity terms in total rates",
        C_xi,
        H @ psi @ (_joint_side - E_phi @ delta @ P_plus @ _inboard),
        domain=(CONSTANT, "any J"),
        cites="diagonalized dynamics, lemma 7.3",
        misprint="without E_φ, and with Ω̃_δ for δ",
        idea="One inward sweep, with what each joint passes on.",
        twins=(
            Twin("P for P⁺", C_xi, H @ psi @ (_joint_side - E_phi @ delta @ P @ _inboard)),
            Twin("φ for ψ", C_xi, H @ phi @ (_joint_side - E_phi @ delta @ P_plus @ _inboard)),
            Twin("joint side alone", C_xi, H @ psi @ _joint_side),
        ),
    ),
    Identity(
        "velocity terms in total rates, by articulated bodies",
        C_xi,
        H @ psi @ (P @ _across + b) - H @ (P @ _across + _bent),
        domain=(CONSTANT, "any J"),
        idea="The bias of articulated bodies, less what the total rates take over.",
        twins=(
            Twin("first part alone", C_xi, H @ psi @ (P @ _across + b)),
            Twin("without τ̄*", C_xi, H @ psi @ (P @ _across + b) - H @ (P @ _across + P_ring @ _inboard)),
            Twin("sign of b", C_xi, H @ psi @ (P @ _across - b) - H @ (P @ _across + _bent)),
        ),
    ),
    Identity(
        "velocity terms in total rates, without J",
        C_xi,
        H @ psi @ (_joint_side - delta @ P_plus @ _inboard),
        domain=(CLOSED, CONSTANT, "J = 0"),
        cites="diagonalized dynamics, lemma 7.3",
        misprint="Ω̃_δ for δ",
        idea="H δ P⁺ = 0, so that ψ E_φ δ P⁺ = (ψ − I) δ P⁺.",
        twins=(
            Twin("rotation alone", C_xi, H @ psi @ (_joint_side - rotation_delta @ P_plus @ _inboard)),
            Twin("P for P⁺", C_xi, H @ psi @ (_joint_side - delta @ P @ _inboard)),
        ),
    ),
    Identity(
        "velocity terms in total rates, turning joints",
        C_xi,
        H @ psi @ (_joint_side - rotation_delta @ P_plus @ _inboard),
        domain=(TURNING, "any J"),
        cites="diagonalized dynamics, lemma 7.3",
        idea="For a turning joint δ is a rotation.",
        twins=(
            Twin("P for P⁺", C_xi, H @ psi @ (_joint_side - rotation_delta @ P @ _inboard)),
            Twin("sign", C_xi, H @ psi @ (_joint_side + rotation_delta @ P_plus @ _inboard)),
        ),
    ),
    Identity(
        "velocity terms in total rates, single joints",
        C_xi,
        H @ psi @ (pi_dot @ H.T @ xi - (delta @ P + V_tilde.T @ M) @ V),
        domain=(SINGLE, CONSTANT, "any J"),
        cites="diagonalized dynamics, lemma 7.3",
        misprint="Ω̃_δ for δ",
        idea="V = τ̄* V⁺ + H* ξ, and H δ = 0.",
        twins=(
            Twin("P̊ for π̇", C_xi, H @ psi @ (P_ring @ H.T @ xi - (delta @ P + V_tilde.T @ M) @ V)),
            Twin("P⁺ for P", C_xi, H @ psi @ (pi_dot @ H.T @ xi - (delta @ P_plus + V_tilde.T @ M) @ V)),
        ),
    ),
    Identity(
        "terms in total rates by what passes, turning joints",
        C_xi,
        H @ psi @ (pi_dot @ H.T @ xi - (rotation_delta @ P + V_tilde.T @ M) @ V),
        domain=(TURNING, "any J"),
        cites="diagonalized dynamics, lemma 7.3",
        idea="For a turning joint δ is a rotation.",
        twins=(
            Twin("P̊ for π̇", C_xi, H @ psi @ (P_ring @ H.T @ xi - (rotation_delta @ P + V_tilde.T @ M) @ V)),
            Twin("sign", C_xi, H @ psi @ (pi_dot @ H.T @ xi + (rotation_delta @ P - V_tilde.T @ M) @ V)),
        ),
    ),
    Identity(
        "normalised velocity terms by those of the rates",
        C_nu,
        ell @ _terms - m_ring.T @ v,
        domain=("any J",),
        cites="diagonalized dynamics (3.2)",
        idea="ν = m* v, so that ν̇ = m* v̇ + ṁ* v: what holds for every joint.",
        twins=(
            Twin("sign", C_nu, ell @ _terms + m_ring.T @ v),
            Twin("root constant", C_nu, ell @ _terms),
            Twin("diagonal alone", C_nu, inv(root(D)) @ _terms - m_ring.T @ v),
        ),
    ),
    Identity(
        "velocity terms in normalised rates",
        C_nu,
        0.5 * _rest @ (_skewed - delta @ P + P @ delta.T - 2 * V_tilde.T @ M) @ V,
        domain=(SINGLE, CONSTANT, "any J"),
        cites="diagonalized dynamics (7.1)",
        misprint="Ω̃_δ for δ",
        idea="C_ν = D^−½ C_ξ − ½ D^−½ Ḋ ξ.",
        twins=(
            Twin("without half", C_nu, _rest @ (_skewed - delta @ P + P @ delta.T - 2 * V_tilde.T @ M) @ V),
            Twin(
                "rotation alone",
                C_nu,
                0.5 * _rest @ (_skewed - rotation_delta @ P + P @ rotation_delta.T - 2 * V_tilde.T @ M) @ V,
            ),
            Twin(
                "E_φ for E_ψ",
                C_nu,
                0.5 * _rest @ (E_phi @ pi_dot - pi_dot @ E_phi.T - delta @ P + P @ delta.T - 2 * V_tilde.T @ M) @ V,
            ),
        ),
    ),
    Identity(
        "velocity terms in normalised rates, turning joints",
        C_nu,
        0.5 * _rest @ (_skewed - rotation_delta @ P + P @ rotation_delta.T - 2 * V_tilde.T @ M) @ V,
        domain=(TURNING, "any J"),
        cites="diagonalized dynamics (7.1)",
        idea="For a turning joint δ is a rotation.",
        twins=(
            Twin(
                "sign",
                C_nu,
                0.5 * _rest @ (_skewed + rotation_delta @ P - P @ rotation_delta.T - 2 * V_tilde.T @ M) @ V,
            ),
            Twin(
                "Ṽ for Ṽ*",
                C_nu,
                0.5 * _rest @ (_skewed - rotation_delta @ P + P @ rotation_delta.T - 2 * M @ V_tilde) @ V,
            ),
        ),
    ),
    Identity(
        "velocity terms, normalised or not",
        C_nu,
        inv(root(D)) @ (C_xi - 0.5 * D_ring @ xi),
        domain=("any J",),
        cites="diagonalized dynamics, lemma 7.3",
        idea="The rate of D^½ is half of Ḋ D^−½.",
        twins=(
            Twin("without half", C_nu, inv(root(D)) @ (C_xi - D_ring @ xi)),
            Twin("D constant", C_nu, inv(root(D)) @ C_xi),
            Twin("sign", C_nu, inv(root(D)) @ (C_xi + 0.5 * D_ring @ xi)),
        ),
    ),
    Identity(
        "normalised velocity terms do no work",
        nu.T @ C_nu,
        ZERO,
        domain=("any J",),
        cites="diagonalized dynamics (7.3)",
        idea="½ ν* ν is the kinetic energy.",
        twins=(
            Twin("velocity terms", v.T @ _terms, ZERO),
            Twin("total rates", xi.T @ C_xi, ZERO),
            Twin("rates", v.T @ root(D) @ C_nu, ZERO),
        ),
    ),
    Identity(
        "power of set-point control",
        v.T @ m @ _rest @ B @ _error,
        V.T @ B @ _error,
        domain=("any J",),
        cites="diagonalized dynamics, control 8.2",
        misprint="(8.6): without D^−½, and with the sign of e = reached − wanted",
        idea="V = ψ* H* D^−½* ν: picked points are pulled as if by springs.",
        twins=(
            Twin("sign", v.T @ m @ _rest @ B @ _error, -(V.T @ B @ _error)),
            Twin("φ for ψ", v.T @ m @ inv(root(D)) @ H @ phi @ B @ _error, V.T @ B @ _error),
        ),
    ),
    Identity(
        "velocity terms in total rates do work",
        xi.T @ C_xi,
        0.5 * xi.T @ D_ring @ xi,
        domain=("any J",),
        cites="diagonalized dynamics, text after (7.3)",
        idea="½ ξ* D ξ is the kinetic energy.",
        twins=(
            Twin("without half", xi.T @ C_xi, xi.T @ D_ring @ xi),
            Twin("sign", xi.T @ C_xi, -0.5 * xi.T @ D_ring @ xi),
        ),
    ),
)
