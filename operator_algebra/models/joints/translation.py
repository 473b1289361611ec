"""The translation joint: free sliding without turning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from operator_algebra.models.joints.axis import X, Y, Z
from operator_algebra.models.joints.joint import Joint, Mark
from operator_algebra.spatial.arrays import Array, ArrayNamespace, Vector3


@dataclass(frozen=True, kw_only=True, repr=False)
class Translation(Joint):
    """q is the position of the child; coordinates and rates are in the axes of the joint's frame."""

    kind: ClassVar[str] = "translation"
    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3
    mark: ClassVar[Mark] = Mark("T", "s")

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R = I, p = q."""
        return self._constant(np.eye(3), q, xp), q[..., 0:3]

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H* = [0; I]; the child's axes are those of the joint's frame."""
        return self._constant(np.eye(6, 3, k=-3), q, xp)

    def series(self) -> tuple[tuple[str, Vector3], ...]:
        """Slides along the three axes."""
        return (("prismatic", X), ("prismatic", Y), ("prismatic", Z))
