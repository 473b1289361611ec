"""Rigid displacements, twists and screws as numbers; exponentials and Jacobians of a model as formulas.

A pose is a `Placement` or a matrix [[R, d], [0, 1]] that takes points of a frame to those of the frame that it is given
in. Twists are [angular; linear], wrenches [moment; force]. All functions take leading axes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.applications.displacements import (
    Ad,
    ad,
    add_body_velocities,
    add_spatial_velocities,
    body_velocity,
    compose,
    exp,
    hat,
    inverse,
    log,
    matrix,
    move_inertia,
    placement,
    spatial_velocity,
    vee,
)
from operator_algebra.applications.screws import Screw
from operator_algebra.compiler import compile as compile_program
from operator_algebra.expressions.build import inv, operator
from operator_algebra.models.kinematics import joint_exponentials
from operator_algebra.models.model import Model, check_model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.spaces import FORCE
from operator_algebra.spatial.displacements import homogeneous
from operator_algebra.spatial.transforms import phi_block
from operator_algebra.symbols import E_ground, E_phi, H, I, X_abs, phi

body_jacobian = phi.T @ H.T
"""J_B = φ* H*: row k takes joint rates to the twist of body k in its own axes.        [geometric treatment (9)]"""

to_base = inv(X_abs).T
"""Ad of the pose of each body: twists in its axes, about its origin, become twists in those of the base."""

spatial_jacobian = to_base @ body_jacobian
"""J_S = Ad J_B: row k takes joint rates to the twist of body k about the origin of the base.

[geometric treatment (8)]"""

joint_twists = to_base @ H.T
"""ξ_S = Ad H*: what each joint does now, as a twist about the origin of the base.        [geometric treatment (8)]"""

exponential = operator("exponential", FORCE >> FORCE, structure="diagonal invertible")
"""Of each joint, as a transform of forces on its body; the value is `exponentials`."""

product_of_exponentials = E_ground @ inv(I - exponential @ E_phi) @ exponential
"""At the neutral q: column k takes forces on body k to the ground, along its ancestors.

[geometric treatment (7)]"""


def exponentials(model: Model, *, q: ArrayLike) -> Numbers:
    """The value of `exponential`, (..., n, 6, 6): a block for each joint, of one exponential or of several.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> exponentials(arm, q=arm.neutral()).shape
    (2, 6, 6)
    """
    return phi_block(*joint_exponentials(model, check_model(model, "exponentials").check_q(q)), np)


def twists(model: Model) -> Numbers:
    """ξ of every degree of freedom at the neutral q, columns (6, nv): [ω; −ω × p] of a turn, [0; v] of a slide.

    [geometric treatment (6)]

    >>> import operator_algebra as oa
    >>> twists(oa.load("planar2r")).shape
    (6, 2)
    """
    check_model(model, "twists")
    columns = compile_program(joint_twists, model)(q=model.neutral())
    return np.concatenate(list(columns), axis=-1)


def forward_kinematics(model: Model, *, q: ArrayLike) -> Numbers:
    """The pose of every body in the base by products of exponentials, (..., n, 4, 4).

    [geometric treatment (7)]

    Spherical, floating and planar joints take one exponential of a twist from their neutral pose to q.

    >>> import operator_algebra as oa
    >>> forward_kinematics(oa.load("planar2r"), q=[0, 0]).shape
    (2, 4, 4)
    """
    blocks = exponentials(model, q=q)
    row = compile_program(product_of_exponentials, model)(q=model.neutral(), exponential=blocks)
    blocks = np.moveaxis(np.reshape(row, (*row.shape[:-1], model.n, 6)), -2, -3)
    R = blocks[..., :3, :3]
    lever = blocks[..., :3, 3:] @ np.swapaxes(R, -1, -2)
    return homogeneous(R, np.stack([lever[..., 2, 1], lever[..., 0, 2], lever[..., 1, 0]], axis=-1), np)


__all__ = [
    "Ad", "Screw", "ad", "add_body_velocities", "add_spatial_velocities", "body_jacobian", "body_velocity", "compose",
    "exp", "exponential", "exponentials", "forward_kinematics", "hat", "inverse", "joint_twists", "log", "matrix",
    "move_inertia", "placement", "product_of_exponentials", "spatial_jacobian",
    "spatial_velocity", "to_base", "twists", "vee",
]  # fmt: skip
