"""The helical joint: a screw."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from operator_algebra.models.joints.axis import AxisJoint, columns
from operator_algebra.models.joints.joint import Mark, Options, Rows
from operator_algebra.spatial.arrays import Array, ArrayNamespace
from operator_algebra.spatial.rotations import rotation_about
from operator_algebra.spatial.stacked import between


@dataclass(frozen=True, kw_only=True, repr=False)
class Helical(AxisJoint):
    """q is the angle about the axis; `pitch` is the advance along it per radian."""

    kind: ClassVar[str] = "helical"
    nq: ClassVar[int] = 1
    nv: ClassVar[int] = 1
    parameters: ClassVar[tuple[str, ...]] = ("axis", "pitch")
    draws: ClassVar[tuple[int, int]] = (3, 1)
    needs: ClassVar[Mapping[str, str]] = MappingProxyType({"pitch": "the advance per radian"})
    lengths: ClassVar[tuple[str, ...]] = ("pitch",)
    mark: ClassVar[Mark] = Mark("H", "p")

    pitch: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "pitch", self._per_dof(self.pitch, 1, "pitch")[0])
        super().__post_init__()

    def transform(self, q: Array, xp: ArrayNamespace) -> tuple[Array, Array]:
        """R = exp(q ã), p = h q a."""
        return rotation_about(self._axis(), q, xp), q * self._advance()

    def motion_map(self, q: Array, xp: ArrayNamespace) -> Array:
        """H* = [a; h a]."""
        return self._constant(columns((self._axis(), self._advance())), q, xp)

    def random(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray[np.float64]:
        """Any angle."""
        return rng.uniform(-math.pi, math.pi, (*shape, 1))

    @classmethod
    def chain_options(cls, k: int) -> Options:
        """Screws of one pitch."""
        return {**super().chain_options(k), "pitch": 0.1}

    @classmethod
    def random_columns(cls, normal: Rows, uniform: Rows) -> dict[str, Rows]:
        """Any axis, a right- or left-hand screw."""
        return {**super().random_columns(normal, uniform), "pitch": between(uniform[:, 0], -0.3, 0.3)}

    def _advance(self) -> NDArray[np.float64]:
        return np.asarray(self.pitch)[..., None] * self._axis()
