"""The block of a value for all bodies of a group at once: arrays (bodies, *batch, rows, columns)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

import numpy as np

from operator_algebra.backends.numpy.arrays import Block, Blocks
from operator_algebra.backends.numpy.blocks import (
    ROOT_EPS,
    Factors,
    Operand,
    added,
    adjoint,
    cholesky,
    joseph,
    multiply_out,
    symmetrised,
)
from operator_algebra.backends.numpy.levels import Group, Indices, Levels
from operator_algebra.backends.numpy.relations import RelationKernels
from operator_algebra.backends.numpy.storage import Stored
from operator_algebra.backends.signs import random_signs
from operator_algebra.backends.sizes import block_size
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.models.model import Model
from operator_algebra.operators.layout import Layout
from operator_algebra.operators.leaves import local_blocks
from operator_algebra.operators.spaces import Space
from operator_algebra.programs.instructions import (
    Answer,
    Call,
    Given,
    Hop,
    Invert,
    Linear,
    Part,
    Reduce,
    Relate,
    Resolve,
    RootOf,
    Rounding,
    Shift,
    Stack,
    Surround,
    Total,
    Update,
)
from operator_algebra.programs.program import Program, Step
from operator_algebra.programs.records import Ref, Term

Kernel = Callable[[Group], Blocks]
Getter = Callable[[Group], Operand]
BodyKernel = Callable[[int], Block]


class GroupKernels:
    """Makes the kernel of each step of a program for one call."""

    def __init__(
        self,
        program: Program,
        model: Model,
        layouts: Mapping[str, Layout],
        levels: Levels,
        stored: dict[int, Stored],
        small: dict[int, Operand],
        hop: Callable[[Symbol], Stored],
        axes: int,
    ) -> None:
        self.program = program
        self.model = model
        self.layouts = layouts
        self.levels = levels
        self.stored = stored
        self.small = small
        self.axes = axes
        self.relations: dict[int, RelationKernels] = {}
        self._hop = hop

    def size(self, space: Space, k: int) -> int:
        """The block size of a space at a body."""
        return block_size(self.model, self.layouts, space, k)

    def _size(self, space: Space, group: Group) -> int:
        return self.size(space, int(self.levels.shapes[group.shape][0]))

    def _zeros(self, group: Group, rows: Space, columns: Space) -> Blocks:
        count = group.count
        return np.zeros((count, *(1,) * self.axes, self._size(rows, group), self._size(columns, group)))

    def hop(self, hop: Hop) -> Stored:
        """The blocks of a leaf hop, at the child of each edge."""
        return self._hop(hop.symbol)

    # -- what a reference means ------------------------------------------------------------------------------------

    def getter(self, ref: Ref) -> Getter:
        """The blocks of a reference in a group; an inverse comes as its factors."""
        number = ref.value
        if number in self.small:
            value = adjoint(self.small[number]) if ref.star else self.small[number]
            return lambda _: value[None] if not isinstance(value, Factors) else value.everywhere
        step = self.program.computed[number]
        if isinstance(step.definition, Invert):
            source = self.formed(step.definition.source)
            return lambda group: Factors(adjoint(source(group)) if ref.star else source(group))
        read = self.stored[number].read
        if ref.star and not step.value.symmetric:
            return lambda group: adjoint(read(group))
        return read

    def formed(self, ref: Ref) -> Kernel:
        """The blocks of a reference as an array, also where it is an inverse."""
        getter = self.getter(ref)
        return lambda group: multiply_out((getter(group),))

    def body_getter(self, ref: Ref) -> BodyKernel:
        """The block of a reference at one body, (*batch, rows, columns)."""
        number = ref.value
        if number in self.small:
            value = multiply_out((self.small[number],))
            return lambda _: adjoint(value) if ref.star else value
        step = self.program.computed[number]
        if isinstance(step.definition, Invert):
            source = self.body_getter(step.definition.source)
            return lambda k: multiply_out((Factors(adjoint(source(k)) if ref.star else source(k)),))
        at = self.stored[number].at
        if ref.star and not step.value.symmetric:
            return lambda k: adjoint(at(k))
        return at

    # -- kernels ---------------------------------------------------------------------------------------------------

    def kernel(self, step: Step) -> Kernel:
        """How the blocks of a step follow from others."""
        definition = step.definition
        match definition:
            case Linear():
                kernel = self._linear(step, definition)
                return symmetrised(kernel) if step.value.symmetric else kernel
            case Shift():
                kernel = self._gather(step, definition) if definition.hop.inward else self._fetch(step, definition)
                return symmetrised(kernel) if step.value.symmetric else kernel
            case RootOf():
                source = self.formed(definition.source)
                return lambda group: cholesky(source(group))
            case Call():
                arguments = [self.formed(ref) for ref in definition.arguments]
                return lambda group: local_blocks(definition.function, *(each(group)[..., 0] for each in arguments))
            case Update():
                return symmetrised(self._update(definition))
            case Rounding():
                return self._rounding(definition)
            case Relate():
                return self._relate(step, definition)
            case Resolve():
                return self._by_body(self.relations[definition.relation.value].outward_step)
            case Surround():
                return self._for_each(self.relations[definition.relation.value].surround_step)
            case Answer():
                relation = self.relations[definition.relation.value]
                drives = [None if ref is None else self.body_getter(ref) for ref in definition.drives]
                return self._by_body(lambda k: relation.answer(k, drives))
            case Stack():
                return self._stack(step, definition)
            case Part():
                return self._part(step, definition)
            case Given() | Invert() | Reduce() | Total():
                raise AssertionError(definition)
            case _:
                assert_never(definition)

    def _by_body(self, function: BodyKernel) -> Kernel:
        def kernel(group: Group) -> Blocks:
            found = [function(k) for k in self.levels.shapes[group.shape][group.where].tolist()]
            lead = np.broadcast_shapes(*{block.shape for block in found})
            return np.stack([np.broadcast_to(block, lead) for block in found])

        return kernel

    def _for_each(self, function: Callable[[int], object]) -> Kernel:
        """A step that keeps what it finds to itself; what is stored in its place means nothing."""

        def kernel(group: Group) -> Blocks:
            for k in self.levels.shapes[group.shape][group.where].tolist():
                function(k)
            return np.zeros((group.count, *(1,) * self.axes, 1, 1))

        return kernel

    def _linear(self, step: Step, definition: Linear) -> Kernel:
        if not definition.terms:
            return lambda group: self._zeros(group, step.type.codomain, step.type.domain)
        first, *rest = [self.product(term, step.type.codomain) for term in definition.terms]
        if not rest:
            return first

        def kernel(group: Group) -> Blocks:
            total = first(group)
            for term in rest:
                total = total + term(group)
            return total

        return kernel

    def product(self, term: Term, space: Space) -> Kernel:
        """A term as a kernel; without factors a multiple of the identity of `space`."""
        getters = [self.getter(ref) for ref in term.factors]
        coefficient: Blocks | float = float(term.coefficient)
        for number in term.scalars:
            coefficient = coefficient * multiply_out((self.small[number],))[None]
        plain = term.coefficient == 1 and not term.scalars
        if not getters:

            def unit(group: Group) -> Blocks:
                count = group.count
                size = self._size(space, group)
                return coefficient * np.broadcast_to(np.eye(size), (count, *(1,) * self.axes, size, size))

            return unit
        if plain:
            return lambda group: multiply_out([getter(group) for getter in getters])
        return lambda group: coefficient * multiply_out([getter(group) for getter in getters])

    def _gather(self, step: Step, definition: Shift) -> Kernel:
        source = self.stored_or_formed(definition.source)
        hop, turned = self.hop(definition.hop), definition.hop.star
        closing = None if definition.closing is None else self.hop(definition.closing)
        closing_turned = definition.closing is not None and definition.closing.star
        rows, columns = step.type.codomain, step.type.domain

        def kernel(group: Group) -> Blocks:
            total: Blocks | None = None
            count = group.count
            for link in group.children:
                blocks = hop.arrays[link.shape][link.there]
                part = (adjoint(blocks) if turned else blocks) @ source(link.shape, link.there)
                if closing is not None:
                    last = closing.arrays[link.shape][link.there]
                    part = part @ (adjoint(last) if closing_turned else last)
                inside = slice(None) if link.inside is None else link.inside
                if total is None and link.inside is None:
                    total = part
                    continue
                if total is None:
                    total = np.zeros((count, *part.shape[1:]))
                elif total.shape[1:] != part.shape[1:]:
                    wide = np.broadcast_shapes(total.shape[1:], part.shape[1:])
                    total = np.array(np.broadcast_to(total, (count, *wide)), order="C")
                    part = np.broadcast_to(part, (len(part), *wide))
                if link.repeated:
                    assert not isinstance(inside, slice)
                    np.add.at(total, inside, part)
                else:
                    total = added(total, inside, part)
            return self._zeros(group, rows, columns) if total is None else total

        return kernel

    def stored_or_formed(self, ref: Ref) -> Callable[[int, slice | Indices], Blocks]:
        """The blocks of a reference at places of a shape."""
        step = self.program.computed[ref.value]
        if isinstance(step.definition, Invert):
            source = self.stored_or_formed(step.definition.source)
            return lambda shape, where: Factors(
                adjoint(source(shape, where)) if ref.star else source(shape, where)
            ).explicit()
        arrays = self.stored[ref.value].arrays
        if ref.star and not step.value.symmetric:
            return lambda shape, where: adjoint(arrays[shape][where])
        return lambda shape, where: arrays[shape][where]

    def _fetch(self, step: Step, definition: Shift) -> Kernel:
        source = self.stored_or_formed(definition.source)
        hop, turned = self.hop(definition.hop), definition.hop.star
        closing = None if definition.closing is None else self.hop(definition.closing)
        closing_turned = definition.closing is not None and definition.closing.star
        rows, columns = step.type.codomain, step.type.domain

        def kernel(group: Group) -> Blocks:
            if group.root:
                return self._zeros(group, rows, columns)
            blocks = hop.read(group)
            blocks = adjoint(blocks) if turned else blocks
            last = None if closing is None else closing.read(group)
            last = adjoint(last) if last is not None and closing_turned else last
            whole: Blocks | None = None
            for link in group.parents:
                own = slice(None) if link.inside is None else link.inside
                found = blocks[own] @ source(link.shape, link.there)
                found = found if last is None else found @ last[own]
                if link.inside is None:
                    return found
                if whole is None:
                    whole = np.zeros((len(blocks), *found.shape[1:]))
                whole[own] = found
            assert whole is not None
            return whole

        return kernel

    def _update(self, definition: Update) -> Kernel:
        """P − gain A* P; in Joseph's form where a joint of several degrees of freedom hangs on another body."""
        P, gain = self.formed(definition.P), self.formed(definition.gain)
        A = [self.getter(ref) for ref in definition.A]
        J = None if definition.J is None else self.formed(definition.J)

        def kernel(group: Group) -> Blocks:
            G = gain(group)
            A_star = adjoint(multiply_out([getter(group) for getter in A]))
            if self._short(definition, group):
                return P(group) - G @ (A_star @ P(group))
            return joseph(P(group), G, A_star, None if J is None else J(group))

        return kernel

    def _short(self, update: Update, group: Group) -> bool:
        return not update.joseph and self._rounds_again(update, group)

    def _rounds_again(self, update: Update, group: Group) -> bool:
        """Whether what is rounded in an update is as large as P; of several freedoms Joseph's form takes it away."""
        return group.root or self._size(self.program.computed[update.gain.value].type.domain, group) == 1

    def _rounding(self, definition: Rounding) -> Kernel:
        """The root of the diagonal of a block, of a nonsymmetric one of the largest entry in each row, with signs."""
        source = self.formed(definition.source)
        symmetric = self.program.computed[definition.source.value].value.symmetric
        update = None if definition.after is None else self.program.computed[definition.after.value].definition

        def kernel(group: Group) -> Blocks:
            block = np.abs(source(group))
            sizes = np.diagonal(block, axis1=-2, axis2=-1) if symmetric else block.max(axis=-1, initial=0.0)
            squares = isinstance(update, Update) and not self._rounds_again(update, group)
            signs = random_signs(self.model.n, sizes.shape[-1], definition.salt)
            here = signs[self.levels.shapes[group.shape][group.where]]
            wide = here.reshape(len(here), *(1,) * self.axes, *here.shape[1:])
            return (np.sqrt(sizes) * (ROOT_EPS if squares else 1.0))[..., None] * wide

        return kernel

    def _relate(self, step: Step, definition: Relate) -> Kernel:
        def coefficient(term: Term, rows: Space) -> BodyKernel:
            getters = [self.body_getter(ref) for ref in term.factors]
            factor: Block | float = float(term.coefficient)
            for number in term.scalars:
                factor = factor * multiply_out((self.small[number],))
            if not getters:
                return lambda k: factor * np.eye(self.size(rows, k))
            return lambda k: factor * multiply_out([getter(k) for getter in getters])

        kernels = RelationKernels(
            definition,
            self.model.parent,
            self.model.children,
            self.size,
            coefficient,
            self.body_getter,
            self.edges,
        )
        self.relations[step.number] = kernels
        return self._for_each(kernels.inward_step)

    def edges(self, hop: Hop) -> Sequence[Block]:
        """The block of a leaf hop for every edge, by the number of the child."""
        at = self.hop(hop).at
        return [adjoint(at(k)) if hop.star else at(k) for k in range(self.model.n)]

    def _stack(self, step: Step, definition: Stack) -> Kernel:
        rows = [[None if ref is None else self.formed(ref) for ref in row] for row in definition.rows]
        row_spaces, column_spaces = definition.spaces(step.type)

        def kernel(group: Group) -> Blocks:
            cells = [
                [
                    self._zeros(group, r, c) if cell is None else cell(group)
                    for cell, c in zip(row, column_spaces, strict=True)
                ]
                for row, r in zip(rows, row_spaces, strict=True)
            ]
            lead = np.broadcast_shapes(*(cell.shape[:-2] for row in cells for cell in row))
            wide = [[np.broadcast_to(cell, (*lead, *cell.shape[-2:])) for cell in row] for row in cells]
            return np.concatenate([np.concatenate(row, axis=-1) for row in wide], axis=-2)

        return kernel

    def _part(self, step: Step, definition: Part) -> Kernel:
        source = self.formed(definition.source)
        stacked = self.program.computed[definition.source.value].type.codomain
        before = stacked.summands[: definition.index]

        def kernel(group: Group) -> Blocks:
            start = sum(self._size(part, group) for part in before)
            return source(group)[..., start : start + self._size(step.type.codomain, group), :]

        return kernel
