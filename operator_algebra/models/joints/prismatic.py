"""The prismatic joint: one slide along an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from operator_algebra.models.joints.axis import AxisJoint, columns
from operator_algebra.models.joints.joint import Mark
from operator_algebra.spatial.arrays import Array, ArrayNamespace, Vector3


@dataclass(frozen=True, kw_only=True, repr=False)
class Prismatic(AxisJoint):
    """q is the distance along the axis."""

    kind: ClassVar[str] = "prismatic"
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    mark: ClassVar[Mark] = Mark("P", "s")

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R = I, p = q a."""
        return self._no_rotation(q, xp), q * self._axis()

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H* = [0; a]."""
        axis = self._axis()
        return self._constant(columns((np.zeros_like(axis), axis)), q, xp)

    def series(self) -> tuple[tuple[str, Vector3], ...]:
        """Itself."""
        return (("prismatic", self.axis),)
