"""The universal joint: two turns about axes that meet in a point."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.joints.axis import X, Y, Z, unit_axis
from operator_algebra.models.joints.joint import Joint, Mark, Options, Rows
from operator_algebra.spatial.arrays import Array, ArrayNamespace, Vector3
from operator_algebra.spatial.rotations import rotation_about
from operator_algebra.spatial.stacked import directions, unit_vectors
from operator_algebra.spatial.transforms import cross3
from operator_algebra.spatial.vectors import apply, skew


@dataclass(frozen=True, kw_only=True, repr=False)
class Universal(Joint):
    """q = (angle about axis1, angle about axis2, which the first turn carries along). The joint map depends on q."""

    kind: ClassVar[str] = "universal"
    nq: ClassVar[int] = 2
    nv: ClassVar[int] = 2
    parameters: ClassVar[tuple[str, ...]] = ("axis1", "axis2")
    draws: ClassVar[tuple[int, int]] = (6, 0)
    mark: ClassVar[Mark] = Mark("U", "o")

    axis1: Vector3 = X
    axis2: Vector3 = Y

    def __post_init__(self) -> None:
        first, second = unit_axis(self, self.axis1, "axis1"), unit_axis(self, self.axis2, "axis2")
        # The angle between the axes does not depend on q, so parallel axes are one axis at every pose.
        if math.hypot(*cross3(first, second)) < 1e-6:
            raise self.error("axis1 and axis2 are parallel", "Take a revolute joint, or turn one of the axes.")
        object.__setattr__(self, "axis1", first)
        object.__setattr__(self, "axis2", second)
        super().__post_init__()

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R = exp(q₁ ã₁) exp(q₂ ã₂), p = 0."""
        first = rotation_about(np.asarray(self.axis1), q[..., 0:1], xp)
        return first @ self._second(q, xp), self._constant(np.zeros((3, 1)), q, xp)[..., 0]

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H* = [R₂* a₁, a₂; 0, 0] with R₂ = exp(q₂ ã₂)."""
        first = self._first_in_child(q, xp)
        second = xp.broadcast_to(np.asarray(self.axis2), first.shape)
        return self._angular(first, second, xp)

    def motion_map_rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        """d/dt H* = [R₂* a₁ × a₂ v₂, 0; 0, 0]: the second turn moves the first axis in the child."""
        first = self._first_in_child(q, xp)
        turned = apply(-skew(np.asarray(self.axis2), np), first) * v[..., 1:2]
        return self._angular(turned, xp.zeros_like(turned), xp)

    def series(self) -> tuple[tuple[str, Vector3], ...]:
        """One turn, then the other."""
        return (("revolute", self.axis1), ("revolute", self.axis2))

    def random(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        """Any angles."""
        return rng.uniform(-math.pi, math.pi, (*shape, 2))

    @classmethod
    def chain_options(cls, k: int) -> Options:
        """Axes z and y at each joint."""
        del k
        return {"axis1": Z, "axis2": Y}

    @classmethod
    def random_columns(cls, normal: Rows, uniform: Rows) -> dict[str, Rows]:
        """Any two axes at a right angle."""
        del uniform
        first = directions(normal[:, :3])
        second = np.cross(first, directions(normal[:, 3:]))
        return {"axis1": first, "axis2": second / np.array([[np.linalg.norm(row)] for row in second])}

    @classmethod
    def kept_columns(cls, options: Mapping[str, Rows]) -> dict[str, Rows]:
        """Axes of length one."""
        return {field: unit_vectors(options[field]) for field in cls.parameters}

    def _second(self, q: Array, xp: ArrayNamespace) -> Array:
        return rotation_about(np.asarray(self.axis2), q[..., 1:2], xp)

    def _first_in_child(self, q: Array, xp: ArrayNamespace) -> Array:
        return apply(rotation_about(np.asarray(self.axis2), -q[..., 1:2], xp), np.asarray(self.axis1))

    def _angular(self, first: Array, second: Array, xp: ArrayNamespace) -> Array:
        angular = xp.stack([first, second], axis=-1)
        return xp.concatenate([angular, xp.zeros_like(angular)], axis=-2)
