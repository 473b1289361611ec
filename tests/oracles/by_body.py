"""What a mechanism's joints give together, sorted by body: the maps of groups of one kind, put side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from operator_algebra.models.kinematics import GroupBlocks, joint_map_groups, joint_map_rate_groups
from operator_algebra.models.model import Model


def joint_maps(model: Model, q: Any) -> list[Any]:
    """H* of each body: (..., 6, nv of its joint)."""
    return _by_body(model, joint_map_groups(model, q, np))


def joint_map_rates(model: Model, q: Any, v: Any) -> list[Any]:
    """d/dt H* of each body: (..., 6, nv of its joint); zero where no group tells."""
    zeros = [np.zeros_like(block) for block in joint_maps(model, q)]
    return _by_body(model, joint_map_rate_groups(model, q, v, np), zeros)


def _by_body(model: Model, groups: list[GroupBlocks], otherwise: list[Any] | None = None) -> list[Any]:
    result: list[Any] = [None] * model.n if otherwise is None else otherwise
    for bodies, blocks in groups:
        for i, k in enumerate(bodies.tolist()):
            result[k] = blocks[..., i, :, :]
    return result
