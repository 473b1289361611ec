"""Task space as formulas: Jacobians of picked frames, their inertia, and what of a torque they do not feel.

B takes a force at each picked frame to its body; `picks` gives its value. The names of this page are for a constant B,
frames felt in their own axes; `of` writes the same for any other pick, also for one that changes as it moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from operator_algebra.applications import dynamics
from operator_algebra.applications.picking import pick_rates, picks, stack
from operator_algebra.errors import SpaceMismatch
from operator_algebra.expressions.build import define, inv, operator, vector
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.mismatch import short
from operator_algebra.operators.spaces import FORCE, Space, space
from operator_algebra.symbols import CONTACT, B, H, I, V, a, phi, qdd

if TYPE_CHECKING:
    from operator_algebra.expressions.nodes import Expr


@dataclass(frozen=True)
class TaskSpace:
    """The formulas of one pick, with the meanings that this module states for B."""

    jacobian: Expr
    velocity: Expr
    drift: Expr
    acceleration: Expr
    inverse_inertia: Expr
    inertia: Expr
    consistent_inverse: Expr
    null_space: Expr
    bias: Expr
    force: Expr


def of(pick: Expr | str, rate: Expr | str | None = None) -> TaskSpace:
    """The formulas for any operator into force, and for its rate of change if it has one, such as `of(B, B_dot)`.

    The rate is that in axes which turn with the bodies. It enters the drift,
    J̇ v = B* φ* a + Ḃ* V, hence the acceleration, the bias and the force.

    >>> of(B, B_dot).drift
    B* φ* a + Ḃ* V   one → contact   column
    """
    return _of(formula(pick, "task_space.of"), None if rate is None else formula(rate, "task_space.of"))


@cache
def _of(pick: Expr, rate: Expr | None) -> TaskSpace:
    if pick.type.codomain != FORCE:
        raise SpaceMismatch(f"{short(pick)} ({pick.type}) picks no frames: it must deliver force, as B does.")
    xdd = vector("xdd", pick.type.domain.dual)
    mass_inverse = inv(dynamics.mass_matrix)
    jacobian = define("jacobian", pick.T @ phi.T @ H.T)
    drift = pick.T @ phi.T @ a if rate is None else pick.T @ phi.T @ a + rate.T @ V
    inverse_inertia = jacobian @ mass_inverse @ jacobian.T
    inertia = inv(inverse_inertia)
    free = jacobian @ mass_inverse @ dynamics.bias - drift
    return TaskSpace(
        jacobian=jacobian,
        velocity=pick.T @ V,
        drift=drift,
        acceleration=jacobian @ qdd + drift,
        inverse_inertia=inverse_inertia,
        inertia=inertia,
        consistent_inverse=mass_inverse @ jacobian.T @ inertia,
        null_space=I - jacobian.T @ inertia @ jacobian @ mass_inverse,
        bias=inertia @ free,
        force=inertia @ (xdd + free),
    )


B_dot = operator("B_dot", CONTACT.dual >> FORCE, structure="diagonal")
"""The rate of change of B; its value is `pick_rates`."""

TASK: Space = space("task", attached=False)
"""The velocities of all picked frames as one vector of no body."""

B_stacked = operator("B_stacked", TASK.dual >> FORCE)
"""All picks side by side; its value is `stack` of that of B."""

B_dot_stacked = operator("B_dot_stacked", TASK.dual >> FORCE)
"""The rate of change of B_stacked; its value is `stack` of that of B_dot."""

_picked = of(B)

jacobian = _picked.jacobian
"""J = B* φ* H*: joint rates to the velocities of the picked frames."""

velocity = _picked.velocity
"""B* V, the velocities of the picked frames, each in its own axes."""

drift = _picked.drift
"""J̇ v = B* φ* a: the rate of change of B* V at q̈ = 0, in axes that turn with the frame. Gravity is no part of it."""

acceleration = _picked.acceleration
"""ẍ = J q̈ + J̇ v."""

inverse_inertia = _picked.inverse_inertia
"""Λ⁻¹ = J ℳ⁻¹ J*: what a force at one frame does to the acceleration of another."""

inertia = _picked.inertia
"""Λ = (J ℳ⁻¹ J*)⁻¹: the inertia that is felt at the picked frames."""

consistent_inverse = _picked.consistent_inverse
"""J̄ = ℳ⁻¹ J* Λ: the right inverse of J whose motion has the least kinetic energy."""

null_space = _picked.null_space
"""I − J* J̄*: the part of a joint torque that the picked frames do not feel. Its adjoint I − J̄ J is that of a rate."""

bias = _picked.bias
"""μ = Λ (J ℳ⁻¹ bias − J̇ v): velocity terms, gravity, springs and dampers, and −f_ext, as the frames feel them."""

force = _picked.force
"""Λ ẍ + μ, equal to J̄* T. A force F on the frames that is not given as f_ext = B F adds to J̄* T."""

stacked = of(B_stacked)
"""The same over all picked frames as one vector; then Λ is one small matrix between two sweeps."""

__all__ = [
    "TASK", "B_dot", "B_dot_stacked", "B_stacked", "TaskSpace", "acceleration", "bias", "consistent_inverse", "drift",
    "force", "inertia", "inverse_inertia", "jacobian", "null_space", "of", "pick_rates", "picks", "stack", "stacked",
    "velocity",
]  # fmt: skip
