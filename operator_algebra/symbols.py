"""The vocabulary of the spatial operator algebra: every operator with its definition and citation.

Leaves come from a mechanism at a configuration; everything else is a formula over them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Literal

from operator_algebra.arguments import entries
from operator_algebra.errors import SpaceMismatch
from operator_algebra.expressions.build import (
    define,
    diag,
    fixpoint,
    inv,
    leaf_symbol,
    local,
    one,
    operator,
    root,
    vector,
    zero,
)
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.nodes import Expr, Symbol, Zero
from operator_algebra.expressions.parse import parse as parse_with
from operator_algebra.expressions.query import Query
from operator_algebra.operators import leaf
from operator_algebra.operators.local import CROSS, SPIN
from operator_algebra.operators.spaces import FORCE, GROUND, MOTION, RATE, TORQUE, Space, space

I: Expr = one()


def cross(velocity: Expr) -> Expr:
    """Motion cross product with a velocity V, body by body: X becomes V × X."""
    return local(CROSS, velocity)


CONTACT: Space = space("contact")
"""Velocities of points picked from bodies, such as end effectors."""

E_phi = leaf_symbol(leaf.E_phi)
H = leaf_symbol(leaf.H)
H_dot = leaf_symbol(leaf.H_dot)
M = leaf_symbol(leaf.M)
armature = leaf_symbol(leaf.armature)
damping = leaf_symbol(leaf.damping)
spring = leaf_symbol(leaf.spring)
a_ground = leaf_symbol(leaf.a_ground)
E_ground = leaf_symbol(leaf.E_ground)
X_cm = leaf_symbol(leaf.X_cm)
X_abs = leaf_symbol(leaf.X_abs)

v = vector("v", RATE)
qdd = vector("qdd", RATE)
T = vector("T", TORQUE)
f_ext = vector("f_ext", FORCE)
B = operator("B", CONTACT.dual >> FORCE, structure="diagonal")

phi = define("phi", inv(I - E_phi), cites="diagonalized dynamics (4.5)")
phi_tilde = define("phi_tilde", phi - I, cites="diagonalized dynamics, proof of 4.2")
R = fixpoint("R", MOTION >> FORCE, lambda X: M + E_phi @ X @ E_phi.T, cites="filtering and smoothing (29)")


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
    ell = define(name("ell"), inv(root(D)) @ W, cites="diagonalized dynamics (5.2)")

    def costate(X: Expr) -> Expr:
        """H* D⁻¹ H + diag(E_ψ* X E_ψ): on a tree the product alone couples siblings."""
        return H.T @ inv(D) @ H + diag(E_psi.T @ X @ E_psi)

    Upsilon = fixpoint(name("Upsilon"), FORCE >> MOTION, costate, cites="filtering and smoothing (82)")
    Upsilon_plus = define(name("Upsilon_plus"), diag(E_phi.T @ Upsilon @ E_phi), cites="filtering and smoothing (81)")
    Omega = define(name("Omega"), psi.T @ H.T @ inv(D) @ H @ psi, cites="filtering and smoothing (80)")
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
        S=define(name("S"), P - P @ Upsilon @ P, cites="filtering and smoothing (60)"),
        xi=define(name("xi"), U.T @ v, cites="diagonalized dynamics (7.7)"),
        nu=define(name("nu"), m.T @ v, cites="diagonalized dynamics (5.3)"),
        kappa=define(name("kappa"), W @ T, cites="diagonalized dynamics (8.1)"),
        epsilon=define(name("epsilon"), ell @ T, cites="diagonalized dynamics (5.4)"),
    )


def innovations(J: Expr | str | int) -> Innovations:
    """The vocabulary with D = H P H* + J, for any block-diagonal J: rate → torque.

    J is rotor inertia, implicit damping h B + h² K, or measurement noise; innovations(0) is the papers' vocabulary.

    >>> innovations(armature).D
    D_J   rate → torque   block-diagonal, symmetric   = H P_J H* + armature
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

V = define("V", phi.T @ H.T @ v, cites="diagonalized dynamics (4.3)")
V_tilde = define("V_tilde", cross(V), cites="diagonalized dynamics (5.5)")
delta = define("delta", -cross(H.T @ v).T, cites="diagonalized dynamics (6.3)")
rotation = define("rotation", -local(SPIN, V).T, cites="diagonalized dynamics (6.2)")
rotation_delta = define("rotation_delta", -local(SPIN, H.T @ v).T, cites="diagonalized dynamics (6.3)")
a = define("a", V_tilde @ H.T @ v + H_dot.T @ v, cites="filtering and smoothing (14)")
b = define("b", -V_tilde.T @ M @ V, cites="filtering and smoothing (16)")

LEAVES: tuple[Symbol, ...] = (E_phi, H, H_dot, M, armature, damping, spring, a_ground, E_ground, X_cm, X_abs)
INPUTS: tuple[Symbol, ...] = (v, qdd, T, f_ext, B)


@cache
def vocabulary() -> dict[str, Expr]:
    """Every name of this page and its expression, in reading order."""
    derived: dict[str, Expr] = {field.name: getattr(_plain, field.name) for field in fields(_plain)}
    motion: dict[str, Expr] = {"V": V, "V_tilde": V_tilde, "delta": delta, "rotation": rotation}
    motion |= {"rotation_delta": rotation_delta, "a": a, "b": b}
    named = {symbol.name: symbol for symbol in (*LEAVES, *INPUTS)}
    return {"I": I, **named, "phi": phi, "phi_tilde": phi_tilde, "R": R, **derived, **motion}


def leaf_rate(symbol: Symbol, frame: Literal["body", "world"] = "body") -> Expr | None:
    """d/dt of a leaf; None where the vocabulary has no word for it.

    In axes of the base ẋ = x̊ + Ω̃ x − x Ω̃ follows from x̊, that in body axes.        [diagonalized dynamics, table 4]

    >>> leaf_rate(M, "world")
    Ω̃ M + M Ω̃*   motion → force   block-diagonal, symmetric
    """
    record = symbol.leaf
    if record is None or record.rate is None:
        return None
    total = zero(symbol.type) if record.rate == "0" else formula(record.rate, "leaf_rate")
    if frame == "world":
        total = total + _turning(symbol.type.codomain) @ symbol if record.rows_turn else total
        total = total - symbol @ _turning(symbol.type.domain) if record.columns_turn else total
    return total


def _turning(space: Space) -> Expr:
    """Ω̃ on forces or on motions."""
    return rotation if space == FORCE else -rotation.T


def parse(text: str, names: dict[str, Expr] | None = None) -> Expr | Query:
    """Read a formula, "H φ M φ* H*" or "H phi M phi' H'", or a question about one, in this vocabulary and `names`.

    >>> parse("H phi M phi' H'") == H @ phi @ M @ phi.T @ H.T
    True
    """
    added = {} if names is None else entries(names, "names", "names to expressions")
    return parse_with(text, {**vocabulary(), **added})


__all__ = [
    "CONTACT", "GROUND", "INPUTS", "LEAVES", "B", "D", "E_ground", "E_phi", "E_psi", "G", "H", "H_dot", "I",
    "Innovations", "K", "M", "Omega", "P", "P_plus", "R", "S", "T", "U", "Upsilon", "Upsilon_plus", "V", "V_tilde",
    "W", "X_abs", "X_cm", "a", "a_ground", "armature", "b", "cross", "damping", "delta", "diag", "ell", "epsilon",
    "f_ext", "innovations", "inv", "kappa", "m", "nu", "parse", "phi", "phi_tilde", "psi", "psi_tilde", "qdd", "root",
    "rotation", "rotation_delta", "spring", "tau", "tau_bar", "v", "vocabulary", "xi",
]  # fmt: skip
