"""What every program must satisfy: values are computed before they are read, in a sweep that sees them, and fit."""

from __future__ import annotations

from itertools import chain

from operator_algebra.programs.instructions import WORDS
from operator_algebra.programs.program import Program, Step, Sweep
from operator_algebra.programs.records import Ref, references
from operator_algebra.programs.types import TypeCheck


class IllFormed(AssertionError):
    """A program breaks its own rules: a defect of the compiler or of a text, not of the formula."""


def check_program(program: Program) -> None:
    """Raise if a step reads what is not there yet, or if types do not fit.

    >>> from operator_algebra.lowering.lower import lower
    >>> check_program(lower("inv(H phi M phi' H') T"))
    """
    check_order(program)
    types = TypeCheck({number: step.value for number, step in program.computed.items()})
    formulas = {pivot.value: pivot.inverted for pivot in program.pivots}
    for step in program.computed.values():
        if any(getattr(step.definition, one.name) != Ref(step.number) for one in step.definition.readings if one.own):
            raise IllFormed(f"{step.name} passes on another value than itself")
        for complaint in types.value(step.value, formulas.get(step.number)):
            raise IllFormed(f"{step.name}: {complaint}")
    for output in program.outputs:
        for complaint in types.output(output):
            raise IllFormed(f"result {output.name}: {complaint}")
    for pivot in program.pivots:
        for complaint in types.pivot(pivot):
            raise IllFormed(f"pivot {program.steps[pivot.value].name}: {complaint}")


def check_order(program: Program) -> None:
    """Raise if a value is read before it is known, or computed twice."""
    done = {step.number for step in program.given}
    for sweep in (*program.stages, *program.bounds):
        inside = {step.number for step in sweep.steps}
        if len(inside) < len(sweep.steps) or not inside.isdisjoint(done):
            raise IllFormed("a value is computed twice")
        seen: set[int] = set()
        for step in sweep.steps:
            if step.definition.word not in WORDS:
                raise IllFormed(f"{step.name} is still implicit")
            if step.value.attached == (sweep.direction == "once"):
                raise IllFormed(f"{step.name} does not belong in a sweep {sweep.direction}")
            _check_reads(sweep, step, done, seen, inside)
            seen.add(step.number)
        done |= inside
    read = {ref.value for one in chain(program.outputs, program.pivots) for ref in one.refs()}
    if not read <= done:
        raise IllFormed(f"outputs or pivots read {read - done}, which is never computed")


def _check_reads(sweep: Sweep, step: Step, done: set[int], seen: set[int], inside: set[int]) -> None:
    for ref, label in references(step.definition):
        before = ref.value in done
        if label == "L" or (label == "R" and sweep.direction == "once"):
            ok = before or ref.value in seen
        elif label == "R":
            ok = before
        else:
            wanted = "inward" if label == "U" else "outward"
            ok = before or (ref.value in inside and sweep.direction == wanted)
        if not ok:
            raise IllFormed(f"{step.name} reads value {ref.value} ({label}) before it is known ({sweep.direction})")
