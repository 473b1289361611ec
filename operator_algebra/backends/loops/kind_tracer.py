"""One body of a kind, traced: what it computes in each sweep from what it loads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from operator_algebra.backends.loops.classes import Kind
from operator_algebra.backends.loops.records import Columns, Load, Piece, Sign, Slot, Where, turn_of
from operator_algebra.backends.loops.tracer import Few, NotYet, PieceTracer, Shared, entries, is_base
from operator_algebra.backends.pivots import SMALL
from operator_algebra.backends.scalar.algebra import NodeNumbers
from operator_algebra.backends.scalar.graph import Node, Scalar, Untraceable, needed
from operator_algebra.backends.scalar.leaves import NodeLeaves, Pose
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.thin import Along, carried_along
from operator_algebra.backends.sizes import place_of
from operator_algebra.lowering.bounds import Elimination
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.leaf_factors import BodyClass
from operator_algebra.programs.instructions import Shift, added_up, shift_of
from operator_algebra.programs.matrices import Matrix, Number
from operator_algebra.programs.program import Pivot, Program, Step, Sweep
from operator_algebra.programs.records import Ref

IN_BASE = -1
"""In the place of the number of a value, for where bodies stand in the base."""
CARRIED, REST = 0.15, 0.1
"""The parts of what may be lost that are left to columns, and to pivots themselves, where inertia bears most."""
_LARGEST_SIGN = 1.25
_COLUMN = 3.0
"""z z* is no larger than six times the diagonal of its squares; of two such columns the mean counts."""


class _KindLeaves(NodeLeaves):
    """The leaves of one body."""

    def __init__(
        self, model: Model, numbers: NodeNumbers, q: Sequence[Node], v: Sequence[Node] | None, k: int, own: BodyClass
    ) -> None:
        super().__init__(model, numbers, q, v, {k: own})
        self._k = k
        self.in_base: Pose | None = None
        """Where the body stands, once that is known."""

    def block(self, leaf: Leaf, k: int) -> Matrix:
        del k
        return super().block(leaf, self._k)

    def in_parent(self, leaf: Leaf) -> Pose:
        """Where the body stands in its parent."""
        return self._pose(leaf, self._k)[0]

    def _base(self, leaf: Leaf, k: int) -> Pose:
        assert self.in_base is not None
        return self.in_base


@dataclass(frozen=True)
class _Bearing:
    """What tells that no columns are needed: see `weights`, and `thin` where none are there."""

    parts: Elimination
    own: Sequence[Node]
    above: Sequence[Node]
    far: Sequence[Node] = ()
    along: Along[Sequence[Node], Node] | None = None


class KindTracer(PieceTracer):
    """One body of a kind: it is body 1 of a tree of two, or 0 if it is a root."""

    def __init__(self, program: Program, model: Model, signature: Signature, kind: Kind, shared: Shared) -> None:
        self.nodes_of = numbers = self._begin(shared)
        self.kind = kind
        self.weights: list[Numbers] = []
        self._bearing: _Bearing | None = None
        k, (nq, _) = kind.example, kind.coordinates
        bodies = [k] if model.parent[k] < 0 else [model.parent[k], k]
        self.place = len(bodies) - 1
        self.tip = kind.tip
        places = kind.of.joint.quaternion
        self.quaternion = None if places is None else range(nq)[places]
        inputs = {name: [self._entries(signature, name, k)] * len(bodies) for name in signature.values}
        own = kind.alone([self._load(Load("number", i)) for i in range(len(kind.varying))])
        q = [self._load(Load("coordinate", i)) for i in range(nq)]
        v = [row[0] for row in inputs["v"][0].rows] if program.reads_rates else None
        mechanism = Few.of(bodies, model, signature.layouts)
        self._layouts = signature.layouts
        self._posed = _KindLeaves(model, numbers, q, v, k, own)
        super().__init__(program, mechanism, numbers, self._posed, inputs)
        self.signs = self._signs
        for step in program.given:
            if not is_base(step):
                self.blocks[step.number] = self.provided(step)

    # -- loads -----------------------------------------------------------------------------------------------------

    def bear(self, parts: Elimination, own: Numbers, above: Numbers, far: Sequence[Node]) -> None:
        """Let columns of rounding run only where the diagonal of P is large, by weights for each body, (bodies, 6)."""
        self._bearing = _Bearing(parts, list(map(self._number, own.T)), list(map(self._number, above.T)), far)

    def bear_along(self, parts: Elimination, along: Along[Numbers, Numbers]) -> None:
        """Let no columns run, but one number at each body of what is rounded about axes."""
        self._bearing = _Bearing(
            parts, (), (), (), along.each(lambda rows: list(map(self._number, rows.T)), self._number)
        )

    def _number(self, column: Numbers) -> Node:
        """A number of each body, a load where they differ."""
        if (column == column[0]).all():
            return self._graph.of(float(column[0]))
        self.weights.append(column)
        return self._load(Load("number", len(self.kind.varying) + len(self.weights) - 1))

    def _entries(self, signature: Signature, name: str, k: int) -> Matrix:
        """The block of an input at the body, by rows."""
        value = signature.values[name]
        attached = value.rows.attached or value.cols.attached
        if value.dense is not None and value.rows.attached and value.cols.attached:
            raise Untraceable("an input is not local on the tree")
        if value.type.codomain.parts or value.type.domain.parts:
            raise Untraceable("an input has parts")
        height, width = value.of_body(k if attached else 0).shape[-2:]
        if name not in self.shared.order:
            return self.nodes_of.zeros(height, width)
        of = self.shared.order.index(name)
        where: Where = "input" if attached else "common"
        down = value.dense is not None and value.cols.attached  # what belongs to bodies are columns
        rows = [
            [self._load(Load(where, j * height + i if down else i * width + j, of)) for j in range(width)]
            for i in range(height)
        ]
        found = Matrix(rows, width)
        return self.nodes_of.averaged(found) if value.structure.symmetric else found

    def _signs(self, count: int, salt: int, k: int) -> Matrix:
        del k
        sign, known = Sign(count, salt), self.shared.signs
        if sign not in known:
            known.append(sign)
        of = known.index(sign)
        return Matrix([[self._load(Load("sign", 2 * i + j, of)) for j in (0, 1)] for i in range(count)], 2)

    def rounding_root(self, size: Number) -> Node:
        """One that need not be exact: see `body.rough_root`."""
        assert isinstance(size, Node)
        root = self._graph.root(size)
        self.rough.add(root.number)
        return root

    # -- what is read ----------------------------------------------------------------------------------------------

    def provided(self, step: Step) -> list[Matrix]:
        """The block of a leaf, an input or unit columns at the body."""
        counted = step.type.domain.counted
        if step.value.leaf is not None or counted is None:
            return super().provided(step)[-1:]
        model, height = self.leaves.model, self.mechanism.size(step.type.codomain, self.place)
        width, start = self.mechanism.size(step.type.domain, self.place), np.zeros(model.n, dtype=np.intp)
        if counted.place is None:
            start = self._layouts[counted.family].offsets[: model.n]
        else:
            start -= width + height  # no rows of theirs
            start[place_of(model, counted.place)] = 0
        own = start[self.kind.bodies]
        rows = [[self._number((own + i == j).astype(np.float64)) for j in range(width)] for i in range(height)]
        return [Matrix(rows, width)]

    def get(self, ref: Ref, k: int) -> Matrix:
        """A value or its adjoint at the body, or at its parent."""
        attached = self.program.computed[ref.value].value.attached
        block = self._above(ref.value) if attached and k != self.place else self.blocks[ref.value][0]
        return block.T if ref.star else block

    def _above(self, number: int) -> Matrix:
        known = self.shared.above.get(number)
        if known is None:
            raise NotYet
        symmetric = number != IN_BASE and self.program.computed[number].value.symmetric
        return self._loaded("above", "value", number, known, symmetric=symmetric)

    def _shifted(self, shift: Shift, k: int) -> list[Matrix]:
        """What the children have sent, or what comes from the parent."""
        if not shift.hop.inward:
            return super()._shifted(shift, k)
        if self.tip:
            return []
        number = self.shared.shifts.index(shift)
        known = self.shared.sent.get(number)
        if known is None:
            raise NotYet
        congruence = shift.closing == shift.hop.T
        symmetric = congruence and self.program.computed[shift.source.value].value.symmetric
        return [self._loaded("own", "sent", number, known, symmetric=symmetric)]

    @property
    def adding(self) -> Iterable[int]:
        """This one alone: the others add to the same sum."""
        return (self.place,)

    def everywhere(self, ref: Ref) -> list[Matrix]:
        """A value at the body."""
        return [self.get(ref, self.place)]

    # -- pieces ----------------------------------------------------------------------------------------------------

    def piece(self, sweep: Sweep) -> Piece:
        """What the body does in a sweep, by what is known so far of what it reads."""
        if sweep is self.shared.opening:
            return self._opened()
        start = len(self.nodes.positive)
        for step in sweep.steps:
            self.blocks[step.number] = [self.computed(step, self.place)]
        pivots = zip(self.program.pivots, self.shared.judged, strict=True)
        judged = [self._judged(pivot) for pivot, last in pivots if last is sweep]
        found = Piece(positive=self.nodes.positive[start:])
        del self.nodes.positive[start:]
        carried: dict[Slot, Node] = {}
        for step in sweep.steps:
            block, beside = self.blocks[step.number][0], self._bearing is not None and step.number in self.shared.beside
            if added_up(step.definition) is not None:
                found.added |= entries("whole", step.number, block)
                self.told(self.shared.whole, step.number, block, numbers=False)
                continue
            if not beside:
                found.kept |= entries("value", step.number, block)
            if not self.tip and step.number in self.shared.read_above:
                self.told(self.shared.above, step.number, block, numbers=True)
            shift = shift_of(step.definition)
            if shift is not None and shift.hop.inward and self.place:
                number = self.shared.shifts.index(shift)
                block = self.along(shift, self.place, self.place)
                sent = carried if beside else found.sent
                sent |= entries("sent", number, block)
                self.told(self.shared.sent, number, block, numbers=False)
        numbers = {step.number for step in sweep.steps if step.value.attached}
        if sweep is self.shared.first:
            numbers |= {step.number for step in self.program.given if step.value.attached}
        for place, output in enumerate(self.program.outputs):
            assert output.ref is not None
            if output.ref.value in numbers:
                block = self.get(output.ref if output.kind == "blocks" else Ref(output.ref.value), self.place)
                found.results += [(place, i, x) for i, x in enumerate(x for row in block.rows for x in row)]
        if self._bearing is None or not judged:
            found.positive += judged
        else:
            self._bear(found, self._bearing, carried, judged)
        found.positive += self._near_angles(found)
        return found

    def _opened(self) -> Piece:
        """Where the body stands in the base, and what is given and read by its children."""
        handed_on = {step.number: self.blocks[step.number][0] for step in self.program.given if self._is_read(step)}
        leaf = self._base_leaf
        if leaf is not None:
            rotation, position = self._posed.in_parent(leaf)
            if self.place:
                above = np.array(self._above(IN_BASE).rows, dtype=object)
                turn, origin = above[:, :3], above[:, 3]
                rotation, position = turn @ rotation, origin + turn @ position
            entries_of: list[list[Scalar]] = np.column_stack([rotation, position]).tolist()
            handed_on[IN_BASE] = Matrix([[self._graph.of(x) for x in row] for row in entries_of], 4)
        found = Piece()
        for number, block in handed_on.items():
            found.kept |= entries("value", number, block)
            self.blocks[number] = [block]
            if not self.tip:
                self.told(self.shared.above, number, block, numbers=True)
        found.positive += self._near_angles(found)
        return found

    def _is_read(self, step: Step) -> bool:
        return step.number in self.shared.read_above and not is_base(step)

    @property
    def _base_leaf(self) -> Leaf | None:
        """The leaf that tells where bodies stand in the base, if the program has it."""
        several = (step.value.leaf for step in self.program.given if is_base(step))
        return next((symbol.leaf for symbol in several if symbol is not None), None)

    def _bear(self, piece: Piece, by: _Bearing, carried: Mapping[Slot, Node], judged: Sequence[Node]) -> None:
        """Columns beside a piece, and what tells when they run."""
        graph, numbers = self._graph, self.nodes
        P, z = self.get(by.parts.P, self.place), self.get(by.parts.z, self.place)
        diagonal = [row[i] for i, row in enumerate(P.rows)]
        if by.along is not None:
            self._bear_along(piece, by, by.along, diagonal)
            return
        own, above = numbers.dot(by.own, diagonal), numbers.dot(by.above, diagonal)
        squares = [graph.multiply(graph.of(_COLUMN), numbers.dot(row, row)) for row in z.rows]
        left = graph.add(own, numbers.dot(by.own, squares))
        piece.columns = Columns((own, above), left, carried, tuple(judged))
        piece.positive += self._at_pivots(by)

    def _bear_along(
        self, piece: Piece, by: _Bearing, along: Along[Sequence[Node], Node], diagonal: Sequence[Node]
    ) -> None:
        """What tells that all is well, and what the parent is sent."""
        slot: Slot = ("sent", len(self.shared.shifts), 0, 0)
        received = along.received if self.tip else self._load(Load("own", 0, 0, slot))
        b = [self._graph.zero] * len(diagonal)
        if self.place:
            hop = self.hop(by.parts.hop, self.place)
            b = [row[0] for row in self.nodes.product(hop, Matrix([[x] for x in along.a], 1)).rows]
        positive, sent = carried_along(self._graph, along, diagonal, received, b)
        piece.positive += [positive, *self._at_pivots(by)]
        if self.place:
            piece.sent[slot] = sent

    def _at_pivots(self, by: _Bearing) -> Iterator[Node]:
        """What is positive where pivots lose little as they are made, and nothing is too far."""
        graph = self._graph
        yield from by.far
        (pivot,) = self.program.pivots
        height = self.get(Ref(pivot.value), self.place).height
        if self.is_oblique(pivot, self.place):
            yield graph.subtract(graph.of(REST), self.rounded_at(pivot, self.place))
        if by.parts.sums and height > 1:
            yield graph.subtract(graph.of(REST), self._summed(by.parts, height))

    def _summed(self, parts: Elimination, height: int) -> Node:
        """What D rounds itself where it is a sum: w* D⁻¹ w ≤ n Σ w(i)² D⁻¹(i, i)."""
        graph, pivot = self._graph, self.get(Ref(self.program.pivots[0].value), self.place)
        inverse = self.nodes.inverse(pivot)
        sizes = [graph.multiply(pivot.rows[i][i], inverse.rows[i][i]) for i in range(height)]
        factor = SMALL * (_LARGEST_SIGN * parts.sums) ** 2 * height
        return self.nodes.dot(sizes, [graph.of(factor)] * height)

    def _near_angles(self, piece: Piece) -> Iterator[Node]:
        """What is positive where sines and cosines are right that are computed in the piece."""
        angles: dict[int, Node] = {}
        for node in needed(piece.everything()):
            if node.operation in ("sin", "cos") and turn_of(node, self.loads) is None:
                angles[node.a.number] = node.a
        for angle in angles.values():
            yield self._graph.subtract(self._graph.of(self.precision.farthest), abs(angle))

    def keep(self, sweep: Sweep) -> None:
        """What later sweeps see of this one: loads."""
        if sweep is self.shared.opening:
            self._keep_pose()
        for step in sweep.steps:
            if added_up(step.definition) is not None:
                self.learn(step.number)
            else:
                self.blocks[step.number] = [self._kept(step.number)]

    def _kept(self, number: int) -> Matrix:
        """A block that was made before, loaded."""
        block = self.blocks[number][0]
        known: dict[int, Node] = {}

        def entry(i: int, j: int, x: Node) -> Node:
            if x.known or x.operation == "input":
                return x
            if x.number not in known:
                known[x.number] = self._load(Load("own", 0, 0, ("value", number, i, j)))
            return known[x.number]

        rows = [[entry(i, j, x) for j, x in enumerate(row)] for i, row in enumerate(block.rows)]
        return Matrix(rows, block.width)

    def _keep_pose(self) -> None:
        """Blocks of leaves in the base, by where the body was found to stand."""
        if self._base_leaf is not None:
            pose = np.array(self._kept(IN_BASE).rows, dtype=object)
            self._posed.in_base = pose[:, :3], pose[:, 3]
        for step in self.program.given:
            if is_base(step):
                self.blocks[step.number] = self.provided(step)

    def oblique(self, k: int) -> bool:
        """Whether any of the bodies is; there is one code for all."""
        return not self.leaves.model.oblique.isdisjoint(self.kind.bodies.tolist())

    def _judged(self, pivot: Pivot) -> Node:
        """What is positive where few digits are lost at a pivot."""
        return self._judged_at(pivot, self.place, 1.0 if self._bearing is None else CARRIED)

    def turned(self, others: Iterable[Piece]) -> Piece:
        """The sines and cosines that others load; whether quaternions are rotations."""
        found = Piece()
        angles: dict[int, Node] = {}
        for piece in others:
            for node in needed(piece.everything()):
                slot = turn_of(node, self.loads)
                if slot is not None:
                    if found.kept.setdefault(slot, node) is not node:
                        raise Untraceable("a coordinate is measured from two places")
                    angles[node.a.number] = node.a
        far = self._graph.of(self.precision.farthest)
        found.positive = [self._graph.subtract(far, abs(angle)) for angle in angles.values()]
        if self.quaternion is not None:
            found.positive.append(self.turns([self._load(Load("coordinate", place)) for place in self.quaternion]))
        return found
