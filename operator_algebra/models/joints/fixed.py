"""The fixed joint: no coordinates, no motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from operator_algebra.models.joints.joint import Joint, Mark
from operator_algebra.spatial.arrays import Array, ArrayNamespace


@dataclass(frozen=True, kw_only=True, repr=False)
class Fixed(Joint):
    """A rigid connection."""

    kind: ClassVar[str] = "fixed"
    mark: ClassVar[Mark] = Mark("X", "s")

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R = I, p = 0."""
        return self._constant(np.eye(3), q, xp), self._constant(np.zeros((3, 1)), q, xp)[..., 0]

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H* has no columns."""
        return self._constant(np.zeros((6, 0)), q, xp)
