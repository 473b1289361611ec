"""Leaves that are zero for every configuration of a model, so that their terms can be folded away."""

from __future__ import annotations

from operator_algebra.models.model import Model
from operator_algebra.operators.leaf import LEAVES


def vanishing(model: Model) -> frozenset[str]:
    """The names of the leaves that a model does not have.

    >>> from operator_algebra.models.families import chain
    >>> sorted(vanishing(chain(2)))
    ['H_dot', 'armature', 'damping', 'spring']
    """
    return frozenset(leaf.name for leaf in LEAVES if leaf.absent(model))
