"""Task space as formulas: Jacobians of picked frames, their inertia, and what of a torque they do not feel.

B takes a force at each picked frame to its body; `picks` gives its value. Frames are felt in their own axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from operator_algebra.applications.dynamics import mass_matrix
from operator_algebra.expressions.build import define, inv
from operator_algebra.spatial.transforms import phi_block
from operator_algebra.symbols import B, H, I, V, phi

if TYPE_CHECKING:
    from operator_algebra.models.model import Model

jacobian = define("jacobian", B.T @ phi.T @ H.T, cites="diagonalized dynamics (8.1)")
"""J = B* φ* H*: joint rates to the velocities of the picked frames."""

task_velocity = B.T @ V
"""B* V, the velocities of the picked frames, each in its own axes."""

inverse_task_inertia = jacobian @ inv(mass_matrix) @ jacobian.T
"""Λ⁻¹ = J ℳ⁻¹ J*: what a force at one frame does to the acceleration of another."""

task_inertia = inv(inverse_task_inertia)
"""Λ = (J ℳ⁻¹ J*)⁻¹: the inertia that is felt at the picked frames."""

consistent_inverse = inv(mass_matrix) @ jacobian.T @ task_inertia
"""J̄ = ℳ⁻¹ J* Λ: the right inverse of J that gives no acceleration to what the task does not see."""

null_space = I - jacobian.T @ task_inertia @ jacobian @ inv(mass_matrix)
"""I − J* J̄*: the part of a joint torque that the picked frames do not feel."""


def picks(model: Model, names: Sequence[str], *, linear: bool = False) -> Mapping[str, Any]:
    """The value of B for frames, or for the bodies of joints, by name: six columns each, three with `linear`.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> {name: block.shape for name, block in picks(arm, arm.joint_names[-1:]).items()}
    {'elbow': (6, 6)}
    """
    return {name: _force_to_body(model, name)[:, 3 if linear else 0 :] for name in names}


def _force_to_body(model: Model, name: str) -> Any:
    """The force transform from a frame to its body; a joint's body is its own frame."""
    frame = model.frames.get(name)
    if frame is None:
        model.joint_index(name)
        return np.eye(6)
    placement = frame.placement
    return phi_block(np.asarray(placement.rotation), np.asarray(placement.translation), np)
