"""A joint of a user's own with singular poses: three turns, each about an axis that those before carry along."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.joints.joint import Joint
from operator_algebra.spatial.arrays import Array, ArrayNamespace, Vector3
from operator_algebra.spatial.rotations import rotation_about
from operator_algebra.spatial.vectors import apply

AXES: tuple[Vector3, ...] = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))


@dataclass(frozen=True, kw_only=True, repr=False)
class EulerAngles(Joint):
    """q = (yaw, pitch, roll): at a pitch of ±90° the first axis and the last are one."""

    kind: ClassVar[str] = "Euler angles"
    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        first, second, third = (rotation_about(np.array(a), q[..., i : i + 1], xp) for i, a in enumerate(AXES))
        return first @ second @ third, self._constant(np.zeros((3, 1)), q, xp)[..., 0]

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        return self._angular(self._axes(q, xp), xp)

    def motion_map_rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        """Each axis is turned back, in the child, by the turns after it."""
        axes = self._axes(q, xp)
        columns: list[Array] = []
        for i, axis in enumerate(axes):
            total = xp.zeros_like(axis) * v[..., 0:1]
            for j in range(i + 1, 3):
                total = total + _crossed(axis, axes[j], xp) * v[..., j : j + 1]
            columns.append(total)
        return self._angular(columns, xp)

    def series(self) -> tuple[tuple[str, Vector3], ...]:
        return tuple(("revolute", axis) for axis in AXES)

    def random(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        return rng.uniform(-math.pi, math.pi, (*shape, 3))

    def _axes(self, q: Array, xp: ArrayNamespace) -> list[Array]:
        second, third = (rotation_about(np.array(AXES[i]), -q[..., i : i + 1], xp) for i in (1, 2))
        last = self._constant(np.array(AXES[2])[:, None], q, xp)[..., 0]
        return [apply(third, apply(second, np.array(AXES[0]))), apply(third, np.array(AXES[1])), last]

    def _angular(self, axes: list[Array], xp: ArrayNamespace) -> Array:
        angular = xp.stack(axes, axis=-1)
        return xp.concatenate([angular, xp.zeros_like(angular)], axis=-2)


def _crossed(a: Array, b: Array, xp: ArrayNamespace) -> Array:
    places = [(1, 2), (2, 0), (0, 1)]
    return xp.stack([a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in places], axis=-1)


@dataclass(frozen=True, kw_only=True, repr=False)
class Tilted(EulerAngles):
    """The same, neutral at a pitch of its own."""

    kind: ClassVar[str] = "tilted Euler angles"

    tilt: float = 0.0

    def neutral(self) -> NDArray[np.float64]:
        return np.array([0.3, self.tilt, -0.4])

    def random(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        """Any yaw and roll at the pitch, give or take what a test of derivatives needs."""
        del rng
        return np.broadcast_to(self.neutral(), (*shape, 3)).copy()
