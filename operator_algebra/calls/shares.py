"""What is left to each joint of a block-diagonal inertia, in units of another, and the least of what is beyond it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from operator_algebra.calls.diagnosis import outboard
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.blocks import BlockMatrix

Left: TypeAlias = tuple[str, float, float, str, tuple[str, ...]]
"""A joint, its share, that times the least share beyond it, the joint with the least of all, and all of these."""


def least_shares(model: Model, inertia: BlockMatrix, sizes: Numbers, added: Numbers) -> list[float]:
    """For each joint the least eigenvalue of its block without what was added, in units of sizes; 0 where one is 0."""
    blocks = zip(inertia.diagonal_blocks(), model.v_slices, strict=True)
    return [_share(np.asarray(block) - np.diag(added[part]), sizes[part]) for block, part in blocks]


def _share(block: Numbers, size: Numbers) -> float:
    if not size.all():
        return 0.0
    return max(0.0, float(np.linalg.eigvalsh(block / np.outer(size, size)).min(initial=1.0)))


def left_to_joints(model: Model, shares: Sequence[float]) -> Iterator[Left]:
    """One for each joint that moves, base to tip."""
    for k, part in enumerate(model.v_slices):
        if part.stop > part.start:
            names = outboard(model, k)
            places = [model.body_index(name) for name in names]
            weakest = min(places, key=lambda i: shares[i])
            beyond = min((shares[i] for i in places[1:]), default=1.0)
            yield model.joint_names[k], shares[k], shares[k] * beyond, model.joint_names[weakest], tuple(names)
