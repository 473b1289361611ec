"""The leaf operators of a mechanism at (q, v), block by block, in either frame. Nothing else knows the frame."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from operator_algebra.arguments import choice, shown
from operator_algebra.errors import InputError
from operator_algebra.models.configurations import rest
from operator_algebra.models.kinematics import body_transforms, inertia_blocks, joint_map_groups, joint_map_rate_groups
from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Indices
from operator_algebra.operators.local_blocks import LOCAL_ENTRIES
from operator_algebra.spatial.arrays import ArrayNamespace
from operator_algebra.spatial.transforms import phi_block
from operator_algebra.spatial.vectors import apply, block_matrix, skew

Frame = Literal["body", "world"]
FRAMES = {"body": "axes of each body", "world": "of the base"}

LEAF_NAMES = ("E_phi", "H", "H_dot", "M", "armature", "damping", "spring", "a_ground", "E_ground", "X_cm", "X_abs")


class LeafBlocks(NamedTuple):
    """Blocks of one shape: those of `bodies`, (..., m, rows, columns)."""

    bodies: Indices
    blocks: Any


class LeafValues:
    """The blocks of each leaf, computed when first asked for; q (..., nq) and v (..., nv) may have leading axes.

    `body` axes: blocks about each body's origin in the axes of the body. `world`: about the same points in the axes of
    the base, so that φ is a pure shift. One block for each body; those of E_phi belong to the edge to the parent.
    The formulas of the joints call the functions of `xp`.

    >>> from operator_algebra.models.families import chain
    >>> arm = chain(2)
    >>> LeafValues(arm, arm.neutral()).blocks("H")[0].shape
    (1, 6)
    """

    def __init__(self, model: Model, q: Any, v: Any = None, frame: Frame = "body", xp: ArrayNamespace = np) -> None:
        choice(frame, "frame", FRAMES)
        self.model = model
        self.q = np.asarray(q)
        self.v = None if v is None else np.asarray(v)
        self.frame: Frame = frame
        self.xp = xp
        self._found: dict[str, list[LeafBlocks]] = {}

    def groups(self, name: str) -> list[LeafBlocks]:
        """The blocks of a leaf, gathered by shape; bodies that are not listed have zero blocks."""
        if name not in self._found:
            if name not in LEAF_NAMES:
                raise InputError(f"{shown(name)} is not a leaf of a model. The leaves are {', '.join(LEAF_NAMES)}.")
            self._found[name] = getattr(self, f"_{name}")
        return self._found[name]

    def blocks(self, name: str) -> list[Any]:
        """The block of each body, (..., rows, columns)."""
        result: list[Any] = [None] * self.model.n
        for bodies, blocks in self.groups(name):
            for i, k in enumerate(bodies.tolist()):
                result[k] = blocks[..., i, :, :]
        for k, body in enumerate(self.model.bodies):
            if result[k] is None:
                shape = {"H_dot": (body.joint.nv, 6), "a_ground": (6, 1), "spring": (body.joint.nv, 1)}.get(
                    name, (6, 6)
                )
                result[k] = np.zeros(shape)
        return result

    # -- geometry --------------------------------------------------------------------------------------------------

    @cached_property
    def relative(self) -> tuple[Any, Any]:
        """Pose of each body in its parent: R (..., n, 3, 3), l (..., n, 3)."""
        rotation, position = body_transforms(self.model, self.q, self.xp)
        return np.ascontiguousarray(rotation), np.ascontiguousarray(position)

    @cached_property
    def absolute(self) -> tuple[Any, Any]:
        """Pose of each body in the base: R (..., n, 3, 3), p (..., n, 3).

        Paths to the base are composed in pieces of doubling length: as many rounds as the logarithm of the depth.
        """
        kind = np.result_type(*self.relative)  # where nothing slides, only the rotations are as wide as q
        rotation, position = (np.array(part, dtype=kind, order="C") for part in self.relative)
        above = np.array(self.model.parent, dtype=np.intp)
        (below,) = np.nonzero(above >= 0)
        while len(below):
            via = above[below]
            # Taken, not indexed: the same layout in memory, hence the same rounding, for any leading axes.
            carried = np.take(rotation, via, axis=-3)
            own = np.take(position, below, axis=-2)
            position[..., below, :] = np.take(position, via, axis=-2) + apply(carried, own)
            rotation[..., below, :, :] = carried @ np.take(rotation, below, axis=-3)
            above[below] = above[via]
            below = below[above[below] >= 0]
        return rotation, position

    @cached_property
    def _axes(self) -> Any:
        """What takes 6-vectors from body axes to the axes of the frame: (..., n, 6, 6)."""
        rotation = self.absolute[0]
        zero = np.zeros_like(rotation)
        return block_matrix(((rotation, zero), (zero, rotation)), np)

    @cached_property
    def _shifts(self) -> Any:
        """φ(parent, k), and φ(ground, k) at roots: (..., n, 6, 6)."""
        rotation, offset = self.relative
        if self.frame == "body":
            return phi_block(rotation, offset, np)
        parent = np.array(self.model.parent, dtype=np.intp)
        carried = np.where((parent >= 0)[:, None, None], np.take(self.absolute[0], parent, axis=-3), np.eye(3))
        return phi_block(np.zeros_like(rotation) + np.eye(3), apply(carried, offset), np)

    # -- leaves ----------------------------------------------------------------------------------------------------

    @property
    def _all(self) -> Indices:
        return np.arange(self.model.n, dtype=np.intp)

    @property
    def _E_phi(self) -> list[LeafBlocks]:
        return [LeafBlocks(self._all, self._shifts)]

    @property
    def _E_ground(self) -> list[LeafBlocks]:
        roots = np.array(self.model.roots, dtype=np.intp)
        return [LeafBlocks(roots, self._shifts[..., roots, :, :])]

    @property
    def _a_ground(self) -> list[LeafBlocks]:
        """φ*(ground, root) [0; −g]: the ground accelerates against gravity."""
        roots = np.array(self.model.roots, dtype=np.intp)
        ground = np.concatenate([np.zeros(3), -np.asarray(self.model.gravity)])
        shifted = np.swapaxes(self._shifts[..., roots, :, :], -1, -2) @ ground
        return [LeafBlocks(roots, shifted[..., None])]

    @property
    def _H(self) -> list[LeafBlocks]:
        return [self._joint_map(*group) for group in joint_map_groups(self.model, self.q, self.xp)]

    @property
    def _H_dot(self) -> list[LeafBlocks]:
        if self.v is None:
            raise InputError(f"H_dot of {self.model.name} needs v (rate, {self.model.nv} entries); it was not given.")
        return [self._joint_map(*group) for group in joint_map_rate_groups(self.model, self.q, self.v, self.xp)]

    def _joint_map(self, bodies: Indices, motion: Any) -> LeafBlocks:
        if self.frame == "world":
            motion = self._axes[..., bodies, :, :] @ motion
        return LeafBlocks(bodies, np.swapaxes(motion, -1, -2))

    @property
    def _M(self) -> list[LeafBlocks]:
        inertia = inertia_blocks(self.model, np.finfo(self.q.dtype).dtype if self.q.dtype.kind in "fc" else np.float64)
        if self.frame == "world":
            inertia = self._axes @ inertia @ np.swapaxes(self._axes, -1, -2)
        # Products leave a skew part at rounding level; M is symmetric by definition, to the bit.
        return [LeafBlocks(self._all, 0.5 * (inertia + np.swapaxes(inertia, -1, -2)))]

    @property
    def _armature(self) -> list[LeafBlocks]:
        return self._per_dof(self.model.arrays.armature)

    @property
    def _damping(self) -> list[LeafBlocks]:
        return self._per_dof(self.model.arrays.damping)

    @property
    def _spring(self) -> list[LeafBlocks]:
        """stiffness (q ⊖ rest): the joint force that stretches the springs."""
        stretch = self.model.arrays.stiffness * self.model.difference(rest(self.model), self.q)
        return [LeafBlocks(group.bodies, stretch[..., group.v][..., None]) for group in self.model.joint_groups]

    def _per_dof(self, values: Any) -> list[LeafBlocks]:
        return [
            LeafBlocks(group.bodies, values[group.v][..., :, None] * np.eye(group.v.shape[-1]))
            for group in self.model.joint_groups
        ]

    @property
    def _X_cm(self) -> list[LeafBlocks]:
        """Force about the body's origin → about its mass centre: [[I, −p̃], [0, I]]."""
        com = self.model.arrays.com
        if self.frame == "world":
            com = apply(self.absolute[0], com)
        upper = -skew(com, np)
        eye = np.zeros_like(upper) + np.eye(3)
        return [LeafBlocks(self._all, block_matrix(((eye, upper), (np.zeros_like(upper), eye)), np))]

    @property
    def _X_abs(self) -> list[LeafBlocks]:
        """Force about the body's origin → about the origin of the base, in base axes."""
        rotation, position = self.absolute
        if self.frame == "world":
            rotation = np.zeros_like(rotation) + np.eye(3)
        return [LeafBlocks(self._all, phi_block(rotation, position, np))]


def _local_blocks(name: str) -> Callable[[Any], Any]:
    table = np.array(LOCAL_ENTRIES[name])

    def blocks(vector: Any) -> Any:
        # Taken, not indexed: C-ordered for any leading axes; −i counts from the end.
        entries = np.concatenate([np.zeros_like(vector[..., :1]), vector, -vector[..., ::-1]], axis=-1)
        return np.take(entries, table, axis=-1)

    return blocks


LOCAL_BLOCKS = {name: _local_blocks(name) for name in LOCAL_ENTRIES}
"""The block of each local function, (..., 6, 6), from the blocks of its argument, (..., 6)."""
