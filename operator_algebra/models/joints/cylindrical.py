"""The cylindrical joint: a turn about an axis and a slide along it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.joints.axis import AxisJoint, columns
from operator_algebra.models.joints.joint import Mark
from operator_algebra.spatial.arrays import Array, ArrayNamespace, Vector3
from operator_algebra.spatial.rotations import rotation_about


@dataclass(frozen=True, kw_only=True, repr=False)
class Cylindrical(AxisJoint):
    """q = (angle about the axis, distance along it)."""

    kind: ClassVar[str] = "cylindrical"
    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2
    mark: ClassVar[Mark] = Mark("C", "p")

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R = exp(θ ã), p = d a."""
        return rotation_about(self._axis(), q[..., 0:1], xp), q[..., 1:2] * self._axis()

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H* = [a 0; 0 a]."""
        axis = self._axis()
        zero = np.zeros_like(axis)
        return self._constant(columns((axis, zero), (zero, axis)), q, xp)

    def series(self) -> tuple[tuple[str, Vector3], ...]:
        """The turn, then the slide."""
        return (("revolute", self.axis), ("prismatic", self.axis))

    def random(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        """Any angle, a distance of at most one."""
        return rng.uniform(-1.0, 1.0, (*shape, 2)) * np.array([math.pi, 1.0])
