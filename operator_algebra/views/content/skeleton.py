"""A mechanism at a configuration as points and directions in base axes: what the picture of a robot is drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from operator_algebra.errors import InputError
from operator_algebra.evaluation import evaluate
from operator_algebra.models.model import Model
from operator_algebra.operators import leaf
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.symbols import M, P

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Points in metres, in base axes; bodies run along the first axis."""

    model: Model
    rotations: Floats  # (n, 3, 3) body axes in the base
    origins: Floats  # (n, 3)
    joints: Floats  # (n, 3) where the joint frames stand on the parents
    centres: Floats  # (n, 3) of mass
    links: tuple[tuple[int, Floats, Floats], ...]
    """Body, from, to: from its origin to the joints and the frames that it carries, else to its centre of mass."""
    axes: tuple[tuple[int, Floats, bool], ...]
    """Body, unit direction, whether the joint turns about it (else it slides along it); joints of one or two axes."""

    @property
    def points(self) -> Floats:
        """Everything that is to be in the picture."""
        ends = [end for _, _, end in self.links]
        return np.array([*self.origins, *self.joints, *self.centres, *ends])

    @property
    def reach(self) -> float:
        """The longest extent in metres; 1 for a mechanism without extent."""
        size = float(np.ptp(self.points, axis=0).max())
        return size if size > 0 else 1.0


def skeleton(model: Model, q: ArrayLike | None = None) -> Skeleton:
    """The points of a mechanism at q, at the neutral configuration without it.

    >>> from operator_algebra.models.families import chain
    >>> skeleton(chain(2)).origins.tolist()
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    """
    position = model.neutral() if q is None else model.check_q(q)
    if position.ndim != 1:
        raise InputError(f"q of {model.name} has shape {position.shape}; a picture shows one configuration.")
    leaves = LeafValues(model, position, frame="world")
    rotations, origins = leaves.absolute
    arrays = model.arrays
    joints = np.array([_on_parent(model, k, rotations, origins, arrays.translation[k]) for k in range(model.n)])
    centres = origins + np.einsum("kij,kj->ki", rotations, arrays.com)
    return Skeleton(
        model,
        rotations,
        origins,
        joints,
        centres,
        _links(model, rotations, origins, joints, centres),
        tuple(axis for k, block in enumerate(leaves.blocks(leaf.H)) for axis in _axes(k, block)),
    )


def weights(model: Model, q: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """What each body weighs in each direction, M and P: 3 × 3 blocks of the force that accelerates its origin.

    The moment that keeps it from turning is not counted. In base axes, (n, 3, 3); P is never less than M.
    """
    position = model.neutral() if q is None else model.check_q(q)
    values = [evaluate(e, model, q=position, frame="world") for e in (M, P)]
    own, felt = (np.array([block[3:, 3:] for block in value.diagonal_blocks()]) for value in values)
    return own, felt


def _on_parent(model: Model, k: int, rotations: Floats, origins: Floats, point: Floats) -> Floats:
    p = model.parent[k]
    return point if p < 0 else origins[p] + rotations[p] @ point


def _links(
    model: Model, rotations: Floats, origins: Floats, joints: Floats, centres: Floats
) -> tuple[tuple[int, Floats, Floats], ...]:
    ends: dict[int, list[Floats]] = {k: [joints[c] for c in model.children[k]] for k in range(model.n)}
    for frame in model.frames.values():
        if frame.body is not None:
            k = model.body_index(frame.body)
            ends[k].append(origins[k] + rotations[k] @ np.asarray(frame.placement.translation))
    return tuple((k, origins[k], end) for k in range(model.n) for end in ends[k] or [centres[k]])


def _axes(k: int, block: Any) -> list[tuple[int, Floats, bool]]:
    """The directions of a joint with one or two axes, from the rows of H."""
    if not 1 <= len(block) <= 2:
        return []
    found: list[tuple[int, Floats, bool]] = []
    for row in block:
        turning = bool(np.linalg.norm(row[:3]) > 0)
        direction = row[:3] if turning else row[3:]
        found.append((k, direction / np.linalg.norm(direction), turning))
    return found
