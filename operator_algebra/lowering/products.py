"""Block products: equal ones are computed once, and P − P A D⁻¹ A* P becomes one update instruction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from operator_algebra.lowering.graph import Graph
from operator_algebra.operators.spaces import Type
from operator_algebra.programs.instructions import Invert, Linear, Reduce, Update
from operator_algebra.programs.products import expand_products, single_product, straight
from operator_algebra.programs.records import Ref, Term
from operator_algebra.programs.roles import UPDATE
from operator_algebra.programs.schemes import Binding, Reading
from operator_algebra.programs.types import TypeCheck

UNIT = Fraction(1)


def reuse_products(graph: Graph) -> None:
    """Where the factors of a block product stand in a row, read the product instead."""
    known: dict[tuple[Ref, ...], Ref] = {}
    for number, value in sorted(graph.values.items()):
        factors = single_product(value)
        if factors is not None:
            known.setdefault(factors, Ref(number))
            adjoint = tuple(straight(graph.values, ref.T) for ref in reversed(factors))
            known.setdefault(adjoint, Ref(number, star=True))
    longest = max((len(factors) for factors in known), default=0)
    for number, value in list(graph.values.items()):
        if not isinstance(value.definition, Linear | Reduce):
            continue
        terms = tuple(
            replace(term, factors=_reread(known, longest, number, term.factors)) for term in value.definition.terms
        )
        if terms != value.definition.terms:
            graph.put(number, replace(value, definition=replace(value.definition, terms=terms)))


def _reread(known: dict[tuple[Ref, ...], Ref], longest: int, own: int, factors: tuple[Ref, ...]) -> tuple[Ref, ...]:
    result: list[Ref] = []
    start = 0
    while start < len(factors):
        for stop in range(min(len(factors), start + longest), start + 1, -1):
            found = known.get(factors[start:stop])
            if found is not None and found.value != own:
                result.append(found)
                start = stop
                break
        else:
            result.append(factors[start])
            start += 1
    return tuple(result)


def name_common_prefixes(graph: Graph) -> None:
    """P H* in D = H P H* and in G = P H* D⁻¹ is one product: name pairs that block products share."""
    counts: dict[tuple[Ref, Ref], int] = {}
    for pairs in _pairs(graph):
        for pair in pairs:
            counts[pair] = counts.get(pair, 0) + 1
    for (left, right), count in counts.items():
        if count > 1 and not isinstance(graph[left.value].definition, Invert):
            type_ = Type(graph.type_of(right).domain, graph.type_of(left).codomain)
            graph.new(type_, Linear((Term(UNIT, (left, right)),)))


def _pairs(graph: Graph) -> Iterator[set[tuple[Ref, Ref]]]:
    """The neighbours in each block product; a pair and its mirror image count as one."""
    for value in list(graph.values.values()):
        if value.is_vector or not value.attached or not isinstance(value.definition, Linear):
            continue
        for term in value.definition.terms:
            found: set[tuple[Ref, Ref]] = set()
            for left, right in zip(term.factors, term.factors[1:], strict=False):
                mirrored = (straight(graph.values, right.T), straight(graph.values, left.T))
                found.add(min((left, right), mirrored, key=lambda pair: (pair[0].star, pair[0].value)))
            yield found


def recognise_grams(graph: Graph) -> None:
    """Sums over the mechanism such as Σ ε* D⁻¹ ε, what is made of them and of given ones: which are their own adjoints.

    What only its formula tells to be symmetric is marked when pivots are looked for: see `lowering.finish`.
    """
    blocks = {number: value.block for number, value in graph.values.items()}
    check = TypeCheck(blocks)
    pending = [n for n, one in blocks.items() if not (one.attached or one.symmetric) and one.type == one.type.T]
    while found := [n for n in pending if check.own_adjoint(blocks[n])]:
        for number in found:
            graph.put(number, replace(graph[number], symmetric=True))
            blocks[number] = graph[number].block
        pending = [n for n in pending if n not in found]


def recognise_updates(graph: Graph) -> None:
    """P − P A D⁻¹ A* P with D = A* P A + J, self-adjoint: the update that can be done in Joseph's form."""
    reading = Reading(graph.values)
    for number, value in list(graph.values.items()):
        if value.symmetric and isinstance(value.definition, Linear):
            found = next(reading.solutions(UPDATE, Binding({"X": Ref(number)})), None)
            if found is not None and graph[found["P"].value].symmetric:
                graph.put(number, replace(value, definition=_update(graph, found)))


def _update(graph: Graph, found: Binding) -> Update:
    P, A, noise = found["P"], found.words["A"], found.further("D")
    pivot_type = graph.type_of(found["D"])
    gain_type = Type(pivot_type.codomain, graph.type_of(P).codomain)
    gain = graph.linear(gain_type, [Term(UNIT, (P, *A, found["inv(D)"]))])
    J = Ref(graph.linear(pivot_type, noise)) if noise else None
    return Update(P, Ref(_existing(graph, gain)), A, J, joseph=graph.method == "joseph")


def _existing(graph: Graph, number: int) -> int:
    """The value already there for a product that was written out."""
    factors = single_product(graph[number])
    if factors is None:
        return number
    wanted = expand_products(graph.values, factors)
    for other, value in graph.values.items():
        found = single_product(value)
        if other != number and found is not None and expand_products(graph.values, found) == wanted:
            return other
    return number
