"""What every program must satisfy: values are computed before they are read, in a sweep that can see them."""

from __future__ import annotations

from itertools import pairwise

from operator_algebra.lowering.program import Program, Step, Sweep
from operator_algebra.lowering.values import Invert, Shift, Term, Unknown, references, terms_of
from operator_algebra.operators.spaces import Space, Type


class IllFormed(AssertionError):
    """A program of the compiler breaks its own rules: a defect of the compiler, not of the formula."""


def check_program(program: Program) -> None:
    """Raise if a step reads what is not there yet, or if shapes do not fit."""
    done = {step.number for step in program.given}
    types = {number: step.type for number, step in program.computed.items()}
    for sweep in (*program.stages, *program.bounds.sweeps):
        inside = {step.number for step in sweep.steps}
        seen: set[int] = set()
        for step in sweep.steps:
            _check_reads(sweep, step, done, seen, inside)
            for term in terms_of(step.definition):
                _check_term(step, term, types)
            _check_type(step, types)
            seen.add(step.number)
        done |= inside
    read = [*(o.refs() for o in program.outputs), *((b.left, b.right) for b in program.bounds.reaching)]
    missing = {ref.value for refs in read for ref in refs} - done
    if missing:
        raise IllFormed(f"outputs or bounds {missing} are never computed")


def _check_reads(sweep: Sweep, step: Step, done: set[int], seen: set[int], inside: set[int]) -> None:
    if isinstance(step.definition, Unknown):
        raise IllFormed(f"{step.name} is still implicit")
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


def _check_type(step: Step, types: dict[int, Type]) -> None:
    """A shift delivers what its hops deliver, an inverse what its block takes."""
    match step.definition:
        case Shift(hop=hop, source=source, closing=closing):
            shifted = types[source.value].T if source.star else types[source.value]
            given = shifted.domain if closing is None else closing.type.domain
            fits = _same(shifted.codomain, hop.type.domain) and _same(given, step.type.domain)
            fits = fits and _same(hop.type.codomain, step.type.codomain)
            fits = fits and (closing is None or _same(closing.type.codomain, shifted.domain))
        case Invert(source=source):
            inner = types[source.value].T if source.star else types[source.value]
            fits = inner.same_sizes and _same(inner.domain, step.type.codomain)
        case _:
            fits = True
    if not fits:
        raise IllFormed(f"{step.name}: what it reads does not give {step.type}")


def _same(a: Space, b: Space) -> bool:
    return a.sizes == b.sizes


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
