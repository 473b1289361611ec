"""The revolute joint: one turn about an axis."""

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
class Revolute(AxisJoint):
    """q is the angle about the axis."""

    kind: ClassVar[str] = "revolute"
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    mark: ClassVar[Mark] = Mark("R", "o")

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R = exp(q ã), p = 0."""
        return rotation_about(self._axis(), q, xp), self._no_translation(q, xp)

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H* = [a; 0]."""
        axis = self._axis()
        return self._constant(columns((axis, np.zeros_like(axis))), q, xp)

    def series(self) -> tuple[tuple[str, Vector3], ...]:
        """Itself."""
        return (("revolute", self.axis),)

    def random(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        """Any angle."""
        return rng.uniform(-math.pi, math.pi, (*shape, 1))
