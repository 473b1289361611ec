"""The factors of the mass matrix and of its inverse."""

from operator_algebra.expressions.build import root
from operator_algebra.expressions.query import logdet
from operator_algebra.identities.identity import Identity, Law, Statement, Twin
from operator_algebra.identities.themes.noise import J, with_J
from operator_algebra.symbols import (
    D,
    E_phi,
    E_psi,
    G,
    H,
    I,
    K,
    M,
    P,
    U,
    V,
    ell,
    inv,
    m,
    phi,
    phi_tilde,
    psi,
    tau,
    tau_bar,
    v,
)

mass = H @ phi @ M @ phi.T @ H.T

LAWS: tuple[Law, ...] = (
    Identity(
        "mass factorization",
        v.T @ mass @ v,
        V.T @ M @ V,
        cites="diagonalized dynamics (4.1a)",
        misprint="running text of section 4: H φ M H*, H φ M φ* H",
        idea="The kinetic energy of the bodies, with V = φ* H* v.",
        twins=(
            Twin("articulated inertia", v.T @ mass @ v, V.T @ P @ V),
            Twin("ψ for φ", v.T @ H @ psi @ M @ psi.T @ H.T @ v, V.T @ M @ V),
        ),
    ),
    Identity(
        "innovations factorization",
        mass,
        (I + H @ phi @ K) @ D @ (I + H @ phi @ K).T,
        domain=("any J",),
        cites="diagonalized dynamics (4.1b)",
        idea="The rigid sandwich between H and H*, with H φ̃ τ̄ P H* = 0.",
        twins=(
            Twin("sign", mass, (I - H @ phi @ K) @ D @ (I - H @ phi @ K).T),
            Twin("ψ for φ", mass, (I + H @ psi @ K) @ D @ (I + H @ psi @ K).T),
            Twin("D alone", mass, D),
            Twin("I forgotten", mass, H @ phi @ K @ D @ (H @ phi @ K).T),
        ),
    ),
    Identity(
        "factor inverse",
        inv(I + H @ phi @ K),
        I - H @ psi @ K,
        domain=(
            "any J",
            "any G",
        ),
        cites="diagonalized dynamics (4.1c)",
        idea="The matrix inversion lemma, or the propagation exchange between H and K.",
        twins=(
            Twin("sign", inv(I + H @ phi @ K), I + H @ psi @ K),
            Twin("φ for ψ", inv(I + H @ phi @ K), I - H @ phi @ K),
        ),
    ),
    Identity(
        "inverse mass matrix",
        inv(mass),
        (I - H @ psi @ K).T @ inv(D) @ (I - H @ psi @ K),
        domain=("any J",),
        cites="diagonalized dynamics (4.1d)",
        idea="Invert the innovations factorization factor by factor.",
        twins=(
            Twin("sign", inv(mass), (I + H @ psi @ K).T @ inv(D) @ (I + H @ psi @ K)),
            Twin("φ for ψ", inv(mass), (I - H @ phi @ K).T @ inv(D) @ (I - H @ phi @ K)),
            Twin("D alone", inv(mass), inv(D)),
        ),
    ),
    Identity(
        "left exchange",
        (I - H @ psi @ K) @ H @ phi,
        H @ psi,
        domain=(
            "any J",
            "any G",
        ),
        cites="diagonalized dynamics (4.10a)",
        idea="H (φ − ψ K H φ) = H ψ.",
        twins=(
            Twin("sign", (I + H @ psi @ K) @ H @ phi, H @ psi),
            Twin("φ for ψ", (I - H @ psi @ K) @ H @ phi, H @ phi),
        ),
    ),
    Identity(
        "right exchange",
        phi @ K @ (I - H @ psi @ K),
        psi @ K,
        domain=(
            "any J",
            "any G",
        ),
        cites="diagonalized dynamics (4.10b)",
        idea="(φ − φ K H ψ) K = ψ K.",
        twins=(
            Twin("sign", phi @ K @ (I + H @ psi @ K), psi @ K),
            Twin("φ for ψ", phi @ K @ (I - H @ phi @ K), psi @ K),
        ),
    ),
    Identity(
        "left exchange, inverse direction",
        (I + H @ phi @ K) @ H @ psi,
        H @ phi,
        domain=(
            "any J",
            "any G",
        ),
        idea="Multiply the left exchange by the innovations factor.",
        twins=(
            Twin("sign", (I - H @ phi @ K) @ H @ psi, H @ phi),
            Twin("ψ for φ", (I + H @ psi @ K) @ H @ psi, H @ phi),
        ),
    ),
    Identity(
        "right exchange, inverse direction",
        psi @ K @ (I + H @ phi @ K),
        phi @ K,
        domain=(
            "any J",
            "any G",
        ),
        idea="Multiply the right exchange by the innovations factor.",
        twins=(
            Twin("sign", psi @ K @ (I - H @ phi @ K), phi @ K),
            Twin("ψ for φ", psi @ K @ (I + H @ psi @ K), phi @ K),
        ),
    ),
    Identity(
        "force distribution",
        phi @ M @ phi.T @ H.T,
        (I + phi @ K @ H) @ P @ phi.T @ H.T,
        domain=("J = 0",),
        cites="diagonalized dynamics (4.10c)",
        idea="The rigid sandwich with H*, and τ̄ P H* = 0.",
        twins=(
            Twin("ψ for φ", phi @ M @ phi.T @ H.T, (I + psi @ K @ H) @ P @ phi.T @ H.T),
            Twin("M for P", phi @ M @ phi.T @ H.T, (I + phi @ K @ H) @ M @ phi.T @ H.T),
        ),
    ),
    Identity(
        "force distribution with J",
        phi @ M @ phi.T @ H.T,
        (I + phi @ with_J.K @ H) @ with_J.P @ phi.T @ H.T + phi_tilde @ with_J.tau_bar @ with_J.P @ H.T,
        idea="The rigid sandwich with H*.",
        twins=(
            Twin("last term forgotten", phi @ M @ phi.T @ H.T, (I + phi @ with_J.K @ H) @ with_J.P @ phi.T @ H.T),
            Twin(
                "sign",
                phi @ M @ phi.T @ H.T,
                (I + phi @ with_J.K @ H) @ with_J.P @ phi.T @ H.T - phi_tilde @ with_J.tau_bar @ with_J.P @ H.T,
            ),
        ),
    ),
    Identity(
        "shift exchange",
        H @ phi @ tau_bar,
        H @ phi @ E_psi,
        domain=("J = 0",),
        cites="diagonalized dynamics (4.10d)",
        idea="φ = I + φ E_φ, and H τ̄ = 0.",
        twins=(
            Twin("rigid shift", H @ phi @ tau_bar, H @ phi @ E_phi),
            Twin("projection for complement", H @ phi @ tau, H @ phi @ E_psi),
        ),
    ),
    Identity(
        "shift exchange with J",
        H @ phi @ with_J.tau_bar,
        H @ phi @ with_J.E_psi + J @ inv(with_J.D) @ H,
        idea="φ = I + φ E_φ, and H τ̄ = J D⁻¹ H.",
        twins=(
            Twin("J forgotten", H @ phi @ with_J.tau_bar, H @ phi @ with_J.E_psi),
            Twin("sign", H @ phi @ with_J.tau_bar, H @ phi @ with_J.E_psi - J @ inv(with_J.D) @ H),
        ),
    ),
    Identity(
        "compact innovations factor",
        I + H @ phi @ K,
        H @ phi @ G,
        domain=("J = 0",),
        cites="diagonalized dynamics, proof of identity 6.1",
        idea="φ G = G + φ K, and H G = I.",
        twins=(
            Twin("K for G", I + H @ phi @ K, H @ phi @ K),
            Twin("ψ for φ", I + H @ phi @ K, H @ psi @ G),
        ),
    ),
    Identity(
        "compact innovations factor with J",
        I + H @ phi @ with_J.K,
        H @ phi @ with_J.G + J @ inv(with_J.D),
        idea="φ G = G + φ K, and H G = I − J D⁻¹.",
        twins=(
            Twin("J forgotten", I + H @ phi @ with_J.K, H @ phi @ with_J.G),
            Twin("sign", I + H @ phi @ with_J.K, H @ phi @ with_J.G - J @ inv(with_J.D)),
        ),
    ),
    Identity(
        "pattern of the innovations factor",
        U,
        I + H @ phi_tilde @ G,
        domain=(
            "any J",
            "any G",
        ),
        cites="inertia decomposition (24)",
        idea="φ K = φ E_φ G = φ̃ G: the block (i, k) is H(i) φ(i, k) G(k), nothing else fills in.",
        twins=(
            Twin("tilde left out", U, I + H @ phi @ G),
            Twin("sign", U, I - H @ phi_tilde @ G),
        ),
    ),
    Identity(
        "square root of the mass matrix",
        mass,
        m @ m.T,
        domain=("any J",),
        cites="diagonalized dynamics (5.2)",
        idea="m = (I + H φ K) root(D).",
        twins=(
            Twin("ψ for φ", mass, (I + H @ psi @ K) @ root(D) @ ((I + H @ psi @ K) @ root(D)).T),
            Twin("diagonal only", mass, root(D) @ root(D).T),
        ),
    ),
    Identity(
        "square root of the inverse",
        inv(mass),
        ell.T @ ell,
        domain=("any J",),
        cites="diagonalized dynamics (5.2)",
        idea="ℓ = root(D)⁻¹ (I − H ψ K).",
        twins=(
            Twin("diagonal only", inv(mass), inv(root(D)).T @ inv(root(D))),
            Twin(
                "sign",
                inv(mass),
                (inv(root(D)) @ (I + H @ psi @ K)).T @ (inv(root(D)) @ (I + H @ psi @ K)),
            ),
        ),
    ),
    Identity(
        "square roots are inverse",
        ell @ m,
        I,
        domain=("any J",),
        cites="diagonalized dynamics (5.1)",
        idea="root(D)⁻¹ (I − H ψ K) (I + H φ K) root(D) = I.",
        twins=(
            Twin("sum", ell @ m + I, I),
            Twin("φ for ψ", inv(root(D)) @ (I - H @ phi @ K) @ m, I),
        ),
    ),
    Statement(
        "m is the Cholesky factor",
        "entries",
        "cholesky",
        m,
        mass,
        reads="m is the lower Cholesky factor of H φ M φ* H* when bodies are counted from the tips",
        domain=("any J",),
        cites="diagonalized dynamics, section 5",
        misprint="section 3: a Cholesky factor may not be smooth; without pivoting it is unique, smooth, and is m",
        idea="A triangular factor with positive diagonal is unique.",
        twins=(
            Statement(
                "diagonal only",
                "entries",
                "cholesky",
                root(D),
                mass,
                reads="root(D) is the lower Cholesky factor of H φ M φ* H*",
            ),
        ),
    ),
    Statement(
        "determinant of the mass matrix",
        "entries",
        "query",
        logdet(mass),
        logdet(D),
        reads="log det H φ M φ* H* = log det D",
        domain=("any J",),
        cites="inertia decomposition (13)",
        idea="The innovations factor has determinant one.",
        twins=(
            Statement(
                "bodies alone",
                "entries",
                "query",
                logdet(mass),
                logdet(H @ M @ H.T),
                reads="log det H φ M φ* H* = log det H M H*",
            ),
        ),
    ),
)
