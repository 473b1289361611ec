"""Elimination without local pivots: each subtree hands on a relation between what it sends and what it receives.

At every body the local equations and the relations of the children are stacked and triangularised by orthogonal
transformations; the triangle is singular at some body exactly when the whole system is.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from operator_algebra.errors import NotLowerable
from operator_algebra.lowering import refuse
from operator_algebra.lowering.directsum import direct_sum
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.values import (
    Equation,
    Hop,
    Linear,
    Part,
    Ref,
    Relate,
    Resolve,
    Shift,
    Term,
    Unknown,
    Value,
)
from operator_algebra.operators.spaces import Space, Type

UNIT = Fraction(1)


def relate(graph: Graph, members: tuple[int, ...]) -> Ref:
    """Replace a component by one relation inward, which is returned, and one back substitution outward."""
    variables = [n for n in members if isinstance(graph[n].definition, Linear | Unknown)]
    shifts = [n for n in members if isinstance(graph[n].definition, Shift)]
    if len(variables) + len(shifts) != len(members):
        raise NotLowerable(refuse.reduced_loop(str(graph[members[0]].origin)))
    gathers = [n for n in shifts if _shift(graph, n).hop.inward]
    pulls = [n for n in shifts if not _shift(graph, n).hop.inward]
    variables += _copies(graph, shifts)
    columns = graph[variables[0]].type.domain
    places = _Places(graph, variables, gathers, pulls)
    equations = tuple(places.equation(number) for number in variables)
    spaces = tuple(graph[number].type.codomain for number in variables)
    relation, solution = graph.reserve(), graph.reserve()
    type_ = Type(columns, direct_sum(spaces))
    definition = Relate(Ref(relation), spaces, equations, places.carried(gathers), places.carried(pulls))
    graph.put(relation, Value(type_, definition))
    graph.put(solution, Value(type_, Resolve(Ref(solution), Ref(relation))))
    for index, number in enumerate(variables):
        graph.put(number, replace(graph[number], definition=Part(Ref(solution), index)))
    return Ref(relation)


def _shift(graph: Graph, number: int) -> Shift:
    definition = graph[number].definition
    assert isinstance(definition, Shift)
    return definition


def _copies(graph: Graph, shifts: list[int]) -> list[int]:
    """A variable for every shift that is itself carried on."""
    copies: list[int] = []
    for number in shifts:
        source = _shift(graph, number).source
        if source.value in shifts:
            copy = graph.reserve()
            graph.put(copy, Value(graph[source.value].type, Linear((Term(UNIT, (source,)),))))
            graph.put(number, replace(graph[number], definition=replace(_shift(graph, number), source=Ref(copy))))
            copies.append(copy)
    return copies


class _Places:
    """Where the vectors of a component stand among its variables, gathers and pulls."""

    def __init__(self, graph: Graph, variables: list[int], gathers: list[int], pulls: list[int]) -> None:
        self.graph = graph
        self.variables = {number: index for index, number in enumerate(variables)}
        self.gathers = {number: index for index, number in enumerate(gathers)}
        self.pulls = {number: index for index, number in enumerate(pulls)}

    def carried(self, shifts: list[int]) -> tuple[tuple[Hop, int], ...]:
        found = [_shift(self.graph, number) for number in shifts]
        return tuple((shift.hop, self.variables[shift.source.value]) for shift in found)

    def equation(self, number: int) -> Equation:
        definition = self.graph[number].definition
        assert isinstance(definition, Linear | Unknown)
        explicit = isinstance(definition, Linear)
        rows: Space = self.graph[number].type.codomain if explicit else definition.rows
        groups: tuple[list[tuple[int, Term]], ...] = ([], [], [])
        if explicit:
            groups[0].append((self.variables[number], Term(Fraction(-1), ())))
        constant: list[Term] = []
        for term in definition.terms:
            last = term.factors[-1].value
            prefix = Term(term.coefficient, term.factors[:-1], term.scalars)
            for places, group in zip((self.variables, self.gathers, self.pulls), groups, strict=True):
                if last in places:
                    group.append((places[last], prefix))
                    break
            else:
                constant.append(term)
        known = self.graph.linear(Type(self.graph[number].type.domain, rows), constant) if constant else None
        members, gathered, pulled = (tuple(group) for group in groups)
        return Equation(rows, members, gathered, pulled, None if known is None else Ref(known))
