"""The order in which scans take bodies, and the places through which they pass what they have: no JAX is needed."""

from __future__ import annotations

import numpy as np
import pytest

from operator_algebra.backends.jax.plan import Order
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model

TREES = [
    chain(1),
    chain(30),
    *(
        random_tree(40, joints=["revolute"], branching=branching, seed=seed)
        for branching in (0.2, 1.0)
        for seed in (0, 1)
    ),
]


@pytest.mark.parametrize("model", TREES, ids=str)
def test_parents_come_first(model: Model) -> None:
    order = Order.of(model)
    place = np.argsort(order.bodies)
    assert np.array_equal(np.sort(order.bodies), np.arange(model.n))
    assert all(parent < 0 or place[parent] < place[k] for k, parent in enumerate(model.parent))


@pytest.mark.parametrize("model", TREES, ids=str)
def test_what_stands_at_the_parent_is_its_own(model: Model) -> None:
    order = Order.of(model)
    ring = np.full(order.size, -1)
    for k, here, above in zip(order.bodies, order.here, order.above, strict=True):
        assert model.parent[k] in (-1, ring[above])
        ring[here] = k


@pytest.mark.parametrize("model", TREES, ids=str)
def test_what_children_send_reaches_their_parent_alone(model: Model) -> None:
    order = Order.of(model)
    ring: list[list[int]] = [[] for _ in range(order.size)]
    steps: list[tuple[int, int, int]] = list(
        zip(*(x.tolist() for x in (order.bodies, order.here, order.above)), strict=True)
    )
    for k, here, above in reversed(steps):
        assert sorted(ring[here]) == [c for c, parent in enumerate(model.parent) if parent == k]
        ring[here] = []
        if model.parent[k] >= 0:
            ring[above].append(k)
    assert not any(ring)


@pytest.mark.parametrize("branching", [0.0, 0.3, 1.0])
def test_there_are_few_places(branching: float) -> None:
    assert Order.of(chain(300)).size == 1
    for bodies in (10, 300):
        tree = random_tree(bodies, joints=["revolute"], branching=branching, seed=0)
        assert Order.of(tree).size <= 1 + np.log2(bodies)
