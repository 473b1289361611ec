"""Equations of all bodies at once: one sparse system of accelerations and of the forces that joints hold back.

The force across a joint is what drives it and what the joint holds back, `give` T + held β. Rotors join the bodies that
they turn between. The forces of all joints on all bodies are (I − E_φ) of those across each, so that what couples
neighbours alone is solved leaves first, in O(N).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.applications import dynamics
from operator_algebra.arguments import choice
from operator_algebra.expressions.build import define, inv, operator
from operator_algebra.models.model import Model, check_model
from operator_algebra.operators import leaf
from operator_algebra.operators.arrays import SampleBlock
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.operators.spaces import FORCE, Space, space
from operator_algebra.spatial.arrays import FRAMES, Axes
from operator_algebra.symbols import E_phi, H, I, M, P, R, T, V, X_abs, a, a_ground, armature, b, f_ext, phi, qdd

HELD: Space = space("held")
"""Amounts of what joints hold back: six less the degrees of freedom of each."""

held = operator("held", HELD >> FORCE, structure="diagonal")
"""Forces that a joint does not feel, H held = 0, a basis of them at each; its value is `held_forces`."""

_across_bodies = I - E_phi

incidence = _across_bodies.T
"""I − E_φ*, what a body gains on its parent; (I − E_φ*) α = H* q̈ + a, ground included.        [review (29)]"""

spread = phi.T @ H.T
"""S = (I − E_φ*)⁻¹ H*: accelerations of bodies by those of joints.        [review (24)]"""

held_between = define("held_between", _across_bodies @ held)
"""T = (I − E_φ) held: net forces on bodies by what joints hold back; S* T = 0.        [review (25)]"""

start = phi.T @ (a + a_ground)
"""a₀, accelerations of bodies at q̈ = 0.        [review (24)]"""

acceleration = spread @ qdd + start
"""α = a₀ + S q̈.        [review (24)]"""

give = define("give", M @ H.T @ inv(H @ M @ H.T))
"""A force on the body of a joint for each that the joint feels, H give = I."""

all_inertia = define("all_inertia", M + _across_bodies @ give @ armature @ give.T @ incidence)
"""The inertia of all bodies; rotors couple each with its parent."""

applied = define(
    "applied", _across_bodies @ give @ (T - dynamics.passive + armature @ give.T @ (a + a_ground)) - (b - f_ext)
)
"""Net forces on bodies but for what joints hold back and what accelerations need.        [review (25)]"""

projected_acceleration = inv(spread.T @ all_inertia @ spread) @ spread.T @ (applied - all_inertia @ start)
"""q̈ = (S* I S)⁻¹ S* (f − I a₀): what joints hold back is projected out.        [review (26)]"""

held_amounts = inv(held_between.T @ inv(all_inertia) @ held_between) @ (
    held.T @ (a + a_ground) - held_between.T @ inv(all_inertia) @ applied
)
"""β from T* I⁻¹ T β = T* a₀ − T* I⁻¹ f, a system in neighbours alone.        [review (28)]"""

solved_acceleration = inv(all_inertia) @ (applied + held_between @ held_amounts)
"""α = I⁻¹ (f + T β).        [review (27)]"""

gained_acceleration = give.T @ (incidence @ solved_acceleration - a - a_ground)
"""q̈, read from what bodies gain on their parents.        [review (29)]"""

_to_base = inv(X_abs).T

velocity_about_base = _to_base @ V
"""Velocities about the origin of the base and in its axes, where those of a chain add up.        [review (3)]"""

acceleration_about_base = _to_base @ dynamics.acceleration
"""Accelerations about the origin of the base.        [review (4)]"""

force_about_base = X_abs @ phi @ (M @ dynamics.acceleration + b - f_ext)
"""Forces across joints about the origin of the base.        [review (6)]"""

composite_about_base = X_abs @ R @ X_abs.T
"""Composite inertias about the origin of the base: sums over what bodies carry.        [review (9)]"""

articulated_about_base = X_abs @ P @ X_abs.T
"""Articulated inertias about the origin of the base.        [review (12)]"""


def held_forces(model: Model, *, q: ArrayLike, frame: Axes = "body") -> dict[str, SampleBlock]:
    """The value of `held` by joint: orthonormal columns that the joint does not feel, (..., 6, 6 − its freedoms).

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> {name: block.shape for name, block in held_forces(arm, q=arm.neutral()).items()}
    {'shoulder': (6, 5), 'elbow': (6, 5)}
    """
    q = check_model(model, "held_forces").check_q(q)
    choice(frame, "frame", FRAMES)
    return dict(zip(model.joint_names, map(_unfelt, LeafValues(model, q, frame=frame).blocks(leaf.H)), strict=True))


def _unfelt(block: SampleBlock) -> SampleBlock:
    """An orthonormal basis of the kernel of a block with independent rows."""
    basis = np.linalg.qr(np.swapaxes(block, -1, -2), mode="complete")[0]
    return basis[..., block.shape[-2] :]


__all__ = [
    "HELD", "acceleration", "acceleration_about_base", "all_inertia", "applied", "articulated_about_base",
    "composite_about_base", "force_about_base", "gained_acceleration", "give", "held", "held_amounts", "held_between",
    "held_forces", "incidence", "projected_acceleration", "solved_acceleration", "spread", "start",
    "velocity_about_base",
]  # fmt: skip
