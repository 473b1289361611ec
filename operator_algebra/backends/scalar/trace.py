"""A program as one scalar graph: interpreted body by body over nodes, with the model's numbers as constants.

What tells whether the numbers may be trusted comes out beside the results, so that a kernel needs no second look.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import cast

import numpy as np

from operator_algebra.backends.laid import Laid
from operator_algebra.backends.pivots import DOUBTFUL, HELD, SINGULAR, SMALL
from operator_algebra.backends.scalar import tree_inverse
from operator_algebra.backends.scalar.algebra import NodeNumbers
from operator_algebra.backends.scalar.axes import Axes, chosen
from operator_algebra.backends.scalar.by_bodies import borne_by_bodies
from operator_algebra.backends.scalar.complements import selected
from operator_algebra.backends.scalar.graph import Graph, Node, Untraceable, needed, operations
from operator_algebra.backends.scalar.known import of_configurations
from operator_algebra.backends.scalar.leaves import NodeLeaves, each_alone
from operator_algebra.backends.scalar.margin import ROOM, margin
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.backends.scalar.rigid import Law, laws
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.traced import Traced, laid_out, shortest
from operator_algebra.backends.signs import random_signs
from operator_algebra.backends.sizes import mechanism_of
from operator_algebra.errors import SingularError
from operator_algebra.expressions.nodes import Expr, Symbol
from operator_algebra.expressions.query import body_of, dense
from operator_algebra.lowering.lower import for_numbers, lower
from operator_algebra.models.configurations import UNIT
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.programs.instructions import Shift
from operator_algebra.programs.interpret import Interpreter, Result, Unread
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.mechanism import Mechanism
from operator_algebra.programs.program import Output, Pivot, Program, Step, tested_block
from operator_algebra.programs.records import Ref

_TRIED = 8
"""Configurations at which the numbers of a bound are looked at."""
_INSIDE = 0.999
"""Such a part of what is allowed of the length of a quaternion is not looked at again."""


def trace(program: Program, model: Model, signature: Signature, precision: Precision = DOUBLE) -> Traced:
    """The graph of a program for one model and one form of arguments; `Untraceable` where there is none.

    What tells whether numbers may be trusted is that of a precision.
    """
    try:
        forms = [Tracer.of(one, model, signature) for one in for_numbers(program)]
        tracer = shortest(forms, Tracer.length)
        tracer.precision = precision
        return tracer.traced()
    except Unread as relations:
        raise Untraceable(str(relations)) from None
    except (ArithmeticError, AttributeError, LookupError, SingularError, TypeError, ValueError) as error:
        # The formulas of a user's joint may ask anything of their arguments.
        raise Untraceable(f"{type(error).__name__}: {error}") from None


class Tracer(Interpreter):
    """One run over nodes."""

    def __init__(
        self,
        program: Program,
        mechanism: Mechanism,
        numbers: NodeNumbers,
        leaves: NodeLeaves,
        inputs: Mapping[str, Sequence[Matrix]],
        axes: Axes | None = None,
    ) -> None:
        def signs(count: int, salt: int, k: int) -> Matrix:
            graph = numbers.graph
            rows: list[list[float]] = random_signs(leaves.model.n, count, salt)[k].tolist()
            return Matrix([[graph.of(x) for x in row] for row in rows], 2)

        super().__init__(program, mechanism, {}, numbers, signs)
        self.nodes = numbers
        self.leaves = leaves
        self.inputs = inputs
        self.axes = axes or Axes(leaves)
        self.most: list[Node] | None = None
        self.precision = DOUBLE

    @classmethod
    def of(cls, program: Program, model: Model, signature: Signature) -> Tracer:
        """For coordinates and inputs that are the arguments of a kernel, one after the other."""
        graph = Graph()
        numbers = NodeNumbers.over(graph)
        q = [graph.input(place) for place in range(model.nq)]
        values = signature.nodes(graph, model.nq)
        inputs = {name: [_matrix(block) for block in value.by_body()] for name, value in values.items()}
        symmetric = {symbol.name for symbol in program.symbols if symbol.structure.symmetric}
        inputs |= {name: list(map(numbers.averaged, inputs[name])) for name in symmetric & inputs.keys()}
        v = values["v"].entries.tolist() if program.reads_rates else None
        frame = chosen(program, model, signature)
        leaves = NodeLeaves(model, numbers, q, v, each_alone(frame.classes))
        axes = Axes(leaves, frame.axes)
        given = [name for name in inputs if name not in signature.absent]
        inputs |= {name: axes.entered(values[name], inputs[name]) for name in given}
        return cls(program, mechanism_of(model, signature.layouts), numbers, leaves, inputs, axes)

    def length(self) -> int:
        """How many operations the results take."""
        self.swept()
        entries = [node for name, result in self.results().items() for node in laid_out(name, result)[1]]
        return sum(operations(entries).values())

    def traced(self) -> Traced:
        """The results and the conditions on them."""
        if not self.blocks:
            self.swept()
        self.bound()
        found = self.results()
        lost = self.most or [node for pivot in self.program.pivots for node in self._lost(pivot)]
        plain = self.laid(found, self.nodes.positive, lost)
        shorter = self.by_trees(found, lost)
        return shorter if shorter is not None and shorter.length < plain.length else plain

    def laid(self, found: Mapping[str, Result], positive: Sequence[Node], lost: Sequence[Node]) -> Traced:
        """Results one after the other, with what tells whether they are right."""
        results: list[Laid] = []
        entries: list[Node] = []
        for name, result in found.items():
            laid, nodes = laid_out(name, self._mirrored(name, result))
            results.append(laid)
            entries += nodes
        whole = [*positive, *self._near([*entries, *positive, *lost]), *self._turns()]
        return Traced(tuple(results), tuple(entries), tuple(whole), tuple(lost))

    def by_trees(self, found: Mapping[str, Result], lost: Sequence[Node]) -> Traced | None:
        """The same with inverses made of the matrices that are inverted; None where there are none, or lose more."""
        made: dict[str, tree_inverse.Inverted] = {}
        for output in self.program.outputs if self.program.method == "auto" else ():
            A = tree_inverse.inverted_by_trees(output)
            pivot = None if A is None else tree_inverse.pivot_of(self.program, A)
            if A is None or pivot is None:
                continue
            matrix = self._matrix_of(A)
            inverse = None if matrix is None else tree_inverse.tree_inverse(self, pivot, matrix, self.nodes.graph)
            if inverse is not None and self._is_usual(inverse.lost):
                made[output.name] = inverse
        if not made:
            return None
        several = list(made.values())
        rest = len(made) < len(self.program.outputs)  # which is made of the pivots of the sweeps
        positive = [*(self.nodes.positive if rest else ()), *(node for one in several for node in one.positive)]
        lost = [*(lost if rest else ()), *(node for one in several for node in one.lost)]
        return self.laid({**found, **{name: one.matrix for name, one in made.items()}}, positive, lost)

    def _matrix_of(self, e: Expr) -> Matrix | None:
        """All blocks of an operator in which nothing is inverted."""
        program = lower(dense(e), zeros=frozenset(self.program.absent))
        if program.pivots or not {symbol.name for symbol in program.symbols} <= {s.name for s in self.program.symbols}:
            return None
        (matrix,) = Tracer(program, self.mechanism, self.nodes, self.leaves, self.inputs, self.axes).run().values()
        return self.nodes.averaged(matrix) if isinstance(matrix, Matrix) else None

    def _near(self, wanted: Iterable[Node]) -> Iterator[Node]:
        """What is positive where sines and cosines are right."""
        graph = self.nodes.graph
        angles = {node.a.number: node.a for node in needed(wanted) if node.operation in ("sin", "cos")}
        for angle in angles.values():
            yield graph.subtract(graph.of(self.precision.farthest), abs(angle))

    def _turns(self) -> Iterator[Node]:
        """What is positive where quaternions are rotations, and a little earlier than callers are told otherwise."""
        for group in self.leaves.model.joint_groups:
            if group.joint.quaternion is not None:
                for places in group.q[:, group.joint.quaternion].tolist():
                    yield self.turns([self.nodes.graph.input(place) for place in places])

    def turns(self, quaternion: Sequence[Node]) -> Node:
        """What is positive where a quaternion is a rotation."""
        numbers, graph = self.nodes, self.nodes.graph
        square = numbers.dot(quaternion, quaternion)
        return graph.subtract(graph.of(2.0 * UNIT * _INSIDE), abs(graph.subtract(square, graph.one)))

    def _mirrored(self, name: str, result: Result) -> Result:
        """One triangle of what is symmetric, twice: the other need not be computed."""
        (output,) = (one for one in self.program.outputs if one.name == name)
        if output.places or not body_of(output.formula).structure.symmetric:
            return result
        if isinstance(result, Matrix):
            return self.nodes.averaged(result)
        if not isinstance(result, list):
            return result
        several = cast("list[Node | Matrix]", result)
        return [self.nodes.averaged(one) if isinstance(one, Matrix) else one for one in several]

    # -- what is read ----------------------------------------------------------------------------------------------

    def _given(self, symbol: Symbol, k: int, to: int, start: int) -> Matrix:
        del to, start
        return self.inputs[symbol.name][k] if symbol.leaf is None else self.leaves.block(symbol.leaf, k)

    def shown(self, output: Output, ref: Ref) -> list[Matrix]:
        """The blocks of a result in the axes of bodies."""
        return self.axes.left(output, super().shown(output, ref))

    # -- what is shorter with structure ----------------------------------------------------------------------------

    def block(self, step: Step, k: int) -> Matrix:
        """The block of a step, by a law of rigid motion where there is one."""
        law = self._laws.get(step.number)
        return super().block(step, k) if law is None else law.block(self, self.nodes, k)

    @cached_property
    def _laws(self) -> Mapping[int, Law]:
        return {**selected(self.program), **laws(self.program)}

    def _shifted(self, shift: Shift, k: int) -> list[Matrix]:
        parent = self.mechanism.parent[k]
        outward = [(k, parent)] if parent >= 0 else []
        edges = [(c, c) for c in self.mechanism.children[k]] if shift.hop.inward else outward
        return [self.along(shift, edge, body) for edge, body in edges]

    def along(self, shift: Shift, edge: int, body: int) -> Matrix:
        """What a body hands on over an edge: L x, L x L' or, where that is its adjoint, L x L* factor by factor."""
        hop, source = self.hop(shift.hop, edge), self.get(shift.source, body)
        if shift.closing == shift.hop.T:
            symmetric = self.program.computed[shift.source.value].value.symmetric
            return self.nodes.congruence(hop, source, symmetric=symmetric)
        closing = [] if shift.closing is None else [self.hop(shift.closing, edge)]
        return self.nodes.product(hop, source, *closing)

    def _total(self, kind: str, blocks: Iterable[Matrix]) -> Node:
        if kind == "trace":
            return super()._total(kind, blocks)
        return self.nodes.log([self.nodes.determinant(block) for block in blocks if block.height])

    # -- pivots ----------------------------------------------------------------------------------------------------

    def bound(self) -> None:
        """Nothing is carried along where what may be lost is bounded without."""
        self.most = self._lost_at_most() or self._lost_by_bodies()
        if self.most is None:
            super().bound()
        else:
            self.most += [node for pivot in self.program.pivots for node in self._rounded(pivot)]

    def _lost_at_most(self) -> list[Node] | None:
        """Bounds of what is lost at all pivots; None where they are unknown, or too wide in a configuration tried."""
        graph, tried = self.nodes.graph, self._tried
        found: list[Node] = []
        for pivot in self.program.pivots:
            most = margin(self, pivot, graph, tried, 1.0 / len(self.program.pivots))
            if most is None:
                return None
            found += most
        return found if self._is_usual(found) else None

    def _lost_by_bodies(self) -> list[Node] | None:
        """Nothing, where other conditions tell that no body loses much; None as above."""
        graph = self.nodes.graph
        (pivot,) = self.program.pivots if len(self.program.pivots) == 1 else (None,)
        several = [] if pivot is None else borne_by_bodies(self, pivot, graph, self._tried)
        if not several or not self._is_usual([graph.largest(graph.subtract(graph.one, left) for left in several)]):
            return None
        self.nodes.positive.extend(several)
        return [graph.zero]

    def _is_usual(self, lost: Sequence[Node]) -> bool:
        """Whether so much is not lost in the configurations tried, with room for others; it reads no other argument."""
        graph, nq = self.nodes.graph, self.leaves.model.nq
        if not of_configurations(lost, nq):
            return False
        wide = [node if node.known else graph.multiply(graph.of(ROOM), node) for node in lost]
        usual, _ = Tape.of(Traced((), (), (), tuple(wide)), nq).batch(self._tried)
        return bool(usual.all())

    @cached_property
    def _tried(self) -> Numbers:
        """Some configurations, (coordinates, samples)."""
        return np.stack([self.leaves.model.random(seed)[0] for seed in range(_TRIED)], axis=-1)

    def _lost(self, pivot: Pivot) -> Iterator[Node]:
        """What is lost at a pivot, over all bodies: their sum is no less than the largest."""
        return chain.from_iterable(self._lost_by_body(pivot))

    def _lost_by_body(self, pivot: Pivot) -> Iterator[list[Node]]:
        """The same body by body."""
        attached = self.program.steps[pivot.value].value.attached
        for k in self.mechanism.bodies if attached else range(1):
            yield list(self.lost_at(pivot, k))

    def _rounded(self, pivot: Pivot) -> Iterator[Node]:
        """What oblique pivots lose as they are made, over all bodies."""
        attached = self.program.steps[pivot.value].value.attached
        for k in self.mechanism.bodies if attached else ():
            if self.is_oblique(pivot, k):
                yield self.rounded_at(pivot, k)

    def is_oblique(self, pivot: Pivot, k: int) -> bool:
        """Whether H may hide from D = H P H* what reaches it, but not what is rounded as D is made."""
        return self.program.steps[pivot.value].type.codomain.sizes == "joint" and self.oblique(k)

    def oblique(self, k: int) -> bool:
        """Whether columns of a joint map may nearly follow from others."""
        return k in self.leaves.model.oblique

    def rounded_at(self, pivot: Pivot, k: int) -> Node:
        """What an n × n pivot D loses as it is made: Σ |D(i, j)| |D⁻¹(j, i)| / n."""
        numbers, graph = self.nodes, self.nodes.graph
        block = self.get(tested_block(self.program, pivot), k)
        inverse = numbers.inverse(block).T
        each = [
            graph.multiply(abs(x), abs(y))
            for row, other in zip(block.rows, inverse.rows, strict=True)
            for x, y in zip(row, other, strict=True)
        ]
        return numbers.dot(each, [graph.of(SMALL / block.height)] * len(each))

    def lost_at(self, pivot: Pivot, k: int) -> Iterator[Node]:
        """What is lost at a pivot at a body, as a part of what nobody is told of.

        A least singular value is no less than 1 / |D⁻¹|.
        """
        numbers, graph = self.nodes, self.nodes.graph
        tested = tested_block(self.program, pivot)
        attached = self.program.steps[pivot.value].value.attached
        symmetric = self.program.computed[tested.value].value.symmetric
        block = self.get(tested, k)
        if not block.height:
            return
        if pivot.kept is not None:
            share = self.blocks[pivot.kept.value][0].rows[0][0]
            yield graph.multiply(graph.of(HELD), graph.divide(graph.of(1.0), abs(share)))
        elif not attached and len(pivot.terms) > 1 and block.height >= self.leaves.model.nv:
            raise ValueError("the interpreter knows what springs cost that hold all freedoms")
        inverse = numbers.inverse(block)
        if attached and pivot.left is not None and pivot.right is not None:
            left, right = self.get(pivot.left, k), self.get(pivot.right, k)
            solved = numbers.product(inverse, left)
            reached = [abs(numbers.dot(*pair)) for pair in zip(right.T.rows, solved.T.rows, strict=True)]
            for one in reached:
                yield graph.multiply(graph.of(SMALL / len(reached)), one)
            if self.is_oblique(pivot, k):
                yield self.rounded_at(pivot, k)
        if not (attached and pivot.left is not None and symmetric):
            scale = self._scale(pivot, block, k) if attached else numbers.norm(block)
            usual = SMALL if attached and pivot.left is None else SINGULAR if attached else DOUBTFUL
            limit = max(usual, self.precision.least)
            yield graph.multiply(graph.of(limit), graph.multiply(numbers.norm(inverse), scale))

    def _scale(self, pivot: Pivot, block: Matrix, k: int) -> Node:
        """The size of the terms that a pivot is summed from, before they cancel."""
        numbers, graph = self.nodes, self.nodes.graph
        if not pivot.terms:
            return numbers.norm(block)
        total = graph.zero
        for term in pivot.terms:
            product = graph.of(abs(float(term.coefficient)))
            for scalar in term.scalars:
                product = graph.multiply(product, abs(self.blocks[scalar][0].rows[0][0]))
            for ref in term.factors:
                product = graph.multiply(product, numbers.norm(self.get(ref, k)))
            total = graph.add(total, product)
        return total


def _matrix(block: Numbers) -> Matrix:
    return Matrix(block.tolist(), block.shape[-1])
