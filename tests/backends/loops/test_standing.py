"""What stands in the tables of bodies is what bodies would compute, and nothing else of theirs is known beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends.loops.limits import EVERYWHERE
from operator_algebra.backends.loops.pieces import cut
from operator_algebra.backends.loops.records import Load
from operator_algebra.backends.loops.standing import standing, table
from operator_algebra.backends.scalar.graph import Graph, needed
from operator_algebra.backends.scalar.signature import Signature
from operator_algebra.lowering.lower import lower
from operator_algebra.models import numeric
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from operator_algebra.models.numeric import Numbers
from operator_algebra.operators.vanishing import vanishing
from tests.backends.loops.by_hand import ByHand
from tests.backends.scalar.calls import Call
from tests.programs.test_interpreted_programs import inputs


@pytest.mark.parametrize(
    "model", [chain(30, seed=1), random_tree(24, joints=["revolute", "prismatic", "spherical"], seed=4)], ids=str
)
@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_dynamics"])
def test_tables_hold_what_bodies_compute(name: str, model: Model) -> None:
    program = lower(getattr(dynamics, name), zeros=vanishing(model))
    call = Call.of(program, model, model.random(0)[0], inputs(program, model, 0))
    pieces = cut(program, model, Signature.of(call.inputs), limits=EVERYWHERE)
    run = ByHand.of(pieces, call)
    whole, made = table(pieces, model.n), 0
    for kind, (own, nodes) in enumerate(zip(pieces.kinds, pieces.standing, strict=False)):
        found = whole[own.bodies, : len(nodes)]
        assert not whole[own.bodies, len(nodes) :].any()
        made += sum(bool(node.arguments) for node in nodes)
        for row, k in zip(found, own.bodies.tolist(), strict=True):
            assert np.array_equal(row, run.numbers_at(nodes, k))
        # Whatever else is computed reads something that is no number of the body.
        ends = [node for row in pieces.table for node in row[kind].wanted_at_most(pieces.read)]
        there = {node.number for node in nodes}
        loose = {node.number for node in needed(ends) if node.number in there or node.known}
        for node in needed(ends):
            if node.arguments and node.number not in there and all(one.number in loose for one in node.arguments):
                assert node.number in pieces.rough[kind] or node.number in {one.number for one in needed(nodes)}
    assert made > 0
    assert not pieces.standing[len(pieces.kinds)]


@pytest.mark.parametrize("name", ["forward_dynamics", "inverse_dynamics"])
def test_numbers_do_not_depend_on_how_many_bodies_are_taken_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = random_tree(40, joints=["revolute", "prismatic", "spherical", "floating"], seed=4)
    program = lower(getattr(dynamics, name), zeros=vanishing(model))
    call = Call.of(program, model, model.random(0)[0], inputs(program, model, 0))

    def numbers() -> Numbers:
        return table(cut(program, model, Signature.of(call.inputs), limits=EVERYWHERE), model.n)

    whole = numbers()
    monkeypatch.setattr(numeric, "AT_ONCE", 3)
    assert np.array_equal(numbers(), whole)


def test_what_is_rough_is_computed_where_it_starts() -> None:
    graph = Graph()
    x, y = graph.input(0), graph.input(1)
    loads = {0: Load("number", 0), 1: Load("coordinate", 0)}
    root, product = graph.root(x), x * x
    ends = [root * y, product * y + product]
    assert standing(ends, loads, ()) == (root, product)
    assert standing(ends, loads, {root.number}) == (x, product)
