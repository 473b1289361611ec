"""Blocks and messages counted by their opposites where that saves signs: what is computed stays the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from operator_algebra import symbols as s
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.signs import positive, positive_blocks
from operator_algebra.lowering.values import Value
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE
from operator_algebra.programs.columns import Columns
from operator_algebra.programs.instructions import Hop, Invert, Linear, Shift
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import RATIONALS
from operator_algebra.programs.records import Ref, terms_of
from operator_algebra.programs.walk import Walk
from tests.lowering.meant import Meant, given, kept_by, leaves_of, program_of, term

IN = Hop(s.E_phi, star=False, inward=True)


def walk(graph: Graph, sign: int) -> Walk:
    """From motions to forces; ± M⁻¹ of a message goes back to the tips."""
    M = given(graph, s.M)
    mobility = graph.new(FORCE >> MOTION, Invert(Ref(M)))
    back = Ref(graph.linear(FORCE >> MOTION, [term(mobility, times=sign)]))
    sent, shown = (Ref(graph.linear(space >> space, [term(times=n)])) for n, space in ((3, FORCE), (2, MOTION)))
    return Walk(
        inward=(IN,),
        outward=(IN.T,),
        out_x=Ref(M),
        out_z=(sent,),
        out_beta=(Ref(M),),
        s_x=(Ref(M),),
        s_z=((sent,),),
        d_x=(None,),
        d_z=((back,),),
        d_beta=((shown,),),
        theta=((Ref(mobility),),),
    )


def columns(graph: Graph, walk: Walk) -> list[Any]:
    """The blocks of all columns."""
    meant = Meant.on(leaves_of(graph) | {s.E_phi})
    tree = meant.values.tree
    run = Interpreter(program_of(graph), tree, meant.values.given, RATIONALS)
    run.run()
    through = Columns(walk, tree.parent, RATIONALS, run.get, run.hop)
    return [through.column(j, tree.bodies) for j in tree.bodies]


def test_what_comes_back_negative_is_turned_and_the_operator_stays() -> None:
    graph = Graph()
    before = walk(graph, -1)
    after = positive(graph, before)
    returned = after.d_z[0][0]
    assert returned is not None
    assert graph[returned.value].definition == graph[graph.linear(FORCE >> MOTION, _unsigned(graph, before))].definition
    # What is sent is turned as well, so that Θ, which is made later, takes the other sign.
    turned = replace(after, theta=((Ref(graph.linear(FORCE >> MOTION, _minus(before))),),))
    assert columns(graph, before) == columns(graph, turned)


def _unsigned(graph: Graph, walk: Walk) -> list[Any]:
    (cell,) = walk.d_z[0]
    assert cell is not None
    definition = graph[cell.value].definition
    assert isinstance(definition, Linear)
    return [replace(one, coefficient=-one.coefficient) for one in definition.terms]


def _minus(walk: Walk) -> list[Any]:
    (cell,) = walk.theta[0]
    assert cell is not None
    return [term(cell, times=-1)]


@pytest.mark.parametrize("without", ["minus", "return"])
def test_nothing_else_is_turned(without: str) -> None:
    graph = Graph()
    found = walk(graph, 1) if without == "minus" else replace(walk(graph, -1), d_z=((None,),))
    assert positive(graph, found) == found


def recurrent(graph: Graph, *, base: int, carried: int, named: str = "") -> tuple[int, int, int]:
    """p = base M + Σ E p⁺ E*, p⁺ = carried p M⁻¹ p, and H p H*; the numbers of p, p⁺ and the last."""
    M, H = given(graph, s.M), given(graph, s.H)
    mobility = graph.new(FORCE >> MOTION, Invert(Ref(M)))
    p, sent = graph.reserve(), graph.reserve()
    arriving = graph.new(MOTION >> FORCE, Shift(IN, Ref(sent), IN.T))
    names = (named,) if named else ()
    graph.put(p, Value(MOTION >> FORCE, Linear((term(M, times=base), term(arriving))), names))
    graph.put(sent, Value(MOTION >> FORCE, Linear((term(p, Ref(mobility), p, times=carried),))))
    seen = graph.linear(RATE >> TORQUE, [term(H, Ref(p), Ref(H, star=True), times=-1), term(H, M, Ref(H, star=True))])
    return p, sent, seen


def minus(graph: Graph, number: int) -> list[bool]:
    """Which terms of a sum stand behind a minus."""
    return [one.coefficient < 0 for one in terms_of(graph[number].definition)]


def test_a_recurrence_of_what_is_negative_is_turned_and_all_values_stay() -> None:
    graph = Graph()
    p, sent, seen = recurrent(graph, base=-1, carried=-1)
    (held,) = kept_by(positive_blocks, graph, seen)
    assert not any(minus(graph, p) + minus(graph, sent) + minus(graph, held.value))


@pytest.mark.parametrize(
    ("base", "carried", "named"), [(1, 1, ""), (1, -1, ""), (-1, -1, "mine")], ids=["positive", "mixed", "named"]
)
def test_what_would_keep_a_minus_or_has_a_name_stays(base: int, carried: int, named: str) -> None:
    graph = Graph()
    p, _, seen = recurrent(graph, base=base, carried=carried, named=named)
    before = graph[p].definition
    kept_by(positive_blocks, graph, seen)
    assert graph[p].definition == before
