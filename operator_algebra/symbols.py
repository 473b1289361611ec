"""The vocabulary of the spatial operator algebra: every operator with its definition and citation.

Leaves come from a mechanism at a configuration; everything else is a formula over them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache

from operator_algebra.arguments import entries
from operator_algebra.errors import SpaceMismatch
from operator_algebra.expressions.build import define, diag, fixpoint, inv, one, operator, root, vector, zero
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import Expr, Symbol, Zero
from operator_algebra.expressions.parse import parse as parse_with
from operator_algebra.expressions.query import Query
from operator_algebra.expressions.traverse import free_symbols
from operator_algebra.operators.spaces import FORCE, GROUND, MOTION, RATE, TORQUE, Space, space
from operator_algebra.rates import (
    LEAVES,
    E_ground,
    E_phi,
    H,
    H_dot,
    I,
    M,
    X_abs,
    X_cm,
    a_ground,
    along_the_motion,
    armature,
    cross,
    crossbar,
    damping,
    differentiate,
    motion,
    phi,
    qdd,
    spring,
    v,
)

CONTACT: Space = space("contact")
"""Velocities of points picked from bodies, such as end effectors."""

T = vector("T", TORQUE)
f_ext = vector("f_ext", FORCE)
B = operator("B", CONTACT.dual >> FORCE, structure="diagonal")

phi_tilde = define("phi_tilde", phi - I, cites="diagonalized dynamics, proof of identity 4.2")
phi_ring = differentiate(phi)
R = fixpoint("R", MOTION >> FORCE, lambda X: M + E_phi @ X @ E_phi.T, cites="filtering and smoothing (29)")

_moving = motion(v)
V, V_tilde, delta = _moving.V, _moving.V_tilde, _moving.delta
rotation, rotation_delta = _moving.rotation, _moving.rotation_delta
a = define("a", V_tilde @ H.T @ v + H_dot.T @ v, cites="filtering and smoothing (15)")
b = define("b", -V_tilde.T @ M @ V, cites="filtering and smoothing (7)")
_velocity_terms = H @ phi @ (M @ phi.T @ a + b)


@dataclass(frozen=True)
class Innovations:
    """The operators of one Riccati equation, D = H P H* + J; see `innovations`."""

    P: Expr
    D: Expr
    G: Expr
    K: Expr
    tau: Expr
    tau_bar: Expr
    P_plus: Expr
    E_psi: Expr
    psi: Expr
    psi_tilde: Expr
    U: Expr
    W: Expr
    m: Expr
    ell: Expr
    Upsilon: Expr
    Upsilon_plus: Expr
    Omega: Expr
    S: Expr
    xi: Expr
    nu: Expr
    kappa: Expr
    epsilon: Expr
    P_ring: Expr
    D_ring: Expr
    G_ring: Expr
    tau_bar_ring: Expr
    E_ring_psi: Expr
    psi_ring: Expr
    U_ring: Expr
    m_ring: Expr
    pi_dot: Expr
    C_xi: Expr
    C_nu: Expr


@cache
def _innovations(J: Expr, suffix: str) -> Innovations:
    def name(text: str) -> str:
        return text + suffix

    def riccati(X: Expr) -> Expr:
        """M + E_φ (X − X H* (H X H* + J)⁻¹ H X) E_φ*."""
        return M + E_phi @ (X - X @ H.T @ inv(H @ X @ H.T + J) @ H @ X) @ E_phi.T

    P = fixpoint(name("P"), MOTION >> FORCE, riccati, cites="diagonalized dynamics (4.8)")
    D = define(name("D"), H @ P @ H.T + J, cites="diagonalized dynamics (4.9)")
    G = define(name("G"), P @ H.T @ inv(D), cites="diagonalized dynamics (4.9)")
    K = define(name("K"), E_phi @ G, cites="diagonalized dynamics (4.9)")
    tau = define(name("tau"), G @ H, cites="diagonalized dynamics (4.9)")
    tau_bar = define(name("tau_bar"), I - G @ H, cites="diagonalized dynamics (4.9)")
    P_plus = define(name("P_plus"), P - P @ H.T @ inv(D) @ H @ P, cites="filtering and smoothing (43)")
    E_psi = define(name("E_psi"), E_phi @ tau_bar, cites="diagonalized dynamics (4.9)")
    psi = define(name("psi"), inv(I - E_psi), cites="diagonalized dynamics (4.9)")
    psi_tilde = define(name("psi_tilde"), psi - I, cites="diagonalized dynamics (4.9)")
    U = define(name("U"), I + H @ phi @ K, cites="diagonalized dynamics (4.1b)")
    W = define(name("W"), I - H @ psi @ K, cites="diagonalized dynamics (4.1c)")
    m = define(name("m"), U @ root(D), cites="diagonalized dynamics (5.1)")
    ell = define(name("ell"), inv(root(D)) @ W, cites="diagonalized dynamics (5.1)")

    def costate(X: Expr) -> Expr:
        """H* D⁻¹ H + diag(E_ψ* X E_ψ): on a tree the product alone couples siblings."""
        return H.T @ inv(D) @ H + diag(E_psi.T @ X @ E_psi)

    Upsilon = fixpoint(name("Upsilon"), FORCE >> MOTION, costate, cites="filtering and smoothing (82)")
    Upsilon_plus = define(name("Upsilon_plus"), diag(E_phi.T @ Upsilon @ E_phi), cites="filtering and smoothing (81)")
    Omega = define(name("Omega"), psi.T @ H.T @ inv(D) @ H @ psi, cites="filtering and smoothing (80)")

    # J is held, and a root is that of numbers.
    held = [symbol for symbol in free_symbols(J) if symbol.origin == "input"]
    P_ring, D_ring, G_ring, tau_bar_ring, E_ring_psi, psi_ring, U_ring, m_ring = along_the_motion(
        (P, D, G, tau_bar, E_psi, psi, U, m), held
    )
    return Innovations(
        P=P,
        D=D,
        G=G,
        K=K,
        tau=tau,
        tau_bar=tau_bar,
        P_plus=P_plus,
        E_psi=E_psi,
        psi=psi,
        psi_tilde=psi_tilde,
        U=U,
        W=W,
        m=m,
        ell=ell,
        Upsilon=Upsilon,
        Upsilon_plus=Upsilon_plus,
        Omega=Omega,
        S=define(name("S"), P - P @ Upsilon @ P, cites="filtering and smoothing (65)"),
        xi=define(name("xi"), U.T @ v, cites="diagonalized dynamics (7.7)"),
        nu=define(name("nu"), m.T @ v, cites="diagonalized dynamics (1.3)"),
        kappa=define(name("kappa"), W @ T, cites="diagonalized dynamics, lemma 7.3"),
        epsilon=define(name("epsilon"), ell @ T, cites="diagonalized dynamics (1.4)"),
        P_ring=P_ring,
        D_ring=D_ring,
        G_ring=G_ring,
        tau_bar_ring=tau_bar_ring,
        E_ring_psi=E_ring_psi,
        psi_ring=psi_ring,
        U_ring=U_ring,
        m_ring=m_ring,
        pi_dot=define(name("pi_dot"), P_ring + delta @ P + P @ delta.T, cites="diagonalized dynamics (6.5)"),
        C_xi=define(name("C_xi"), W @ _velocity_terms - D @ U_ring.T @ v, cites="diagonalized dynamics, lemma 7.3"),
        C_nu=define(name("C_nu"), ell @ _velocity_terms - m_ring.T @ v, cites="diagonalized dynamics (3.2)"),
    )


def innovations(J: Expr | str | int) -> Innovations:
    """The vocabulary with D = H P H* + J, for any block-diagonal J: rate → torque.

    J is rotor inertia, implicit damping h B + h² K, or measurement noise; innovations(0) is the papers' vocabulary.

    >>> innovations(armature).D
    D_J   rate → torque   block-diagonal, symmetric, definite   = H P_J H* + armature
    """
    if isinstance(J, str):
        J = formula(J, "innovations")
    elif not isinstance(J, Expr):
        J = one() * J
    if isinstance(J, Zero):
        return _innovations(zero(RATE >> TORQUE), "")
    if J.type != RATE >> TORQUE or J.structure.flow not in ("diagonal", "zero"):
        raise SpaceMismatch(
            f"innovations({J}): J must be block-diagonal, rate → torque; it is {J.structure}, {J.type}. "
            'Declare it with oa.operator("J", oa.RATE >> oa.TORQUE, structure="diagonal").'
        )
    return _innovations(J, "_J")


_plain = innovations(0)
P, P_plus, D, G, K = _plain.P, _plain.P_plus, _plain.D, _plain.G, _plain.K
tau, tau_bar, E_psi, psi, psi_tilde = _plain.tau, _plain.tau_bar, _plain.E_psi, _plain.psi, _plain.psi_tilde
U, W, m, ell = _plain.U, _plain.W, _plain.m, _plain.ell
Upsilon, Upsilon_plus, Omega, S = _plain.Upsilon, _plain.Upsilon_plus, _plain.Omega, _plain.S
xi, nu, kappa, epsilon = _plain.xi, _plain.nu, _plain.kappa, _plain.epsilon
P_ring, D_ring, G_ring, tau_bar_ring = _plain.P_ring, _plain.D_ring, _plain.G_ring, _plain.tau_bar_ring
E_ring_psi, psi_ring, U_ring, m_ring = _plain.E_ring_psi, _plain.psi_ring, _plain.U_ring, _plain.m_ring
pi_dot, C_xi, C_nu = _plain.pi_dot, _plain.C_xi, _plain.C_nu

INPUTS: tuple[Symbol, ...] = (v, qdd, T, f_ext, B)


@cache
def vocabulary() -> dict[str, Expr]:
    """Every name of this page and its expression, in reading order."""
    derived: dict[str, Expr] = {field.name: getattr(_plain, field.name) for field in fields(_plain)}
    motion: dict[str, Expr] = {"V": V, "V_tilde": V_tilde, "delta": delta, "rotation": rotation}
    motion |= {"rotation_delta": rotation_delta, "a": a, "b": b}
    named = {symbol.name: symbol for symbol in (*LEAVES, *INPUTS)}
    plain: dict[str, Expr] = {"phi": phi, "phi_tilde": phi_tilde, "phi_ring": phi_ring, "R": R}
    return {"I": I, **named, **plain, **derived, **motion}


def parse(text: str, names: dict[str, Expr] | None = None) -> Expr | Query:
    """Read a formula, "H φ M φ* H*" or "H phi M phi' H'", or a question about one, in this vocabulary and `names`.

    >>> parse("H phi M phi' H'") == H @ phi @ M @ phi.T @ H.T
    True
    """
    added = {} if names is None else entries(names, "names", "names to expressions")
    return parse_with(text, {**vocabulary(), **added})


__all__ = [
    "CONTACT", "GROUND", "INPUTS", "LEAVES", "B", "C_nu", "C_xi", "D", "D_ring", "E_ground", "E_phi", "E_psi",
    "E_ring_psi", "G", "G_ring", "H", "H_dot", "I", "Innovations", "K", "M", "Omega", "P", "P_plus", "P_ring", "R", "S",
    "T", "U", "U_ring", "Upsilon", "Upsilon_plus", "V", "V_tilde", "W", "X_abs", "X_cm", "a", "a_ground", "armature",
    "b", "cross", "crossbar", "damping", "delta", "diag", "differentiate", "ell", "epsilon", "f_ext", "innovations",
    "inv", "kappa", "m", "m_ring", "motion", "nu", "parse", "phi", "phi_ring", "phi_tilde", "pi_dot", "psi", "psi_ring",
    "psi_tilde", "qdd", "root", "rotation", "rotation_delta", "spring", "tau", "tau_bar", "tau_bar_ring", "v",
    "vocabulary", "xi",
]  # fmt: skip
