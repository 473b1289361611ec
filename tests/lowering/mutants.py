"""Programs with one planted slip: a sign, a factor, an adjoint, a message that never arrives. Compilers with one."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from operator_algebra import compiler
from operator_algebra.expressions.infer import Segment
from operator_algebra.expressions.nodes import Expr
from operator_algebra.lowering import blocks, queries, totals
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.lift import Lift
from operator_algebra.lowering.seams import Bordered
from operator_algebra.lowering.values import Definition
from operator_algebra.programs.instructions import Given, Linear, Reduce, Shift, Update
from operator_algebra.programs.program import Program, Step
from operator_algebra.programs.records import Ref, Term
from operator_algebra.programs.walk import Walk


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
                yield f"sign of term {i}", _with_term(definition, i, replace(term, coefficient=-term.coefficient))
                yield f"half of term {i}", _with_term(definition, i, replace(term, coefficient=term.coefficient / 2))
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


# -- slips in a pass of the compiler -----------------------------------------------------------------------------------


Pass = Callable[..., Any]


def _factor_by_factor(factors: Iterable[Expr]) -> tuple[Segment[Expr], ...]:
    return tuple(Segment((factor,), factor.structure) for factor in factors)


def _only_inverted(original: Pass) -> Pass:
    def pivots(lift: Lift, e: Expr, *, inverted: bool) -> list[Ref]:
        return original(lift, e, inverted=True) if inverted else []

    return pivots


def _nothing_returns(_: Pass) -> Pass:
    def without(graph: Graph, t: Walk) -> Walk:
        return replace(t, theta=tuple(tuple(None for _ in t.inward) for _ in t.outward))

    return without


def _first_term(original: Pass) -> Pass:
    def diagonal(lift: blocks.BlockLift, e: Bordered) -> object:
        return original(lift, replace(e, low=e.low[:1]))

    return diagonal


COMPILERS: Mapping[str, tuple[object, str, Callable[[Pass], Pass]]] = {
    "the diagonal of a product is taken factor by factor": (blocks, "segments", lambda _: _factor_by_factor),
    "a determinant forgets the inverses inside": (totals, "pivots", _only_inverted),
    "nothing comes back from the parent": (queries, "_with_theta", _nothing_returns),
    "of several terms of low rank the diagonal sees the first": (blocks.BlockLift, "_bordered_diagonal", _first_term),
}


@contextmanager
def slipped(what: str) -> Generator[None]:
    """The compiler with one of these slips."""
    place, name, slip = COMPILERS[what]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(place, name, slip(getattr(place, name)))
        forget()
        yield
    forget()


def forget() -> None:
    """Forget the programs that were compiled so far."""
    compiler._program.cache_clear()  # pyright: ignore[reportPrivateUsage]
    compiler._compiled.cache_clear()  # pyright: ignore[reportPrivateUsage]
