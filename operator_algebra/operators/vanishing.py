"""Leaves that are zero for every configuration of a model, so that their terms can be folded away."""

from __future__ import annotations

from operator_algebra.models.model import Model


def vanishing(model: Model) -> frozenset[str]:
    """The names of the leaves that a model does not have.

    >>> from operator_algebra.models.families import chain
    >>> sorted(vanishing(chain(2)))
    ['H_dot', 'armature', 'damping', 'spring']
    """
    joints = [body.joint for body in model.bodies]
    absent = {
        "armature": not any(any(joint.armature) for joint in joints),
        "H_dot": all(joint.has_constant_map for joint in joints),
        "a_ground": not any(model.gravity),
        "damping": not any(any(joint.damping) for joint in joints),
        "spring": not any(any(joint.stiffness) for joint in joints),
    }
    return frozenset(name for name, zero in absent.items() if zero)
