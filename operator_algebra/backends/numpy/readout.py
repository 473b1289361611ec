"""Results and pivots of an interpreted program, read from the blocks that its sweeps left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from operator_algebra.arguments import Redundant
from operator_algebra.backends.backend import Measured, Result
from operator_algebra.backends.numpy.arrays import Block, Blocks, Scalars, Sizes
from operator_algebra.backends.numpy.blocks import (
    adjoint,
    bounded_measure,
    definiteness,
    dependent_rows,
    multiply_out,
    norms,
    pivot_measure,
    rounded_measure,
)
from operator_algebra.backends.numpy.groups import GroupKernels, Kernel
from operator_algebra.backends.numpy.levels import ANY, Group, Levels
from operator_algebra.backends.numpy.redundant import LeastNorm, mended
from operator_algebra.backends.numpy.walks import Walker
from operator_algebra.backends.pivots import DOUBTFUL, SINGULAR, refined_share
from operator_algebra.backends.sizes import place_of
from operator_algebra.expressions.render import brief
from operator_algebra.models.model import Model
from operator_algebra.operators.inputs import Bound
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.instructions import Linear, Relate, RootOf, Stack
from operator_algebra.programs.program import Output, Pivot, Program, Step, inverses_of, read_by
from operator_algebra.programs.records import Ref


class Readout:
    """Lays results out as arrays."""

    def __init__(self, program: Program, model: Model, inputs: Bound, levels: Levels, kernels: GroupKernels) -> None:
        self.program = program
        self.model = model
        self.inputs = inputs
        self.levels = levels
        self.kernels = kernels
        self._held: dict[int, Scalars] = {}

    def result(self, output: Output) -> Result:
        """One result, in the layout of its kind."""
        if output.ref is None:
            return self._walked(output)
        number, star = output.ref.value, output.ref.star
        step = self.program.steps[number]
        if not step.value.attached:
            value = multiply_out((self.kernels.small[number],))
            value = adjoint(value) if star else value
            scalar = step.type.domain.sizes == "one" and step.type.codomain.sizes == "one"
            if scalar:
                return value[..., 0, 0]
            return value[..., 0] if step.type.domain.sizes == "one" else value
        formed = self.kernels.formed(output.ref)
        parts = [formed(group) for group in self.levels.whole()]
        if output.kind == "blocks":
            return self._blocks(parts)
        lead = np.broadcast_shapes(*{part.shape[1:-2] for part in parts})
        space = step.type.codomain if step.type.codomain.attached else step.type.domain
        whole = self._whole(parts, lead, space, columns=star)
        if output.kind == "vector":
            return whole[..., 0]
        if output.kind == "picked":
            rows = self.inputs.layouts[space.sizes].part(place_of(self.model, output.places[0]))
            return whole[..., rows, :]
        return whole

    def _whole(self, parts: list[Blocks], lead: tuple[int, ...], space: Space, *, columns: bool) -> Block:
        """The blocks of all bodies as rows of one array, or as its columns."""
        layout = self.inputs.layouts[space.sizes]
        free = parts[0].shape[-2 if columns else -1]
        whole = np.empty((*lead, free, layout.size) if columns else (*lead, layout.size, free))
        for bodies, part in zip(self.levels.shapes, parts, strict=True):
            size: int = part.shape[-1 if columns else -2]
            entries = layout.offsets[bodies][:, None] + np.arange(size, dtype=np.intp)
            blocks = np.moveaxis(np.broadcast_to(part, (len(part), *lead, *part.shape[-2:])), 0, -3)
            if columns:
                whole[..., :, entries] = np.moveaxis(blocks, -3, -2)
            else:
                whole[..., entries, :] = blocks
        return whole

    def _blocks(self, parts: list[Blocks]) -> Result:
        """One array (..., n, rows, columns) if all blocks have one shape, else a list over the bodies."""
        lead = np.broadcast_shapes(*{part.shape[1:-2] for part in parts})
        wide = [np.broadcast_to(part, (len(part), *lead, *part.shape[-2:])) for part in parts]
        if len({part.shape[-2:] for part in parts}) > 1:
            at = zip(self.levels.shape_of.tolist(), self.levels.place_of.tolist(), strict=True)
            return [wide[shape][place] for shape, place in at]
        whole = np.empty((*lead, self.model.n, *parts[0].shape[-2:]))
        for bodies, part in zip(self.levels.shapes, wide, strict=True):
            whole[..., bodies, :, :] = np.moveaxis(part, 0, -3)
        return whole

    def _walked(self, output: Output) -> Result:
        assert output.walk is not None
        layouts = self.inputs.layouts
        rows, columns = layouts[output.rows.sizes], layouts[output.columns.sizes]
        walker = Walker(self.model, output.walk, rows, columns, self.kernels.body_getter, self.kernels.edges)
        if output.kind == "dense":
            return walker.dense()
        i, j = (place_of(self.model, place) for place in output.places)
        return walker.block(i, j)

    def measured(self, pivot: Pivot) -> Iterator[Measured]:
        """All that is known of how many digits a pivot leaves."""
        own = self.pivot(pivot)
        if pivot.kept is None:
            yield own
            return
        # That the small system is singular is told by itself; what else it loses is refined, too.
        yield replace(own, measure=np.where(own.measure >= SINGULAR, 1.0, own.measure))
        share = np.abs(multiply_out((self.kernels.small[pivot.kept.value],)))[..., 0]
        share = np.fmin(np.where(own.measure < DOUBTFUL, own.measure, 1.0), share)
        share = refined_share(share) if self.program.refines else share
        yield Measured(own.name, np.maximum(share, SINGULAR), attached=False, bounded=True, springs=True)

    def pivot(self, pivot: Pivot) -> Measured:
        """How far a pivot is from zero, at every body."""
        step = self.program.steps[pivot.value]
        if not step.value.attached:
            return self._small_pivot(pivot, step)
        if isinstance(step.definition, Relate):
            relation = self.kernels.relations[step.number]
            measures = [relation.measure(k) for k in range(self.model.n)]
            lead = np.broadcast_shapes(*{measure.shape for measure in measures})
            return Measured(step.name, np.stack([np.broadcast_to(m, lead) for m in measures], axis=-1), bounded=True)
        if isinstance(step.definition, RootOf):
            source = self.kernels.formed(step.definition.source)
            definite = self._by_body([definiteness(source(group)) for group in self.levels.whole()])
            rooted = self.program.steps[step.definition.source.value]
            measure = self._by_body(self._bounded(pivot, source))
            np.copyto(measure, definite, where=~(definite > 0))
            return Measured(rooted.name, measure, bounded=True, formula=pivot.inverted)
        formed = self.kernels.formed(Ref(step.number))
        bounded = pivot.left is not None
        if bounded and step.value.symmetric:
            reached = self._by_body(self._bounded(pivot, formed))
            return Measured(step.name, reached, bounded=True, formula=pivot.inverted)
        local = self._by_body(
            [pivot_measure(formed(group), self._scale(pivot, group)) for group in self.levels.whole()]
        )
        if not bounded:
            return Measured(step.name, local, formula=pivot.inverted)
        # Factors of one product may cancel, as in H τ̄ = 0, which the columns of the bound do not see.
        reached = self._by_body(self._bounded(pivot, formed))
        lost = local < SINGULAR
        return Measured(step.name, np.where(lost, local, reached), bounded=True, formula=pivot.inverted)

    def _small_pivot(self, pivot: Pivot, step: Step) -> Measured:
        """The same for a pivot of no body.

        As many rows as the mechanism has freedoms hold all of them: what moves at all is known from the least of the
        terms alone (the softness of rows beside the compliance of the mechanism), so its digits count; and what
        holds a mechanism that is held already has only the digits that this has left. What opens an inverse is
        measured for itself: see `measured`.
        """
        block = multiply_out((self.kernels.small[step.number],))[None]
        name = step.name if pivot.inverted is None else brief(pivot.inverted)
        measure = pivot_measure(block, norms(block))
        sizes = self._sizes(step)
        holds_all = pivot.kept is None and block.shape[-1] >= self.model.nv and len(sizes) > 1
        if holds_all:
            share = np.minimum.reduce(np.broadcast_arrays(*sizes)) / np.maximum(norms(block), np.finfo(np.float64).tiny)
            measure = np.minimum(measure, share)
            for before in self._held.keys() & read_by(self.program, step.number):
                measure = measure * self._held[before]
            self._held[step.number] = measure
        inverses = inverses_of(self.program, step.number)
        redundant: Redundant | None = "raise" if inverses else None
        for inverse in inverses:
            factors = self.kernels.small[inverse]
            if isinstance(factors, LeastNorm):
                redundant = "least norm"
                measure = mended(self.kernels, inverse, factors, measure)
        rows = dependent_rows(block, measure < SINGULAR)
        measure = np.moveaxis(measure, 0, -1)
        return Measured(name, measure, attached=False, bounded=holds_all, dependent=rows, redundant=redundant)

    def _sizes(self, step: Step) -> list[Scalars]:
        """The sizes of the terms of a small block; of blocks on the diagonal of a stack, of all of them."""
        definition = step.definition
        if isinstance(definition, Stack):
            diagonal = (row[i] for i, row in enumerate(definition.rows) if i < len(row))
            return [size for ref in diagonal if ref for size in self._sizes(self.program.steps[ref.value])]
        terms = definition.terms if isinstance(definition, Linear) else ()
        return [norms(self.kernels.product(term, step.type.codomain)(ANY)) for term in terms]

    def _bounded(self, pivot: Pivot, formed: Kernel) -> list[Scalars]:
        """How much of each block the rounding that reaches it has left."""
        assert pivot.left is not None
        assert pivot.right is not None
        left, right = self.kernels.formed(pivot.left), self.kernels.formed(pivot.right)
        found = [bounded_measure(formed(group), left(group), right(group)) for group in self.levels.whole()]
        if not (self.model.oblique and self.program.steps[pivot.value].type.codomain.sizes == "joint"):
            return found
        # What reaches D = H P H* seems harmless where H hides it, but its entries are rounded as they are made.
        oblique = [np.isin(bodies, list(self.model.oblique)) for bodies in self.levels.shapes]
        own = [
            rounded_measure(formed(group)) if any(here) else None
            for group, here in zip(self.levels.whole(), oblique, strict=True)
        ]
        return [
            measure
            if rounded is None
            else np.where(here.reshape(-1, *(1,) * (measure.ndim - 1)), np.minimum(measure, rounded), measure)
            for measure, rounded, here in zip(found, own, oblique, strict=True)
        ]

    def _by_body(self, measures: list[Scalars]) -> Sizes:
        """One number per body, (..., n)."""
        lead = np.broadcast_shapes(*{measure.shape[1:] for measure in measures})
        whole = np.empty((*lead, self.model.n))
        for bodies, measure in zip(self.levels.shapes, measures, strict=True):
            whole[..., bodies] = np.moveaxis(np.broadcast_to(measure, (len(measure), *lead)), 0, -1)
        return whole

    def _scale(self, pivot: Pivot, group: Group) -> Scalars:
        """The size of the terms that a pivot is summed from, before they cancel."""
        if not pivot.terms:
            return norms(self.kernels.formed(Ref(pivot.value))(group))
        total: Scalars | float = 0.0
        for term in pivot.terms:
            product: Scalars | float = abs(float(term.coefficient))
            for number in term.scalars:
                product = product * np.abs(multiply_out((self.kernels.small[number],)))[None, ..., 0, 0]
            for ref in term.factors:
                product = product * norms(self.kernels.getter(ref)(group))
            total = total + product
        return np.asarray(total)
