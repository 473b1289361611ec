"""The "interpreter" backend: reads a program literally, by levels, bodies of one shape and configurations batched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

import numpy as np

from operator_algebra.arguments import Redundant
from operator_algebra.backends.backend import Run
from operator_algebra.backends.chunks import joined, split
from operator_algebra.backends.numpy.arrays import Block, Blocks
from operator_algebra.backends.numpy.blocks import Factors, Operand
from operator_algebra.backends.numpy.groups import GroupKernels
from operator_algebra.backends.numpy.levels import Group, Indices, Levels, levels
from operator_algebra.backends.numpy.plan import Plan, plan
from operator_algebra.backends.numpy.readout import Readout
from operator_algebra.backends.numpy.small import small_value
from operator_algebra.backends.numpy.storage import UNWRITTEN, Stored
from operator_algebra.backends.sizes import place_of
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.inputs import Bound, InputValue
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.leaf import Leaf
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.programs.instructions import Given, Invert, Update
from operator_algebra.programs.program import Program, Step, Sweep
from operator_algebra.programs.records import references
from operator_algebra.spatial.arrays import Axes


def build(program: Program, model: Model, frame: str, redundant: Redundant = "raise") -> Interpreter:
    """Make a program ready for a model."""
    return Interpreter(program, model, cast("Axes", frame), redundant)


class Interpreter:
    """Runs a program on one model; every call has its own storage."""

    source = "the program is interpreted; it has no source"

    def __init__(self, program: Program, model: Model, frame: Axes, redundant: Redundant) -> None:
        self.redundant: Redundant = redundant
        self.program = program
        self.model = model
        self.frame: Axes = frame
        self.plans: tuple[Plan, ...] = tuple(map(plan, (*program.stages, *program.bounds)))
        self._levels: dict[tuple[tuple[str, bytes], ...], Levels] = {}
        self.interpreted = self
        self._has_own_hops = any(symbol.structure.hop and symbol.origin == "input" for symbol in program.symbols)

    def levels(self, layouts: Mapping[str, Layout]) -> Levels:
        """The order of the bodies; block sizes of a user's spaces come with the inputs."""
        key = tuple((name, layout.sizes.tobytes()) for name, layout in sorted(layouts.items()) if layout.attached)
        found = self._levels.get(key)
        if found is None:
            found = self._levels[key] = levels(self.model, layouts, by_parent=self._has_own_hops)
        return found

    def __call__(self, q: Numbers, v: Numbers | None, inputs: Bound) -> Run:
        """Run at one or many configurations, a bounded number at a time."""
        with np.errstate(all="ignore"):
            parts = [_Execution(self, *part).run() for part in split(q, v, inputs, self.model.n)]
        return joined(parts)

    def first_not_finite(self, q: Numbers, v: Numbers | None, inputs: Bound) -> tuple[str, int | None]:
        """The first value, by name and body, that is not finite at one configuration."""
        with np.errstate(all="ignore"):
            execution = _Execution(self, q, v, inputs, 0)
            execution.run()
        return execution.first_not_finite()


class _Execution:
    """One call: the blocks of every value, filled sweep by sweep."""

    def __init__(self, interpreter: Interpreter, q: Numbers, v: Numbers | None, inputs: Bound, axes: int) -> None:
        self.program = interpreter.program
        self.model = interpreter.model
        self.plans = interpreter.plans
        self.redundant: Redundant = interpreter.redundant
        self.leaves = LeafValues(self.model, q, v, interpreter.frame)
        self.inputs = inputs
        self.axes = axes
        self.levels = interpreter.levels(inputs.layouts)
        self.stored: dict[int, Stored] = {}
        self.small: dict[int, Operand] = {}
        self._hops: dict[Symbol, Stored] = {}
        self.kernels = GroupKernels(
            self.program, self.model, inputs.layouts, self.levels, self.stored, self.small, self.hop, axes
        )
        for step in self.program.given:
            self._provide(step)

    # -- what is given ---------------------------------------------------------------------------------------------

    def _provide(self, step: Step) -> None:
        assert isinstance(step.definition, Given)
        symbol = step.definition.symbol
        if symbol is None:
            self.stored[step.number] = self._unit_columns(step)
        elif symbol.leaf is not None:
            self.stored[step.number] = self._leaf(symbol.leaf)
        elif step.value.attached:
            self.stored[step.number] = self._input(self.inputs.values[symbol.name])
        else:
            block = self.inputs.values[symbol.name].dense
            assert block is not None
            self.small[step.number] = self._wide(block, self.axes + 2)

    def _wide(self, block: Block, rank: int) -> Block:
        """A block with as many leading axes as the batch has."""
        return block.reshape((1,) * (rank - block.ndim) + block.shape)

    def _bodies_first(self, blocks: Numbers) -> Blocks:
        """(..., m, r, c) as (m, *batch, r, c), each block on its own in memory.

        A product takes another road, and rounds differently, where rows are scattered; and scattered rows are slow.
        """
        moved = np.moveaxis(blocks, -3, 0)
        wide = moved.reshape(moved.shape[:1] + (1,) * (self.axes + 3 - moved.ndim) + moved.shape[1:])
        return np.ascontiguousarray(wide)

    def _leaf(self, leaf: Leaf) -> Stored:
        arrays: list[Blocks | None] = [None for _ in self.levels.shapes]
        for bodies, blocks in self.leaves.groups(leaf):
            wide = self._bodies_first(blocks)
            shapes = self.levels.shape_of[bodies]
            for shape in range(len(arrays)):
                mine = np.nonzero(shapes == shape)[0]
                if not mine.size:
                    continue
                if np.array_equal(bodies, self.levels.shapes[shape]):
                    arrays[shape] = wide
                    continue
                whole = arrays[shape]
                if whole is None:
                    whole = arrays[shape] = np.zeros((self.levels.shapes[shape].size, *wide.shape[1:]))
                whole[self.levels.place_of[bodies[mine]]] = wide[mine]
        return Stored(self.levels, [self._or_zero(leaf, s, array) for s, array in enumerate(arrays)])

    def _or_zero(self, leaf: Leaf, shape: int, array: Blocks | None) -> Blocks:
        if array is not None:
            return array
        bodies = self.levels.shapes[shape]
        block = leaf.block_shape(int(self.model.columns.nv[bodies[0]]))
        return np.zeros((len(bodies), *(1,) * self.axes, *block))

    def _input(self, value: InputValue) -> Stored:
        arrays: list[Blocks] = []
        for bodies in self.levels.shapes:
            if value.dense is None:
                blocks: list[Numbers] = [value.blocks[k] for k in bodies.tolist()]
                lead = np.broadcast_shapes(*{block.shape[:-2] for block in blocks})
                stacked = np.stack([np.broadcast_to(b, (*lead, *b.shape[-2:])) for b in blocks], axis=-3)
            elif value.rows.attached:
                stacked = value.dense[..., _entries(value.rows, bodies), :]
            else:
                stacked = np.moveaxis(value.dense[..., :, _entries(value.cols, bodies)], -2, -3)
            arrays.append(self._bodies_first(stacked))
        return Stored(self.levels, arrays)

    def _unit_columns(self, step: Step) -> Stored:
        layout = self.inputs.layouts[step.type.codomain.sizes]
        counted = step.type.domain.counted
        assert counted is not None
        place = counted.place
        unit = np.eye(layout.size)[:, slice(None) if place is None else layout.part(place_of(self.model, place))]
        return Stored(self.levels, [self._bodies_first(unit[_entries(layout, b), :]) for b in self.levels.shapes])

    def hop(self, symbol: Symbol) -> Stored:
        """The blocks of a leaf hop, one per edge, at the child."""
        found = self._hops.get(symbol)
        if found is None:
            leaf = symbol.leaf
            found = self._input(self.inputs.values[symbol.name]) if leaf is None else self._leaf(leaf)
            self._hops[symbol] = found
        return found

    # -- sweeps ----------------------------------------------------------------------------------------------------

    def run(self) -> Run:
        """Sweep by sweep, then the results and the pivots."""
        stages = self.program.stages
        for sweep, order in zip(stages, self.plans[: len(stages)], strict=True):
            self._stage(sweep, order, self.redundant)
        for sweep, order in zip(self.program.bounds, self.plans[len(stages) :], strict=True):
            self._stage(sweep, order, "raise")
        readout = Readout(self.program, self.model, self.inputs, self.levels, self.kernels)
        results = {output.name: readout.result(output) for output in self.program.outputs}
        pivots = tuple(one for pivot in self.program.pivots for one in readout.measured(pivot))
        return Run(results, pivots)

    def first_not_finite(self) -> tuple[str, int | None]:
        """The first value that is not finite, in the order in which the sweeps found them; else the result."""
        depth = np.asarray(self.model.level)
        for direction, steps in [
            ("outward", self.program.given),
            *((s.direction, s.steps) for s in self.program.stages),
        ]:
            turn = -1 if direction == "inward" else 1
            found = [(turn * int(depth[k]), i, k) for i, step in enumerate(steps) for k in self._not_finite(step)]
            if found:
                _, i, k = min(found)
                return steps[i].name, k
            for step in steps:
                block = self.small.get(step.number)
                if block is not None and not np.isfinite(block.matrix if isinstance(block, Factors) else block).all():
                    return step.name, None
        return "the result", None

    def _not_finite(self, step: Step) -> list[int]:
        """The bodies at which a value is not finite."""
        stored = self.stored.get(step.number)
        if stored is None:
            return []
        bodies: list[int] = []
        for shape, array in zip(self.levels.shapes, stored.arrays, strict=True):
            if array is not UNWRITTEN:
                bad = ~np.isfinite(array).all(axis=tuple(range(1, array.ndim)))
                bodies += shape[np.broadcast_to(bad, shape.shape)].tolist()
        return bodies

    def _stage(self, sweep: Sweep, order: Plan, redundant: Redundant) -> None:
        if sweep.direction != "once":
            self._sweep(sweep, order)
            return
        for step in sweep.steps:
            self.small[step.number] = small_value(self.kernels, step, redundant)

    def _sweep(self, sweep: Sweep, order: Plan) -> None:
        for step in sweep.steps:
            if not isinstance(step.definition, Invert):
                self.stored[step.number] = Stored(self.levels)
        for step in order.before:
            self._everywhere(step, sweep.direction)
        loop = [(self.stored[step.number], self.kernels.kernel(step)) for step in order.loop]
        if loop:
            for group in self._groups(sweep.direction):
                for store, kernel in loop:
                    store.write(group, kernel(group))
        for step in order.after:
            self._everywhere(step, sweep.direction)

    def _groups(self, direction: str) -> Iterable[Group]:
        return reversed(self.levels.groups) if direction == "inward" else self.levels.groups

    def _everywhere(self, step: Step, direction: str) -> None:
        """A value outside the recurrences: all bodies of a shape at once, unless it follows edges."""
        store, kernel = self.stored[step.number], self.kernels.kernel(step)
        along_edges = any(label in "UD" for _, label in references(step.definition))
        along_edges |= isinstance(step.definition, Update)  # its form at roots is another
        for group in self._groups(direction) if along_edges else self.levels.whole():
            store.write(group, kernel(group))


def _entries(layout: Layout, bodies: Indices) -> Indices:
    """The entries of the blocks of some bodies of one shape, (bodies, size)."""
    size = int(layout.sizes[bodies[0]])
    return layout.offsets[bodies][:, None] + np.arange(size)
