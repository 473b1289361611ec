"""The leaf operators of a mechanism at (q, v), block by block, in either frame. Nothing else knows the frame."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple, assert_never

import numpy as np
from numpy.typing import ArrayLike

from operator_algebra.arguments import choice
from operator_algebra.errors import InputError
from operator_algebra.models.configurations import rest
from operator_algebra.models.kinematics import body_transforms, inertia_blocks, joint_map_groups, joint_map_rate_groups
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Kind
from operator_algebra.operators.arrays import (
    Coordinates,
    Freedoms,
    Indices,
    MotionBlocks,
    Motions,
    OfBodies,
    Positions,
    Rates,
    Rotations,
    SampleBlock,
    SampleBlocks,
    Spatial,
    Twists,
)
from operator_algebra.operators.leaf import (
    GroundAcceleration,
    JointDiagonal,
    JointMap,
    JointMapRate,
    Leaf,
    RigidInertia,
    RigidShift,
    SpringForce,
)
from operator_algebra.operators.local import LocalFunction
from operator_algebra.spatial.arrays import FRAMES, ArrayNamespace, Axes
from operator_algebra.spatial.transforms import phi_block
from operator_algebra.spatial.vectors import apply, block_matrix, skew


class LeafBlocks(NamedTuple):
    """Blocks of one shape: those of `bodies`, (..., m, rows, columns)."""

    bodies: Indices
    blocks: SampleBlocks


class Places(NamedTuple):
    """Where blocks stand: which of those listed are in the matrix, and in which block row and block column."""

    listed: Indices
    rows: Indices
    cols: Indices


def places(leaf: Leaf, bodies: Indices, parent: OfBodies) -> Places:
    """Where the blocks of these bodies stand in the matrix of a leaf; `parent` is that of every body, −1 at roots."""
    every, first = np.arange(len(bodies), dtype=np.intp), np.zeros(len(bodies), dtype=np.intp)
    match leaf.stands:
        case "body":
            return Places(every, bodies, bodies)
        case "edge":
            inner = every[parent[bodies] >= 0]
            return Places(inner, parent[bodies[inner]], bodies[inner])
        case "ground edge":
            return Places(every, first, bodies)
        case "column":
            return Places(every, bodies, first)
        case _:
            assert_never(leaf.stands)


class LeafValues:
    """The blocks of each leaf, computed when first asked for; q (..., nq) and v (..., nv) may have leading axes.

    `body` axes: blocks about each body's origin in the axes of the body. `world`: about the same points in the axes of
    the base, so that φ is a pure shift. One block for each body; those of E_phi belong to the edge to the parent.
    The formulas of the joints call the functions of `xp`.

    >>> from operator_algebra.models.families import chain
    >>> from operator_algebra.operators import leaf
    >>> arm = chain(2)
    >>> LeafValues(arm, arm.neutral()).blocks(leaf.H)[0].shape
    (1, 6)
    """

    q: Coordinates
    v: Rates | None

    def __init__(
        self, model: Model, q: ArrayLike, v: ArrayLike | None = None, frame: Axes = "body", xp: ArrayNamespace = np
    ) -> None:
        choice(frame, "frame", FRAMES)
        self.model = model
        self.q = np.asarray(q)
        self.v = None if v is None else np.asarray(v)
        self.frame: Axes = frame
        self.xp = xp
        self._found: dict[Leaf, list[LeafBlocks]] = {}

    def groups(self, leaf: Leaf) -> list[LeafBlocks]:
        """The blocks of a leaf, gathered by shape; bodies that are not listed have zero blocks."""
        if leaf not in self._found:
            self._found[leaf] = self._formed(leaf)
        return self._found[leaf]

    def blocks(self, leaf: Leaf) -> list[SampleBlock]:
        """The block of each body, (..., rows, columns)."""
        result: list[SampleBlock] = [
            np.zeros(leaf.block_shape(freedoms)) for freedoms in self.model.columns.nv.tolist()
        ]
        for bodies, blocks in self.groups(leaf):
            for i, k in enumerate(bodies.tolist()):
                result[k] = blocks[..., i, :, :]
        return result

    def _formed(self, leaf: Leaf) -> list[LeafBlocks]:
        match leaf.form:
            case RigidShift("parent"):
                if leaf.stands == "ground edge":
                    return [LeafBlocks(self._roots, self._shifts[..., self._roots, :, :])]
                return [LeafBlocks(self._all, self._shifts)]
            case RigidShift("mass centre"):
                return [LeafBlocks(self._all, self._to_mass_centre())]
            case RigidShift():
                return [LeafBlocks(self._all, self._to_base())]
            case JointMap():
                return self._H
            case JointMapRate():
                return self._H_dot
            case RigidInertia():
                return [LeafBlocks(self._all, self._inertia())]
            case JointDiagonal(field):
                return self._per_dof(
                    {"armature": self.model.arrays.armature, "damping": self.model.arrays.damping}[field]
                )
            case SpringForce():
                return self._spring
            case GroundAcceleration():
                return [LeafBlocks(self._roots, self._against_gravity())]
            case _:
                assert_never(leaf.form)

    # -- geometry --------------------------------------------------------------------------------------------------

    @cached_property
    def relative(self) -> tuple[Rotations, Positions]:
        """Pose of each body in its parent: R (..., n, 3, 3), l (..., n, 3)."""
        rotation, position = body_transforms(self.model, self.q, self.xp)
        return np.ascontiguousarray(rotation), np.ascontiguousarray(position)

    @cached_property
    def absolute(self) -> tuple[Rotations, Positions]:
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
    def _axes(self) -> Spatial:
        """What takes 6-vectors from body axes to the axes of the frame: (..., n, 6, 6)."""
        rotation = self.absolute[0]
        zero = np.zeros_like(rotation)
        return block_matrix(((rotation, zero), (zero, rotation)), np)

    @cached_property
    def _shifts(self) -> Spatial:
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
    def _roots(self) -> Indices:
        return np.array(self.model.roots, dtype=np.intp)

    @property
    def _H(self) -> list[LeafBlocks]:
        return [self._joint_map(*group) for group in joint_map_groups(self.model, self.q, self.xp)]

    @property
    def _H_dot(self) -> list[LeafBlocks]:
        if self.v is None:
            raise InputError(f"H_dot of {self.model.name} needs v (rate, {self.model.nv} entries); it was not given.")
        return [self._joint_map(*group) for group in joint_map_rate_groups(self.model, self.q, self.v, self.xp)]

    def _joint_map(self, bodies: Indices, motion: Twists) -> LeafBlocks:
        if self.frame == "world":
            motion = self._axes[..., bodies, :, :] @ motion
        return LeafBlocks(bodies, np.swapaxes(motion, -1, -2))

    @property
    def _spring(self) -> list[LeafBlocks]:
        """stiffness (q ⊖ rest): the joint force that stretches the springs."""
        stretch = self.model.arrays.stiffness * self.model.difference(rest(self.model), self.q)
        return [LeafBlocks(group.bodies, stretch[..., group.v][..., None]) for group in self.model.joint_groups]

    def _per_dof(self, values: Freedoms) -> list[LeafBlocks]:
        return [
            LeafBlocks(group.bodies, values[group.v][..., :, None] * np.eye(group.v.shape[-1]))
            for group in self.model.joint_groups
        ]

    def _inertia(self) -> Spatial:
        kind: Kind = np.finfo(self.q.dtype).dtype if self.q.dtype.kind in "fc" else np.dtype(np.float64)
        inertia = inertia_blocks(self.model, kind)
        if self.frame == "world":
            inertia = self._axes @ inertia @ np.swapaxes(self._axes, -1, -2)
        # Products leave a skew part at rounding level; M is symmetric by definition, to the bit.
        return 0.5 * (inertia + np.swapaxes(inertia, -1, -2))

    def _against_gravity(self) -> SampleBlocks:
        ground = np.concatenate([np.zeros(3), -np.asarray(self.model.gravity)])
        shifted = np.swapaxes(self._shifts[..., self._roots, :, :], -1, -2) @ ground
        return shifted[..., None]

    def _to_mass_centre(self) -> Spatial:
        com = self.model.arrays.com
        if self.frame == "world":
            com = apply(self.absolute[0], com)
        upper = -skew(com, np)
        eye = np.zeros_like(upper) + np.eye(3)
        return block_matrix(((eye, upper), (np.zeros_like(upper), eye)), np)

    def _to_base(self) -> Spatial:
        rotation, position = self.absolute
        if self.frame == "world":
            rotation = np.zeros_like(rotation) + np.eye(3)
        return phi_block(rotation, position, np)


def local_blocks(function: LocalFunction, motion: Motions) -> MotionBlocks:
    """The blocks of a local function from those of its vector, (..., 6) → (..., 6, 6)."""
    # Taken, not indexed: C-ordered for any leading axes; −i counts from the end.
    entries = np.concatenate([np.zeros_like(motion[..., :1]), motion, -motion[..., ::-1]], axis=-1)
    return np.take(entries, np.array(function.entries), axis=-1)
