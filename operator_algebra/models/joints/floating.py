"""The floating joint: free motion in space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.joints.joint import Joint, Mark
from operator_algebra.spatial.arrays import Array, ArrayNamespace, ManifoldNamespace
from operator_algebra.spatial.rotations import (
    conjugate,
    left_jacobian,
    left_jacobian_inverse,
    normalized,
    quaternion_exp,
    quaternion_log,
    quaternion_matrix,
    quaternion_product,
    quaternion_rate,
)
from operator_algebra.spatial.vectors import apply


@dataclass(frozen=True, kw_only=True, repr=False)
class Floating(Joint):
    """q = (position in the joint's frame, quaternion w x y z); the rates are the twist in the axes of the child."""

    kind: ClassVar[str] = "floating"
    nq: ClassVar[int] = 7
    nv: ClassVar[int] = 6
    quaternion: ClassVar[slice | None] = slice(3, 7)
    mark: ClassVar[Mark] = Mark("F", "h")

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R of the quaternion, p the position."""
        return quaternion_matrix(q[..., 3:7], xp), q[..., 0:3]

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H* = I."""
        return self._constant(np.eye(6), q, xp)

    def neutral(self) -> NDArray[np.float64]:
        """At the joint's frame."""
        return np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

    def integrate(self, q: Array, dv: Array, xp: ManifoldNamespace) -> Array:
        """The screw motion of the constant twist dv: R exp(ω~), p + R V(ω) v."""
        turn, shift = dv[..., :3], dv[..., 3:]
        moved = apply(quaternion_matrix(q[..., 3:7], xp), apply(left_jacobian(turn, xp), shift))
        turned = normalized(quaternion_product(q[..., 3:7], quaternion_exp(turn, xp), xp), xp)
        return xp.concatenate([q[..., 0:3] + moved, turned], axis=-1)

    def rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        """ṗ = R v, and ½ of the quaternion ∘ [0, ω]."""
        moved = apply(quaternion_matrix(q[..., 3:7], xp), v[..., 3:])
        return xp.concatenate([moved, quaternion_rate(q[..., 3:7], v[..., :3], xp)], axis=-1)

    def difference(self, q0: Array, q1: Array, xp: ManifoldNamespace) -> Array:
        """The twist of the screw motion from q0 to q1 that turns by at most π."""
        back = conjugate(q0[..., 3:7], xp)
        turn = quaternion_log(quaternion_product(back, q1[..., 3:7], xp), xp)
        shift = apply(quaternion_matrix(back, xp), q1[..., 0:3] - q0[..., 0:3])
        return xp.concatenate([turn, apply(left_jacobian_inverse(turn, xp), shift)], axis=-1)

    def random(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        """Any rotation, a position within a cube about the joint's frame."""
        position = rng.uniform(-1.0, 1.0, (*shape, 3))
        return np.concatenate([position, normalized(rng.standard_normal((*shape, 4)), np)], axis=-1)
