"""A graph as a list of calls: in which order they stand."""

from __future__ import annotations

import numpy as np
import pytest

from operator_algebra.applications import dynamics
from operator_algebra.backends.scalar.graph import needed
from operator_algebra.backends.scalar.tape import in_order
from operator_algebra.lowering.lower import lower
from operator_algebra.models.gallery import load
from operator_algebra.operators.vanishing import vanishing
from tests.backends.scalar.calls import Call


@pytest.mark.parametrize("name", ["humanoid", "quadruped", "puma560"])
def test_what_tells_whether_numbers_are_right_waits_for_no_result(name: str) -> None:
    """Each operation that only flags need follows the last thing that it reads, with nothing but flags between."""
    model = load(name)
    program = lower(dynamics.forward_dynamics, zeros=vanishing(model))
    values = {x: np.ones(model.nv) for x in program.inputs if x != "f_ext"}
    traced = Call.of(program, model, model.random(0)[0], values).traced()
    ordered = in_order(traced)
    results = {node.number for node in needed(traced.entries)}
    before = {node.number for node in ordered if node.operation in ("constant", "input")}
    made, since, met = set(before), set[int](), 0
    for node in ordered:
        if node.number in before:
            continue
        reads = {one.number for one in node.arguments}
        assert reads <= made
        if node.number in results:
            since = {node.number}
        else:
            assert reads & since or reads <= before
            since.add(node.number)
            met += 1
        made.add(node.number)
    assert met == len({node.number for node in needed(traced.wanted)} - results - before) > 0
