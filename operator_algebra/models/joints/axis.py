"""What the joints with one fixed axis share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from operator_algebra.errors import ModelError
from operator_algebra.models.joints.joint import Joint, Options, Rows
from operator_algebra.spatial.arrays import Array, ArrayNamespace, Vector3
from operator_algebra.spatial.stacked import directions, unit_vectors
from operator_algebra.spatial.transforms import unit_vector

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class AxisJoint(Joint):
    """A joint about or along a unit axis, given in the joint's frame, which is also its direction in the child's."""

    parameters: ClassVar[tuple[str, ...]] = ("axis",)
    draws: ClassVar[tuple[int, int]] = (3, 0)

    axis: Vector3 = Z

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", unit_axis(self, self.axis, "axis"))
        super().__post_init__()

    @classmethod
    def chain_options(cls, k: int) -> Options:
        """Axes z and y in turn."""
        return {"axis": Y if k % 2 else Z}

    @classmethod
    def random_columns(cls, normal: Rows, uniform: Rows) -> dict[str, Rows]:
        """Any axis."""
        del uniform
        return {"axis": directions(normal)}

    @classmethod
    def kept_columns(cls, options: Mapping[str, Rows]) -> dict[str, Rows]:
        """Axes of length one."""
        return {**super().kept_columns(options), "axis": unit_vectors(options["axis"])}

    def _axis(self) -> NDArray[np.float64]:
        return np.asarray(self.axis)  # floats; numbers with more digits stay what they are

    def _no_rotation(self, q: Array, xp: ArrayNamespace) -> Array:
        return self._constant(np.eye(3), q, xp)

    def _no_translation(self, q: Array, xp: ArrayNamespace) -> Array:
        return self._constant(np.zeros((3, 1)), q, xp)[..., 0]


def unit_axis(joint: Joint, axis: Any, what: str) -> Vector3:
    """The axis scaled to length one, or a `ModelError` that names the joint."""
    try:
        return unit_vector(axis, f"the {what}")
    except ModelError as error:
        raise joint.error(str(error)) from None


def random_direction(rng: np.random.Generator) -> Vector3:
    """A unit vector, uniform over all directions."""
    x, y, z = rng.standard_normal(3).tolist()
    norm = math.hypot(x, y, z)
    return (x / norm, y / norm, z / norm)


def columns(*twists: tuple[Any, Any]) -> NDArray[np.float64]:
    """A constant joint map from the angular and linear part of each column; (..., 6, columns)."""
    return np.stack([np.concatenate(twist, axis=-1) for twist in twists], axis=-1)
