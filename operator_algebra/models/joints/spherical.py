"""The spherical joint: free turning about a point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.joints.joint import Joint, Mark
from operator_algebra.spatial.arrays import Array, ArrayNamespace, ManifoldNamespace
from operator_algebra.spatial.rotations import (
    conjugate,
    normalized,
    quaternion_exp,
    quaternion_log,
    quaternion_matrix,
    quaternion_product,
    quaternion_rate,
)


@dataclass(frozen=True, kw_only=True, repr=False)
class Spherical(Joint):
    """q is a unit quaternion [w, x, y, z]; the rates are the angular velocity in the axes of the child."""

    kind: ClassVar[str] = "spherical"
    nq: ClassVar[int] = 4
    nv: ClassVar[int] = 3
    quaternion: ClassVar[slice | None] = slice(0, 4)
    mark: ClassVar[Mark] = Mark("S", "o")

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R of the quaternion, p = 0."""
        return quaternion_matrix(q, xp), self._constant(np.zeros((3, 1)), q, xp)[..., 0]

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H* = [I; 0]."""
        return self._constant(np.eye(6, 3), q, xp)

    @property
    def allows_springs(self) -> bool:
        """Only an isotropic spring is the gradient of an energy, ½ k θ²."""
        return len(set(self.stiffness)) == 1

    def neutral(self) -> NDArray[np.float64]:
        """No rotation."""
        return np.array([1.0, 0.0, 0.0, 0.0])

    def integrate(self, q: Array, dv: Array, xp: ManifoldNamespace) -> Array:
        """The quaternion of R exp(dv~), of length one."""
        return normalized(quaternion_product(q, quaternion_exp(dv, xp), xp), xp)

    def rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        """½ q ∘ [0, ω]."""
        return quaternion_rate(q, v, xp)

    def difference(self, q0: Array, q1: Array, xp: ManifoldNamespace) -> Array:
        """The rotation vector, of length at most π, of R0* R1."""
        return quaternion_log(quaternion_product(conjugate(q0, xp), q1, xp), xp)

    def random(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        """Uniform over all rotations."""
        return normalized(rng.standard_normal((*shape, 4)), np)
