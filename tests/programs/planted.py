"""Programs with one planted wrong operand, of the kinds that a verifier can see without knowing the formula."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from operator_algebra.programs.instructions import Given, Instruction, Relate, Shift
from operator_algebra.programs.program import Program, Step
from operator_algebra.programs.records import Ref, map_references, references
from tests.lowering.mutants import with_definition

KINDS = ("space", "star", "direction", "symmetry", "order")


@dataclass(frozen=True)
class Planted:
    """A program that is wrong, and what is wrong in it."""

    kind: str
    what: str
    program: Program


def planted(program: Program, kind: str, rng: random.Random) -> Planted | None:
    """The program with one slip of a kind at a random place; None if it has no place for it."""
    steps = [step for stage in program.stages for step in stage.steps]
    found = [plan for step in steps for plan in _plans(program, step, kind)]
    if not found:
        return None
    step, what, change = rng.choice(found)
    return Planted(kind, f"{step.name}: {what}", change())


def _plans(program: Program, step: Step, kind: str) -> Iterator[tuple[Step, str, Callable[[], Program]]]:
    match kind:
        case "symmetry":
            if not step.value.symmetric and not _own_adjoint(program, step):
                changed = replace(step, value=replace(step.value, symmetric=True))
                yield step, "called its own adjoint", partial(_with_step, program, changed)
        case "direction":
            if isinstance(step.definition, Shift):
                turned = replace(step.definition, hop=step.definition.hop.T)
                yield step, "hop turned", partial(with_definition, program, step.number, turned)
        case _:
            for index, (ref, _) in enumerate(references(step.definition)):
                for other in _others(program, step, ref, kind):
                    changed = _with_operand(step.definition, index, other)
                    yield step, f"{ref} becomes {other}", partial(with_definition, program, step.number, changed)


def _others(program: Program, step: Step, ref: Ref, kind: str) -> Iterator[Ref]:
    """What may be planted in place of an operand."""
    if kind == "star":
        if not program.steps[ref.value].value.symmetric and not _own_adjoint(program, program.steps[ref.value]):
            yield ref.T
        return
    own = _typed(program, ref)
    order = {number: place for place, number in enumerate(program.steps)}
    for other in map(Ref, program.steps):
        same = _typed(program, other) == own
        if kind == "space" and not same:
            yield other
        # A value of the same type that is known only later, at this body or in a later sweep.
        if kind == "order" and same and order[other.value] >= order[step.number] and _here(step, ref):
            yield other


def _here(step: Step, ref: Ref) -> bool:
    return all(label == "L" for read, label in references(step.definition) if read == ref)


def _typed(program: Program, ref: Ref) -> object:
    type_ = program.steps[ref.value].type
    return type_.T if ref.star else type_


def _own_adjoint(program: Program, step: Step) -> bool:
    """Whether nothing tells a value from its adjoint: numbers, and blocks that a leaf says are symmetric."""
    leaf = step.definition.symbol if isinstance(step.definition, Given) else None
    detached = not step.value.attached and step.type == step.type.T
    return detached or (leaf is not None and leaf.structure.symmetric) or isinstance(step.definition, Relate)


def _with_operand(definition: Instruction, index: int, other: Ref) -> Instruction:
    counter = iter(range(10_000))
    return map_references(definition, lambda ref: other if next(counter) == index else ref)


def _with_step(program: Program, changed: Step) -> Program:
    stages = tuple(
        replace(stage, steps=tuple(changed if one.number == changed.number else one for one in stage.steps))
        for stage in program.stages
    )
    return replace(program, stages=stages)
