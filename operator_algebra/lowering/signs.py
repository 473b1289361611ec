"""The sign in which the messages of a walk are counted: what comes back is positive where it can be."""

from __future__ import annotations

from dataclasses import replace

from operator_algebra.lowering.graph import RING, Graph, as_form
from operator_algebra.programs.instructions import Linear
from operator_algebra.programs.records import Ref
from operator_algebra.programs.walk import Walk


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
