"""Programs with one planted slip: a sign, a factor, an adjoint, a message that never arrives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from operator_algebra.lowering.program import Program, Step
from operator_algebra.lowering.values import Definition, Given, Linear, Reduce, Ref, Shift, Term, Update


def with_definition(program: Program, number: int, definition: Definition) -> Program:
    """The program with another definition of one value."""

    def changed(step: Step) -> Step:
        return replace(step, value=replace(step.value, definition=definition)) if step.number == number else step

    stages = tuple(replace(stage, steps=tuple(map(changed, stage.steps))) for stage in program.stages)
    return replace(program, stages=stages)


def mutants(program: Program) -> Iterator[tuple[str, Program]]:
    """Every program that differs by one slip, with what the slip is."""
    for stage in program.stages:
        for step in stage.steps:
            for what, definition in _slips(program, step):
                yield f"{step.name}: {what}", with_definition(program, step.number, definition)


def _slips(program: Program, step: Step) -> Iterator[tuple[str, Definition]]:
    definition = step.definition
    match definition:
        case Linear() | Reduce():
            for i, term in enumerate(definition.terms):
                yield f"sign of term {i}", _with_term(definition, i, term.scaled(Fraction(-1)))
                yield f"half of term {i}", _with_term(definition, i, term.scaled(Fraction(1, 2)))
                for j, factor in enumerate(term.factors):
                    if _has_other_adjoint(program, factor):
                        factors = (*term.factors[:j], factor.T, *term.factors[j + 1 :])
                        yield f"adjoint in term {i}", _with_term(definition, i, replace(term, factors=factors))
        case Shift():
            yield "nothing arrives", Linear(())
        case Update():
            yield "no update", Linear((Term(Fraction(1), (definition.P,)),))
        case _:
            return


def _with_term(definition: Linear | Reduce, index: int, term: Term) -> Definition:
    return replace(definition, terms=(*definition.terms[:index], term, *definition.terms[index + 1 :]))


def _has_other_adjoint(program: Program, ref: Ref) -> bool:
    """Whether a block is square and not self-adjoint."""
    step = program.steps[ref.value]
    square = step.type.domain.sizes == step.type.codomain.sizes and step.value.attached
    definition = step.definition
    leaf = definition.symbol if isinstance(definition, Given) else None
    return square and not step.value.symmetric and not (leaf is not None and leaf.structure.symmetric)
