"""The covariance of the costate, the kernel Ω = ψ* H* D⁻¹ H ψ, and the entries of the inverse mass matrix."""

from operator_algebra.expressions.build import diag, one
from operator_algebra.expressions.query import trace
from operator_algebra.identities.identity import Identity, Law, Statement, Twin
from operator_algebra.identities.themes.factorization import mass
from operator_algebra.operators.spaces import TORQUE
from operator_algebra.symbols import (
    D,
    E_phi,
    E_psi,
    G,
    H,
    I,
    K,
    M,
    Omega,
    P,
    Upsilon,
    Upsilon_plus,
    inv,
    phi,
    psi,
    psi_tilde,
)

_coupling = E_psi.T @ Upsilon @ E_psi

LAWS: tuple[Law, ...] = (
    Identity(
        "costate covariance",
        Upsilon,
        diag(Omega),
        domain=("any J",),
        cites="filtering and smoothing (80)",
        idea="Unroll the recursion from the base to the tips.",
        twins=(
            Twin("rigid propagation", Upsilon, diag(phi.T @ H.T @ inv(D) @ H @ phi)),
            Twin("after the joint", Upsilon_plus, diag(Omega)),
        ),
    ),
    Identity(
        "costate Lyapunov equation",
        H.T @ inv(D) @ H,
        Upsilon - diag(_coupling),
        domain=("any J",),
        cites="filtering and smoothing (82)",
        misprint="(68): τ̄ Δ⁺ τ̄* + H* H / D; (83): H H* / D and φ Δ⁻ φ",
        idea="On a tree E_ψ* Υ E_ψ couples siblings; its block diagonal alone enters.",
        twins=(
            Twin("rigid shifts", H.T @ inv(D) @ H, Upsilon - diag(E_phi.T @ Upsilon @ E_phi)),
            Twin("sign", H.T @ inv(D) @ H, Upsilon + diag(_coupling)),
            Twin("source forgotten", 0 * Upsilon, Upsilon - diag(_coupling)),
        ),
    ),
    Identity(
        "costate decomposition on chains",
        Omega,
        Upsilon + psi_tilde.T @ Upsilon + Upsilon @ psi_tilde,
        domain=(
            "any J",
            "serial",
        ),
        idea="On a chain E_ψ* Υ E_ψ is block-diagonal; put its equation between ψ* and ψ.",
        twins=(
            Twin("tilde left out", Omega, Upsilon + psi.T @ Upsilon + Upsilon @ psi),
            Twin("sign", Omega, Upsilon - psi_tilde.T @ Upsilon - Upsilon @ psi_tilde),
        ),
    ),
    Identity(
        "costate decomposition",
        Omega,
        Upsilon + psi_tilde.T @ Upsilon + Upsilon @ psi_tilde + psi.T @ (_coupling - diag(_coupling)) @ psi,
        domain=("any J",),
        idea="Put the Lyapunov equation between ψ* and ψ; siblings couple through their parent.",
        twins=(
            Twin("coupling forgotten", Omega, Upsilon + psi_tilde.T @ Upsilon + Upsilon @ psi_tilde),
            Twin(
                "diagonal kept",
                Omega,
                Upsilon + psi_tilde.T @ Upsilon + Upsilon @ psi_tilde + psi.T @ _coupling @ psi,
            ),
        ),
    ),
    Statement(
        "costate entries",
        "entries",
        "common ancestor",
        Omega,
        psi.T @ Upsilon @ psi,
        reads="Ω(i, j) = ψ*(c, i) Υ(c) ψ(c, j), c the nearest common ancestor of i and j; 0 if they have none",
        domain=("any J",),
        cites="filtering and smoothing (83)",
        misprint="(83): α⁺ = φ α⁻; (78): inner limit N − 1",
        idea="Expand the costate decomposition along both paths.",
        twins=(
            Statement(
                "rigid paths",
                "entries",
                "common ancestor",
                Omega,
                phi.T @ Upsilon @ phi,
                reads="Ω(i, j) = φ*(c, i) Υ(c) φ(c, j)",
            ),
        ),
    ),
    Identity(
        "inverse mass matrix, expanded",
        inv(mass),
        inv(D) - inv(D) @ H @ psi @ K - K.T @ psi.T @ H.T @ inv(D) + K.T @ Omega @ K,
        domain=("any J",),
        cites="filtering and smoothing (70), (77)",
        misprint="(77): the inner sum runs over i",
        idea="Multiply the inverse factorization out.",
        twins=(
            Twin(
                "sign of the last term",
                inv(mass),
                inv(D) - inv(D) @ H @ psi @ K - K.T @ psi.T @ H.T @ inv(D) - K.T @ Omega @ K,
            ),
            Twin("last term forgotten", inv(mass), inv(D) - inv(D) @ H @ psi @ K - K.T @ psi.T @ H.T @ inv(D)),
        ),
    ),
    Identity(
        "diagonal of the inverse mass matrix",
        diag(inv(mass)),
        inv(D) + G.T @ Upsilon_plus @ G,
        domain=("any J",),
        cites="filtering and smoothing (71)",
        idea="D⁻¹ H ψ K has no diagonal blocks, and diag(K* Ω K) = G* Υ⁺ G.",
        twins=(
            Twin("before the joint", diag(inv(mass)), inv(D) + G.T @ Upsilon @ G),
            Twin("sign", diag(inv(mass)), inv(D) - G.T @ Upsilon_plus @ G),
            Twin("D alone", diag(inv(mass)), inv(D)),
        ),
    ),
    Identity(
        "operational-space kernel",
        phi.T @ H.T @ inv(mass) @ H @ phi,
        Omega,
        domain=("any J",),
        idea="The inverse factorization and the left exchange on both sides.",
        twins=(
            Twin("ψ for φ", psi.T @ H.T @ inv(mass) @ H @ psi, Omega),
            Twin("block diagonal", phi.T @ H.T @ inv(mass) @ H @ phi, Upsilon),
        ),
    ),
    Identity(
        "response to body forces",
        inv(mass) @ H @ phi,
        (I - H @ psi @ K).T @ inv(D) @ H @ psi,
        domain=("any J",),
        idea="The inverse factorization, then the left exchange.",
        twins=(
            Twin("φ for ψ", inv(mass) @ H @ phi, (I - H @ psi @ K).T @ inv(D) @ H @ phi),
            Twin("sign", inv(mass) @ H @ phi, (I + H @ psi @ K).T @ inv(D) @ H @ psi),
        ),
    ),
    Identity(
        "response to body forces, through Ω",
        inv(mass) @ H @ phi,
        inv(D) @ H @ psi - K.T @ Omega,
        domain=("any J",),
        idea="Multiply out and recognise Ω.",
        twins=(
            Twin("sign", inv(mass) @ H @ phi, inv(D) @ H @ psi + K.T @ Omega),
            Twin("G for K", inv(mass) @ H @ phi, inv(D) @ H @ psi - G.T @ Omega),
        ),
    ),
    Identity(
        "kernel is a generalised inverse",
        Omega @ M @ Omega,
        Omega,
        domain=("J = 0",),
        idea="Ω M Ω = φ* H* ℳ⁻¹ (H φ M φ* H*) ℳ⁻¹ H φ.",
        twins=(
            Twin("articulated inertia", Omega @ P @ Omega, Omega),
            Twin("block diagonal", Upsilon @ M @ Upsilon, Upsilon),
        ),
    ),
    Statement(
        "trace of the kernel",
        "entries",
        "query",
        trace(Omega @ M),
        trace(one(TORQUE >> TORQUE)),
        reads="trace Ω M = trace I, the number of degrees of freedom",
        domain=("J = 0",),
        idea="The trace of a projection is its rank.",
        twins=(
            Statement(
                "articulated inertia",
                "entries",
                "query",
                trace(Omega @ P),
                trace(one(TORQUE >> TORQUE)),
                reads="trace Ω P = trace I",
            ),
        ),
    ),
    Statement(
        "costate covariance of a free base",
        "entries",
        "roots",
        Upsilon,
        inv(P),
        reads="Υ(k) = P⁻¹(k) at every root body k",
        domain=("J = 0", "free base"),
        idea="A joint with six degrees of freedom lets everything through: H* D⁻¹ H = P⁻¹.",
        twins=(
            Statement(
                "body inertia",
                "entries",
                "roots",
                Upsilon,
                inv(M),
                reads="Υ(k) = M⁻¹(k) at every root body k",
                domain=("free base",),
            ),
        ),
    ),
)
