"""The leaves of a mechanism as blocks of nodes, from the factors of their records; what the model has is constant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np

from operator_algebra.backends.scalar.algebra import Moved, NodeNumbers, Product, Turn, Turned
from operator_algebra.backends.scalar.graph import Node, Scalar
from operator_algebra.models.model import Model
from operator_algebra.operators.arrays import AnyBlock, AnyMatrix, AnyVector
from operator_algebra.operators.leaf import Leaf, RigidShift
from operator_algebra.operators.leaf_factors import BodyClass, body_classes, factors
from operator_algebra.operators.leaf_factors import Shift as ShiftFactor
from operator_algebra.programs.matrices import Matrix

Pose = tuple[AnyMatrix, AnyVector]


def each_alone(classes: Sequence[BodyClass]) -> dict[int, BodyClass]:
    """Classes of one body each, by body."""
    return {int(k): of.alone(i) for of in classes for i, k in enumerate(of.bodies.tolist())}


class NodeLeaves:
    """Blocks by leaf and body at coordinates and rates that are nodes; the formulas of the joints are traced."""

    def __init__(
        self,
        model: Model,
        numbers: NodeNumbers,
        q: Sequence[Node],
        v: Sequence[Node] | None,
        own: Mapping[int, BodyClass] | None = None,
    ) -> None:
        """With `own`, bodies whose numbers, axes and coordinates are not those of the model; others have no blocks."""
        self.model = model
        self.numbers = numbers
        self.q = np.array(q, dtype=object)
        self.v = None if v is None else np.array(v, dtype=object)
        self._own = each_alone(body_classes(model)) if own is None else own
        self._found: dict[tuple[Leaf, int], Matrix] = {}
        self._poses: dict[int, tuple[Pose, list[AnyMatrix]]] = {}
        self._absolute: dict[int, Pose] = {}

    def block(self, leaf: Leaf, k: int) -> Matrix:
        """The block of a leaf at a body, for one on an edge that to its parent."""
        found = self._found.get((leaf, k))
        if found is None:
            found = self._found[leaf, k] = self._formed(leaf, k)
        return found

    def _formed(self, leaf: Leaf, k: int) -> Matrix:
        if not leaf.at(self.model.columns.example(k)):
            return self.numbers.zeros(*leaf.block_shape(int(self.model.columns.nv[k])))
        if leaf.form == RigidShift("parent"):
            (_, position), turns = self._pose(leaf, k)
            return self._shift(position, turns)
        if leaf.form == RigidShift("base"):
            rotation, position = self._base(leaf, k)
            return self._shift(position, [rotation])
        own = self._own[k]
        rates = None if self.v is None else self.v[own.v]
        *shifts, last = factors(leaf, own, self.q[own.q], rates, np)
        parts = [self._of_factor(shift) for shift in shifts if isinstance(shift, ShiftFactor)]
        made = self._matrix(last.block(np))
        block = self.numbers.product(*parts, made)
        return self.numbers.averaged(block) if leaf.structure.symmetric else block

    # -- rigid shifts ----------------------------------------------------------------------------------------------

    def _pose(self, leaf: Leaf, k: int) -> tuple[Pose, list[AnyMatrix]]:
        """The pose in the parent, and the rotations that apply it: one, or a plain one and one more."""
        if k not in self._poses:
            own = self._own[k]
            placement, motion = factors(leaf, own, self.q[own.q], None, np)
            assert isinstance(placement, ShiftFactor)
            assert isinstance(motion, ShiftFactor)
            turned = placement.rotation @ motion.rotation
            position = placement.position + placement.rotation @ motion.position
            before, after = self._in_planes(placement.rotation), self._in_planes(motion.rotation)
            turns = [*before, *(after or [motion.rotation])] if before else [turned]
            self._poses[k] = (turned, position), turns
        return self._poses[k]

    def _base(self, leaf: Leaf, k: int) -> Pose:
        """The pose in the base."""
        way = [k]
        while way[-1] not in self._absolute and self.model.parent[way[-1]] >= 0:
            way.append(self.model.parent[way[-1]])
        for body in reversed(way):
            if body not in self._absolute:
                (rotation, position), _ = self._pose(leaf, body)
                above = self._absolute.get(self.model.parent[body])
                if above is not None:
                    rotation, position = above[0] @ rotation, above[1] + above[0] @ position
                self._absolute[body] = rotation, position
        return self._absolute[k]

    def _of_factor(self, shift: ShiftFactor) -> Matrix:
        made = self._shift(shift.position, [shift.rotation])
        return made.T if shift.star else made

    def _shift(self, position: AnyVector, turns: Sequence[AnyMatrix]) -> Matrix:
        """φ(R, l) as a translation after rotations, those left out that do nothing."""
        numbers = self.numbers
        x, y, z = self._nodes(position)
        zero, unit = numbers.zero, numbers.identity(6)
        lever = ((zero, -z, y), (z, zero, -x), (-y, x, zero))
        parts: list[Matrix] = [
            Moved(
                [[*row[:3], *side] for row, side in zip(unit.rows, lever, strict=False)] + list(unit.rows[3:]),
                6,
                (x, y, z),
            )
        ] * any(entry is not zero for entry in (x, y, z))
        parts += [turned for turn in turns if (turned := self._turned(turn)) is not None]
        if not parts:
            return unit
        return Product(numbers.product(*parts).rows, 6, tuple(parts))

    def turn(self, rotation: AnyMatrix) -> Matrix:
        """A rotation of both halves, as a product of turns in planes where it is one."""
        return self._shift(np.zeros(3), self._in_planes(rotation) or [rotation])

    def _in_planes(self, rotation: AnyMatrix) -> list[AnyMatrix]:
        """A rotation as one turn in a plane, or two; as itself where it permutes; nothing where it is none of these.

        Where its entry (i, j) is zero it turns about axis i what was turned about axis j.
        """
        rows, zero = self._matrix(rotation).rows, self.numbers.zero
        if _permutes(rows) or self._plane(rows) is not None:
            return [rotation]
        for i, j in permutations(range(3), 2):
            if rows[i][j] is zero:
                k, left = 3 - i - j, (j - i) % 3 != 1
                first, second = rows[k][j], rows[i][k]
                if left:
                    first, second = -first, -second
                return [_turn_about(i, rows[j][j], first), _turn_about(j, rows[i][i], second)]
        return []

    def _turned(self, rotation: AnyMatrix) -> Matrix | None:
        """A rotation of both halves; None if it is the identity."""
        rows = self._matrix(rotation).rows
        zero, none = self.numbers.zero, [self.numbers.zero] * 3
        if all(
            entry is (self.numbers.one if i == j else zero) for i, row in enumerate(rows) for j, entry in enumerate(row)
        ):
            return None
        return Turned([[*row, *none] for row in rows] + [[*none, *row] for row in rows], 6, self._plane(rows))

    def _plane(self, rows: Sequence[Sequence[Node]]) -> Turn | None:
        """The plane of a rotation that leaves an axis where it is, and does not only permute them."""
        zero, one = self.numbers.zero, self.numbers.one
        if _permutes(rows):
            return None
        for i, j in ((0, 1), (1, 2), (2, 0)):
            k = 3 - i - j
            still = rows[k][k] is one and all(rows[k][m] is zero and rows[m][k] is zero for m in (i, j))
            if still and rows[i][i] is rows[j][j] and -rows[j][i] is rows[i][j]:
                return Turn(i, j, rows[i][i], rows[j][i])
        return None

    # -- nodes of numbers ------------------------------------------------------------------------------------------

    def _nodes(self, entries: AnyVector) -> list[Node]:
        numbers: list[Scalar] = np.asarray(entries).tolist()
        return [self.numbers.graph.of(x) for x in numbers]

    def _matrix(self, block: AnyBlock) -> Matrix:
        rows: list[list[Scalar]] = np.asarray(block).tolist()
        return Matrix([[self.numbers.graph.of(x) for x in row] for row in rows], np.shape(block)[-1])


def _permutes(rows: Sequence[Sequence[Node]]) -> bool:
    return all(x.known and abs(x.value) in (0.0, 1.0) for row in rows for x in row)


def _turn_about(axis: int, cosine: Node, sine: Node) -> AnyMatrix:
    found = np.eye(3, dtype=object)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    found[i, i] = found[j, j] = cosine
    found[i, j], found[j, i] = -sine, sine
    return found
