"""Geometry of the mass matrix: Christoffel symbols, the axioms of ∇, pull-backs of forces, twists of joints."""

from operator_algebra.expressions.build import define, inv, vector
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.identities.identity import Identity, Law, Twin
from operator_algebra.identities.themes.derivatives import CONSTANT, SINGLE
from operator_algebra.identities.themes.factorization import mass
from operator_algebra.identities.themes.gradients import w
from operator_algebra.operators.spaces import RATE
from operator_algebra.rates import Motion
from operator_algebra.symbols import (
    E_phi,
    G,
    H,
    I,
    M,
    T,
    V,
    V_tilde,
    X_abs,
    a,
    b,
    cross,
    crossbar,
    differentiate,
    f_ext,
    motion,
    phi,
    qdd,
    v,
)

x = vector("x", RATE)
"""A third direction."""
w_dot = vector("w_dot", RATE)
x_dot = vector("x_dot", RATE)
"""How the components of fields change along v."""


def _of_motion(moving: Motion, turning: Expr) -> Expr:
    """From how φ* H* changes."""
    spin = 0.5 * (M @ moving.V_tilde - moving.V_tilde.T @ M - crossbar(M @ moving.V))
    return H @ phi @ (M @ turning + spin @ phi.T @ H.T)


def _connection(along: Symbol) -> Expr:
    """C with C_ij = Γ_ijk along_k for constant joint maps: Ḣ is left out."""
    turning = phi.T @ motion(along).delta.T @ E_phi.T @ phi.T @ H.T
    return define(f"Gamma_{along.name}", _of_motion(motion(along), turning), cites="geometric treatment (13)")


def symbols(one: Expr, other: Expr) -> Expr:
    """C(one) other, in which crossbar(M V) other is written with the cross product of the other motion."""
    first, second = motion(one), motion(other)
    turned = M @ phi.T @ first.delta.T @ E_phi.T @ phi.T @ H.T @ other
    spun = M @ first.V_tilde @ second.V - first.V_tilde.T @ M @ second.V - second.V_tilde.T @ M @ first.V
    return H @ phi @ (turned + 0.5 * spun)


def beta(along: Expr) -> Expr:
    """Velocity terms of rates but Ḣ."""
    moving = motion(along)
    return H @ phi @ (M @ phi.T @ moving.V_tilde @ H.T @ along - moving.V_tilde.T @ M @ moving.V)


def along(direction: Expr, one: Expr, other: Expr) -> Expr:
    """The slope of ⟨one, other⟩ in a direction, but for Ḣ."""
    return one.T @ differentiate(mass, along=direction, domain=[CONSTANT]) @ other


def bracket(one: Expr, other: Expr, with_: Expr) -> Expr:
    """⟨[one, other], with⟩ of fields with constant components."""
    return with_.T @ H @ phi @ M @ phi.T @ cross(H.T @ one) @ H.T @ other


C_v, C_w = _connection(v), _connection(w)
_turning = differentiate(phi.T @ H.T)
_written_out = _of_motion(motion(v), _turning)
_christoffel = define("Gamma", _written_out, cites="geometric treatment (13)")
_another = H @ phi @ (M @ _turning + (M @ V_tilde - V_tilde.T @ M) @ phi.T @ H.T)
_terms = H @ phi @ (M @ phi.T @ a + b)
_koszul = along(v, w, x) + along(w, v, x) - along(x, v, w)
_brackets = bracket(v, w, x) - bracket(w, x, v) + bracket(x, v, w)
_metric = define("metric", mass)
_nabla_w, _nabla_x = _metric @ w_dot + _written_out @ w, _metric @ x_dot + _written_out @ x
_moved = differentiate(w.T @ _metric @ x, rates={w: w_dot, x: x_dot})
_energy = differentiate(0.5 * v.T @ mass @ v)
_Ad = inv(X_abs).T
_spatial = differentiate(_Ad @ V)

LAWS: tuple[Law, ...] = (
    Identity(
        "Christoffel matrix",
        _christoffel @ v,
        _terms,
        cites="geometric treatment (14)",
        idea="Ṽ V = 0, and crossbar(M V) V = Ṽ* M V.",
        twins=(
            Twin("forces twice", (_another - H @ phi @ crossbar(M @ V) @ phi.T @ H.T) @ v, _terms),
            Twin("star", _christoffel.T @ v, _terms),
        ),
    ),
    Identity(
        "Christoffel matrix at a vector",
        C_v @ w,
        symbols(v, w),
        cites="geometric treatment (13)",
        idea="crossbar(F) X = cross(X)* F: what holds v and w may change places.",
        twins=(
            Twin("sign", C_v @ w, symbols(v, -w)),
            Twin("places", C_v @ w, symbols(w, w)),
        ),
    ),
    Identity(
        "Christoffel symbols of the first kind",
        2 * x.T @ symbols(v, w),
        _koszul,
        domain=(SINGLE,),
        cites="geometric treatment (13)",
        idea="Slopes of the metric along three directions, two of them added.",
        twins=(
            Twin("without two", x.T @ symbols(v, w), _koszul),
            Twin("sign of the third", 2 * x.T @ symbols(v, w), along(v, w, x) + along(w, v, x) + along(x, v, w)),
            Twin("another Coriolis matrix", 2 * x.T @ _another @ w, _koszul),
        ),
    ),
    Identity(
        "Koszul formula",
        2 * x.T @ symbols(v, w),
        _koszul + _brackets,
        idea="The same for rates in axes that turn: fields with constant components have brackets.",
        twins=(
            Twin("without brackets", 2 * x.T @ symbols(v, w), _koszul),
            Twin("sign of brackets", 2 * x.T @ symbols(v, w), _koszul - _brackets),
        ),
    ),
    Identity(
        "Christoffel symbols by velocity terms",
        C_v @ w + C_w @ v,
        beta(v + w) - beta(v) - beta(w),
        cites="geometric treatment (13)",
        idea="Velocity terms are quadratic: at a sum of rates they have twice the symbols besides.",
        twins=(
            Twin("half", C_v @ w + C_w @ v, 0.5 * (beta(v + w) - beta(v) - beta(w))),
            Twin("one of two", C_v @ w + C_w @ v, beta(v + w) - beta(v)),
        ),
    ),
    Identity(
        "Christoffel symbols are symmetric",
        C_v @ w,
        C_w @ v,
        domain=(SINGLE,),
        cites="geometric treatment (13)",
        idea="The connection has no torsion: rates of coordinates have no brackets.",
        twins=(
            Twin("another Coriolis matrix", _another @ w, C_w @ v),
            Twin("star", C_v.T @ w, C_w @ v),
        ),
    ),
    Identity(
        "the connection has no torsion",
        C_v @ w - C_w @ v,
        H @ phi @ M @ phi.T @ cross(H.T @ v) @ H.T @ w,
        idea="∇_v w − ∇_w v = [v, w], joint by joint the cross product of motions.",
        twins=(
            Twin("sign", C_v @ w - C_w @ v, H @ phi @ M @ phi.T @ cross(H.T @ w) @ H.T @ v),
            Twin("of bodies", C_v @ w - C_w @ v, H @ phi @ M @ cross(V) @ phi.T @ H.T @ w),
        ),
    ),
    Identity(
        "products change by covariant derivatives",
        _moved,
        _nabla_w.T @ x + w.T @ _nabla_x,
        cites="geometric treatment (17)",
        idea="d/dt ⟨w, x⟩ = ⟨∇w, x⟩ + ⟨w, ∇x⟩, ∇ written as forces: Γ + Γ* is the rate of the metric.",
        twins=(
            Twin("components alone", _moved, w_dot.T @ _metric @ x + w.T @ _metric @ x_dot),
            Twin("metric with half", _moved, 0.5 * (_nabla_w.T @ x + w.T @ _nabla_x)),
        ),
    ),
    Identity(
        "rate of kinetic energy",
        _energy,
        v.T @ (mass @ qdd + _terms),
        cites="geometric treatment (14)",
        misprint="the metric with ½, so that F = 2 ℳ⁻¹ Y",
        idea="Only forces do work: v* (d/dt ℳ − 2 C) v = 0.",
        twins=(
            Twin("without velocity terms", _energy, v.T @ mass @ qdd),
            Twin("half", _energy, 0.5 * v.T @ (mass @ qdd + _terms)),
        ),
    ),
    Identity(
        "power of wrenches",
        v.T @ H @ phi @ f_ext,
        V.T @ f_ext,
        cites="geometric treatment (15)",
        idea="⟨Y, v⟩ = Σ ⟨W, V⟩: joint forces are wrenches, pulled back.",
        twins=(
            Twin("of their own joint alone", v.T @ H @ f_ext, V.T @ f_ext),
            Twin("sign", v.T @ H @ phi @ f_ext, -(V.T @ f_ext)),
        ),
    ),
    Identity(
        "actuators act on their joints alone",
        H @ phi @ (I - E_phi) @ G @ T,
        T,
        domain=("J = 0",),
        cites="geometric treatment (15)",
        idea="τ ζ on a body and −τ ζ on its parent, with H ζ = I; G is such a ζ.",
        twins=(
            Twin("without the parent", H @ phi @ G @ T, T),
            Twin("sign of the parent", H @ phi @ (I + E_phi) @ G @ T, T),
        ),
    ),
    Identity(
        "rate of spatial velocities",
        _spatial,
        _Ad @ phi.T @ (H.T @ qdd + a),
        cites="geometric treatment (8)",
        misprint="by (15), twists of joints as at q = 0, which do not move",
        idea="Ad is that of the pose of the body, which moves with V, and Ṽ V = 0.",
        twins=(
            Twin("twists that rest", _spatial, _Ad @ phi.T @ H.T @ qdd),
            Twin("another origin", _spatial, _Ad @ (phi.T @ (H.T @ qdd + a) + cross(H.T @ v) @ V)),
        ),
    ),
    Identity(
        "spatial Jacobian by twists of joints",
        _Ad @ phi.T @ H.T,
        inv(I - _Ad @ E_phi.T @ X_abs.T) @ _Ad @ H.T,
        cites="geometric treatment (8)",
        idea="About the origin of the base no shift is left between bodies: twists of joints add up.",
        twins=(
            Twin("in body axes", _Ad @ phi.T @ H.T, phi.T @ _Ad @ H.T),
            Twin("of their own joint alone", _Ad @ phi.T @ H.T, _Ad @ H.T),
        ),
    ),
)
