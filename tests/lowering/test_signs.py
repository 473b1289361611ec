"""Messages counted as their negatives where that makes what comes back positive: the walk stays the same operator."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from operator_algebra import symbols as s
from operator_algebra.lowering.graph import Graph
from operator_algebra.lowering.signs import positive
from operator_algebra.operators.spaces import FORCE, MOTION
from operator_algebra.programs.columns import Columns
from operator_algebra.programs.instructions import Hop, Invert, Linear
from operator_algebra.programs.interpret import Interpreter
from operator_algebra.programs.matrices import RATIONALS
from operator_algebra.programs.records import Ref
from operator_algebra.programs.walk import Walk
from tests.lowering.meant import Meant, given, leaves_of, program_of, term

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
