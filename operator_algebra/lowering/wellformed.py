"""What every program must satisfy: values are computed before they are read, in a sweep that can see them."""

from __future__ import annotations

from itertools import pairwise

from operator_algebra.lowering.program import Program, Step, Sweep
from operator_algebra.lowering.values import Term, Unknown, references, terms_of
from operator_algebra.operators.spaces import Type


class IllFormed(AssertionError):
    """A program of the compiler breaks its own rules: a defect of the compiler, not of the formula."""


def check_program(program: Program) -> None:
    """Raise if a step reads what is not there yet, or if shapes do not fit."""
    done = {step.number for step in program.given}
    types = {number: step.type for number, step in program.steps.items()}
    for sweep in program.stages:
        inside = {step.number for step in sweep.steps}
        seen: set[int] = set()
        for step in sweep.steps:
            _check_reads(sweep, step, done, seen, inside)
            for term in terms_of(step.definition):
                _check_term(step, term, types)
            seen.add(step.number)
        done |= inside
    missing = {ref.value for output in program.outputs for ref in output.refs()} - done
    if missing:
        raise IllFormed(f"outputs {missing} are never computed")


def _check_reads(sweep: Sweep, step: Step, done: set[int], seen: set[int], inside: set[int]) -> None:
    if isinstance(step.definition, Unknown):
        raise IllFormed(f"{step.name} is still implicit")
    for ref, label in references(step.definition):
        before = ref.value in done
        if label in "LR":
            ok = before or ref.value in seen
        else:
            wanted = "inward" if label == "U" else "outward"
            ok = before or (ref.value in inside and sweep.direction == wanted)
        if not ok:
            raise IllFormed(f"{step.name} reads value {ref.value} ({label}) before it is known ({sweep.direction})")


def _check_term(step: Step, term: Term, types: dict[int, Type]) -> None:
    """The factors of a term compose to the type of the step."""
    if not term.factors:
        return
    found = [types[ref.value].T if ref.star else types[ref.value] for ref in term.factors]
    for left, right in pairwise(found):
        if left.domain.sizes != right.codomain.sizes:
            raise IllFormed(f"{step.name}: factors {left} and {right} do not compose")
    if found[0].codomain.sizes != step.type.codomain.sizes or found[-1].domain.sizes != step.type.domain.sizes:
        raise IllFormed(f"{step.name}: {found} is not {step.type}")
