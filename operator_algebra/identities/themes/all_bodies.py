"""Equations of all bodies at once: balances, incidence, and what joints hold back."""

from operator_algebra.expressions.build import diag
from operator_algebra.identities.identity import Identity, Law, Twin
from operator_algebra.identities.themes.noise import ZERO
from operator_algebra.symbols import (
    E_phi,
    E_psi,
    H,
    I,
    M,
    P,
    P_plus,
    R,
    V,
    X_abs,
    a,
    a_ground,
    b,
    differentiate,
    f_ext,
    inv,
    phi,
    qdd,
    tau,
    tau_bar,
    v,
)

_gained = H.T @ qdd + a + a_ground
_acceleration = phi.T @ _gained
_net = M @ _acceleration + b - f_ext
_force = phi @ _net
_free = phi.T @ (H.T @ qdd + a)
_momentum_rate = differentiate(X_abs @ M @ V, rates={v: qdd})
_coupled = (I - E_phi.T) @ inv(M) @ (I - E_phi)
_apart = inv(M) + diag(E_phi.T @ inv(M) @ E_phi)
_shift = X_abs @ E_phi @ inv(X_abs)
_composite = X_abs @ R @ X_abs.T

LAWS: tuple[Law, ...] = (
    Identity(
        "incidence of accelerations",
        (I - E_phi.T) @ _acceleration,
        _gained,
        cites="review (29)",
        misprint="without the acceleration of the base",
        idea="A body gains on its parent what its joint adds, and a root on the ground.",
        twins=(
            Twin("without the base", (I - E_phi.T) @ _acceleration, H.T @ qdd + a),
            Twin("sign", (I + E_phi.T) @ _acceleration, _gained),
            Twin("without velocities", (I - E_phi.T) @ _acceleration, H.T @ qdd + a_ground),
        ),
    ),
    Identity(
        "balance of forces",
        _force,
        _net + E_phi @ _force,
        cites="review (7)",
        misprint="in link coordinates without the external force",
        idea="A joint hands on what its body needs, and what the joints of its children take.",
        twins=(
            Twin("sign", _force, _net - E_phi @ _force),
            Twin("without external force", _force, M @ _acceleration + b + E_phi @ _force),
            Twin("articulated shifts", _force, _net + E_psi @ _force),
        ),
    ),
    Identity(
        "force on a body as a rate of momentum",
        _momentum_rate,
        X_abs @ (M @ _free + b),
        cites="review (5)",
        idea="About the origin of the base and in its axes; X_abs changes by the velocity of the body.",
        twins=(
            Twin("without gyroscopic force", _momentum_rate, X_abs @ M @ _free),
            Twin("sign", _momentum_rate, X_abs @ (M @ _free - b)),
        ),
    ),
    Identity(
        "composite inertia about the base",
        _composite,
        X_abs @ M @ X_abs.T + _shift @ _composite @ _shift.T,
        cites="review (9)",
        idea="About one point and in the same axes for all bodies; shifts there are those of the tree alone.",
        twins=(
            Twin("bodies forgotten", _composite, _shift @ _composite @ _shift.T + M),
            Twin("sign", _composite, X_abs @ M @ X_abs.T - _shift @ _composite @ _shift.T),
        ),
    ),
    Identity(
        "propagation about the base",
        X_abs @ phi @ inv(X_abs),
        inv(I - _shift),
        cites="review (29)",
        idea="A change of coordinates of the equation of φ.",
        twins=(
            Twin("sign", X_abs @ phi @ inv(X_abs), inv(I + _shift)),
            Twin("the other way", inv(X_abs) @ phi @ X_abs, inv(I - _shift)),
        ),
    ),
    Identity(
        "what joints hold back does no work",
        H @ phi @ (I - E_phi) @ tau_bar,
        ZERO,
        domain=("J = 0",),
        cites="review (26)",
        idea="φ (I − E_φ) = I, and H τ̄ = 0.",
        twins=(
            Twin("what drives", H @ phi @ (I - E_phi) @ tau, ZERO),
            Twin("not shifted", H @ phi @ tau_bar, ZERO),
        ),
    ),
    Identity(
        "sparse inverse of the covariance of forces",
        _coupled @ phi @ M @ phi.T,
        I,
        cites="review (28)",
        idea="φ inverts I − E_φ on both sides of M.",
        twins=(
            Twin("sign", (I + E_phi.T) @ inv(M) @ (I - E_phi) @ phi @ M @ phi.T, I),
            Twin("articulated shifts", (I - E_psi.T) @ inv(M) @ (I - E_psi) @ phi @ M @ phi.T, I),
        ),
    ),
    Identity(
        "coupling of neighbours on chains",
        _coupled,
        _apart - E_phi.T @ inv(M) - inv(M) @ E_phi,
        domain=("serial",),
        cites="review (28)",
        misprint="said of all mechanisms; on trees siblings couple too, through their parent",
        idea="On a chain E_φ* M⁻¹ E_φ is block-diagonal.",
        twins=(
            Twin("sign", _coupled, _apart + E_phi.T @ inv(M) + inv(M) @ E_phi),
            Twin("parents forgotten", _coupled, inv(M) - E_phi.T @ inv(M) - inv(M) @ E_phi),
        ),
    ),
    Identity(
        "released inertia as a restricted inverse",
        tau_bar.T @ inv(P) @ tau_bar @ P_plus,
        tau_bar.T,
        domain=("J = 0",),
        cites="review (27)",
        idea="P⁺ inverts P⁻¹ among the forces that a joint does not feel: T (T* P⁻¹ T)⁻¹ T*, if T spans them.",
        twins=(
            Twin("body alone", tau_bar.T @ inv(M) @ tau_bar @ P_plus, tau_bar.T),
            Twin("all forces", inv(P) @ P_plus, I),
        ),
    ),
)
