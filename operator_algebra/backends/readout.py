"""Results and pivots of an interpreted program, read from the blocks that its sweeps left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from operator_algebra.backends.backend import Pivot
from operator_algebra.backends.kernels import adjoint, multiply_out, norms, pivot_measure
from operator_algebra.backends.walks import Walker
from operator_algebra.expressions.query import Query
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.products import expand_products
from operator_algebra.lowering.program import Output, Program, Step
from operator_algebra.lowering.values import Hop, Linear, Ref, Relate
from operator_algebra.models.model import Model
from operator_algebra.operators.bind import Bound

Kernel = Callable[[int], Any]


class Readout:
    """Lays results out as arrays; `getter` gives the block of a value at a body, `hop` those of a leaf hop."""

    def __init__(
        self,
        program: Program,
        model: Model,
        inputs: Bound,
        blocks: dict[int, list[Any]],
        small: dict[int, Any],
        getter: Callable[[Ref], Kernel],
        hop: Callable[[Hop], list[Any]],
    ) -> None:
        self.program = program
        self.model = model
        self.inputs = inputs
        self.blocks = blocks
        self.small = small
        self.getter = getter
        self.hop = hop
        self._graph = Graph({number: step.value for number, step in program.steps.items()})

    def result(self, output: Output) -> Any:
        """One result, in the layout of its kind."""
        if output.ref is None:
            return self._walked(output)
        number, star = output.ref.value, output.ref.star
        step = self.program.steps[number]
        if not step.value.attached:
            value = multiply_out((self.small[number],))
            value = adjoint(value) if star else value
            scalar = step.type.domain.sizes == "one" and step.type.codomain.sizes == "one"
            return value[..., 0, 0] if scalar else _drop_one(value, step)
        getter = self.getter(output.ref)
        blocks = [multiply_out((getter(k),)) for k in range(self.model.n)]
        if output.kind == "blocks":
            return _equal_blocks(blocks)
        lead = np.broadcast_shapes(*{block.shape[:-2] for block in blocks})
        axis = -1 if star else -2
        whole = np.concatenate([np.broadcast_to(b, (*lead, *b.shape[-2:])) for b in blocks], axis=axis)
        if output.kind == "vector":
            return whole[..., 0]
        return whole[..., 0, :] if star and step.type.domain.sizes == "one" else whole

    def _walked(self, output: Output) -> Any:
        assert output.walk is not None
        body = output.formula.body if isinstance(output.formula, Query) else output.formula
        layouts = self.inputs.layouts
        rows, columns = layouts[body.type.codomain.sizes], layouts[body.type.domain.sizes]
        walker = Walker(self.model, output.walk, rows, columns, self._block_getter, self.hop)
        if output.kind == "dense" or not isinstance(output.formula, Query):
            return walker.dense()
        i, j = (walker.place(place) for place in output.formula.places)
        return walker.block(i, j)

    def _block_getter(self, ref: Ref) -> Kernel:
        """The block of a value as an array, also if it is an inverse."""
        get = self.getter(ref)
        return lambda k: multiply_out((get(k),))

    def pivot(self, step: Step) -> Pivot:
        """How far a pivot is from zero at every body."""
        if isinstance(step.definition, Relate):
            measures = [relation.measure for relation in self.blocks[step.number]]
            lead = np.broadcast_shapes(*{measure.shape for measure in measures})
            return Pivot(step.name, np.stack([np.broadcast_to(m, lead) for m in measures], axis=-1))
        formed = self._block_getter(Ref(step.number))
        blocks = [formed(k) for k in range(self.model.n)]
        if isinstance(step.definition, Linear):
            scales: Any = [self._scale(step, k) for k in range(self.model.n)]
        else:
            scales = [norms(block) for block in blocks]
        return Pivot(step.name, pivot_measure(blocks, scales))

    def _scale(self, step: Step, k: int) -> Any:
        """The size of the terms that a pivot is summed from, before they cancel."""
        total: Any = 0.0
        assert isinstance(step.definition, Linear)
        for term in step.definition.terms:
            product: Any = abs(float(term.coefficient))
            for ref in expand_products(self._graph, term.factors):
                product = product * norms(self.getter(ref)(k))
            total = total + product
        return total


def _equal_blocks(blocks: list[Any]) -> Any:
    if len({block.shape[-2:] for block in blocks}) > 1:
        return blocks
    lead = np.broadcast_shapes(*{block.shape[:-2] for block in blocks})
    return np.stack([np.broadcast_to(block, (*lead, *block.shape[-2:])) for block in blocks], axis=-3)


def _drop_one(value: Any, step: Step) -> Any:
    if step.type.domain.sizes == "one":
        return value[..., 0]
    return value[..., 0, :] if step.type.codomain.sizes == "one" else value
