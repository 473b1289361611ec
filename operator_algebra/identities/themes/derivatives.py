"""Rates of change of operators, as seen in the axes of each body, and what axes of the base add to them."""

from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.identity import Identity, Law, Twin
from operator_algebra.identities.themes.noise import ZERO
from operator_algebra.operators.spaces import FORCE, MOTION
from operator_algebra.symbols import (
    D,
    D_ring,
    E_phi,
    E_psi,
    E_ring_psi,
    G,
    G_ring,
    H,
    K,
    P,
    P_plus,
    P_ring,
    R,
    U,
    U_ring,
    V_tilde,
    W,
    delta,
    differentiate,
    inv,
    phi,
    phi_ring,
    phi_tilde,
    pi_dot,
    psi,
    psi_ring,
    rotation,
    rotation_delta,
    tau,
    tau_bar,
    tau_bar_ring,
)

CONSTANT, CLOSED, SINGLE, TURNING = "constant joint maps", "closed joints", "1-DOF", "revolute"
_TABLE = "diagonalized dynamics, table 4"
_gain_rate = P_ring @ H.T @ inv(D)
_bracket = V_tilde.T @ phi - phi @ V_tilde.T
_inner = tau_bar @ P_ring @ tau_bar.T
_R_ring = differentiate(R)
_phi_dot, _D_dot = differentiate(phi, frame="world"), differentiate(D, frame="world")


def _turned(name: str, e: Expr, wrong: Expr) -> Identity:
    """What axes of the base add to the rate of an operator that body axes show: Ω̃ x on rows, −x Ω̃ on columns."""
    rows = rotation if e.type.codomain == FORCE else -rotation.T
    added = rows @ e
    if e.type.domain in (FORCE, MOTION):
        added = added - e @ (rotation if e.type.domain == FORCE else -rotation.T)
    found = differentiate(e, frame="world")
    return Identity(
        f"rate of {name} in axes of the base",
        found,
        differentiate(e) + added,
        cites="diagonalized dynamics (6.6)",
        idea="X turns body axes into those of the base, and Ẋ = Ω̃ X.",
        twins=(
            Twin("sign", found, differentiate(e) - added),
            Twin("axes that do not turn", found, differentiate(e)),
            Twin("another rate", found, wrong + added),
        ),
    )


_TURNED = (
    ("propagation", phi, psi_ring),
    ("articulated inertia", P, pi_dot),
    ("the gain", G, -G_ring),
    ("the projection", tau_bar, -tau_bar_ring),
    ("the articulated shift", E_psi, E_phi @ delta),
    ("articulated propagation", psi, phi_ring),
)

LAWS: tuple[Law, ...] = (
    Identity(
        "rate of the shift",
        differentiate(E_phi),
        V_tilde.T @ E_phi - E_phi @ V_tilde.T,
        cites="diagonalized dynamics, proof of lemma 6.1",
        idea="A shift turns and moves with the joint, which is the difference of two velocities; brackets are shifted.",
        twins=(
            Twin("sign", differentiate(E_phi), E_phi @ V_tilde.T - V_tilde.T @ E_phi),
            Twin("rotation alone", E_phi @ rotation_delta, V_tilde.T @ E_phi - E_phi @ V_tilde.T),
            Twin("motions for forces", -E_phi @ delta, V_tilde.T @ E_phi - E_phi @ V_tilde.T),
        ),
    ),
    Identity(
        "rate of propagation",
        phi_ring,
        phi_tilde @ delta @ phi,
        cites=_TABLE,
        idea="The rate of an inverse, and φ E_φ = φ̃.",
        twins=(
            Twin("φ for φ̃", phi_ring, phi @ delta @ phi),
            Twin("sign", phi_ring, -phi_tilde @ delta @ phi),
            Twin("rotation alone", phi_ring, phi_tilde @ rotation_delta @ phi),
        ),
    ),
    Identity(
        "rate of propagation by velocities",
        phi_ring,
        _bracket,
        cites="diagonalized dynamics (6.7)",
        idea="The rate of the shift between φ and φ.",
        twins=(
            Twin("sign", phi_ring, phi @ V_tilde.T - V_tilde.T @ phi),
            Twin("one side", phi_ring, V_tilde.T @ phi),
            Twin("rotation alone", phi_ring, rotation @ phi - phi @ rotation),
        ),
    ),
    Identity(
        "rotation of a turning joint",
        delta,
        rotation_delta,
        domain=(TURNING,),
        cites="diagonalized dynamics (6.3)",
        idea="The origin of the body lies on the axis.",
        twins=(Twin("sign", delta, -rotation_delta), Twin("whole rotation", delta, rotation)),
    ),
    Identity(
        "a joint does not feel its own motion",
        H @ delta,
        ZERO,
        domain=(SINGLE,),
        idea="The bracket of a motion with itself is zero.",
        twins=(
            Twin("whole velocity", H @ V_tilde.T, ZERO),
            Twin("at the parent", H @ E_phi @ delta, ZERO),
            Twin("behind an inertia", H @ P @ delta.T, ZERO),
        ),
    ),
    Identity(
        "a joint does not feel its own motion in what passes",
        H @ delta @ tau_bar,
        ZERO,
        domain=(CLOSED, "J = 0"),
        idea="Brackets of motions of the joint are motions of the joint, and H τ̄ = 0.",
        twins=(
            Twin("whole velocity", H @ V_tilde.T @ tau_bar, ZERO),
            Twin("motions for forces", H @ P @ delta.T @ tau_bar.T, ZERO),
        ),
    ),
    Identity(
        "rate of propagation, as a joint feels it",
        H @ _bracket,
        H @ phi_tilde @ delta @ phi,
        cites="diagonalized dynamics (6.8)",
        idea="Two forms of the rate of propagation.",
        twins=(
            Twin("φ for φ̃", H @ _bracket, H @ phi @ delta @ phi),
            Twin("sign", H @ _bracket, -H @ phi_tilde @ delta @ phi),
        ),
    ),
    Identity(
        "rate of propagation, as a single joint feels it",
        H @ _bracket,
        H @ phi @ delta @ phi,
        domain=(SINGLE,),
        cites="diagonalized dynamics (6.8)",
        idea="H δ = 0.",
        twins=(
            Twin("rotation alone", H @ _bracket, H @ phi @ rotation_delta @ phi),
            Twin("outboard alone", H @ _bracket, H @ phi @ delta),
        ),
    ),
    Identity(
        "rate of propagation, as a turning joint feels it",
        H @ _bracket,
        H @ phi @ rotation_delta @ phi,
        domain=(TURNING,),
        cites="diagonalized dynamics (6.8)",
        idea="For a turning joint δ is a rotation.",
        twins=(
            Twin("whole rotation", H @ _bracket, H @ phi @ rotation @ phi),
            Twin("sign", H @ _bracket, -H @ phi @ rotation_delta @ phi),
        ),
    ),
    Identity(
        "rate of composite inertia",
        _R_ring,
        E_phi @ (_R_ring + delta @ R + R @ delta.T) @ E_phi.T,
        idea="The rate of R = M + E_φ R E_φ*: locked joints turn with what they carry.",
        twins=(
            Twin("sign", _R_ring, E_phi @ (_R_ring - delta @ R - R @ delta.T) @ E_phi.T),
            Twin("rotation alone", _R_ring, E_phi @ (_R_ring + rotation_delta @ R + R @ rotation_delta.T) @ E_phi.T),
            Twin("one side", _R_ring, E_phi @ (_R_ring + 2 * delta @ R) @ E_phi.T),
        ),
    ),
    Identity(
        "rate of articulated inertia",
        P_ring,
        E_phi @ (_inner + delta @ P_plus + P_plus @ delta.T) @ E_phi.T,
        domain=(CONSTANT, "any J"),
        cites="diagonalized dynamics (6.4)",
        misprint="E_ψ π̇ E_ψ*, which holds for joints closed under the bracket, without J",
        idea="The rate of P = M + E_φ P⁺ E_φ*, and (τ̄ P)˚ = τ̄ P̊ τ̄*.",
        twins=(
            Twin("P for P⁺", P_ring, E_phi @ (_inner + delta @ P + P @ delta.T) @ E_phi.T),
            Twin("τ for τ̄", P_ring, E_phi @ (tau @ P_ring @ tau.T + delta @ P_plus + P_plus @ delta.T) @ E_phi.T),
            Twin("P̊ for τ̄ P̊ τ̄*", P_ring, E_phi @ (P_ring + delta @ P_plus + P_plus @ delta.T) @ E_phi.T),
            Twin("sign", P_ring, E_phi @ (_inner - delta @ P_plus - P_plus @ delta.T) @ E_phi.T),
        ),
    ),
    Identity(
        "rate of articulated inertia through a joint without J",
        P_ring,
        E_psi @ pi_dot @ E_psi.T,
        domain=(CLOSED, CONSTANT, "J = 0"),
        cites="diagonalized dynamics (6.4)",
        misprint="(6.5) prints ψ π̇ ψ without the star",
        idea="Without H δ τ̄ the joint's own turn passes τ̄ on both sides.",
        twins=(
            Twin("E_φ for E_ψ", P_ring, E_phi @ pi_dot @ E_phi.T),
            Twin("P̊ for π̇", P_ring, E_psi @ P_ring @ E_psi.T),
            Twin("sign", P_ring, -E_psi @ pi_dot @ E_psi.T),
        ),
    ),
    Identity(
        "rate of articulated inertia through a turning joint",
        P_ring,
        E_psi @ (P_ring + rotation_delta @ P + P @ rotation_delta.T) @ E_psi.T,
        domain=(TURNING, "any J"),
        cites="diagonalized dynamics (6.5)",
        misprint="ψ π̇ ψ without the star",
        idea="For a turning joint δ is a rotation, and H δ = 0 with any J.",
        twins=(
            Twin("sign", P_ring, E_psi @ (P_ring - rotation_delta @ P - P @ rotation_delta.T) @ E_psi.T),
            Twin("whole rotation", P_ring, E_psi @ (P_ring + rotation @ P + P @ rotation.T) @ E_psi.T),
        ),
    ),
    Identity(
        "rate of joint inertia",
        D_ring,
        H @ P_ring @ H.T,
        domain=(CONSTANT, "any J"),
        cites=_TABLE,
        idea="Joint maps are constant in the axes of the body.",
        twins=(
            Twin("P turns, H does not", D_ring, H @ differentiate(P, frame="world") @ H.T),
            Twin("half", D_ring, 0.5 * H @ P_ring @ H.T),
        ),
    ),
    Identity(
        "rate of the gain",
        G_ring,
        tau_bar @ _gain_rate,
        domain=(CONSTANT, "any J"),
        cites=_TABLE,
        idea="The rate of a quotient: (I − G H) P̊ H* D⁻¹.",
        twins=(
            Twin("τ for τ̄", G_ring, tau @ _gain_rate),
            Twin("D constant", G_ring, _gain_rate),
            Twin("sign", G_ring, -tau_bar @ _gain_rate),
        ),
    ),
    Identity(
        "rate of the projection",
        tau_bar_ring,
        -tau_bar @ _gain_rate @ H,
        domain=(CONSTANT, "any J"),
        cites=_TABLE,
        idea="τ̄ = I − G H with the rate of the gain.",
        twins=(
            Twin("sign", tau_bar_ring, tau_bar @ _gain_rate @ H),
            Twin("τ for τ̄", tau_bar_ring, -tau @ _gain_rate @ H),
        ),
    ),
    Identity(
        "rate of the articulated shift",
        E_ring_psi,
        E_phi @ delta @ tau_bar - E_psi @ _gain_rate @ H,
        domain=(CONSTANT, "any J"),
        cites=_TABLE,
        idea="The rate of E_φ τ̄.",
        twins=(
            Twin("E_φ for E_ψ", E_ring_psi, E_phi @ delta @ tau_bar - E_phi @ _gain_rate @ H),
            Twin("rotation alone", E_ring_psi, E_phi @ rotation_delta @ tau_bar - E_psi @ _gain_rate @ H),
            Twin("sign", E_ring_psi, E_phi @ delta @ tau_bar + E_psi @ _gain_rate @ H),
        ),
    ),
    Identity(
        "rate of the articulated shift through a joint without J",
        E_ring_psi,
        E_psi @ (delta @ tau_bar - _gain_rate @ H),
        domain=(CLOSED, CONSTANT, "J = 0"),
        cites=_TABLE,
        misprint="Ω̃_δ for δ, which holds for turning joints",
        idea="H δ τ̄ = 0, so that E_φ δ τ̄ = E_ψ δ τ̄.",
        twins=(
            Twin("without τ̄", E_ring_psi, E_psi @ (delta - _gain_rate @ H)),
            Twin("rotation alone", E_ring_psi, E_psi @ (rotation_delta @ tau_bar - _gain_rate @ H)),
            Twin("sign", E_ring_psi, E_psi @ (delta @ tau_bar + _gain_rate @ H)),
        ),
    ),
    Identity(
        "rate of the articulated shift through a turning joint",
        E_ring_psi,
        E_psi @ (rotation_delta @ tau_bar - _gain_rate @ H),
        domain=(TURNING, "any J"),
        cites=_TABLE,
        idea="E_φ δ τ̄ = E_ψ δ τ̄ where H δ = 0.",
        twins=(
            Twin("without τ̄", E_ring_psi, E_psi @ (rotation_delta - _gain_rate @ H)),
            Twin("sign", E_ring_psi, E_psi @ (rotation_delta @ tau_bar + _gain_rate @ H)),
        ),
    ),
    Identity(
        "rate of articulated propagation",
        psi_ring,
        psi @ (E_phi @ delta @ tau_bar - E_psi @ _gain_rate @ H) @ psi,
        domain=(CONSTANT, "any J"),
        cites=_TABLE,
        idea="The rate of an inverse.",
        twins=(
            Twin("φ for ψ", psi_ring, phi @ (E_phi @ delta @ tau_bar - E_psi @ _gain_rate @ H) @ psi),
            Twin("sign", psi_ring, -psi @ (E_phi @ delta @ tau_bar - E_psi @ _gain_rate @ H) @ psi),
        ),
    ),
    Identity(
        "rate of the innovations factor",
        U_ring,
        H @ phi_tilde @ (delta @ phi @ G + tau_bar @ _gain_rate),
        domain=(CONSTANT, "any J"),
        idea="The rate of I + H φ K, with φ E_φ = φ̃.",
        twins=(
            Twin("φ for φ̃", U_ring, H @ phi @ (delta @ phi @ G + tau_bar @ _gain_rate)),
            Twin("K for G", U_ring, H @ phi_tilde @ (delta @ phi @ K + tau_bar @ _gain_rate)),
            Twin("τ for τ̄", U_ring, H @ phi_tilde @ (delta @ phi @ G + tau @ _gain_rate)),
        ),
    ),
    Identity(
        "rate of the whitening filter",
        differentiate(W),
        -W @ U_ring @ W,
        idea="W U = I at all times.",
        twins=(
            Twin("sign", differentiate(W), W @ U_ring @ W),
            Twin("U for W", differentiate(W), -U @ U_ring @ U),
        ),
    ),
    *(_turned(*law) for law in _TURNED),
    Identity(
        "rate of propagation in axes of the base, by shifts",
        _phi_dot,
        phi_ring + phi @ (rotation @ E_phi - E_phi @ rotation) @ phi,
        cites=_TABLE,
        idea="φ⁻¹ = I − E_φ: Ω̃ φ − φ Ω̃ = φ (Ω̃ E_φ − E_φ Ω̃) φ.",
        twins=(
            Twin("sign", _phi_dot, phi_ring - phi @ (rotation @ E_phi - E_phi @ rotation) @ phi),
            Twin("φ once", _phi_dot, phi_ring + (rotation @ E_phi - E_phi @ rotation) @ phi),
            Twin("relative rotation", _phi_dot, phi_ring + phi @ (rotation_delta @ E_phi) @ phi),
        ),
    ),
    Identity(
        "rate of joint inertia in any axes",
        _D_dot,
        D_ring,
        cites=_TABLE,
        idea="H takes the axes of P away: neither side of D stands in axes of bodies.",
        twins=(
            Twin("P turns, H does not", _D_dot, H @ differentiate(P, frame="world") @ H.T),
            Twin("sign", _D_dot, -D_ring),
        ),
    ),
)
