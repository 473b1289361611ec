"""Vectors that are equal because of how recurrences combine, as z = f + w where w is driven by f.

Each vector is a sum of products that end in what a hop brings or in what no recurrence makes. Combinations of what is
carried along a hop start out as all equal; those stay equal whose sums agree, what hops bring in them being equal. This
is the greatest such relation, and values in it are equal: a recurrence on a tree has one solution (a bisimulation of
linear systems, M. Boreale, CONCUR 2009). A recurrence that only what is equal to another value needs is then dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TypeVar

from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.transpose import ends
from operator_algebra.lowering.values import Definition
from operator_algebra.operators.spaces import Type
from operator_algebra.programs.instructions import Hop, Linear, hops_of
from operator_algebra.programs.records import Ref, Term, terms_of

T = TypeVar("T")

LONGEST = 64
"""Sums with more terms are taken as they are."""

Key = tuple[tuple[int, ...], tuple[Ref, ...], Hop | None, int]
"""Scalars and blocks in front of a vector, the hop that brings it, the vector."""
Sum = dict[Key, Fraction]
Group = tuple[Hop, int]


def merge_dependent(graph: Graph) -> bool:
    """Read one of several equal vectors where others are read, if that leaves less to compute; whether any was."""
    sums = _Sums(graph)
    relation = _Relation(sums)
    relation.refine()
    if relation.independent:
        return False
    equal: dict[object, list[tuple[int, Fraction]]] = {}
    first: dict[Key, int] = {}
    for number, value in graph.values.items():
        found = relation.reduced(sums.of(number)) if value.is_vector and value.attached else {}
        if found:
            size = found[min(found, key=lambda key: first.setdefault(key, len(first)))]
            same = value.type, frozenset((key, c / size) for key, c in found.items())
            equal.setdefault(same, []).append((number, size))
    return any(_merged(graph, members) for members in equal.values() if len(members) > 1)


def _merged(graph: Graph, members: list[tuple[int, Fraction]]) -> bool:
    """Of vectors that are multiples of each other let the one that takes least to compute stand for all."""
    stays, size = min(members, key=lambda one: len(graph.live([one[0]])))
    others = {number: own for number, own in members if number != stays}
    if not graph.live([stays]).isdisjoint(others):
        return False
    changed = graph.copy()
    for number, own in others.items():
        changed.put(number, replace(graph[number], definition=Linear((Term(own / size, (Ref(stays),)),))))
    if len(changed.live(changed.roots)) >= len(graph.live(graph.roots)):
        return False
    graph.become(changed)
    graph.prune()
    return True


class _Sums:
    """Vectors as sums of products that end in what a hop brings, or in something else."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._known: dict[int, Sum] = {}

    def carried(self) -> list[Group]:
        """What hops carry."""
        vectors = (value.definition for value in self.graph.values.values() if value.is_vector)
        return list(dict.fromkeys((hop, _source(one)) for one in vectors if (hop := _hop(one)) is not None))

    def of(self, number: int) -> Sum:
        """One vector."""
        if number not in self._known:
            # No vector reads itself at the same body.
            self._known[number] = self._sum(number)
        return self._known[number]

    def _sum(self, number: int) -> Sum:
        value = self.graph[number]
        itself: Sum = {((), (), None, number): Fraction(1)}
        if not (value.is_vector and value.attached) or ends(value.definition) is None:
            return itself
        hop = _hop(value.definition)
        if hop is not None:
            return {((), (), hop, _source(value.definition)): Fraction(1)}
        found: Sum = {}
        for term in terms_of(value.definition):
            last = term.factors[-1]
            if last.star:
                return itself
            for (scalars, factors, brought, end), c in self.of(last.value).items():
                front = tuple(sorted((*term.scalars, *scalars)))
                key = (front, (*term.factors[:-1], *factors), brought, end)
                found[key] = found.get(key, Fraction(0)) + c * term.coefficient
        if not terms_of(value.definition) or len(found) > LONGEST:
            return itself
        return {key: c for key, c in found.items() if c}


def _hop(definition: Definition) -> Hop | None:
    hops = tuple(hops_of(definition))
    return hops[0] if len(hops) == 1 and ends(definition) is not None else None


def _source(definition: Definition) -> int:
    return next(ref.value for ref in ends(definition) or ())


class _Relation:
    """What is carried along a hop as a combination of a few; first nothing is told apart."""

    def __init__(self, sums: _Sums) -> None:
        self.sums = sums
        self.carried = sums.carried()
        self.made_of: Mapping[Group, Mapping[int, Fraction]] = {one: {} for one in self.carried}

    @property
    def independent(self) -> bool:
        """Whether nothing that is carried is a combination of others."""
        return all(list(made_of) == [number] for (_, number), made_of in self.made_of.items())

    def refine(self) -> None:
        """Tell apart until those that are not told apart agree in all that they are made of."""
        alike: dict[tuple[Hop, Type], list[Group]] = {}
        for hop, number in self.carried:
            alike.setdefault((hop, self.sums.graph[number].type), []).append((hop, number))
        while True:
            made_of: dict[Group, dict[int, Fraction]] = {}
            for groups in alike.values():
                made_of |= _combinations(groups, [self.reduced(self.sums.of(number)) for _, number in groups])
            if made_of == self.made_of:
                return
            self.made_of = made_of

    def reduced(self, one: Sum) -> Sum:
        """A sum in which hops bring the few."""
        found: Sum = {}
        for (scalars, factors, hop, end), c in one.items():
            parts = {end: Fraction(1)} if hop is None else self.made_of[hop, end]
            for number, share in parts.items():
                key = (scalars, factors, hop, number)
                found[key] = found.get(key, Fraction(0)) + c * share
        return {key: c for key, c in found.items() if c}


def _combinations(carried: list[Group], sums: list[Sum]) -> dict[Group, dict[int, Fraction]]:
    """Each vector that is carried by those before it of which it is none, by elimination of their sums."""
    found: dict[Group, dict[int, Fraction]] = {}
    rows: list[tuple[Key, Sum, dict[int, Fraction]]] = []
    for group, own in zip(carried, sums, strict=True):
        left, made_of = dict(own), dict[int, Fraction]()
        for lead, row, combination in rows:
            share = left.get(lead, Fraction(0))
            if share:
                _add(left, row, -share)
                _add(made_of, combination, share)
        if left:
            lead = next(iter(left))
            rest = {group[1]: Fraction(1)}
            _add(rest, made_of, Fraction(-1))
            size = left[lead]
            rows.append((lead, {key: c / size for key, c in left.items()}, {n: c / size for n, c in rest.items()}))
            made_of = {group[1]: Fraction(1)}
        found[group] = made_of
    return found


def _add(total: dict[T, Fraction], other: Mapping[T, Fraction], times: Fraction) -> None:
    for key, c in other.items():
        value = total.get(key, Fraction(0)) + times * c
        if value:
            total[key] = value
        else:
            total.pop(key, None)
