"""A URDF file in Pinocchio, and where our coordinates stand there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from operator_algebra.models.gallery import Base
from operator_algebra.models.model import Model
from tests.models.formats.urdf.robots import Floats


class Pinocchio:
    """A file in the other engine, and the places of our coordinates there."""

    def __init__(self, path: str, model: Model, base: Base) -> None:
        self.pin: Any = import_module("pinocchio")
        pin = self.pin
        self.model = pin.buildModelFromUrdf(path, *([pin.JointModelFreeFlyer()] if base == "floating" else []))
        self.data = self.model.createData()
        self.ours = model
        self.base = base

    def configuration(self, q: Floats) -> Floats:
        """Our coordinates in its order and with its parameters: cos and sin for some angles, quaternions x y z w."""
        result: Floats = self.pin.neutral(self.model)
        for k, part in enumerate(self.ours.q_slices):
            values = q[part]
            if len(values) == 7:
                result[:7] = [*values[:3], *values[4:], values[3]]
            elif len(values) == 1:
                joint = self._joint(k)
                result[joint.idx_q : joint.idx_q + joint.nq] = (
                    values if joint.nq == 1 else (np.cos(values[0]), np.sin(values[0]))
                )
        return result

    def order(self) -> Any:
        """Where each of our rates stands among its rates."""
        places: list[int] = []
        for k, part in enumerate(self.ours.v_slices):
            if part.stop - part.start == 6:
                places += [3, 4, 5, 0, 1, 2]  # linear velocities come first there
            elif part.stop - part.start == 1:
                places.append(self._joint(k).idx_v)
        return np.array(places, dtype=np.intp)

    def _joint(self, k: int) -> Any:
        return self.model.joints[self.model.getJointId(self.ours.joint_names[k])]
