"""The Riccati equation of the articulated inertia, and the decompositions of φ M φ* that follow."""

from operator_algebra.expressions.build import diag
from operator_algebra.identities.identity import Identity, Law, Statement, Twin
from operator_algebra.identities.themes.noise import J, with_J
from operator_algebra.symbols import (
    D,
    E_phi,
    E_psi,
    H,
    I,
    K,
    M,
    P,
    P_plus,
    phi,
    phi_tilde,
    psi,
    psi_tilde,
    tau,
    tau_bar,
)

LAWS: tuple[Law, ...] = (
    Identity(
        "Riccati equation",
        M,
        P - E_psi @ P @ E_phi.T,
        domain=("any J",),
        cites="diagonalized dynamics (4.8)",
        idea="P = M + E_φ P⁺ E_φ* with P⁺ = τ̄ P; E_φ X E_φ* is block-diagonal because every body has one parent.",
        twins=(
            Twin("rigid shifts", M, P - E_phi @ P @ E_phi.T),
            Twin("sign", M, P + E_psi @ P @ E_phi.T),
        ),
    ),
    Identity(
        "Riccati equation, updated inertia",
        M,
        P - E_phi @ P_plus @ E_phi.T,
        domain=("any J",),
        cites="diagonalized dynamics (4.7)",
        idea="The inertia before a joint is the body's own and what its children hand on.",
        twins=(
            Twin("P for P⁺", M, P - E_phi @ P @ E_phi.T),
            Twin("P⁺ throughout", M, P_plus - E_phi @ P_plus @ E_phi.T),
        ),
    ),
    Identity(
        "Riccati equation, symmetric form",
        M,
        P - E_psi @ P @ E_psi.T,
        domain=("J = 0",),
        cites="diagonalized dynamics (4.8)",
        idea="τ̄ P τ̄* = P⁺.",
        twins=(
            Twin("rigid shift twice", M, P - E_phi @ P @ E_phi.T),
            Twin("P⁺ for P", M, P_plus - E_psi @ P_plus @ E_psi.T),
        ),
    ),
    Identity(
        "Riccati equation, symmetric form with J",
        M,
        with_J.P - with_J.E_psi @ with_J.P @ with_J.E_psi.T - with_J.K @ J @ with_J.K.T,
        idea="The Joseph form of the update.",
        twins=(
            Twin("noise forgotten", M, with_J.P - with_J.E_psi @ with_J.P @ with_J.E_psi.T),
            Twin(
                "sign of the noise",
                M,
                with_J.P - with_J.E_psi @ with_J.P @ with_J.E_psi.T + with_J.K @ J @ with_J.K.T,
            ),
        ),
    ),
    Identity(
        "mixed decomposition",
        psi @ M @ phi.T,
        P + psi_tilde @ P + P @ phi_tilde.T,
        domain=("any J",),
        idea="Put the Riccati equation between ψ and φ*.",
        twins=(
            Twin("tilde left out", psi @ M @ phi.T, P + psi @ P + P @ phi_tilde.T),
            Twin("ψ̃ for φ̃", psi @ M @ phi.T, P + psi_tilde @ P + P @ psi_tilde.T),
        ),
    ),
    Identity(
        "mixed decomposition, two terms",
        psi @ M @ phi.T,
        psi @ P + P @ phi_tilde.T,
        domain=("any J",),
        idea="P + ψ̃ P = ψ P.",
        twins=(
            Twin("I twice", psi @ M @ phi.T, psi @ P + P @ phi.T),
            Twin("φ for ψ", psi @ M @ phi.T, phi @ P + P @ phi_tilde.T),
        ),
    ),
    Identity(
        "filter covariance",
        psi @ M @ psi.T,
        P + psi_tilde @ P + P @ psi_tilde.T,
        domain=("J = 0",),
        idea="Put the symmetric Riccati equation between ψ and ψ*.",
        twins=(
            Twin("sign", psi @ M @ psi.T, P - psi_tilde @ P - P @ psi_tilde.T),
            Twin("φ̃ for ψ̃", psi @ M @ psi.T, P + phi_tilde @ P + P @ phi_tilde.T),
        ),
    ),
    Identity(
        "filter covariance with J",
        with_J.psi @ (M + with_J.K @ J @ with_J.K.T) @ with_J.psi.T,
        with_J.P + with_J.psi_tilde @ with_J.P + with_J.P @ with_J.psi_tilde.T,
        idea="Put the symmetric Riccati equation with J between ψ and ψ*.",
        twins=(
            Twin(
                "noise forgotten",
                with_J.psi @ M @ with_J.psi.T,
                with_J.P + with_J.psi_tilde @ with_J.P + with_J.P @ with_J.psi_tilde.T,
            ),
            Twin(
                "sign of the noise",
                with_J.psi @ (M - with_J.K @ J @ with_J.K.T) @ with_J.psi.T,
                with_J.P + with_J.psi_tilde @ with_J.P + with_J.P @ with_J.psi_tilde.T,
            ),
        ),
    ),
    Identity(
        "articulated inertia as covariance",
        P,
        diag(psi @ M @ psi.T),
        domain=("J = 0",),
        cites="filtering and smoothing (56)",
        idea="ψ̃ P has no diagonal blocks.",
        twins=(
            Twin("rigid propagation", P, diag(phi @ M @ phi.T)),
            Twin("P⁺ for P", P_plus, diag(psi @ M @ psi.T)),
        ),
    ),
    Identity(
        "rigid sandwich",
        phi @ M @ phi.T,
        phi_tilde @ tau_bar @ P + (I + phi @ K @ H) @ P @ phi.T,
        domain=("any J",),
        cites="diagonalized dynamics, proof of identity 4.2",
        idea="Put the Riccati equation between φ and φ*.",
        twins=(
            Twin("projection for complement", phi @ M @ phi.T, phi_tilde @ tau @ P + (I + phi @ K @ H) @ P @ phi.T),
            Twin("tilde left out", phi @ M @ phi.T, phi @ tau_bar @ P + (I + phi @ K @ H) @ P @ phi.T),
        ),
    ),
    Identity(
        "innovations decomposition",
        phi @ M @ phi.T,
        P + phi_tilde @ P + P @ phi_tilde.T + phi @ K @ D @ K.T @ phi.T,
        domain=("any J",),
        idea="M = P − E_φ P E_φ* + K D K*, put between φ and φ*.",
        twins=(
            Twin("last term forgotten", phi @ M @ phi.T, P + phi_tilde @ P + P @ phi_tilde.T),
            Twin("sign", phi @ M @ phi.T, P + phi_tilde @ P + P @ phi_tilde.T - phi @ K @ D @ K.T @ phi.T),
        ),
    ),
    Identity(
        "innovations are white",
        H @ psi @ M @ psi.T @ H.T,
        D,
        domain=("J = 0",),
        cites="filtering and smoothing (57)",
        idea="H ψ̃ P H* = H ψ E_ψ P H*, and τ̄ P H* = 0.",
        twins=(
            Twin("rigid propagation", H @ phi @ M @ phi.T @ H.T, D),
            Twin("P for M", H @ psi @ P @ psi.T @ H.T, D),
        ),
    ),
    Statement(
        "handed-on inertia",
        "entries",
        "block-diagonal",
        E_phi @ P_plus @ E_phi.T,
        E_phi @ P_plus @ E_phi.T,
        reads="E_φ P⁺ E_φ* has no block between different bodies",
        domain=("any J",),
        cites="review (12)",
        idea="Every body has one parent.",
        twins=(
            Statement(
                "propagation for shift",
                "entries",
                "block-diagonal",
                E_phi @ P_plus @ phi.T,
                E_phi @ P_plus @ phi.T,
                reads="E_φ P⁺ φ* has no block between different bodies",
            ),
        ),
    ),
)
