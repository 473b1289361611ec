"""Leaves as nodes: evaluated, each is the block that the arrays of leaves have, for joints of all kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_algebra.backends.scalar.algebra import NodeNumbers, Product, Turned
from operator_algebra.backends.scalar.graph import Graph, Untraceable, operations
from operator_algebra.backends.scalar.leaves import NodeLeaves
from operator_algebra.backends.scalar.tape import Tape
from operator_algebra.backends.scalar.trace import Traced
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.gallery import load
from operator_algebra.models.joints.joint import JOINT_KINDS
from operator_algebra.models.model import Model
from operator_algebra.operators import leaf as record
from operator_algebra.operators.leaf import LEAVES, Leaf
from operator_algebra.operators.leaves import LeafValues
from operator_algebra.programs.matrices import Matrix
from tests.operators.test_leaf_factors import sprung
from tests.rounding import apart, rounding, size
from tests.strategies import mechanisms


def leaves_of(model: Model) -> NodeLeaves:
    graph = Graph()
    q = [graph.input(i) for i in range(model.nq)]
    v = [graph.input(model.nq + i) for i in range(model.nv)]
    return NodeLeaves(model, NodeNumbers.over(graph), q, v)


def evaluated(block: Matrix, arguments: Sequence[float]) -> Any:
    entries = tuple(x for row in block.rows for x in row)
    _, found = Tape.of(Traced((), entries, (), ()), len(arguments)).single(arguments)
    return np.array(found).reshape(block.height, block.width)


def agree(model: Model, seed: int, leaves: Sequence[Leaf]) -> None:
    q, v = model.random(seed)
    values, nodes = LeafValues(model, q, v), leaves_of(model)
    for leaf in leaves:
        for k, body in enumerate(model.bodies):
            if leaf.stands == "edge" and model.parent[k] < 0:
                continue
            expected: Any = values.blocks(leaf)[k]
            terms = (1.0 + size(values.absolute[1])) ** 2 * (1.0 + size(expected))
            found = evaluated(nodes.block(leaf, k), [*q, *v])
            assert apart(found, expected) <= rounding(terms, terms=9 * model.depth), (leaf.name, body.joint)


@given(mechanisms(armature=True), st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_every_leaf_is_what_it_is_in_arrays(model: Model, seed: int) -> None:
    agree(model, seed, LEAVES)


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_every_kind_of_joint(kind: str) -> None:
    agree(random_tree(5, joints=(kind,), seed=3), 1, LEAVES)


def test_springs_of_joints_whose_coordinates_are_angles() -> None:
    agree(sprung(chain(3, joint=("revolute", "universal", "prismatic"))), 0, (record.spring, record.damping))


def test_springs_of_joints_that_turn_freely_ask_for_branches() -> None:
    with pytest.raises(Untraceable):
        leaves_of(sprung(chain(2, joint="spherical"))).block(record.spring, 1)


def test_an_aligned_axis_is_a_turn_in_a_plane() -> None:
    model = load("humanoid")
    nodes = leaves_of(model)
    for k, body in enumerate(model.bodies):
        block = nodes.block(record.E_phi, k)
        assert isinstance(block, Product)
        if body.joint.kind == "revolute":
            turns = [factor for factor in block.factors if isinstance(factor, Turned) and factor.turn]
            assert len(turns) == 1
            assert operations(x for row in turns[0].rows for x in row) in ({"sin": 1, "cos": 1, "negative": 1},)


def test_constant_blocks_are_numbers() -> None:
    nodes = leaves_of(load("arm7"))
    for leaf in (record.M, record.H, record.X_cm):
        assert operations(x for row in nodes.block(leaf, 3).rows for x in row) == {}
