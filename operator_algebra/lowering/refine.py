"""One step of iterative refinement: solve, put the solution into the equations, solve again for what is left.

0 = A y + c becomes  A y₁ = −c,  ρ = A y₁ + c,  A δ = −ρ,  y = y₁ + δ. Both solutions have the same pivots, which later
passes find to be the same values; the second one costs a pair of sweeps over vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from operator_algebra.lowering.components import Component, components, local_cycle, strongly_connected
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.relations import has_no_local_term
from operator_algebra.lowering.values import Unknown
from operator_algebra.programs.instructions import Linear
from operator_algebra.programs.records import Ref, Term, map_references, references, terms_of, with_terms

UNIT = Fraction(1)


def refine(graph: Graph) -> None:
    """Refine every component that has a residual, if refinement is asked for.

    Orthogonal transformations answer for the equations that they eliminate. Where an inverse stands inside another,
    these are more than the formula has, and may be in worse condition: what several unknowns leave is refined there.
    """
    if not graph.refines:
        return
    for component in [c for c in components(graph) if _has_residual(graph, c)]:
        unknowns = [n for n in component.members if isinstance(graph[n].definition, Unknown)]
        if graph.method == "refined" or len(unknowns) > 1:
            _refine(graph, component.members)


def _has_residual(graph: Graph, component: Component) -> bool:
    """Whether unknowns are coupled by recurrences that, once these are known, run one way."""
    members = component.members
    unknowns = {n for n in members if isinstance(graph[n].definition, Unknown)}
    vectors = all(graph[n].is_vector and graph[n].attached for n in members)
    if not unknowns or component.trivial or not vectors or "R" in component.labels:
        return False
    if has_no_local_term(graph, members):
        return False
    explicit = set(members) - unknowns

    def reads(number: int) -> list[int]:
        return [ref.value for ref, _ in references(graph[number].definition) if ref.value in explicit]

    for found in strongly_connected(sorted(explicit), reads):
        inside = set(found)
        labels = {label for n in found for ref, label in references(graph[n].definition) if ref.value in inside}
        if {"U", "D"} <= labels or local_cycle(graph, found):
            return False
    return True


def _refine(graph: Graph, members: tuple[int, ...]) -> None:
    unknowns = [n for n in members if isinstance(graph[n].definition, Unknown)]
    explicit = [n for n in members if n not in unknowns]
    first = _copy(graph, members, {})
    solved = {n: first[n] for n in unknowns}
    # What follows from y₁ as it is, not as elimination had it.
    evaluated = _copy(graph, tuple(explicit), solved)
    standing = {**solved, **evaluated}
    correction = {n: graph.reserve() for n in members}
    inside = set(members)
    for n in members:
        value = graph[n]
        definition = value.definition
        if definition.sums:
            definition = with_terms(definition, tuple(t for t in terms_of(definition) if _last(t) in inside))
        definition = map_references(definition, lambda ref: _moved(ref, correction))
        if isinstance(definition, Unknown):
            assert isinstance(value.definition, Unknown)
            left = tuple(_moved_term(term, standing) for term in value.definition.terms)
            residual = graph.new(replace(value.type, codomain=value.definition.rows), Linear(left))
            definition = replace(definition, terms=(*definition.terms, Term(UNIT, (Ref(residual),))))
        graph.put(correction[n], replace(value, definition=definition, names=()))
    for n in members:
        terms = (Term(UNIT, (Ref(standing[n]),)), Term(UNIT, (Ref(correction[n]),)))
        graph.put(n, replace(graph[n], definition=Linear(terms)))


def _copy(graph: Graph, members: tuple[int, ...], standing: Mapping[int, int]) -> dict[int, int]:
    """The same equations once more; reads among the members, and of what `standing` replaces, follow."""
    copies = {n: graph.reserve() for n in members}
    follow = {**standing, **copies}
    for n in members:
        definition = map_references(graph[n].definition, lambda ref: _moved(ref, follow))
        graph.put(copies[n], replace(graph[n], definition=definition, names=()))
    return copies


def _moved(ref: Ref, standing: Mapping[int, int]) -> Ref:
    return Ref(standing.get(ref.value, ref.value), ref.star)


def _moved_term(term: Term, standing: Mapping[int, int]) -> Term:
    return Term(term.coefficient, tuple(_moved(ref, standing) for ref in term.factors), term.scalars)


def _last(term: Term) -> int:
    """The vector that a term ends in."""
    return term.factors[-1].value
