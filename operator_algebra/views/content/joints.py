"""What the marks of joints say, and those that a mechanism needs."""

from __future__ import annotations

from operator_algebra.models.model import Model

SHAPES = "round: turns   square: slides   other: both"


def letters_of(model: Model) -> dict[str, str]:
    """The letter of each kind of joint, in the order of the mechanism's joints.

    >>> from operator_algebra.models.families import chain
    >>> letters_of(chain(3, joint=["spherical", "revolute"]))
    {'spherical': 'S', 'revolute': 'R'}
    """
    return {body.joint.kind: body.joint.mark.letter for body in model.bodies}
