"""The "numpy" backend: reads a program literally, body by body, with leading axes as a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, cast

import numpy as np

from operator_algebra.backends.backend import Run
from operator_algebra.backends.kernels import (
    Factors,
    adjoint,
    cholesky,
    joseph,
    multiply_out,
    symmetrised,
    total_of,
)
from operator_algebra.backends.readout import Readout
from operator_algebra.backends.relations import RelationKernels
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.program import Program, Step, Sweep
from operator_algebra.lowering.values import (
    Call,
    Given,
    Hop,
    Invert,
    Linear,
    Part,
    Reduce,
    Ref,
    Relate,
    Resolve,
    RootOf,
    Shift,
    Stack,
    Term,
    Total,
    Update,
)
from operator_algebra.models.model import Model
from operator_algebra.operators.bind import Bound
from operator_algebra.operators.leaves import LOCAL_BLOCKS, LeafValues
from operator_algebra.operators.spaces import Space

Kernel = Callable[[int], Any]
Frame = Literal["body", "world"]


def build(program: Program, model: Model, frame: str) -> Interpreter:
    """Make a program ready for a model."""
    return Interpreter(program, model, cast("Frame", frame))


class Interpreter:
    """Runs a program on one model; every call has its own storage."""

    source = "the program is interpreted; it has no source"

    def __init__(self, program: Program, model: Model, frame: Frame) -> None:
        self.program = program
        self.model = model
        self.frame: Frame = frame

    def __call__(self, q: Any, v: Any, inputs: Bound) -> Run:
        """Run at one or many configurations."""
        return _Execution(self.program, self.model, LeafValues(self.model, q, v, self.frame), inputs).run()


class _Execution:
    """One call: the blocks of every value, filled sweep by sweep."""

    def __init__(self, program: Program, model: Model, leaves: LeafValues, inputs: Bound) -> None:
        self.program = program
        self.model = model
        self.leaves = leaves
        self.inputs = inputs
        self.blocks: dict[int, list[Any]] = {}
        self.small: dict[int, Any] = {}
        self.relations: dict[int, RelationKernels] = {}
        self._hops: dict[str, list[Any]] = {}
        self._graph = Graph({number: step.value for number, step in program.steps.items()})
        for step in program.given:
            self._provide(step)

    # -- what is given ---------------------------------------------------------------------------------------------

    def _provide(self, step: Step) -> None:
        assert isinstance(step.definition, Given)
        symbol = step.definition.symbol
        if symbol is None:
            self.blocks[step.number] = self._unit_columns(step)
        elif symbol.origin == "model":
            self.blocks[step.number] = self.leaves.blocks(symbol.name)
        elif step.value.attached:
            self.blocks[step.number] = self.inputs.values[symbol.name].by_body()
        else:
            self.small[step.number] = self.inputs.values[symbol.name].dense

    def _unit_columns(self, step: Step) -> list[Any]:
        layout = self.inputs.layouts[step.type.codomain.sizes]
        unit = np.eye(layout.size)
        return [unit[layout.part(k)] for k in range(layout.count)]

    def hop(self, hop: Hop) -> list[Any]:
        """The blocks of a leaf hop, edge by edge."""
        name = hop.symbol.name
        if name not in self._hops:
            from_model = hop.symbol.origin == "model"
            self._hops[name] = self.leaves.blocks(name) if from_model else self.inputs.values[name].by_body()
        return [adjoint(block) for block in self._hops[name]] if hop.star else self._hops[name]

    def size(self, space: Space, k: int) -> int:
        """The block size of a space at a body."""
        if space.sizes.startswith("total:"):
            return self.inputs.layouts[space.sizes[6:]].size
        total = 0
        for part in space.sizes.split("+"):
            layout = self.inputs.layouts[part]
            total += int(layout.sizes[k]) if layout.attached else layout.size
        return total

    # -- sweeps ----------------------------------------------------------------------------------------------------

    def run(self) -> Run:
        """Sweep by sweep, then the results and the pivots."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for sweep in self.program.stages:
                if sweep.direction == "once":
                    self._once(sweep)
                else:
                    self._sweep(sweep)
            readout = Readout(self.program, self.model, self.inputs, self.blocks, self.small, self.getter, self.hop)
            results = {output.name: readout.result(output) for output in self.program.outputs}
            pivots = tuple(readout.pivot(step) for step in self.program.pivots() if step.value.attached)
        return Run(results, pivots)

    def _sweep(self, sweep: Sweep) -> None:
        stores = [self._storage(step) for step in sweep.steps]
        kernels = list(zip(stores, [self._kernel(step) for step in sweep.steps], strict=True))
        order = range(self.model.n - 1, -1, -1) if sweep.direction == "inward" else range(self.model.n)
        for k in order:
            for store, kernel in kernels:
                store[k] = kernel(k)

    def _storage(self, step: Step) -> list[Any]:
        store: list[Any] = [None] * self.model.n
        self.blocks[step.number] = store
        return store

    def _once(self, sweep: Sweep) -> None:
        for step in sweep.steps:
            self.small[step.number] = self._small(step)

    # -- kernels: the block of a value at body k -------------------------------------------------------------------

    def _kernel(self, step: Step) -> Kernel:
        definition = step.definition
        match definition:
            case Linear():
                kernel = self._linear(step, definition)
                return symmetrised(kernel) if step.value.symmetric else kernel
            case Shift():
                return self._gather(step, definition) if definition.hop.inward else self._fetch(step, definition)
            case Invert():
                source = self._formed(definition.source)
                return lambda k: Factors(source(k))
            case RootOf():
                source = self._formed(definition.source)
                return lambda k: cholesky(source(k))
            case Call():
                local = LOCAL_BLOCKS[definition.name]
                arguments = [self.getter(ref) for ref in definition.arguments]
                return lambda k: local(*(argument(k)[..., 0] for argument in arguments))
            case Update():
                return symmetrised(self._update(definition))
            case Relate():
                return self._relate(step, definition)
            case Resolve():
                return self.relations[definition.relation.value].outward_step
            case Stack():
                return self._stack(step, definition)
            case Part():
                return self._part(step, definition)
            case _:
                raise AssertionError(definition)

    def getter(self, ref: Ref) -> Kernel:
        """The block of a reference at a body; a value that belongs to no body is the same everywhere."""
        number = ref.value
        if number in self.small:
            value = adjoint(self.small[number]) if ref.star else self.small[number]
            return lambda _: value
        blocks = self.blocks[number]
        if ref.star and not self.program.steps[number].value.symmetric:
            return lambda k: adjoint(blocks[k])
        return blocks.__getitem__

    def _formed(self, ref: Ref) -> Kernel:
        """The block of a reference as an array, also where it is an inverse."""
        getter = self.getter(ref)
        return lambda k: multiply_out((getter(k),))

    def _linear(self, step: Step, definition: Linear) -> Kernel:
        terms = [self._term(step, term) for term in definition.terms]
        if not terms:
            return lambda k: np.zeros((self.size(step.type.codomain, k), self.size(step.type.domain, k)))
        first, *rest = terms
        if not rest:
            return first

        def kernel(k: int) -> Any:
            total = first(k)
            for term in rest:
                total = total + term(k)
            return total

        return kernel

    def _term(self, step: Step, term: Term) -> Kernel:
        return self._product(term, step.type.codomain)

    def _product(self, term: Term, space: Space) -> Kernel:
        """A term as a kernel; without factors a multiple of the identity of `space`."""
        getters = [self.getter(ref) for ref in term.factors]
        scalars = [multiply_out((self.small[number],)) for number in term.scalars]
        coefficient: Any = float(term.coefficient)
        for scalar in scalars:
            coefficient = coefficient * scalar
        plain = term.coefficient == 1 and not scalars
        if not getters:
            return lambda k: coefficient * np.eye(self.size(space, k))
        if len(getters) == 1:
            (only,) = getters
            if plain:
                return lambda k: multiply_out((only(k),))
            return lambda k: coefficient * multiply_out((only(k),))
        if plain:
            return lambda k: multiply_out([getter(k) for getter in getters])
        return lambda k: coefficient * multiply_out([getter(k) for getter in getters])

    def _gather(self, step: Step, definition: Shift) -> Kernel:
        source = self._formed(definition.source)
        hop = self.hop(definition.hop)
        closing = None if definition.closing is None else self.hop(definition.closing)
        children = self.model.children
        rows, columns = step.type.codomain, step.type.domain

        def kernel(k: int) -> Any:
            total: Any = None
            for c in children[k]:
                part = hop[c] @ source(c)
                if closing is not None:
                    part = part @ closing[c]
                total = part if total is None else total + part
            return np.zeros((self.size(rows, k), self.size(columns, k))) if total is None else total

        return symmetrised(kernel) if step.value.symmetric else kernel

    def _fetch(self, step: Step, definition: Shift) -> Kernel:
        source = self._formed(definition.source)
        hop = self.hop(definition.hop)
        closing = None if definition.closing is None else self.hop(definition.closing)
        parent = self.model.parent
        rows, columns = step.type.codomain, step.type.domain

        def kernel(k: int) -> Any:
            p = parent[k]
            if p < 0:
                return np.zeros((self.size(rows, k), self.size(columns, k)))
            found = hop[k] @ source(p)
            return found if closing is None else found @ closing[k]

        return symmetrised(kernel) if step.value.symmetric else kernel

    def _update(self, definition: Update) -> Kernel:
        """P − gain A* P; in Joseph's form where a joint of several degrees of freedom hangs on another body."""
        P, gain = self._formed(definition.P), self._formed(definition.gain)
        A = [self.getter(ref) for ref in definition.A]
        J = None if definition.J is None else self._formed(definition.J)
        always = self.program.method == "joseph"
        parent = self.model.parent

        def kernel(k: int) -> Any:
            G = gain(k)
            A_star = adjoint(multiply_out([getter(k) for getter in A]))
            if not always and (G.shape[-1] == 1 or parent[k] < 0):
                return P(k) - G @ (A_star @ P(k))
            return joseph(P(k), G, A_star, None if J is None else J(k))

        return kernel

    def _relate(self, step: Step, definition: Relate) -> Kernel:
        def coefficient(term: Term, rows: Space) -> Kernel:
            return self._product(term, rows)

        kernels = RelationKernels(
            definition, self.model.parent, self.model.children, self.size, coefficient, self._formed, self.hop
        )
        self.relations[step.number] = kernels
        return kernels.inward_step

    def _stack(self, step: Step, definition: Stack) -> Kernel:
        rows = [[None if ref is None else self._formed(ref) for ref in row] for row in definition.rows]
        row_spaces, column_spaces = _parts(step.type.codomain, len(rows)), _parts(step.type.domain, len(rows[0]))

        def kernel(k: int) -> Any:
            cells = [
                [
                    np.zeros((self.size(r, k), self.size(c, k))) if cell is None else cell(k)
                    for cell, c in zip(row, column_spaces, strict=True)
                ]
                for row, r in zip(rows, row_spaces, strict=True)
            ]
            lead = np.broadcast_shapes(*(cell.shape[:-2] for row in cells for cell in row))
            wide = [[np.broadcast_to(cell, (*lead, *cell.shape[-2:])) for cell in row] for row in cells]
            return np.concatenate([np.concatenate(row, axis=-1) for row in wide], axis=-2)

        return kernel

    def _part(self, step: Step, definition: Part) -> Kernel:
        source = self.getter(definition.source)
        stacked = self.program.steps[definition.source.value].type.codomain
        parts = [Space(s, s, s) for s in stacked.sizes.split("+")]
        before = parts[: definition.index]

        def kernel(k: int) -> Any:
            start = sum(self.size(part, k) for part in before)
            return source(k)[..., start : start + self.size(step.type.codomain, k), :]

        return kernel

    # -- values that belong to no body -----------------------------------------------------------------------------

    def _small(self, step: Step) -> Any:
        definition = step.definition
        match definition:
            case Reduce():
                total: Any = 0.0
                for term in definition.terms:
                    kernel = self._term(step, term)
                    for k in range(self.model.n):
                        total = total + kernel(k)
                return total
            case Total():
                source = self.getter(definition.source)
                attached = self.program.steps[definition.source.value].value.attached
                bodies = range(self.model.n) if attached else range(1)
                return sum(total_of(definition.kind, source(k)) for k in bodies)
            case Linear():
                if not definition.terms:
                    return np.zeros((self.size(step.type.codomain, 0), self.size(step.type.domain, 0)))
                return self._linear(step, definition)(0)
            case _:
                return self._kernel(step)(0)


def _parts(space: Space, count: int) -> list[Space]:
    return [space] if count == 1 else [Space(s, s, s) for s in space.sizes.split("+")]
