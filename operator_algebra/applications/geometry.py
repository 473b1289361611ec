"""Geometry of the mass matrix as formulas: Lagrange's equations, Christoffel symbols, ∇, geodesics, curvature.

The metric is ⟨u, w⟩ = u* ℳ w, without ½. Vectors are joint rates: of revolute, prismatic, helical, cylindrical,
universal and translation joints those of coordinates, so that these are the Christoffel symbols of the textbooks. The
rates of spherical, floating and planar joints stand in axes that turn; the same formulas then hold for the Levi-Civita
connection in the moving frame that they are, whose fields have brackets. Armature of such joints is outside: it adds
to ℳ no more than a diagonal, and not what turning it about would add.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.applications import dynamics, simulation
from operator_algebra.arguments import choice
from operator_algebra.compiler import compile as compile_program
from operator_algebra.errors import InputError, SpaceMismatch, explain
from operator_algebra.expressions.build import define, inv, operator, vector, zero
from operator_algebra.expressions.differentiate import fitting
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.mismatch import short
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.models.arrays import JointGroup
from operator_algebra.models.joints.joint import Joint
from operator_algebra.models.kinematics import joint_map_slopes
from operator_algebra.models.model import Model, check_model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.spaces import FORCE, ONE, RATE, TORQUE
from operator_algebra.rates import CONSTANT_MAPS, Motion, Rates
from operator_algebra.symbols import (
    E_phi,
    H,
    I,
    M,
    T,
    armature,
    cross,
    crossbar,
    differentiate,
    f_ext,
    innovations,
    motion,
    phi,
    qdd,
    spring,
    v,
)

if TYPE_CHECKING:
    from operator_algebra.applications.film import Film
    from operator_algebra.expressions.nodes import Expr

w = vector("w", RATE)
"""A vector at q."""

w_dot = vector("w_dot", RATE)
"""How the components of a field w change along v."""

x = vector("x", RATE)
"""Another vector at q."""

_inverse = inv(dynamics.mass_matrix)


# -- Lagrange's equations ----------------------------------------------------------------------------------------------


def connection_along(along: Expr | str) -> Expr:
    """`connection` for any direction, a vector of rates, on mechanisms with constant joint maps.

    The joint map of a universal joint changes with the pose, and there is no word for how it does along any direction;
    where it is given as data, as in `varying_curvature`, nothing is missing.

    >>> connection_along(w).type
    rate → torque
    """
    return _connection(fitting(v, along, "along"))


@cache
def _connection(along: Expr) -> Expr:
    e = _of_motion(motion(along), phi.T @ motion(along).delta.T @ E_phi.T @ phi.T @ H.T)
    if not isinstance(along, Symbol):
        return e
    return define(f"Gamma_{along.name}", e, cites="geometric treatment (13)", domain=[CONSTANT_MAPS])


def _of_motion(moving: Motion, turning: Expr) -> Expr:
    """From how φ* H* changes: M times that, and half of what makes bodies gyrate."""
    spin = 0.5 * (M @ moving.V_tilde - moving.V_tilde.T @ M - crossbar(M @ moving.V))
    return H @ phi @ (M @ turning + spin @ phi.T @ H.T)


connection = define("Gamma", _of_motion(motion(v), differentiate(phi.T @ H.T)), cites="geometric treatment (13)")
"""C with C_ij = Γ_ijk v_k: what ∇ along v adds to the rates of components, as a force.

C v is `dynamics.coriolis`, C + C* = d/dt ℳ, and C(v) w = C(w) v where rates are those of coordinates.
[geometric treatment (13), (14)]"""

d_potential = dynamics.gravity_term + spring
"""dV, the slopes of `dynamics.potential_energy`: joint forces that hold the mechanism against weight and springs."""

lagrange = dynamics.mass_matrix @ qdd + connection @ v + d_potential
"""Y = ℳ q̈ + C v + dV: the forces of a motion, those of dampers among them.        [geometric treatment (10), (14)]"""

generalized_force = H @ phi @ f_ext
"""Y = Σ J* W: wrenches on bodies pulled back to joints; v* Y = V* f.        [geometric treatment (15)]"""

zeta = operator("zeta", TORQUE >> FORCE, structure="diagonal")
"""The wrenches of actuators of strength one on the bodies of their joints; H ζ = I, as for the gain G."""

actuator_wrenches = (I - E_phi) @ zeta @ T
"""ζ T on the bodies of joints and −ζ T on their parents; pulled back to joints they are T.

[geometric treatment (15)]"""

# -- the connection ----------------------------------------------------------------------------------------------------

christoffel = connection @ w
"""Γ_ijk w_j v_k, symbols of the first kind at two vectors.        [geometric treatment (13)]"""

christoffel_of_second_kind = _inverse @ christoffel
"""Γ̂ⁱ_jk w_j v_k = ℳ⁻¹ of those of the first kind.        [geometric treatment (16)]"""

covariant_derivative = w_dot + christoffel_of_second_kind
"""∇_v w, from how the components of w change along v.        [geometric treatment (17)]"""

transport = -christoffel_of_second_kind
"""How the components change of a vector that is carried along v in parallel, ∇_v w = 0."""

covariant_acceleration = qdd + _inverse @ dynamics.coriolis
"""∇_v v = ℳ⁻¹ Y, the acceleration that only forces make.        [geometric treatment (17)]"""

geodesic_acceleration = -(_inverse @ dynamics.coriolis)
"""q̈ of a motion without forces: ∇_v v = 0."""

gradient = _inverse @ d_potential
"""grad V = ℳ⁻¹ dV, the vector whose product with any other is the slope of V along it."""


def covariant(field: Expr | str, *, rates: Rates | None = None) -> Expr:
    """∇_v of a field of rates that is given as a formula of q: the rate of its components, and ℳ⁻¹ C of them.

    `rates` says how what is no function of q alone changes along v, as in `differentiate`.

    >>> covariant(w, rates={w: w_dot}) == covariant_derivative
    True
    """
    given = formula(field, "covariant")
    if given.type != ONE >> RATE:
        raise SpaceMismatch(f"{short(given)} ({given.type}) is no field of rates: it must be a vector of rate.")
    return differentiate(given, rates=rates) + _inverse @ connection @ given


# -- curvature ---------------------------------------------------------------------------------------------------------

bracket = define("bracket", innovations(armature).G.T @ cross(H.T @ v) @ H.T @ w)
"""[v, w] of fields with constant components: zero for coordinates, ω × ω′ for the rates of a spherical joint."""

_along_v, _along_w = connection_along(v), connection_along(w)

curvature = (
    differentiate(_along_w, rates={w: 0}, domain=[CONSTANT_MAPS])
    - differentiate(_along_v, along=w, domain=[CONSTANT_MAPS])
    - _along_v.T @ _inverse @ _along_w
    + _along_w.T @ _inverse @ _along_v
    - connection_along(bracket)
) @ x
"""ℳ R(v, w) x with R(v, w) = ∇_v ∇_w − ∇_w ∇_v − ∇_[v,w].

For constant joint maps: those of all joints but universal ones, for which there is `varying_curvature`."""

sectional = v.T @ curvature.substitute({x: w})
"""⟨R(v, w) w, v⟩: the curvature of the plane of v and w, times the square of the area that they span."""

H_v = operator("H_v", H.type, structure="diagonal")
"""How the joint map changes along v: see `map_slopes`."""

H_w = operator("H_w", H.type, structure="diagonal")
"""How it changes along w."""


def _connected(along: Expr, slope: Expr) -> Expr:
    """`connection` for any direction along which the joint map is known to change."""
    e = _of_motion(motion(along), differentiate(phi.T @ H.T, along=along, rates={H: slope}))
    return define(f"Gamma_of_{along.name}", e) if isinstance(along, Symbol) else e


_varying_v, _varying_w = _connected(v, H_v), _connected(w, H_w)

varying_bracket = define(
    "varying_bracket", innovations(armature).G.T @ (cross(H.T @ v) @ H.T @ w + H_v.T @ w - H_w.T @ v)
)
"""`bracket` for any joint maps: zero for coordinates, those of universal joints too."""

varying_curvature = (
    # H_w changes along v as H_v does along w, which cancels.
    differentiate(_varying_w, along=v, rates={w: 0, H: H_v, H_w: 0})
    - differentiate(_varying_v, along=w, rates={v: 0, H: H_w, H_v: 0})
    - _varying_v.T @ _inverse @ _varying_w
    + _varying_w.T @ _inverse @ _varying_v
    - _connected(varying_bracket, zero(H.type))
) @ x
"""`curvature` for any joint maps; those that depend on q belong to coordinates. First slopes of them are enough."""

varying_sectional = v.T @ varying_curvature.substitute({x: w})
"""`sectional` for any joint maps."""

# -- numbers -----------------------------------------------------------------------------------------------------------


def christoffel_symbols(model: Model, *, q: ArrayLike, kind: Literal["first", "second"] = "first") -> Numbers:
    """Γ_ijk, or Γ̂ⁱ_jk of the second kind, of the mass matrix: (..., nv, nv, nv).

    They belong to coordinates: joints whose rates are not those of coordinates are refused.
    [geometric treatment (13), (16)]

    >>> import operator_algebra as oa
    >>> christoffel_symbols(oa.load("planar2r"), q=[0.3, -0.7]).shape
    (2, 2, 2)
    """
    at = check_model(model, "christoffel_symbols").check_q(q)
    choice(kind, "kind", ("first", "second"))
    group = _first_group(model, lambda joint: not _has_coordinate_rates(joint))
    if group is not None:
        raise InputError(
            explain(
                f"{_named(model, group)} has rates that are not those of its coordinates, hence no Christoffel symbols",
                f"model {model.name}",
                "Take the formula geometry.connection: its entries are those of the connection in the moving frame.",
            )
        )
    one = np.eye(model.nv)
    program = compile_program(christoffel if kind == "first" else christoffel_of_second_kind, model)
    found = program(q=at[..., None, None, :], v=one[:, None, :], w=one)
    return np.swapaxes(found, -1, -3)  # from (..., k, j, i)


def riemann_tensor(model: Model, *, q: ArrayLike) -> Numbers:
    """R_ijkl = ⟨R(e_k, e_l) e_j, e_i⟩, (..., nv, nv, nv, nv): zero where the mass matrix is flat.

    >>> import operator_algebra as oa
    >>> riemann_tensor(oa.load("planar2r"), q=[0.3, -0.7]).shape
    (2, 2, 2, 2)
    """
    at = check_model(model, "riemann_tensor").check_q(q)
    e = _check_curved(model, curvature, varying_curvature)
    one = np.eye(model.nv)
    at, along, other = at[..., None, None, None, :], one[:, None, None, :], one[:, None, :]
    program = compile_program(e, model)
    if e is curvature:
        found = program(q=at, v=along, w=other, x=one)
    else:
        slopes = map_slopes(model, q=at, v=along, w=other)
        found = program(q=at, v=along, w=other, x=one, H_v=slopes["H_v"], H_w=slopes["H_w"])
    return np.moveaxis(found, (-1, -2), (-4, -3))  # from (..., k, l, j, i)


def sectional_curvature(model: Model, *, q: ArrayLike, v: ArrayLike, w: ArrayLike) -> Numbers:
    """The Gaussian curvature at q of the surface of geodesics in the plane of v and w, in O(N).

    >>> import operator_algebra as oa
    >>> bool(sectional_curvature(oa.load("planar2r"), q=[0, 0.5], v=[1, 0], w=[0, 1]) > 0)
    True
    """
    at = check_model(model, "sectional_curvature").check_q(q)
    one, other = _near_one(model.check_v(v, "v")), _near_one(model.check_v(w, "w"))
    e = _check_curved(model, sectional, varying_sectional)
    squares = _product(model, at, one, one) * _product(model, at, other, other)
    area = squares - _product(model, at, one, other) ** 2
    if not (area > _PARALLEL * squares).all():
        raise InputError("sectional_curvature: v and w are parallel, and span no plane. Give other directions.")
    program = compile_program(e, model)
    if e is sectional:
        return np.asarray(program(q=at, v=one, w=other)) / area
    slopes = map_slopes(model, q=at, v=one, w=other)
    return np.asarray(program(q=at, v=one, w=other, H_v=slopes["H_v"], H_w=slopes["H_w"])) / area


def map_slopes(model: Model, *, q: ArrayLike, v: ArrayLike, w: ArrayLike) -> dict[str, list[Numbers]]:
    """The values of H_v and H_w for `varying_curvature` and `varying_sectional`: one block for each joint.

    >>> import operator_algebra as oa
    >>> arm = oa.chain(2, joint="universal")
    >>> slopes = map_slopes(arm, q=arm.neutral(), v=[1, 0, 0, 0], w=[0, 1, 0, 0])
    >>> slopes["H_w"][0].shape
    (2, 6)
    """
    at = check_model(model, "map_slopes").check_q(q)
    return {
        "H_v": joint_map_slopes(model, at, model.check_v(v, "v")),
        "H_w": joint_map_slopes(model, at, model.check_v(w, "w")),
    }


def geodesic(model: Model, q: ArrayLike, v: ArrayLike, *, until: float, tolerance: float = 1e-9) -> Film:
    """The motion without forces: joints hold against weight, springs and dampers, so that ∇_v v = 0.

    Its kinetic energy is constant.

    >>> import operator_algebra as oa
    >>> geodesic(oa.load("planar2r"), [0.0, 0.5], [1.0, 0.0], until=0.1).t[-1]
    np.float64(0.1)
    """
    held = compile_program(dynamics.gravity_term + dynamics.passive, check_model(model, "geodesic"))
    needs = "v" in held.inputs

    def torque(t: float, at: Numbers, rates: Numbers) -> Numbers:
        del t
        return held(q=at, v=rates) if needs else held(q=at)

    return simulation.simulate(model, q, v, torque=torque, until=until, tolerance=tolerance)


_PARALLEL = 1e-14
"""The square of a sine below which what is left of an area is rounding."""


def _near_one(rates: Numbers) -> Numbers:
    """The direction with a largest entry of one; that of no rates is zero."""
    largest = np.abs(rates).max(-1, keepdims=True, initial=0.0)
    return rates / np.where(largest == 0.0, 1.0, largest)


def _product(model: Model, q: Numbers, one: Numbers, other: Numbers) -> Numbers:
    return np.asarray(compile_program(v.T @ dynamics.mass_matrix @ w, model)(q=q, v=one, w=other))


def _has_coordinate_rates(joint: Joint) -> bool:
    """Whether q moves as its rates add up."""
    return type(joint).integrate is Joint.integrate


def _first_group(model: Model, wrong: Callable[[Joint], bool]) -> JointGroup | None:
    return next((group for group in model.joint_groups if wrong(group.joint)), None)


def _named(model: Model, group: JointGroup) -> str:
    return f'joint "{model.joint_names[int(group.bodies[0])]}" of kind "{group.joint.kind}"'


def _check_curved(model: Model, plain: Expr, varying: Expr) -> Expr:
    """Refuse what curvature has no meaning for; the formula for maps that depend on q only where there are some."""
    for group in model.joint_groups:
        if _has_coordinate_rates(group.joint):
            continue
        if model.arrays.armature[group.v].any():
            what = f"{_named(model, group)} has armature, which adds no inertia that turns with its rates"
            raise InputError(explain(what, f"model {model.name}", "Take the armature away, or add it to the body."))
        if not group.joint.has_constant_map:
            what = (
                f"{_named(model, group)} has a joint map that depends on q, and rates that are not those of coordinates"
            )
            remedy = "Take rates of coordinates, or a constant joint map: there is no word for their brackets."
            raise InputError(explain(what, f"model {model.name}", remedy))
    return plain if all(group.joint.has_constant_map for group in model.joint_groups) else varying


__all__ = [
    "actuator_wrenches", "bracket", "christoffel", "christoffel_of_second_kind", "christoffel_symbols", "connection",
    "connection_along", "covariant", "covariant_acceleration", "covariant_derivative", "curvature", "d_potential",
    "generalized_force", "geodesic", "geodesic_acceleration", "gradient", "lagrange", "map_slopes", "riemann_tensor",
    "sectional", "sectional_curvature", "transport", "varying_bracket", "varying_curvature", "varying_sectional",
]  # fmt: skip
