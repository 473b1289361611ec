"""The sign in which blocks and the messages of a walk are counted: positive where that can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from operator_algebra.lowering.components import components
from operator_algebra.lowering.graph import RING, Graph, as_form
from operator_algebra.lowering.share import share
from operator_algebra.lowering.simplify import resolve_aliases
from operator_algebra.lowering.values import Definition, Unknown
from operator_algebra.programs.instructions import Linear, Reduce, Shift
from operator_algebra.programs.records import Ref, Term, references, terms_of
from operator_algebra.programs.walk import Walk

_FEW = 4
"""So many groups of blocks are tried in all ways."""


def positive(graph: Graph, t: Walk) -> Walk:
    """Count the inward message i as −s_i where d_j[z_i] is negative: then Θ_ji is Υ⁺, and not −Υ⁺."""
    flip = [_all_negative(graph, [row[i] for row in t.d_z]) for i in range(len(t.inward))]

    def turned(ref: Ref | None, i: int) -> Ref | None:
        return _negated(graph, ref) if ref is not None and flip[i] else ref

    def both(ref: Ref | None, i: int, other: int) -> Ref | None:
        return _negated(graph, ref) if ref is not None and flip[i] != flip[other] else ref

    return replace(
        t,
        out_z=tuple(turned(ref, i) for i, ref in enumerate(t.out_z)),
        s_x=tuple(turned(ref, i) for i, ref in enumerate(t.s_x)),
        s_z=tuple(tuple(both(ref, i, other) for other, ref in enumerate(row)) for i, row in enumerate(t.s_z)),
        d_z=tuple(tuple(turned(ref, i) for i, ref in enumerate(row)) for row in t.d_z),
    )


def positive_blocks(graph: Graph) -> None:
    """Count blocks by their opposites where that saves signs: P, where −P was recurrent."""
    free = _may_turn(graph)
    order = [component.members for component in components(graph)] if _any_minus(graph, free) else []
    done = False
    for members in order:
        found = free.intersection(members)
        if _any_minus(graph, found):
            turned = next((some for some in _subsets(_together(graph, found)) if _better(graph, some)), None)
            if turned is not None:
                _turn(graph, turned)
                done = True
    if done:
        resolve_aliases(graph)
        share(graph)


def _any_minus(graph: Graph, numbers: set[int]) -> bool:
    return any(term.coefficient < 0 for number in numbers for term in terms_of(graph[number].definition))


def _may_turn(graph: Graph) -> set[int]:
    """Blocks without a name that stand in sums and shifts alone, where a sign can be told."""
    found = {
        number
        for number, value in graph.values.items()
        if not value.is_vector and not value.names and isinstance(value.definition, Linear | Shift)
    }
    for value in graph.values.values():
        if not isinstance(value.definition, Linear | Unknown | Reduce | Shift):
            found -= {ref.value for ref, _ in references(value.definition)}
    found -= graph.roots
    while stays := {number for number in found if _stays(graph[number].definition, found)}:
        found -= stays
    return found


def _stays(definition: Definition, free: set[int]) -> bool:
    """Whether turning it would leave a minus, however others are turned."""
    if isinstance(definition, Shift):
        return definition.source.value not in free
    return any(
        term.coefficient > 0 and not any(ref.value in free for ref in term.factors) for term in terms_of(definition)
    )


def _together(graph: Graph, free: set[int]) -> list[set[int]]:
    """Shifts with what they carry, and other blocks alone."""
    groups: list[set[int]] = []
    for number in sorted(free):
        definition = graph[number].definition
        joined = {number, definition.source.value} if isinstance(definition, Shift) else {number}
        for group in [group for group in groups if group & joined]:
            groups.remove(group)
            joined |= group
        groups.append(joined)
    carried = {n for n, value in graph.values.items() if isinstance(value.definition, Shift) and n not in free}
    outside = {ref.value for n in carried for ref, _ in references(graph[n].definition)}
    return [group for group in groups if group <= free and not group & outside]


def _subsets(groups: list[set[int]]) -> Iterator[set[int]]:
    sizes = range(1, len(groups) + 1) if len(groups) <= _FEW else (1, len(groups))
    for size in sizes:
        for chosen in combinations(groups, size):
            yield set[int]().union(*chosen)


def _better(graph: Graph, turned: set[int]) -> bool:
    """Whether no turned block has a minus any more, and fewer stand in all that reads them."""
    terms = [(number, term) for number, value in graph.values.items() for term in terms_of(value.definition)]
    before = sum(term.coefficient < 0 for _, term in terms)
    after = [number for number, term in terms if _turned(number, term, turned).coefficient < 0]
    return len(after) < before and not turned.intersection(after)


def _turn(graph: Graph, turned: set[int]) -> None:
    for number, value in list(graph.values.items()):
        if isinstance(value.definition, Linear | Unknown | Reduce):
            terms = tuple(_turned(number, term, turned) for term in value.definition.terms)
            graph.put(number, replace(value, definition=replace(value.definition, terms=terms)))


def _turned(number: int, term: Term, turned: set[int]) -> Term:
    """A term of a value, as it reads when some blocks are counted by their opposites."""
    minus = (number in turned) + sum(ref.value in turned for ref in term.factors)
    return replace(term, coefficient=(-1) ** minus * term.coefficient)


def _all_negative(graph: Graph, refs: list[Ref | None]) -> bool:
    """Whether there is something, and all of it stands behind a minus."""
    definitions = [graph[ref.value].definition for ref in refs if ref is not None]
    return bool(definitions) and all(
        isinstance(d, Linear) and d.terms and all(term.coefficient < 0 for term in d.terms) for d in definitions
    )


def _negated(graph: Graph, ref: Ref) -> Ref:
    """Minus a block: the signs of a sum turned, anything else behind a minus."""
    value = graph[ref.value]
    form = as_form(value.definition.terms) if isinstance(value.definition, Linear) else RING.of(Ref(ref.value))
    return Ref(graph.sum(value.type, RING.scaled(-RING.unit, form)), ref.star)
