"""The planar joint: motion in a plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.joints.axis import AxisJoint, columns
from operator_algebra.models.joints.joint import Mark
from operator_algebra.spatial.arrays import Array, ArrayNamespace, ManifoldNamespace
from operator_algebra.spatial.rotations import left_jacobian, left_jacobian_inverse, rotation_about
from operator_algebra.spatial.vectors import apply


@dataclass(frozen=True, kw_only=True, repr=False)
class Planar(AxisJoint):
    """q = (angle about the normal, x, y in the joint's frame); the rates (ω, v_x, v_y) are in the axes of the child.

    With the normal z, x and y are the axes of the joint's frame. For another normal n they are where the smallest
    rotation that takes z to n takes x and y.
    """

    kind: ClassVar[str] = "planar"
    nq: ClassVar[int] = 3
    nv: ClassVar[int] = 3
    mark: ClassVar[Mark] = Mark("E", "h")

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R = exp(θ ñ), p = x e₁ + y e₂."""
        first, second = self._in_plane()
        return rotation_about(self._axis(), q[..., 0:1], xp), q[..., 1:2] * first + q[..., 2:3] * second

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H* = [n 0 0; 0 e₁ e₂]."""
        axis = self._axis()
        first, second = self._in_plane()
        zero = np.zeros_like(axis)
        return self._constant(columns((axis, zero), (zero, first), (zero, second)), q, xp)

    @property
    def allows_springs(self) -> bool:
        """The rates along x and y turn with the child."""
        return False

    def integrate(self, q: Array, dv: Array, xp: ManifoldNamespace) -> Array:
        """The turn of the constant twist dv about its fixed point in the plane."""
        turn = dv[..., 0:1] * self._axis()
        moved = apply(rotation_about(self._axis(), q[..., 0:1], xp), apply(left_jacobian(turn, xp), self._lift(dv)))
        return xp.concatenate([q[..., 0:1] + dv[..., 0:1], q[..., 1:3] + self._flat(moved, xp)], axis=-1)

    def rate(self, q: Array, v: Array, xp: ArrayNamespace) -> Array:
        """θ̇ = ω; (ẋ, ẏ) are the rates of the child in the axes of the joint's frame."""
        moved = apply(rotation_about(self._axis(), q[..., 0:1], xp), self._lift(v))
        return xp.concatenate([v[..., 0:1] + 0.0 * q[..., 0:1], self._flat(moved, xp)], axis=-1)

    def difference(self, q0: Array, q1: Array, xp: ManifoldNamespace) -> Array:
        """The twist from q0 to q1 that turns by at most π: full turns are not counted."""
        angle = q1[..., 0:1] - q0[..., 0:1]
        angle = xp.arctan2(xp.sin(angle), xp.cos(angle))
        back = rotation_about(self._axis(), -q0[..., 0:1], xp)
        shift = apply(left_jacobian_inverse(angle * self._axis(), xp), apply(back, self._lift(q1 - q0)))
        return xp.concatenate([angle, self._flat(shift, xp)], axis=-1)

    def random(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        """Any angle, a position within a square about the joint's frame."""
        return rng.uniform(-1.0, 1.0, (*shape, 3)) * np.array([math.pi, 1.0, 1.0])

    def _in_plane(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        normal = self._axis()
        x, y, z = normal[..., 0], normal[..., 1], normal[..., 2]
        # 1 / (1 + z), where 1 + z = (x² + y²) / (1 − z) keeps its digits below. For the normal −z no smallest rotation
        # is singled out; half a turn about x is taken.
        aside = x * x + y * y
        below = z < 0
        down = below & (aside < 1e-280)
        scale = np.where(below, 1.0 - z, 1.0) / np.where(below, np.where(down, 1.0, aside), 1.0 + z)
        first = np.stack([1.0 - x * x * scale, -x * y * scale, -x], axis=-1)
        second = np.stack([-x * y * scale, 1.0 - y * y * scale, -y], axis=-1)
        down = down[..., None]
        return np.where(down, [1.0, 0.0, 0.0], first), np.where(down, [0.0, -1.0, 0.0], second)

    def _lift(self, planar: Array) -> Array:
        first, second = self._in_plane()
        return planar[..., 1:2] * first + planar[..., 2:3] * second

    def _flat(self, vector: Array, xp: ArrayNamespace) -> Array:
        first, second = self._in_plane()
        return xp.stack([(vector * first).sum(-1), (vector * second).sum(-1)], axis=-1)
