"""The leaves of a mechanism as rational functions: joints speak SymPy, everything after them is exact arithmetic."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from operator_algebra.backends.closed_forms.mechanism import ExactModel, SymbolicNamespace, objects
from operator_algebra.backends.closed_forms.ratios import Ratio, Real
from operator_algebra.backends.closed_forms.symbolic import Expression, Objects, elementwise
from operator_algebra.backends.closed_forms.trigonometry import Translator
from operator_algebra.models.arrays import ModelArrays
from operator_algebra.models.configurations import rest
from operator_algebra.models.kinematics import joint_map_groups, joint_map_rate_groups, joint_transforms
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.leaves import LeafBlocks, LeafValues
from operator_algebra.spatial.arrays import Axes
from operator_algebra.spatial.vectors import apply


class JointExpressions:
    """What the formulas of the joints say at (q, v), in SymPy: poses, maps and their rates, the stretch of springs."""

    def __init__(self, model: ExactModel, q: Objects, v: Objects | None) -> None:
        xp = SymbolicNamespace()
        self.rotation, self.position = (objects(part) for part in joint_transforms(model, q, xp))
        self.maps = [objects(group.blocks) for group in joint_map_groups(model, q, xp)]
        rates = [] if v is None else joint_map_rate_groups(model, q, v, xp)
        self.rates = [(group.bodies, objects(group.blocks)) for group in rates]
        self.stretch = objects(model.difference(rest(model), q))

    def entries(self) -> Iterable[Expression]:
        """Every expression."""
        arrays = (self.rotation, self.position, self.stretch, *self.maps, *(blocks for _, blocks in self.rates))
        return (entry for array in arrays for entry in array.flat)


class RatioLeaves(LeafValues):
    """The blocks of leaves as arrays of ratios."""

    def __init__(self, model: ExactModel, joints: JointExpressions, frame: Axes, translator: Translator) -> None:
        functions = translator.functions

        def in_lowest_terms(x: Ratio | Real) -> Ratio:
            return functions.reduced(functions.number(x))

        self._translated, self._reduced = elementwise(translator.ratio), elementwise(in_lowest_terms)
        self._joints = joints
        made = copy.copy(model)
        made.__dict__["gravity"] = tuple(self._translated(objects(model.gravity)))
        arrays = {field: self._translated(objects(value)) for field, value in vars(model.arrays).items()}
        made.__dict__["arrays"] = ModelArrays(**arrays)
        super().__init__(made, np.empty(0), None, frame)

    @cached_property
    def relative(self) -> tuple[Objects, Objects]:
        """Pose of each body in its parent."""
        rotation, position = self._translated(self._joints.rotation), self._translated(self._joints.position)
        placed = self.model.arrays.rotation
        return self._reduced(placed @ rotation), self._reduced(self.model.arrays.translation + apply(placed, position))

    @cached_property
    def absolute(self) -> tuple[Objects, Objects]:
        """Pose of each body in the base."""
        rotation, position = super().absolute
        return self._reduced(rotation), self._reduced(position)

    @property
    def _H(self) -> list[LeafBlocks]:
        groups = zip(self.model.joint_groups, self._joints.maps, strict=True)
        return [self._joint_map(group.bodies, self._translated(blocks)) for group, blocks in groups]

    @property
    def _H_dot(self) -> list[LeafBlocks]:
        return [self._joint_map(bodies, self._translated(blocks)) for bodies, blocks in self._joints.rates]

    @property
    def _spring(self) -> list[LeafBlocks]:
        pull = self.model.arrays.stiffness * self._translated(self._joints.stretch)
        return [LeafBlocks(group.bodies, pull[group.v][..., None]) for group in self.model.joint_groups]

    def block_list(self, leaf: Leaf) -> list[Objects]:
        """The blocks of a leaf by body, in lowest terms."""
        return [self._reduced(block) for block in self.blocks(leaf)]
