"""Leaves as nodes: evaluated, each is the block that the arrays of leaves have, for joints of all kinds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
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


def about(axis: int, angle: float) -> Any:
    i, j = (axis + 1) % 3, (axis + 2) % 3
    found = np.eye(3)
    found[i, i] = found[j, j] = np.cos(angle)
    found[j, i], found[i, j] = np.sin(angle), -np.sin(angle)
    return found


@pytest.mark.parametrize(("i", "j"), list(permutations(range(3), 2)))
def test_a_rotation_with_a_zero_is_two_turns_in_planes(i: int, j: int) -> None:
    for a, b in ((0.3, -1.1), (2.5, 0.7), (-0.4, np.pi)):
        rotation = about(i, a) @ about(j, b)
        assert rotation[i, j] == 0.0
        turn = leaves_of(chain(1)).turn(rotation)
        assert isinstance(turn, Product)
        assert all(isinstance(factor, Turned) and factor.turn is not None for factor in turn.factors)
        assert len(turn.factors) == 2
        both = np.zeros((6, 6))
        both[:3, :3] = both[3:, 3:] = rotation
        assert apart(evaluated(turn, []), both) <= rounding(1.0, terms=3)


def test_a_rotation_that_permutes_takes_no_operations() -> None:
    for order, signs in product(permutations(range(3)), product((1.0, -1.0), repeat=3)):
        rotation = np.eye(3)[list(order)] * signs
        if np.linalg.det(rotation) > 0.0:
            nodes = leaves_of(chain(1))
            X = [[nodes.numbers.graph.input(6 * min(i, j) + max(i, j)) for j in range(6)] for i in range(6)]
            made = nodes.numbers.congruence(nodes.turn(rotation), Matrix(X, 6), symmetric=True)
            assert set(operations(x for row in made.rows for x in row)) <= {"negative"}
