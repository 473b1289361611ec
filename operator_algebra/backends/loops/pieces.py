"""A program as pieces, one for each sweep and kind of body: what a body of that kind computes from what it loads.

A piece is traced at one body as the whole program is at all of them, by the same rules. What the body itself had
before, what stands at its parent, and what its children have sent are loads. What is zero, or the same number at all
bodies, is no load: that is found by starting from what the first bodies of a sweep make of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from operator_algebra.backends.loops.classes import Kind, kinds
from operator_algebra.backends.loops.frames import framed
from operator_algebra.backends.loops.records import Cut, Piece, Slot
from operator_algebra.backends.loops.tracer import KindTracer, NotYet, Shared
from operator_algebra.backends.loops.weights import weights
from operator_algebra.backends.scalar.graph import Untraceable, needed
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.errors import SingularError
from operator_algebra.lowering.bounds import elimination
from operator_algebra.lowering.lower import by_classical_accelerations
from operator_algebra.models.arrays import Indices
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.leaf_factors import body_classes
from operator_algebra.operators.spaces import MOTION
from operator_algebra.programs.instructions import Shift, shift_of
from operator_algebra.programs.interpret import Unread
from operator_algebra.programs.program import Direction, Pivot, Program, Sweep, tested_block
from operator_algebra.programs.records import Record, references


def cut(program: Program, model: Model, signature: Signature, *, bearing: bool = True) -> Cut:
    """The pieces of a program; `Untraceable` where it is more than sweeps that give vectors.

    With `bearing` columns of rounding stand beside them, if inertia tells where they have to run: see `weights`.
    """
    try:
        return _Cutter(by_classical_accelerations(program), model, signature, bearing=bearing).cut()
    except Unread as relations:
        raise Untraceable(str(relations)) from None
    except (ArithmeticError, AttributeError, LookupError, SingularError, TypeError, ValueError) as error:
        raise Untraceable(f"{type(error).__name__}: {error}") from None


class _Cutter:
    def __init__(self, program: Program, model: Model, signature: Signature, *, bearing: bool) -> None:
        self.program = program
        self.sweeps = _fused([sweep for sweep in (*program.stages, *program.bounds) if sweep.steps])
        shifts = [_checked(step.definition, sweep) for sweep in self.sweeps for step in sweep.steps]
        computed = {step.number for sweep in self.sweeps for step in sweep.steps}
        for output in program.outputs:
            if output.kind != "vector" or output.ref is None or output.ref.value not in computed:
                raise Untraceable("a result is no vector over the bodies that is computed")
        if any(step.value.leaf is None for step in program.given):
            raise Untraceable("unit columns are no vectors")
        self.shared = Shared(
            order=[name for name in signature.values if name not in signature.absent],
            shifts=shifts,
            read_above={one.source.value for one in shifts if one is not None and not one.hop.inward},
            judged=[self._last(pivot) for pivot in program.pivots],
            beside=frozenset(step.number for sweep in program.bounds for step in sweep.steps),
        )
        self.kinds = kinds(model, body_classes(model) if self._in_body_axes(signature) else framed(model))
        self.tracers = [KindTracer(program, model, signature, kind, self.shared) for kind in self.kinds]
        if bearing:
            self._bear(np.asarray(model.parent))

    def _bear(self, parent: Indices) -> None:
        """Let columns of rounding run only where they have to, if one sweep has them all."""
        parts = elimination(self.program, self.program.pivots[0]) if len(self.program.pivots) == 1 else None
        beside = [sweep for sweep in self.sweeps if any(step.number in self.shared.beside for step in sweep.steps)]
        found = weights(self.tracers, parts, parent) if parts is not None and beside == self.shared.judged else None
        if parts is not None and found is not None:
            for tracer, one in zip(self.tracers, found, strict=True):
                tracer.bear(parts, one.own, one.above)

    def _in_body_axes(self, signature: Signature) -> bool:
        """Whether numbers of the caller, or results, are motions or forces of bodies."""
        given = [value for name, value in signature.values.items() if name in self.shared.order]
        sizes = [family for value in given for family in (value.type.domain, value.type.codomain)]
        return MOTION.sizes in (*(one.sizes for one in sizes), *(one.rows.sizes for one in self.program.outputs))

    def cut(self) -> Cut:
        """Sweep by sweep, sines and cosines before all of them."""
        table = [self._settled(sweep) for sweep in self.sweeps]
        table.insert(0, [tracer.turned([row[i] for row in table]) for i, tracer in enumerate(self.tracers)])
        directions: list[Direction] = ["local", *(sweep.direction for sweep in self.sweeps)]
        loads = tuple(tracer.loads for tracer in self.tracers)
        read = self._read(table)
        slots, passing = (sorted(slot for slot, passes in read.items() if passes is there) for there in (False, True))
        numbered = ({slot: place for place, slot in enumerate(several)} for several in (slots, passing))
        rough = tuple(frozenset(tracer.rough) for tracer in self.tracers)
        beside = tuple(_columns(kind, tracer.weights) for kind, tracer in zip(self.kinds, self.tracers, strict=True))
        rows, signs = tuple(map(tuple, table)), tuple(self.shared.signs)
        return Cut(self.kinds, tuple(directions), rows, loads, rough, beside, signs, *numbered)

    def _last(self, pivot: Pivot) -> Sweep:
        """The sweep that makes the last of what tells how many digits a pivot loses."""
        if not self.program.steps[pivot.value].value.attached:
            raise Untraceable("a pivot belongs to no body")
        read = {ref.value for ref in (*pivot.refs(), tested_block(self.program, pivot))}
        making = [sweep for sweep in self.sweeps if any(step.number in read for step in sweep.steps)]
        if not making:
            raise Untraceable("a pivot is given")
        return making[-1]

    def _settled(self, sweep: Sweep) -> list[Piece]:
        """The pieces of a sweep, traced until what they take for a number is one."""
        while True:
            before = dict(self.shared.above), dict(self.shared.sent)
            found: list[Piece] = []
            for tracer in self.tracers:
                try:
                    found.append(tracer.piece(sweep))
                except NotYet:
                    continue
            if before == (self.shared.above, self.shared.sent):
                if len(found) < len(self.tracers):
                    raise Untraceable("a sweep starts nowhere")
                for tracer in self.tracers:
                    tracer.keep(sweep)
                return found

    def _read(self, table: Sequence[Sequence[Piece]]) -> dict[Slot, bool]:
        """The slots that are loaded on the way to what is wanted in any case; nobody fills the others.

        For each whether it is read before its sweep is over, and by no other: what passes from body to body.
        """
        found: dict[Slot, bool] = {}
        while True:
            before = len(found)
            for sweep, row in enumerate(table):
                made = {slot for piece in row for slot in piece.kept}
                for piece, tracer in zip(row, self.tracers, strict=True):
                    for node in needed(piece.wanted_at_most(found)):
                        for where, slot in tracer.slots_of(node, filling=not sweep):
                            passes = slot[0] == "sent" or (where == "above" and slot in made)
                            found[slot] = passes and found.get(slot, True)
            if len(found) == before:
                return found


def _columns(kind: Kind, several: Sequence[Numbers]) -> Numbers:
    return np.stack(several, axis=1) if several else np.empty((len(kind.bodies), 0))


def _fused(sweeps: Sequence[Sweep]) -> list[Sweep]:
    """Steps in the first sweep of their direction before which all is known that they read, local ones in any."""
    found: list[Sweep] = []
    made: dict[int, int] = {}  # in which of them
    for sweep in sweeps:
        own = {step.number for step in sweep.steps}
        read = {ref.value for step in sweep.steps for ref, _ in references(step.definition)} - own
        first = max((made[number] for number in read if number in made), default=0)
        like = (i for i in range(first, len(found)) if sweep.direction in (found[i].direction, "local"))
        place = next(like, len(found))
        if place == len(found):
            found.append(sweep)
        else:
            found[place] = replace(found[place], steps=(*found[place].steps, *sweep.steps))
        made |= dict.fromkeys(own, place)
    return found


def _checked(definition: Record, sweep: Sweep) -> Shift | None:
    """A shift that runs with its sweep."""
    if sweep.direction == "once":
        raise Untraceable("something is computed once for the whole mechanism")
    shift = shift_of(definition)
    if shift is None:
        return None
    inside = any(step.number == shift.source.value for step in sweep.steps)
    if sweep.direction != "inward" if shift.hop.inward else inside and sweep.direction != "outward":
        raise Untraceable("a shift runs against its sweep")
    return shift
