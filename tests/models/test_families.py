"""Chains and random trees."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_algebra.errors import InputError, ModelError
from operator_algebra.models.families import chain, random_tree
from operator_algebra.models.model import Model
from tests.strategies import ALL_JOINTS


def test_a_regular_chain_is_made_of_equal_links() -> None:
    model = chain(4)
    assert model.parent == (-1, 0, 1, 2)
    assert model.joint_names == ("joint1", "joint2", "joint3", "joint4")
    assert len({body.inertia for body in model.bodies}) == 1
    assert model.depth == 4


def test_kinds_are_taken_in_turn() -> None:
    model = chain(5, joint=["revolute", "spherical"])
    assert [body.joint.kind for body in model.bodies] == ["revolute", "spherical", "revolute", "spherical", "revolute"]


@pytest.mark.parametrize("kind", ALL_JOINTS)
def test_chains_of_every_kind(kind: str) -> None:
    for seed in (None, 1):
        model = chain(3, joint=kind, seed=seed)
        assert all(body.joint.kind == kind for body in model.bodies)


@given(st.integers(1, 12), st.integers(0, 1000), st.sampled_from([0.0, 0.5, 1.0]))
def test_random_trees_come_from_the_seed(n: int, seed: int, branching: float) -> None:
    model = random_tree(n, joints=ALL_JOINTS, branching=branching, seed=seed)
    assert model == random_tree(n, joints=ALL_JOINTS, branching=branching, seed=seed)
    assert model.n == n
    assert len(model.roots) == 1
    if branching == 0.0:
        assert model.depth == n


def test_branching_makes_trees_shallow() -> None:
    assert random_tree(200, branching=1.0, seed=0).depth < 30


def test_mass_spread_scatters_masses_and_inertias_together() -> None:
    model = random_tree(300, mass_spread=4.0, seed=0)
    decades = np.log10(model.arrays.mass)
    assert decades.max() - decades.min() > 6.0
    ratio = np.trace(model.arrays.inertia_at_com, axis1=1, axis2=2) / model.arrays.mass
    assert ratio.max() / ratio.min() < 100.0
    assert np.ptp(np.log10(random_tree(300, seed=0).arrays.mass)) < 1.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: chain(0), "the number of bodies is 0"),
        (lambda: chain(2.0), "the number of bodies is 2.0"),  # pyright: ignore[reportArgumentType]
        (lambda: chain(True), "the number of bodies is True"),
        (lambda: chain(2, joint="ball"), "kind of joint 'ball' is not known"),
        (lambda: chain(2, joint=[]), "no kinds of joints"),
        (lambda: random_tree(3, branching=1.5, seed=0), "branching is 1.5"),
        (lambda: random_tree(3, branching=float("nan"), seed=0), "branching is nan"),
        (lambda: random_tree(3, mass_spread=-1.0, seed=0), "mass_spread is -1"),
    ],
)
def test_bad_parameters_are_refused(make: Callable[[], Model], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize("seed", [None, -1, 1.5, "1", True, [1, 2]])
def test_what_is_random_comes_from_a_seed(seed: Any) -> None:
    for make in (lambda: random_tree(3, seed=seed), lambda: chain(2).random(seed)):
        with pytest.raises(InputError, match="Give a whole number of at least 0"):
            make()
    if seed is not None:
        with pytest.raises(InputError, match="the seed is"):
            chain(2, seed=seed)
