"""Composite inertias: the Lyapunov equation, and the mass matrix in disjoint parts."""

from operator_algebra.expressions.build import diag
from operator_algebra.identities.identity import Identity, Law, Statement, Twin
from operator_algebra.identities.themes.noise import ZERO
from operator_algebra.symbols import E_phi, E_psi, H, M, P, P_plus, R, phi, phi_tilde, psi, psi_tilde

LAWS: tuple[Law, ...] = (
    Identity(
        "composite inertia",
        M,
        R - E_phi @ R @ E_phi.T,
        cites="filtering and smoothing (29)",
        misprint="the line before (30) calls it r(k) = H x",
        idea="The inertia of all that hangs on a body is its own and that of its children.",
        twins=(
            Twin("sign", M, R + E_phi @ R @ E_phi.T),
            Twin("articulated shifts", M, R - E_psi @ R @ E_psi.T),
        ),
    ),
    Identity(
        "composite inertia as covariance",
        R,
        diag(phi @ M @ phi.T),
        cites="filtering and smoothing (28)",
        idea="The blocks of φ̃ R and R φ̃* lie off the diagonal.",
        twins=(Twin("articulated", R, diag(psi @ M @ psi.T)), Twin("P for R", P, diag(phi @ M @ phi.T))),
    ),
    Identity(
        "composite decomposition",
        phi @ M @ phi.T,
        R + phi_tilde @ R + R @ phi_tilde.T,
        cites="filtering and smoothing (27)",
        misprint="in (26) the outer sum runs over j twice",
        idea="Put the equation of R between φ and φ*.",
        twins=(
            Twin("tilde left out", phi @ M @ phi.T, R + phi @ R + R @ phi.T),
            Twin("M for R", phi @ M @ phi.T, M + phi_tilde @ M + M @ phi_tilde.T),
            Twin("ψ̃ for φ̃", phi @ M @ phi.T, R + psi_tilde @ R + R @ psi_tilde.T),
        ),
    ),
    Identity(
        "mass matrix by composite bodies",
        H @ phi @ M @ phi.T @ H.T,
        H @ (R + phi_tilde @ R + R @ phi_tilde.T) @ H.T,
        cites="filtering and smoothing (30)",
        idea="The composite decomposition between H and H*; bodies on different branches do not meet.",
        twins=(
            Twin("diagonal only", H @ phi @ M @ phi.T @ H.T, H @ R @ H.T),
            Twin("one triangle", H @ phi @ M @ phi.T @ H.T, H @ (R + phi_tilde @ R) @ H.T),
            Twin("articulated inertia", H @ phi @ M @ phi.T @ H.T, H @ (P + phi_tilde @ P + P @ phi_tilde.T) @ H.T),
        ),
    ),
    Statement(
        "released inertia is positive",
        "order",
        "semidefinite",
        ZERO,
        P_plus,
        reads="0 ≤ P⁺",
        domain=("any J",),
        idea="It is the inertia felt through a free joint.",
        twins=(Statement("sign", "order", "semidefinite", ZERO, -P_plus, reads="0 ≤ −P⁺"),),
    ),
    Statement(
        "a joint removes inertia",
        "order",
        "semidefinite",
        P_plus,
        P,
        reads="P⁺ ≤ P",
        domain=("any J",),
        idea="P − P⁺ = G D G*.",
        twins=(Statement("turned round", "order", "semidefinite", P, P_plus, reads="P ≤ P⁺"),),
    ),
    Statement(
        "articulated below composite inertia",
        "order",
        "semidefinite",
        P,
        R,
        reads="P ≤ R",
        domain=("any J",),
        idea="Locking the joints can only add inertia.",
        twins=(Statement("turned round", "order", "semidefinite", R, P, reads="R ≤ P"),),
    ),
    Statement(
        "body below composite inertia",
        "order",
        "semidefinite",
        M,
        R,
        reads="M ≤ R",
        idea="R − M = E_φ R E_φ*.",
        twins=(Statement("turned round", "order", "semidefinite", R, M, reads="R ≤ M"),),
    ),
)
