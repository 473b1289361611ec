"""Gaussian elimination of the mass matrix from the last joint inward, all at once and in part."""

from operator_algebra.expressions.build import define, fixpoint, operator
from operator_algebra.identities.identity import Identity, Law, Twin
from operator_algebra.identities.themes.factorization import mass
from operator_algebra.operators.spaces import FORCE, MOTION, TORQUE, space
from operator_algebra.symbols import E_phi, G, H, I, K, M, P, R, X_cm, inv, phi, phi_tilde, psi

_chosen = operator("chosen", TORQUE >> TORQUE, structure="diagonal")
"""Which joints are eliminated: I at these, 0 elsewhere; the laws hold for any blocks."""

_multipliers = H @ phi @ K
_psi_chosen = define("psi_chosen", inv(I - E_phi @ (I - G @ _chosen @ H)))
_eliminated = inv(I + _multipliers @ _chosen)

_freed = operator("freed", FORCE >> space("freed"), structure="diagonal")
"""The joint maps of joints that are free while all others are locked; the laws hold for any maps."""

_partly = fixpoint(
    "P_partly",
    MOTION >> FORCE,
    lambda X: M + E_phi @ (X - X @ _freed.T @ inv(_freed @ X @ _freed.T) @ _freed @ X) @ E_phi.T,
)
_gain = define("G_partly", _partly @ _freed.T @ inv(_freed @ _partly @ _freed.T))
_psi = define("psi_partly", inv(I - E_phi @ (I - _gain @ _freed)))
_left = mass - H @ phi_tilde @ _gain @ inv(I + _freed @ phi_tilde @ _gain) @ _freed @ phi @ M @ phi.T @ H.T

_to_centre = inv(X_cm)
_shift = X_cm @ E_phi @ _to_centre
_central = X_cm @ R @ X_cm.T

LAWS: tuple[Law, ...] = (
    Identity(
        "partial elimination",
        _eliminated,
        I - H @ _psi_chosen @ K @ _chosen,
        cites="inertia decomposition (9), (10)",
        idea="The factor inverse for the gain of the chosen joints alone.",
        twins=(
            Twin("sign", _eliminated, I + H @ _psi_chosen @ K @ _chosen),
            Twin("φ for ψ", _eliminated, I - _multipliers @ _chosen),
            Twin("all joints", _eliminated, I - H @ psi @ K @ _chosen),
        ),
    ),
    Identity(
        "what elimination leaves",
        (I - H @ psi @ K) @ mass,
        H @ (P + P @ phi_tilde.T) @ H.T,
        domain=("J = 0",),
        cites="inertia decomposition (11), (13)",
        idea="(I − H ψ K) H φ = H ψ, and ψ M φ* = P + ψ̃ P + P φ̃*, of which H ψ̃ P H* = 0.",
        twins=(
            Twin("upper triangle", (I - H @ psi @ K) @ mass, H @ (P + phi_tilde @ P) @ H.T),
            Twin("composite inertia", (I - H @ psi @ K) @ mass, H @ (R + R @ phi_tilde.T) @ H.T),
        ),
    ),
    Identity(
        "what partial elimination leaves",
        _left,
        H @ (_partly + (_psi - I) @ _partly + _partly @ phi_tilde.T) @ H.T,
        cites="inertia decomposition (24), (27)",
        idea="M = X − E_ψ X E_φ*: with no free joint between, an entry is H φ X H*: the table with two indices.",
        twins=(
            Twin("all joints", _left, H @ (P + (_psi - I) @ P + P @ phi_tilde.T) @ H.T),
            Twin("none", _left, H @ (R + phi_tilde @ R + R @ phi_tilde.T) @ H.T),
            Twin("φ for ψ", _left, H @ (_partly + phi_tilde @ _partly + _partly @ phi_tilde.T) @ H.T),
        ),
    ),
    Identity(
        "what partial elimination leaves, by propagation",
        _left,
        H @ _psi @ M @ phi.T @ H.T,
        cites="inertia decomposition (9)",
        idea="φ − φ K (I + F φ K)⁻¹ F φ = ψ for the gain of joints with the maps F that are free.",
        twins=(
            Twin("both sides", _left, H @ _psi @ M @ _psi.T @ H.T),
            Twin("all joints", _left, H @ psi @ M @ phi.T @ H.T),
        ),
    ),
    Identity(
        "composite inertia about mass centres",
        _central,
        X_cm @ M @ X_cm.T + _shift @ _central @ _shift.T,
        cites="inertia decomposition (7)",
        idea="The recursion of R, each body moved to its mass centre.",
        twins=(
            Twin("shifts of origins", _central, X_cm @ M @ X_cm.T + E_phi @ _central @ E_phi.T),
            Twin("about the origins", _central, M + _shift @ _central @ _shift.T),
        ),
    ),
)
