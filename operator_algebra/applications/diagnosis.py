"""What a pose does to forward dynamics: joints whose articulated inertia D is singular, or nearly so."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import starmap
from typing import TYPE_CHECKING, Any

import numpy as np

from operator_algebra.calls.shares import least_shares, left_to_joints
from operator_algebra.errors import InputError, OperatorAlgebraWarning, SingularError, explain
from operator_algebra.evaluation import evaluate
from operator_algebra.expressions.build import operator
from operator_algebra.models.model import Model, check_model
from operator_algebra.models.numeric import Numbers, is_plain
from operator_algebra.operators.spaces import RATE, TORQUE
from operator_algebra.symbols import H, R, armature, innovations

if TYPE_CHECKING:
    from collections.abc import Callable

locked_inertia = H @ R @ H.T + armature
"""What a joint drives when all joints outboard of it are locked: the block diagonal of the mass matrix."""

_brake = operator("brake", RATE >> TORQUE, structure="diagonal symmetric")
free_inertia = innovations(armature + _brake).D
"""What it drives when they are free, D = H P H* + armature; singular joints get a brake, or they would hide others.

[diagonalized dynamics (4.9)]
"""

SINGULAR = 64.0 * float(np.finfo(np.float64).eps)
"""Of a smaller certainty, no digit of a result is left."""
DOUBTFUL = 1e-8
"""A smaller certainty costs half of the digits."""


@dataclass(frozen=True)
class Pivot:
    """The inertia that is left to a joint when the joints beyond it are free, as a share of that when they are locked.

    `share` is the least over the directions of the joint. The rounding of a small share grows with all that is
    computed from it: `certainty` is the share times the least share beyond the joint, which `weakest` has.
    """

    joint: str
    share: float
    certainty: float
    weakest: str
    outboard: tuple[str, ...]

    @property
    def digits_lost(self) -> float:
        """Decimal digits that forward dynamics loses at this joint, of 16."""
        return -math.log10(self.certainty) if self.certainty > SINGULAR else 16.0


def pivots(model: Model, *, q: Any) -> tuple[Pivot, ...]:
    """One for each joint that moves, base to tip.

    >>> import operator_algebra as oa
    >>> arm = oa.load("planar2r")
    >>> [f"{pivot.joint} {pivot.share:.2f}" for pivot in pivots(arm, q=arm.neutral())]
    ['shoulder 0.22', 'elbow 1.00']
    """
    q = check_model(model, "pivots").check_q(q)
    if not is_plain(q):
        raise InputError(f"q is {q.dtype.name}; pivots are judged as programs compute them, with float64. Give floats.")
    locked: Any = evaluate(locked_inertia, model, q=q).sparse()
    sizes: Numbers = np.sqrt(np.asarray(locked.diagonal(), dtype=np.float64))
    brake = np.where(sizes > 0.0, 0.0, 1.0)
    while True:
        try:
            found = evaluate(free_inertia, model, q=q, brake=brake)
        except SingularError as error:
            stuck = [part for part in map(_freedoms(model), error.joints) if not brake[part].any()]
            if not stuck:
                raise
            for part in stuck:
                brake[part] = np.where(sizes[part] > 0.0, sizes[part] ** 2, 1.0)
        else:
            break
    shares = least_shares(model, found, sizes, brake)
    return tuple(starmap(Pivot, left_to_joints(model, shares)))


def _freedoms(model: Model) -> Callable[[str], slice]:
    return lambda joint: model.v_slices[model.joint_index(joint)]


def check_pose(model: Model, *, q: Any) -> None:
    """Raise `SingularError` where forward dynamics has no answer at q; warn where it loses half of its digits.

    >>> import operator_algebra as oa
    >>> arm = oa.load("arm7")
    >>> check_pose(arm, q=arm.random(0)[0])
    """
    found = {pivot.joint: pivot for pivot in pivots(model, q=q)}
    worst = min(found.values(), key=lambda pivot: pivot.certainty, default=None)
    if worst is None or worst.certainty >= DOUBTFUL:
        return
    culprit = found[worst.weakest]
    carried = f'joint "{culprit.joint}", which carries {_listed(culprit)}'
    if worst.certainty > SINGULAR:
        lost = f"about {worst.digits_lost:.0f} of 16 digits of forward dynamics are lost"
        what = explain(f"D is nearly singular at {carried}: {lost}", _pose(model, q))
        warnings.warn(what, OperatorAlgebraWarning, stacklevel=2)
        return
    joints = {pivot.weakest for pivot in found.values() if pivot.certainty <= SINGULAR}
    others = f"; and at {len(joints) - 1} more" if len(joints) > 1 else ""
    left = f"a share of {culprit.share:.0e}" if culprit.share else "nothing"
    raise SingularError(
        explain(
            f"D is singular at {carried}: with all joints beyond it free, {left} of its inertia is left{others}",
            _pose(model, q),
            "Give the tip body inertia, give the joint armature, lock the joint, or leave this pose.",
        ),
        joints=sorted(joints, key=model.joint_index),
    )


def _listed(pivot: Pivot) -> str:
    return ", ".join(pivot.outboard[:4]) + (", …" if len(pivot.outboard) > 4 else "")


def _pose(model: Model, q: Any) -> str:
    values = np.asarray(q, dtype=np.float64)
    if np.array_equal(values, model.neutral()):
        return f"{model.name} at the neutral pose"
    shown = ", ".join(f"{value:.4g}" for value in values[:8].tolist()) + (", …" if values.size > 8 else "")
    return f"{model.name} at q = ({shown})"
