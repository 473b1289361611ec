"""Impacts as formulas: rates jump so that what meets parts again, and nothing else that could change does.

N takes forces between what meets to the bodies, J = N* φ* H*, and J v < 0 as they approach. One number of restitution
is for all of them: J v⁺ = −e J v. `of` writes it for any J, also where the mechanism keeps constraints meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from operator_algebra.applications import holding
from operator_algebra.arguments import flag
from operator_algebra.errors import SpaceMismatch
from operator_algebra.expressions.build import define, inv, operator, scalar
from operator_algebra.expressions.formulas import formula
from operator_algebra.expressions.mismatch import short
from operator_algebra.operators.spaces import FORCE, RATE, Space, space
from operator_algebra.symbols import H, phi, v

if TYPE_CHECKING:
    from operator_algebra.expressions.nodes import Expr

HIT: Space = space("hit", attached=False)
"""The velocities with which things meet, as one vector of no body."""

N = operator("N", HIT.dual >> FORCE)
"""Takes forces where things meet to the bodies."""

restitution = scalar("restitution")
"""e: 0 for a plastic impact, 1 for one that loses no energy."""


@dataclass(frozen=True)
class Impact:
    """The formulas of one J, with the meanings that this module states for J = N* φ* H*."""

    approach: Expr
    mobility: Expr
    impulse: Expr
    joint_impulse: Expr
    velocity_after: Expr
    energy_loss: Expr


def of(jacobian: Expr | str, held: Expr | str | None = None, *, geared: bool = False) -> Impact:
    """The formulas for any J from joint rates to a space of no body; `held` is the A of constraints that go on.

    What the rates are before has to keep these constraints, A v = 0. With `geared`, joints that mimic others follow
    them, by `single` and `gears` of `embedding`.

    >>> of(jacobian).impulse
    −(I + restitution) (J ℳ⁻¹ J*)⁻¹ J v   one → hit*   small
    """
    kept = None if held is None else formula(held, "impacts.of")
    return _of(formula(jacobian, "impacts.of"), kept, flag(geared, "geared"))


@cache
def _of(J: Expr, A: Expr | None, geared: bool) -> Impact:
    if J.type.domain != RATE or J.type.codomain.attached:
        raise SpaceMismatch(
            f"{short(J)} ({J.type}) is no approach: it must take joint rates to a space of no body, such as "
            'oa.space("hit", attached=False).'
        )
    # What is kept meanwhile takes part of every impulse.
    kept = None if A is None else holding.of(A, A @ v, geared=geared).projected_mobility
    yielding = holding.answer(J.T, geared=geared) if kept is None else kept @ J.T
    mobility = J @ yielding
    impulse = -((1 + restitution) * inv(mobility) @ J @ v)
    return Impact(
        approach=J @ v,
        mobility=mobility,
        impulse=impulse,
        joint_impulse=J.T @ impulse,
        velocity_after=v + yielding @ impulse,
        energy_loss=0.5 * (1 - restitution * restitution) * (J @ v).T @ inv(mobility) @ J @ v,
    )


jacobian = define("J", N.T @ phi.T @ H.T, cites="geometric treatment (29)")
"""J = N* φ* H*."""

_free = of(jacobian)
_held = of(jacobian, holding.held.jacobian)

approach = _free.approach
"""J v."""

mobility = _free.mobility
"""J ℳ⁻¹ J*: how what meets gives way to an impulse."""

impulse = _free.impulse
"""λ = −(1 + e) (J ℳ⁻¹ J*)⁻¹ J v.        [geometric treatment (30)]"""

joint_impulse = _free.joint_impulse
"""J* λ = ℳ (v⁺ − v).        [geometric treatment (29), (30)]"""

velocity_after = _free.velocity_after
"""v⁺ = v − (1 + e) P_⊥ v, P_⊥ being that of J, so that J v⁺ = −e J v.        [geometric treatment (31)]"""

energy_loss = _free.energy_loss
"""½ (1 − e²) v* J* (J ℳ⁻¹ J*)⁻¹ J v = ½ (1 − e²) ‖P_⊥ v‖²: what kinetic energy loses."""

impulse_while_held = _held.impulse
"""The same with J P ℳ⁻¹ J*, where constraints go on through the impact."""

velocity_after_while_held = _held.velocity_after
"""v⁺ = v + P ℳ⁻¹ J* λ, which keeps the constraints and has J v⁺ = −e J v.        [geometric treatment (31)]"""

energy_loss_while_held = _held.energy_loss
"""½ (1 − e²) v* J* (J P ℳ⁻¹ J*)⁻¹ J v."""

__all__ = [
    "HIT", "Impact", "N", "approach", "energy_loss", "energy_loss_while_held", "impulse", "impulse_while_held",
    "jacobian", "joint_impulse", "mobility", "of", "restitution", "velocity_after", "velocity_after_while_held",
]  # fmt: skip
