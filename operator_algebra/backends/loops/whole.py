"""What belongs to no body, traced: small systems between sweeps, of sums over all bodies and inputs of no body."""

from __future__ import annotations

from collections.abc import Iterable

from operator_algebra.backends.loops.records import Load, Piece
from operator_algebra.backends.loops.tracer import Few, PieceTracer, Shared, entries
from operator_algebra.backends.scalar.leaves import NodeLeaves
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.models.model import Model
from operator_algebra.programs.matrices import Matrix
from operator_algebra.programs.program import Program, Sweep


class WholeTracer(PieceTracer):
    """The steps that are done once."""

    def __init__(self, program: Program, model: Model, signature: Signature, shared: Shared) -> None:
        numbers = self._begin(shared)
        inputs: dict[str, list[Matrix]] = {}
        for name, value in signature.values.items():
            if value.dense is not None and not value.rows.attached and not value.cols.attached:
                height, width = value.dense.shape[-2:]
                if name in shared.order:
                    of = shared.order.index(name)
                    rows = [
                        [self._load(Load("common", i * width + j, of)) for j in range(width)] for i in range(height)
                    ]
                else:
                    rows = [[self._graph.zero] * width for _ in range(height)]
                inputs[name] = [Matrix(rows, width)]
        leaves = NodeLeaves(model, numbers, [], None, {})
        super().__init__(program, Few.of((), model, signature.layouts), numbers, leaves, inputs)
        for step in program.given:
            symbol = step.value.leaf
            if not step.value.attached and symbol is not None and symbol.name in inputs:
                self.blocks[step.number] = self.provided(step)

    def piece(self, sweep: Sweep) -> Piece:
        """What is done once in a sweep."""
        found = Piece()
        if sweep.direction != "once":
            return found
        start = len(self.nodes.positive)
        for step in sweep.steps:
            self.blocks[step.number] = [self.computed(step, 0)]
            found.kept |= entries("whole", step.number, self.blocks[step.number][0])
        pivots = zip(self.program.pivots, self.shared.judged, strict=True)
        self.nodes.positive.extend([self._judged_at(pivot, 0, 1.0) for pivot, last in pivots if last is sweep])
        found.positive = self.nodes.positive[start:]
        del self.nodes.positive[start:]
        for place, output in enumerate(self.program.outputs if sweep is self.shared.last else ()):
            assert output.ref is not None
            if not self.program.computed[output.ref.value].value.attached:
                rows = self.get(output.ref, 0).rows
                found.results += [(place, i, x) for i, x in enumerate(x for row in rows for x in row)]
        return found

    def keep(self, sweep: Sweep) -> None:
        """What later sweeps see of this one: loads."""
        for step in sweep.steps:
            if not step.value.attached:
                if sweep.direction == "once":
                    self.told(self.shared.whole, step.number, self.blocks[step.number][0], numbers=True)
                self.learn(step.number)

    def turned(self, others: Iterable[Piece]) -> Piece:
        """Nothing turns here."""
        del others
        return Piece()
