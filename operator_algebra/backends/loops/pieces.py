"""A program as pieces, one for each sweep and kind of body: what a body of that kind computes from what it loads.

A piece is traced at one body as the whole program is at all of them, by the same rules. What the body itself had
before, what stands at its parent, and what its children have sent are loads. What is zero, or the same number at all
bodies, is no load: that is found by starting from what the first bodies of a sweep make of it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from operator_algebra.backends.frames import bound_to_axes, framed, in_body_axes, of_bodies
from operator_algebra.backends.loops.classes import Kind, kinds
from operator_algebra.backends.loops.joints import sharing
from operator_algebra.backends.loops.kind_tracer import KindTracer
from operator_algebra.backends.loops.limits import LIMITS, Limits
from operator_algebra.backends.loops.records import Cut, Piece, Running, Slot
from operator_algebra.backends.loops.standing import standing
from operator_algebra.backends.loops.tracer import NotYet, Shared, is_base
from operator_algebra.backends.loops.weights import alongs, axial, weights
from operator_algebra.backends.loops.whole import WholeTracer
from operator_algebra.backends.scalar.graph import Untraceable, needed
from operator_algebra.backends.scalar.precision import DOUBLE, Precision
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.backends.scalar.traced import shortest
from operator_algebra.errors import SingularError
from operator_algebra.lowering.bounds import elimination
from operator_algebra.lowering.lower import for_numbers
from operator_algebra.models.arrays import Indices
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.programs.instructions import Shift, added_up, shift_of
from operator_algebra.programs.interpret import Unread
from operator_algebra.programs.program import Direction, Pivot, Program, Step, Sweep, tested_block
from operator_algebra.programs.records import Record, references

_WIDEST = 12
"""So many unit columns are written out at each body."""
_FAMILIES = ("spatial", "joint")
"""Spaces whose blocks are as large as the kind of a joint says."""


def cut(
    program: Program,
    model: Model,
    signature: Signature,
    *,
    columns: Running = "needed",
    limits: Limits = LIMITS,
    precision: Precision = DOUBLE,
) -> Cut:
    """The pieces of a program; `Untraceable` where it is more than sweeps that give vectors.

    Columns of rounding stand beside them where they are "needed", if inertia tells where that is: see `weights`. There
    may be some "everywhere", and "never" any: see `thin`. What tells whether numbers may be trusted is that of a
    precision.
    """
    try:
        seen = cache(lambda: _seen(program, model, signature, limits))

        def length(one: Program) -> int:
            bare = replace(one, pivots=(), bounds=())
            return _Cutter(bare, model, signature, seen, precision, "everywhere").cut().length()

        own = shortest(for_numbers(program), length)
        return _Cutter(own, model, signature, seen, precision, columns).cut()
    except Unread as relations:
        raise Untraceable(str(relations)) from None
    except (ArithmeticError, AttributeError, LookupError, SingularError, TypeError, ValueError) as error:
        raise Untraceable(f"{type(error).__name__}: {error}") from None


def _seen(program: Program, model: Model, signature: Signature, limits: Limits) -> tuple[Kind, ...]:
    """The kinds of bodies, in the axes that they are seen in."""
    classes = (in_body_axes(model) if _in_body_axes(program, signature) else framed(model)).classes
    other = [one.sizes for name, one in signature.layouts.items() if one.attached and name not in _FAMILIES]
    return kinds(model, sharing(classes, limits.most_kinds(model.n)), other, limits)


def _in_body_axes(program: Program, signature: Signature) -> bool:
    """Whether numbers of the caller, or results, are motions or forces of bodies."""
    given = [value for name, value in signature.values.items() if name not in signature.absent]
    spaces = [space for value in given for space in (value.type.domain, value.type.codomain)]
    spaces += [space for one in program.outputs for space in (one.rows, one.columns)]
    return any(map(of_bodies, spaces)) or bound_to_axes(program)


class _Cutter:
    def __init__(
        self,
        program: Program,
        model: Model,
        signature: Signature,
        seen: Callable[[], tuple[Kind, ...]],
        precision: Precision,
        columns: Running,
    ) -> None:
        self.program = program
        self.sweeps = _in_order(program)
        if not all(program.computed[number].value.attached for number in _ends(program)):
            self.sweeps.append(Sweep("once", ()))
        judged = [self._last(pivot) for pivot in program.pivots]
        shifts = [_checked(step.definition, sweep) for sweep in self.sweeps for step in sweep.steps]
        above = {one.source.value for one in shifts if one is not None and not one.hop.inward}
        opening = self._opening(above)
        if any(output.ref is None for output in program.outputs):
            raise Untraceable("a result has blocks for pairs of bodies")
        for step in program.given:
            counted = step.type.domain.counted
            if counted is not None and counted.place is None and signature.layouts[counted.family].size > _WIDEST:
                raise Untraceable("there are unit columns for all bodies")
        self.shared = Shared(
            order=[name for name in signature.values if name not in signature.absent],
            shifts=shifts,
            read_above=above,
            judged=judged,
            beside=frozenset(step.number for sweep in program.bounds for step in sweep.steps),
            opening=opening,
            first=next(one for one in self.sweeps if one.direction != "once" and one is not opening),
            last=self.sweeps[-1],
        )
        self.kinds = seen()
        self.tracers = [KindTracer(program, model, signature, kind, self.shared) for kind in self.kinds]
        self.whole = WholeTracer(program, model, signature, self.shared)
        for tracer in (*self.tracers, self.whole):
            tracer.precision = precision
        self.axial = False
        if columns != "everywhere":
            self._bear(np.asarray(model.parent), columns)

    def _opening(self, above: Container[int]) -> Sweep | None:
        """The sweep before all others that hands on poses and what is given, if they are read."""
        if all(sweep.direction == "once" for sweep in self.sweeps):
            self.sweeps.insert(0, Sweep("local", ()))
        if any(is_base(step) or step.number in above for step in self.program.given):
            self.sweeps.insert(0, Sweep("outward", ()))
            return self.sweeps[0]
        return None

    def _bear(self, parent: Indices, columns: Running) -> None:
        """Let columns of rounding run only where they have to, or never, if one sweep has them all."""
        parts = elimination(self.program, self.program.pivots[0]) if len(self.program.pivots) == 1 else None
        beside = [sweep for sweep in self.sweeps if any(step.number in self.shared.beside for step in sweep.steps)]
        if parts is None or beside != self.shared.judged:
            if columns == "never":
                raise Untraceable("there is no one pivot whose rounding numbers along axes tell")
        elif columns == "never":
            found = alongs(self.tracers, parts, parent)
            if found is None:
                raise Untraceable("inertia does not tell what is lost")
            for tracer, one in zip(self.tracers, found, strict=True):
                tracer.bear_along(parts, one)
        else:
            self.axial = axial(self.tracers, parts)
            for tracer, one in zip(self.tracers, weights(self.tracers, parts, parent) or (), strict=False):
                tracer.bear(parts, one.own, one.above, one.far)

    def cut(self) -> Cut:
        """Sweep by sweep, sines and cosines before all of them."""
        table = [self._settled(sweep) for sweep in self.sweeps]
        several = [*self.tracers, self.whole]
        table.insert(0, [tracer.turned([row[i] for row in table]) for i, tracer in enumerate(several)])
        directions: list[Direction] = ["local", *(sweep.direction for sweep in self.sweeps)]
        loads = tuple(tracer.loads for tracer in several)
        read = self._read(table)
        own = {slot: passes for slot, passes in read.items() if slot[0] != "whole"}
        slots, passing = (sorted(slot for slot, passes in own.items() if passes is there) for there in (False, True))
        whole = sorted(slot for slot in read if slot[0] == "whole")
        numbered = ({slot: place for place, slot in enumerate(several)} for several in (slots, passing, whole))
        rough = tuple(frozenset(tracer.rough) for tracer in several)
        beside = tuple(_columns(kind, tracer.weights) for kind, tracer in zip(self.kinds, self.tracers, strict=True))
        rows, signs = tuple(map(tuple, table)), tuple(self.shared.signs)
        wanted = ([node for row in table for node in row[i].wanted_at_most(read)] for i in range(len(several)))
        fixed = tuple(standing(nodes, one.loads, one.rough) for nodes, one in zip(wanted, several, strict=True))
        return Cut(self.kinds, tuple(directions), rows, loads, rough, beside, fixed, signs, *numbered, axial=self.axial)

    def _last(self, pivot: Pivot) -> Sweep:
        """The sweep that makes the last of what tells how many digits a pivot loses."""
        attached = self.program.steps[pivot.value].value.attached
        read = {ref.value for ref in (*pivot.refs(), tested_block(self.program, pivot))}
        making = [sweep for sweep in self.sweeps if any(step.number in read for step in sweep.steps)]
        if not making:
            raise Untraceable("a pivot is given")
        if attached or making[-1].direction == "once":
            return making[-1]
        after = self.sweeps[self.sweeps.index(making[-1]) + 1 :]
        return next(sweep for sweep in after if sweep.direction == "once")

    def _settled(self, sweep: Sweep) -> list[Piece]:
        """The pieces of a sweep, traced until what they take for a number is one."""
        shared = self.shared
        while True:
            before = dict(shared.above), dict(shared.sent), dict(shared.whole)
            found: list[Piece] = []
            for tracer in self.tracers if sweep.direction != "once" else ():
                try:
                    found.append(tracer.piece(sweep))
                except NotYet:
                    continue
            if before == (shared.above, shared.sent, shared.whole):
                break
        if sweep.direction == "once":
            found = [Piece() for _ in self.tracers]
        elif len(found) < len(self.tracers):
            raise Untraceable("a sweep starts nowhere")
        else:
            for tracer in self.tracers:
                tracer.keep(sweep)
        found.append(self.whole.piece(sweep))
        self.whole.keep(sweep)
        for step in sweep.steps if sweep.direction == "once" else ():
            for tracer in self.tracers:
                tracer.learn(step.number)
        return found

    def _read(self, table: Sequence[Sequence[Piece]]) -> dict[Slot, bool]:
        """The slots that are loaded on the way to what is wanted in any case; nobody fills the others.

        For each whether it is read before its sweep is over, and by no other: what passes from body to body.
        """
        found: dict[Slot, bool] = {}
        while True:
            before = len(found)
            for sweep, row in enumerate(table):
                made = {slot for piece in row for slot in piece.filled}
                for piece, tracer in zip(row, (*self.tracers, self.whole), strict=True):
                    for node in needed(piece.wanted_at_most(found)):
                        for where, slot in tracer.slots_of(node, filling=not sweep):
                            passes = slot in made and (slot[0] == "sent" or where == "above")
                            found[slot] = passes and found.get(slot, True)
            if len(found) == before:
                return found


def _ends(program: Program) -> list[int]:
    """The values that are results or inverted."""
    outputs = [output.ref.value for output in program.outputs if output.ref is not None]
    return [*outputs, *(pivot.value for pivot in program.pivots)]


def _columns(kind: Kind, several: Sequence[Numbers]) -> Numbers:
    return np.stack(several, axis=1) if several else np.empty((len(kind.bodies), 0))


def _in_order(program: Program) -> list[Sweep]:
    """The sweeps; where a local shift would run against the sweep that it is put into, it has one of its own."""
    found = [part for one in (*program.stages, *program.bounds) for part in _parted(one, program)]
    sweeps = _fused(found)
    with_sweep = (_runs_with(shift_of(step.definition), sweep) for sweep in sweeps for step in sweep.steps)
    return sweeps if all(with_sweep) else _fused([part for sweep in found for part in _apart(sweep)])


def _apart(sweep: Sweep) -> list[Sweep]:
    """A local sweep step by step, each shift in its direction; of others the shifts of what was known before them."""
    own = {step.number for step in sweep.steps}
    before: list[Sweep] = []
    rest: list[Step] = []
    for step in sweep.steps:
        shift = shift_of(step.definition)
        direction: Direction = "local" if shift is None else "inward" if shift.hop.inward else "outward"
        if sweep.direction == "local" or (shift is not None and shift.source.value not in own):
            before.append(Sweep(direction, (step,)))
        else:
            rest.append(step)
    return [*before, *([replace(sweep, steps=tuple(rest))] if rest else [])]


def _fused(sweeps: Sequence[Sweep]) -> list[Sweep]:
    """Steps in the first sweep of their direction before which all is known that they read, local ones in any."""
    found: list[Sweep] = []
    made: dict[int, int] = {}  # in which of them
    for sweep in sweeps:
        own = {step.number for step in sweep.steps}
        read = {ref.value for step in sweep.steps for ref, _ in references(step.definition)} - own
        first = max((made[number] for number in read if number in made), default=0)
        like = (i for i in range(first, len(found)) if _together(sweep, found[i]))
        place = next(like, len(found))
        if place == len(found):
            found.append(sweep)
        else:
            found[place] = replace(found[place], steps=(*found[place].steps, *sweep.steps))
        adds = sweep.direction != "once"
        made |= {s.number: place + (adds and added_up(s.definition) is not None) for s in sweep.steps}
    return found


def _together(sweep: Sweep, other: Sweep) -> bool:
    """Whether steps of a sweep may be done in another."""
    return sweep.direction == other.direction or (sweep.direction == "local" and other.direction != "once")


def _adds(definition: Record, program: Program) -> bool:
    """Whether each body adds to a value; a determinant of what belongs to no body is one number."""
    read = added_up(definition)
    return read is not None and all(program.computed[ref.value].value.attached for ref in read)


def _parted(sweep: Sweep, program: Program) -> list[Sweep]:
    """What is done once step by step: what each body adds to sums, and the rest."""
    if sweep.direction != "once":
        return [sweep] if sweep.steps else []
    sums = (_adds(step.definition, program) for step in sweep.steps)
    pairs = zip(sweep.steps, sums, strict=True)
    return [replace(sweep, direction="local" if added else "once", steps=(step,)) for step, added in pairs]


def _checked(definition: Record, sweep: Sweep) -> Shift | None:
    """A shift that runs with its sweep."""
    shift = shift_of(definition)
    if not _runs_with(shift, sweep):
        raise Untraceable("a shift runs against its sweep")
    return shift


def _runs_with(shift: Shift | None, sweep: Sweep) -> bool:
    """Whether what a shift reads has been made where the sweep comes to it."""
    if shift is None or sweep.direction == ("inward" if shift.hop.inward else "outward"):
        return True
    return not shift.hop.inward and all(step.number != shift.source.value for step in sweep.steps)
