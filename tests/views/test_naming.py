"""Which bodies are named: all of a few, the ends of the branches of many, or those that are asked for."""

from collections.abc import Callable
from itertools import pairwise
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.models.model import Model
from operator_algebra.symbols import H, M, T, inv, phi
from operator_algebra.views.content.branches import LABELLED, branches
from operator_algebra.views.content.naming import LARGEST, MOST, Labels, label_of, labelled
from operator_algebra.views.ink.labelling import apart
from operator_algebra.views.robot import robot
from operator_algebra.views.timeline import timeline
from operator_algebra.views.tree import tree
from tests.strategies import mechanisms
from tests.views.figures import collisions, cut_off, words_of

SOLVE = inv(H @ phi @ M @ phi.T @ H.T) @ T
MAN, SNAKE = oa.load("humanoid"), oa.load("snake40")
VIEWS: dict[str, Callable[[Model, Labels], Figure]] = {
    "tree": lambda model, labels: tree(model, labels=labels),
    "spy": lambda model, labels: oa.spy(phi, model, labels=labels),
    "robot": lambda model, labels: robot(model, labels=labels),
    "timeline": lambda model, labels: timeline(SOLVE, model, labels=labels),
}


def told(figure: Figure) -> set[str]:
    """Every text, with single blanks."""
    return {" ".join(word.split()) for word in words_of(figure)}


def names(model: Model, bodies: tuple[int, ...]) -> set[str]:
    return {" ".join(label_of(model, k, k).split()) for k in bodies}


@given(mechanisms(max_bodies=40))
def test_ends_are_first_and_last_of_their_branches(model: Model) -> None:
    assert labelled(model, "all") == tuple(range(model.n))
    assert labelled(model, "none") == ()
    assert labelled(model) == labelled(model, "all" if model.n <= LABELLED else "ends")
    branch = branches(model.parent)
    runs = [[k for k in range(model.n) if branch[k] == b] for b in set(branch)]
    ends = {k for run in runs for k in (run[0], run[-1])}
    found = set(labelled(model, "ends"))
    assert found <= ends
    assert found == ends or len(found) == MOST
    assert set(model.roots) <= found or len(model.roots) > MOST


@given(st.lists(st.floats(-5, 5), max_size=12).map(sorted), st.floats(0.1, 1.0))
def test_places_keep_their_order_their_gap_and_the_limits(wanted: list[float], gap: float) -> None:
    places = apart(wanted, gap, -6.0, 6.0)
    assert all(a + gap <= b + 1e-9 for a, b in pairwise(places))
    assert all(-6.0 - 1e-9 <= place <= 6.0 + 1e-9 for place in places)
    if all(b - a >= gap for a, b in pairwise(wanted)):
        np.testing.assert_allclose(places, wanted, atol=1e-12)


def test_places_without_room_share_it() -> None:
    np.testing.assert_allclose(apart([1.0, 1.0, 1.0], 5.0, 0.0, 4.0), [0.0, 2.0, 4.0])


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("model", [MAN, SNAKE], ids=lambda model: model.name)
@pytest.mark.parametrize("labels", ["auto", "none", "some"])
def test_views_name_whom_they_are_asked_to(view: str, model: Model, labels: Literal["auto", "none", "some"]) -> None:
    wanted: Labels = (2, model.joint_names[7], 0) if labels == "some" else labels
    chosen = labelled(model, wanted)
    figure = VIEWS[view](model, wanted)
    words = told(figure)
    assert names(model, chosen) <= words
    assert not names(model, tuple(set(range(model.n)) - set(chosen))) & words
    assert any(f"{len(chosen)} of {model.n} bodies labelled" in word for word in words) == bool(chosen)
    assert collisions(figure) == set()
    assert cut_off(figure) == set()


@pytest.mark.parametrize("view", ["tree", "spy", "timeline"])
def test_every_body_of_a_humanoid_can_be_named(view: str) -> None:
    figure = VIEWS[view](MAN, "all")
    assert names(MAN, tuple(range(MAN.n))) <= told(figure)
    assert collisions(figure) == set()
    assert cut_off(figure) == set()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("view", ["tree", "spy", "timeline"])
def test_ends_of_random_trees_are_named_apart(view: str, seed: int) -> None:
    model = oa.random_tree(40 + 40 * seed, seed=seed)
    figure = VIEWS[view](model, "auto")
    assert names(model, labelled(model)) <= told(figure)
    assert collisions(figure) == set()
    assert cut_off(figure) == set()


def test_bodies_are_listed_by_joint_body_or_number() -> None:
    dog = oa.load("quadruped")
    assert labelled(dog, ["knee_fl", dog.bodies[2].name, np.int64(5), 2]) == (2, 3, 5)


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ("some", 'Use "auto"'),
        (["kneefl"], "Did you mean 'knee_fl'?"),
        (["zzz"], "Its bodies are 0 to 12"),
        ([13], "a label is 13"),
        ([True], "Give a whole number"),
        ([1.5], "Give a whole number"),
        (3, "a list of joints, bodies or numbers"),
    ],
)
def test_unknown_labels_are_refused(labels: Labels, told: str) -> None:
    with pytest.raises(InputError, match=r".") as refusal:
        tree(oa.load("quadruped"), labels=labels)
    assert told in str(refusal.value)


def test_labels_without_end_are_refused() -> None:
    with pytest.raises(InputError, match=f"{LARGEST + 1} labels of .* have no room"):
        tree(oa.chain(LARGEST + 1), labels="all")
