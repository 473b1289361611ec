"""Random well-typed expressions: sums, products, adjoints, inverses, roots, diagonals, fixed points, vectors."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from hypothesis import strategies as st

from operator_algebra import symbols as s
from operator_algebra.expressions.build import diag, fixpoint, inv, local, one, root
from operator_algebra.expressions.nodes import Expr
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE, WHITE, Space, Type

SHARP = fixpoint(
    "X_sharp",
    MOTION >> FORCE,
    lambda X: s.M + s.E_phi @ (X - X @ s.H.T @ inv(s.H @ (X + s.R) @ s.H.T) @ s.H @ X) @ s.E_phi.T,
)
COSTATE = fixpoint(
    "X_costate", FORCE >> MOTION, lambda X: s.H.T @ inv(s.D) @ s.H + Fraction(1, 4) * diag(s.E_phi.T @ X @ s.E_phi)
)
NESTED = fixpoint(
    "X_nested",
    MOTION >> FORCE,
    lambda X: (
        s.M
        + Fraction(1, 4)
        * (s.E_phi @ fixpoint("Y_nested", MOTION >> FORCE, lambda Y: X + s.E_phi @ Y @ s.E_phi.T) @ s.E_phi.T)
    ),
)
VELOCITY = fixpoint("X_velocity", ONE >> MOTION, lambda X: s.E_phi.T @ X + s.H.T @ s.v)
MOMENTUM = fixpoint("X_momentum", ONE >> FORCE, lambda X: s.E_phi @ X + s.M @ VELOCITY)

_ATOMS: dict[Type, tuple[Expr, ...]] = {
    FORCE >> FORCE: (s.E_phi, s.phi, s.phi_tilde, s.psi, s.E_psi, s.tau, s.tau_bar, s.X_cm, s.delta, s.rotation),
    MOTION >> MOTION: (s.V_tilde, s.phi.T, s.psi.T, s.E_phi.T, s.tau_bar.T),
    MOTION >> FORCE: (s.M, s.P, s.P_plus, s.R, s.S, SHARP, NESTED),
    FORCE >> MOTION: (s.Upsilon, s.Upsilon_plus, s.Omega, COSTATE, inv(s.P)),
    FORCE >> TORQUE: (s.H, s.H_dot),
    TORQUE >> FORCE: (s.G, s.K),
    RATE >> MOTION: (s.H.T,),
    MOTION >> RATE: (s.G.T, s.K.T),
    RATE >> TORQUE: (s.D, s.armature, s.H @ s.R @ s.H.T),
    TORQUE >> RATE: (inv(s.D), inv(s.H @ s.phi @ s.M @ s.phi.T @ s.H.T)),
    TORQUE >> TORQUE: (s.U, s.W, inv(s.U)),
    RATE >> RATE: (s.U.T, s.W.T),
    WHITE >> TORQUE: (root(s.D), s.m, inv(s.ell)),
    TORQUE >> WHITE: (s.ell, inv(root(s.D))),
    WHITE >> WHITE: (one(WHITE >> WHITE),),
    ONE >> RATE: (s.v, s.qdd),
    ONE >> TORQUE: (s.T, s.kappa),
    ONE >> MOTION: (s.V, s.a, s.a_ground, VELOCITY),
    ONE >> FORCE: (s.b, s.f_ext, MOMENTUM),
    ONE >> WHITE: (s.nu, s.epsilon),
    ONE >> ONE: (s.v.T @ s.T, one(ONE >> ONE)),
}
_SPACES: tuple[Space, ...] = (FORCE, MOTION, RATE, TORQUE)


def expressions(type_: Type | None = None, depth: int = 3) -> st.SearchStrategy[Expr]:
    """Expressions of a type, or of any type over bodies and joints."""
    if type_ is None:
        types = [a >> b for a in (*_SPACES, ONE) for b in _SPACES] + [ONE >> ONE]
        return st.sampled_from(types).flatmap(lambda chosen: expressions(chosen, depth))
    simple = _simple(type_)
    if depth == 0:
        return simple
    return st.one_of(simple, *_compound(type_, depth - 1))


def _simple(type_: Type) -> st.SearchStrategy[Expr]:
    atoms = _ATOMS.get(type_, ())
    if atoms:
        return st.sampled_from(atoms)
    if type_.T in _ATOMS:
        return _simple(type_.T).map(lambda e: e.T)
    return st.sampled_from(_SPACES).flatmap(lambda middle: _through(type_, middle, 0))


def _through(type_: Type, middle: Space, depth: int) -> st.SearchStrategy[Expr]:
    """A product that passes through a space."""
    first, second = type_.domain >> middle, middle >> type_.codomain
    if depth == 0 and not all(part in _ATOMS or part.T in _ATOMS for part in (first, second)):
        middle = {"spatial": type_.domain, "joint": type_.codomain}.get(middle.sizes, middle)
        first, second = type_.domain >> middle, middle >> type_.codomain
        if not all(part in _ATOMS or part.T in _ATOMS for part in (first, second)):
            return _ladder(type_)
    return st.builds(_after, expressions(first, depth), expressions(second, depth))


def _after(first: Expr, second: Expr) -> Expr:
    return second @ first


def _combination(a: Expr, b: Expr, weight: Fraction | int) -> Expr:
    return a + weight * b


def _multiple(number: Expr, e: Expr) -> Expr:
    return number * e


def _ladder(type_: Type) -> st.SearchStrategy[Expr]:
    """A product along the chain rate → motion → force → torque and its duals, which connects every two spaces."""
    chain = {RATE: s.H.T, MOTION: s.M, FORCE: s.H, TORQUE: inv(s.D)}
    e: Expr = one(type_.domain >> type_.domain)
    while e.type.codomain != type_.codomain:
        e = chain[e.type.codomain] @ e
    return st.just(e)


def _compound(type_: Type, depth: int) -> list[st.SearchStrategy[Expr]]:
    inner = expressions(type_, depth)
    weights = st.sampled_from([-1, 2, Fraction(1, 3)])
    found: list[st.SearchStrategy[Expr]] = [
        st.builds(_combination, inner, inner, weights),
        st.builds(_multiple, expressions(ONE >> ONE, 0), inner),
        st.sampled_from(_SPACES).flatmap(lambda middle: _through(type_, middle, depth)),
        expressions(type_.T, depth).map(lambda e: e.T),
    ]
    if type_.square and type_.domain in _SPACES:
        found += [st.just(one(type_)), inner.map(_resolvent)]
    if type_ in (MOTION >> FORCE, RATE >> TORQUE):
        across = expressions(type_.codomain >> type_.codomain, depth)
        base = s.M if type_ == MOTION >> FORCE else s.D
        congruence: Callable[[Expr], Expr] = lambda A: base + A @ base @ A.T  # noqa: E731
        found += [across.map(congruence), inner.map(diag)]
    if type_ in (FORCE >> MOTION, TORQUE >> RATE):
        across = expressions(type_.domain >> type_.domain, depth)
        base = s.M if type_ == FORCE >> MOTION else s.D
        found.append(across.map(lambda A: inv(base + A @ base @ A.T)))
    if type_ == MOTION >> MOTION:
        found.append(expressions(ONE >> MOTION, depth).map(lambda x: local("cross", x)))
    return found


def _resolvent(A: Expr) -> Expr:
    """(I − E)⁻¹ for a strict part of A if it has one along the tree, else I plus A."""
    structure = A.structure
    if structure.flow in ("inward", "outward") and structure.strict:
        return inv(s.I - A)
    return s.I + A
