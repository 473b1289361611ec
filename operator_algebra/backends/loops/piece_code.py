"""Loops of the pieces of a program: how arguments come to bodies, and what becomes of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from operator_algebra.backends.backend import Result
from operator_algebra.backends.code import Code
from operator_algebra.backends.loops.fused import needed
from operator_algebra.backends.loops.limits import Limits
from operator_algebra.backends.loops.places import Found, Given
from operator_algebra.backends.loops.records import Cut
from operator_algebra.backends.scalar.graph import Untraceable, operations
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.programs.program import Program


class PieceCode(Code):
    """What all have in common that run a program in pieces."""

    def __init__(self, cut: Cut, program: Program, model: Model, signature: Signature) -> None:
        self.cut = cut
        self.model = model
        self.given = (model.nq, *signature.sizes)
        self.inputs = [Given.of(value) for name, value in signature.values.items() if name not in signature.absent]
        self.found = [Found.of(program, output, model, signature.layouts) for output in program.outputs]
        self.results = [found.laid for found in self.found]
        self._sizes = [found.size for found in self.found]

    def refuse_long(self, limits: Limits) -> None:
        """Raise `Untraceable` where pieces have too many operations."""
        read, pieces = self.cut.read, [piece for row in self.cut.table for piece in row]
        if sum(sum(operations(piece.wanted_at_most(read)).values()) for piece in pieces) > limits.operations:
            raise Untraceable("there is more code than is worth its time")

    @property
    def operations(self) -> Mapping[str, int]:
        """How many operations of each kind all bodies take, with those that tell whether results may be trusted."""
        found: dict[str, int] = {}
        counts = (*(len(kind.bodies) for kind in self.cut.kinds), 1)
        for row in self.cut.table:
            for piece, fixed, count in zip(row, self.cut.standing, counts, strict=True):
                there = {node.number for node in fixed}
                for node in needed(piece.wanted(self.cut.read), {}, there):
                    if node.arguments:
                        found[node.operation] = found.get(node.operation, 0) + count
        return found

    def joined(self, given: Sequence[Numbers]) -> list[Numbers]:
        """One array for q and each input."""
        q, *rest = given
        several, found = iter(rest), [q]
        for one in self.inputs:
            found.append(one.joined([next(several) for _ in range(one.arrays)]))
        return found

    def laid_out(self, arrays: Sequence[Numbers], lead: tuple[int, ...]) -> dict[str, Result]:
        """Results with the axes of the batch, from arrays (samples, entries)."""
        pairs = zip(self.found, arrays, strict=True)
        return {found.laid.name: found.result(array, lead) for found, array in pairs}
