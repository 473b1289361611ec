"""The mass matrix taken apart: orthogonal complements about mass centres, and Gaussian elimination from the last joint.

Velocities are those of mass centres; with frame="world" all axes are those of the base, as in print. Column by column
the elimination takes what joint k adds to the rows of the joints inward from it, so that what is left is U D U*. It may
stop anywhere: `chosen` says which joints are eliminated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from operator_algebra.applications import dynamics
from operator_algebra.arguments import items, quoted, word
from operator_algebra.errors import InputError
from operator_algebra.expressions.build import fixpoint, inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.models.model import Model, check_model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.spaces import FORCE, MOTION, TORQUE
from operator_algebra.symbols import E_phi, H, I, M, R, T, X_cm, armature, innovations, phi, v

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

chosen = operator("chosen", TORQUE >> TORQUE, structure="diagonal")
"""Which joints are eliminated: I at these, 0 elsewhere; its value is `choose`."""

elementary_elimination = I - multipliers @ chosen
"""E_k = I − α λ* for one joint, with a one in λ.        [inertia decomposition (10), (21)]"""

elementary_inverse = I + multipliers @ chosen
"""E_k⁻¹ = I + α λ*, since λ* α = 0: a joint carries itself no load.        [inertia decomposition (22)]"""

partial_elimination = inv(I + multipliers @ chosen)
"""The product of the steps for some joints, and for all that they carry.        [inertia decomposition (9)]"""

partly_eliminated = partial_elimination @ dynamics.mass_matrix
"""L_k, what is left of the mass matrix once these columns are eliminated.        [inertia decomposition (9), (24)]"""


def _partly_released(X: Expr) -> Expr:
    """M + E_φ (X − X H* D⁻¹ H X) E_φ*, where joints that are not chosen stay locked."""
    released = X @ H.T @ chosen.T @ inv(H @ X @ H.T + armature) @ chosen @ H @ X
    return M + E_phi @ (X - released) @ E_phi.T


partly_articulated = X_cm @ fixpoint("P_partly", MOTION >> FORCE, _partly_released) @ X_cm.T
"""M̂ of the table with two indices: chosen joints are free, the others locked; one sweep for each choice.

[inertia decomposition (27)]"""


def choose(model: Model, joints: Sequence[str]) -> dict[str, Numbers]:
    """The value of `chosen` for joints by name.

    >>> import operator_algebra as oa
    >>> choose(oa.load("planar2r"), ["elbow"])
    {'elbow': array([[1.]])}
    """
    freedoms = dict(zip(check_model(model, "choose").joint_names, model.v_slices, strict=True))
    names = [word(name, "a joint that is chosen") for name in items(joints, "the joints that are chosen", "names")]
    for name in names:
        if name not in freedoms:
            raise InputError(f"{model.name} has no joint {quoted(name)} to eliminate. It has {', '.join(freedoms)}.")
    return {name: np.eye(freedoms[name].stop - freedoms[name].start) for name in names}


__all__ = [
    "articulated",
    "central_inertia",
    "choose",
    "chosen",
    "composite",
    "elementary_elimination",
    "elementary_inverse",
    "eliminated",
    "elimination",
    "elimination_gain",
    "joint_axes",
    "matrix_of_complements",
    "multipliers",
    "partial_elimination",
    "partly_articulated",
    "partly_eliminated",
    "pivots",
    "propagation",
    "reduced_forces",
    "scaled_forces",
    "solved_acceleration",
    "twist",
    "upper_factor",
]  # fmt: skip
