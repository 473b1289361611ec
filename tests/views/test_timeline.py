"""Steps of bodies: nothing is read before it is there, no step is wasted, and the longest way is told."""

from itertools import pairwise

from hypothesis import given, settings

import operator_algebra as oa
from operator_algebra.models.model import Model
from operator_algebra.symbols import H, M, T, inv, phi
from operator_algebra.views.timeline import schedule, timeline
from tests.strategies import mechanisms
from tests.views.figures import words_of

SOLVE = inv(H @ phi @ M @ phi.T @ H.T) @ T


@settings(max_examples=20)
@given(mechanisms(max_bodies=9))
def test_tasks_start_as_soon_as_all_that_they_read_is_there(model: Model) -> None:
    for formula in (SOLVE, oa.dynamics.forward_dynamics, oa.logdet(oa.dynamics.mass_matrix)):
        found = schedule(oa.lower(formula), model)
        for task in found.tasks:
            assert task.step == max((found.tasks[i].step + 1 for i in task.reads), default=0)
        way = [found.tasks[i] for i in found.critical]
        assert [task.step for task in way] == list(range(found.steps))
        assert found.steps == 1 + max(task.step for task in found.tasks)
        assert all(first in later.reads for first, later in zip(found.critical, way[1:], strict=False))
        assert all(a.step < b.step for a, b in pairwise(way))


def test_two_sweeps_take_twice_the_depth_and_more_processors_do_not_help_a_chain() -> None:
    assert schedule(oa.lower(SOLVE), oa.chain(7)).steps == 14
    dog = oa.load("quadruped")
    found = schedule(oa.lower(SOLVE), dog)
    assert (len(found.tasks), found.steps) == (2 * dog.n, 2 * (1 + max(dog.level)))


def test_algebra_between_sweeps_waits_for_all_bodies() -> None:
    arm = oa.load("planar3r")
    found = schedule(oa.lower(oa.logdet(oa.dynamics.mass_matrix)), arm)
    last = found.tasks[-1]
    assert last.body is None
    assert sorted(found.tasks[i].body or 0 for i in last.reads) == [0, 1, 2]


def test_the_picture_names_bodies_stages_and_the_length() -> None:
    dog = oa.load("quadruped")
    words = words_of(timeline(oa.dynamics.forward_dynamics, dog))
    assert {f"{k}  {name}" for k, name in enumerate(dog.joint_names)} < words
    assert {"1 outward", "2 inward", "3 outward", "a critical path", "step"} < words
    assert any("39 tasks in 12 steps" in word for word in words)
    assert "numbering: paper, tips first, base k = 5" in words_of(timeline(SOLVE, numbering="paper"))


def test_long_chains_draw() -> None:
    assert any("160 tasks" in word for word in words_of(timeline(SOLVE, oa.chain(80))))
