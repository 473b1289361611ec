"""The mass matrix taken apart: orthogonal complements about mass centres, and Gaussian elimination from the last joint.

Velocities are those of mass centres; with frame="world" all axes are those of the base, as in print. Column by column
the elimination takes what joint k adds to the rows of the joints inward from it, so that what is left is U D U*.
"""

from __future__ import annotations

from operator_algebra.applications import dynamics
from operator_algebra.expressions.build import inv
from operator_algebra.symbols import H, M, R, T, X_cm, armature, innovations, phi, v

_with = innovations(armature)
_to_centre = inv(X_cm)

propagation = _to_centre.T @ phi.T @ X_cm.T
"""T_l = X_cm⁻* φ* X_cm*: velocities of mass centres from those inward.        [inertia decomposition (3)]"""

joint_axes = _to_centre.T @ H.T
"""T_d = X_cm⁻* H*: what a joint rate does at the mass centre.        [inertia decomposition (3)]"""

twist = propagation @ joint_axes @ v
"""t = T_l T_d v.        [inertia decomposition (1)]"""

central_inertia = X_cm @ M @ X_cm.T
"""About mass centres masses and moments of inertia do not mix."""

matrix_of_complements = joint_axes.T @ propagation.T @ central_inertia @ propagation @ joint_axes + armature
"""T_d* T_l* M T_l T_d (+ armature).        [inertia decomposition (3)]"""

composite = X_cm @ R @ X_cm.T
"""The inertia of all that a body carries, about its own mass centre.        [inertia decomposition (7)]"""

articulated = X_cm @ _with.P @ X_cm.T
"""What is left of it once the joints outward are eliminated.        [inertia decomposition (27)]"""

eliminated = X_cm @ _with.P_plus @ X_cm.T
"""The same once the joint of the body is, too.        [inertia decomposition (27)]"""

elimination_gain = X_cm @ _with.G
"""ψ, the column of the articulated inertia that a joint picks, over its pivot.        [inertia decomposition (25)]"""

pivots = _with.D
"""m̂ = p* M̂ p, the entries of D.        [inertia decomposition (25)]"""

multipliers = H @ phi @ _with.K
"""α(i,k): by how much of row k row i is reduced, for i inward from k.        [inertia decomposition (26)]"""

upper_factor = _with.U
"""U = I + Σ α λ*, with ℳ = U D U*.        [inertia decomposition (12), (23)]"""

elimination = _with.W
"""E = U⁻¹, the product of all steps of the elimination.        [inertia decomposition (11)]"""

reduced_forces = elimination @ (T - dynamics.bias)
"""τ̂ = E τ, tips to base.        [inertia decomposition (17)]"""

scaled_forces = inv(pivots) @ reduced_forces
"""τ̃ = D⁻¹ τ̂.        [inertia decomposition (18)]"""

solved_acceleration = elimination.T @ scaled_forces
"""q̈ = E* τ̃, base to tips.        [inertia decomposition (19)]"""

__all__ = [
    "articulated",
    "central_inertia",
    "composite",
    "eliminated",
    "elimination",
    "elimination_gain",
    "joint_axes",
    "matrix_of_complements",
    "multipliers",
    "pivots",
    "propagation",
    "reduced_forces",
    "scaled_forces",
    "solved_acceleration",
    "twist",
    "upper_factor",
]  # fmt: skip
