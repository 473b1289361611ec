"""Dynamics as formulas: every name is an expression, to be printed, edited, checked, lowered or compiled.

Forces f_ext act at body origins; gravity is the acceleration a_ground of the ground; armature, springs and dampers are
those of the model, and fold away where it has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from operator_algebra.expressions.build import define, inv
from operator_algebra.symbols import (
    E_ground,
    H,
    M,
    T,
    V,
    X_abs,
    a,
    a_ground,
    armature,
    b,
    damping,
    f_ext,
    phi,
    qdd,
    spring,
    v,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from operator_algebra.models.model import Model

velocity = V
"""V = φ* H* v.        [diagonalized dynamics (4.2)]"""

acceleration = phi.T @ (H.T @ qdd + a + a_ground)
"""α = φ* (H* q̈ + a), the ground accelerating against gravity.        [diagonalized dynamics (4.3)]"""

mass_matrix = define("mass_matrix", H @ phi @ M @ phi.T @ H.T + armature, cites="diagonalized dynamics (4.1a)")
"""ℳ = H φ M φ* H* (+ armature).        [diagonalized dynamics (4.1a)]"""

passive = damping @ v + spring
"""Forces that dampers and springs take up: B v + stiffness (q ⊖ rest)."""

coriolis = H @ phi @ (M @ phi.T @ a + b)
"""C = H φ (M φ* a + b), velocity terms alone.        [diagonalized dynamics (4.4)]"""

gravity_term = H @ phi @ M @ phi.T @ a_ground
"""The joint forces that hold the mechanism against gravity at rest."""

bias = define("bias", H @ phi @ (M @ phi.T @ (a + a_ground) + b - f_ext) + passive, cites="diagonalized dynamics (4.4)")
"""The joint forces at q̈ = 0: velocity terms, gravity, external forces, springs and dampers."""

inverse_dynamics = mass_matrix @ qdd + bias
"""T = ℳ q̈ + bias.        [diagonalized dynamics (4.4)]"""

forward_dynamics = inv(mass_matrix) @ (T - bias)
"""q̈ = ℳ⁻¹ (T − bias).        [diagonalized dynamics (4.1d)]"""

kinetic_energy = 0.5 * V.T @ M @ V + 0.5 * v.T @ armature @ v
"""½ V* M V (+ rotors) = ½ v* ℳ v.        [diagonalized dynamics (1.2)]"""

power = T.T @ v
"""The power of the joint forces."""

momentum = E_ground @ phi @ M @ velocity
"""Spatial momentum about the origin of the base, in base axes: [angular; linear]."""

ground_wrench = E_ground @ phi @ (M @ acceleration + b - f_ext)
"""The wrench that the ground exerts on the mechanism, about the origin of the base."""

ground_inertia = E_ground @ phi @ M @ phi.T @ E_ground.T
"""The spatial inertia of the whole mechanism about the origin of the base."""

pose = X_abs
"""The force transform of each body to the base, [[R, p̃ R], [0, R]]; see `poses`."""


def poses(model: Model, *, q: Any) -> Mapping[str, tuple[Any, Any]]:
    """Rotation and position in the base of every body and frame, by name; q may have leading axes.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> sorted(poses(arm, q=arm.neutral()))[0] in arm.body_names + tuple(arm.frames)
    True
    """
    from operator_algebra.applications.readout import named_poses

    return named_poses(model, q)


def centre_of_mass(model: Model, *, q: Any) -> Any:
    """The centre of mass in base coordinates, (..., 3), read from `ground_inertia`."""
    from operator_algebra.applications.readout import mass_and_centre

    return mass_and_centre(model, q)[1]


def total_mass(model: Model) -> float:
    """The mass of all bodies, read from `ground_inertia`."""
    from operator_algebra.applications.readout import mass_at_rest

    return mass_at_rest(model)


def potential_energy(model: Model, *, q: Any) -> Any:
    """−m g·c, zero where the centre of mass is at the height of the base origin; springs included."""
    from operator_algebra.applications.readout import potential

    return potential(model, q)
