"""A program read literally, body by body, on blocks of rational functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from operator_algebra.backends.closed_forms.ratios import Ratio, RationalFunctions, TooLarge, determinant, inverse
from operator_algebra.backends.sizes import block_size, place_of
from operator_algebra.backends.walks import Walker
from operator_algebra.errors import InputError, SingularError
from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.leaves import local_blocks
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.instructions import (
    Call,
    Given,
    Hop,
    Invert,
    Linear,
    Part,
    Reduce,
    RootOf,
    Shift,
    Stack,
    Total,
    Update,
)
from operator_algebra.programs.program import Output, Program, Step, Sweep
from operator_algebra.programs.records import Ref, Term

Blocks = list[Any]
"""One array of ratios per body."""


class Sweeps:
    """One run: the blocks of every value, filled sweep by sweep; `given` holds those of leaves and inputs by name."""

    def __init__(
        self,
        program: Program,
        model: Model,
        functions: RationalFunctions,
        given: Mapping[str, Blocks],
        layouts: Mapping[str, Layout],
    ) -> None:
        self.program = program
        self.model = model
        self.functions = functions
        self.given = given
        self.layouts = layouts
        self.blocks: dict[int, Blocks] = {}
        self.small: dict[int, Any] = {}
        self._reduced = np.frompyfunc(self._entry, 1, 1)
        for step in program.given:
            self._provide(step)

    def run(self) -> dict[str, Any]:
        """The results by output: arrays of ratios, lists of them for block-diagonal operators."""
        for sweep in self.program.stages:
            self._sweep(sweep)
        return {output.name: self._result(output) for output in self.program.outputs}

    def _entry(self, x: Any) -> Ratio:
        return self.functions.reduced(self.functions.number(x))

    def _provide(self, step: Step) -> None:
        assert isinstance(step.definition, Given)
        symbol = step.definition.symbol
        if symbol is None:
            layout = self.layouts[step.type.codomain.sizes]
            counted = step.type.domain.counted
            assert counted is not None
            place = counted.place
            unit = self._unit(layout.size)
            unit = unit if place is None else unit[:, layout.part(place_of(self.model, place))]
            self.blocks[step.number] = [unit[layout.part(k)] for k in range(layout.count)]
        elif step.value.attached:
            self.blocks[step.number] = self.given[symbol.name]
        else:
            (self.small[step.number],) = self.given[symbol.name]

    def _unit(self, size: int) -> Any:
        return self._reduced(np.eye(size, dtype=int).astype(object))

    def _zero(self, rows: int, columns: int) -> Any:
        return np.full((rows, columns), self.functions.zero, dtype=object)

    def hop(self, hop: Hop) -> Blocks:
        """The blocks of a leaf hop, edge by edge."""
        blocks = self.given[hop.symbol.name]
        return [block.T for block in blocks] if hop.star else blocks

    def size(self, space: Space, k: int) -> int:
        """The block size of a space at a body."""
        return block_size(self.model, self.layouts, space, k)

    def get(self, ref: Ref) -> Callable[[int], Any]:
        """The block of a value at a body; what belongs to no body is the same everywhere."""
        if ref.value in self.small:
            value = self.small[ref.value]
            return lambda _: value.T if ref.star else value
        blocks = self.blocks[ref.value]
        return lambda k: blocks[k].T if ref.star else blocks[k]

    # -- steps -----------------------------------------------------------------------------------------------------

    def _sweep(self, sweep: Sweep) -> None:
        if sweep.direction == "once":
            for step in sweep.steps:
                self.small[step.number] = self._computed(step, 0)
            return
        for step in sweep.steps:
            self.blocks[step.number] = [None] * self.model.n
        order = range(self.model.n - 1, -1, -1) if sweep.direction == "inward" else range(self.model.n)
        for k in order:
            for step in sweep.steps:
                self.blocks[step.number][k] = self._computed(step, k)

    def _computed(self, step: Step, k: int) -> Any:
        try:
            return self._reduced(self._block(step, k))
        except TooLarge as error:
            raise InputError(
                f'the closed form of {step.name} at "{self.model.joint_names[k]}" grows too large ({error}). '
                "Give numbers for some coordinates, inputs or parameters, or use a numeric backend."
            ) from None

    def _block(self, step: Step, k: int) -> Any:
        definition = step.definition
        match definition:
            case Linear():
                total = self._zero(self.size(step.type.codomain, k), self.size(step.type.domain, k))
                return sum((self._term(term, step.type.codomain, k) for term in definition.terms), start=total)
            case Shift():
                return self._shift(step, definition, k)
            case Invert():
                return self._inverse(step, self.get(definition.source)(k), definition.source, k)
            case RootOf():
                return self._root(step, self.get(definition.source)(k), k)
            case Call():
                return local_blocks(definition.function, *(self.get(ref)(k)[:, 0] for ref in definition.arguments))
            case Update():
                P, gain = self.get(definition.P)(k), self.get(definition.gain)(k)
                A = self._product(definition.A, k)
                return P - gain @ self._reduced(A.T @ P)
            case Stack():
                return self._stack(step, definition, k)
            case Part():
                return self._part(step, definition, k)
            case Reduce():
                total = self._zero(self.size(step.type.codomain, 0), self.size(step.type.domain, 0))
                bodies = range(self.model.n)
                terms = [self._term(term, step.type.codomain, body) for term in definition.terms for body in bodies]
                return sum(terms, start=total)
            case Total():
                return self._total(definition)
            case _:
                raise InputError(
                    f'closed forms are found by pivots; {step.name} of this program is a step of method="orthogonal". '
                    'Compile it with the default method, or use backend="numpy".'
                )

    def _product(self, refs: tuple[Ref, ...], k: int) -> Any:
        result = self.get(refs[-1])(k)
        for ref in reversed(refs[:-1]):
            result = self._reduced(self.get(ref)(k) @ result)
        return result

    def _term(self, term: Term, rows: Space, k: int) -> Any:
        scale = self.functions.number(term.coefficient)
        for scalar in term.scalars:
            scale = scale * self.small[scalar][0, 0]
        block = self._product(term.factors, k) if term.factors else self._unit(self.size(rows, k))
        return block * scale

    def _shift(self, step: Step, definition: Shift, k: int) -> Any:
        total = self._zero(self.size(step.type.codomain, k), self.size(step.type.domain, k))
        inward = definition.hop.inward
        parent = self.model.parent[k]
        edges = [(c, c) for c in self.model.children[k]] if inward else [(k, parent)] if parent >= 0 else []
        for edge, body in edges:
            part = self._reduced(self.hop(definition.hop)[edge] @ self.get(definition.source)(body))
            if definition.closing is not None:
                part = part @ self.hop(definition.closing)[edge]
            total = total + part
        return total

    def _stack(self, step: Step, definition: Stack, k: int) -> Any:
        rows = step.type.codomain.summands
        columns = step.type.domain.summands
        cells = [
            [
                self._zero(self.size(r, k), self.size(c, k)) if ref is None else self.get(ref)(k)
                for ref, c in zip(row, columns, strict=True)
            ]
            for row, r in zip(definition.rows, rows, strict=True)
        ]
        return np.concatenate([np.concatenate(row, axis=1) for row in cells], axis=0)

    def _part(self, step: Step, definition: Part, k: int) -> Any:
        stacked = self.program.steps[definition.source.value].type.codomain
        before = stacked.summands[: definition.index]
        start = sum(self.size(part, k) for part in before)
        return self.get(definition.source)(k)[start : start + self.size(step.type.codomain, k)]

    # -- square blocks ---------------------------------------------------------------------------------------------

    def _inverse(self, step: Step, block: Any, source: Ref, k: int) -> Any:
        if not block.size:
            return block
        found = inverse(block.tolist())
        if found is None:
            pivot = self.program.steps[source.value].name
            attached = step.value.attached
            joint = self.model.joint_names[k]
            where = f' at joint "{joint}"' if attached else ""
            raise SingularError(
                f"{pivot} is singular{where}: its determinant is zero for every value of the symbols. "
                "Give the bodies outboard inertia, or choose independent coordinates.",
                joints=[joint] if attached else [],
            )
        return np.array(found, dtype=object)

    def _root(self, step: Step, block: Any, k: int) -> Any:
        """The Cholesky factor, column by column."""
        functions = self.functions
        factor = self._zero(*block.shape)
        for j in range(len(block)):
            rest: Any = self._reduced(block[j:, j] - factor[j:, :j] @ factor[j, :j]) if j else block[:, 0]
            if not rest[0]:
                joint = self.model.joint_names[k]
                raise SingularError(f'the root in {step.name} is singular at joint "{joint}".', joints=[joint])
            factor[j, j] = functions.square_root(rest[0])
            factor[j + 1 :, j] = rest[1:] * functions.reciprocal(factor[j, j])
        return factor

    def _total(self, definition: Total) -> Any:
        attached = self.program.steps[definition.source.value].value.attached
        blocks = [self.get(definition.source)(k) for k in range(self.model.n if attached else 1)]
        if definition.kind == "trace":
            diagonal = [entry for block in blocks for entry in block.diagonal()]
            return np.array([[sum(diagonal, start=self.functions.zero)]], dtype=object)
        whole = self.functions.one
        for block in blocks:
            if block.size:
                whole = self.functions.reduced(whole * determinant(block.tolist()))
        if not whole:
            raise SingularError("the determinant is zero for every value of the symbols: its logarithm does not exist.")
        return np.array([[self.functions.logarithm(whole)]], dtype=object)

    # -- results ---------------------------------------------------------------------------------------------------

    def _result(self, output: Output) -> Any:
        if output.ref is None:
            return self._walked(output)
        if not self.program.steps[output.ref.value].value.attached:
            return self.get(output.ref)(0)
        blocks = [self.get(output.ref)(k) for k in range(self.model.n)]
        if output.kind == "blocks":
            return blocks
        whole = np.concatenate(blocks, axis=1 if output.ref.star else 0)
        if output.kind == "picked":
            layout = self.layouts[output.rows.sizes]
            return whole[layout.part(place_of(self.model, output.places[0])), :]
        return whole

    def _walked(self, output: Output) -> Any:
        assert output.walk is not None
        rows, columns = self.layouts[output.rows.sizes], self.layouts[output.columns.sizes]
        walker = Walker(self.model, output.walk, rows, columns, self.get, self.hop)
        if output.kind == "block":
            i, j = (place_of(self.model, place) for place in output.places)
            return self._reduced(walker.block(i, j))
        cells = [[walker.block(i, j) for j in range(columns.count)] for i in range(rows.count)]
        return self._reduced(np.concatenate([np.concatenate(row, axis=1) for row in cells], axis=0))


def late_variables(program: Program, model: Model, layouts: Mapping[str, Layout]) -> int:
    """How many roots and logarithms the steps of a program make."""
    count = 0
    for step in program.steps.values():
        if isinstance(step.definition, RootOf):
            count += sum(block_size(model, layouts, step.type.codomain, k) for k in range(model.n))
        elif isinstance(step.definition, Total):
            count += 1
    return count
