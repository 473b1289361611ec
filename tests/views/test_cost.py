"""Operations by body and by sweep: nothing is lost, and the picture names all of it."""

import pytest

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.views.cost import cost
from tests.views.figures import words_of


def test_the_picture_names_joints_sweeps_and_the_total() -> None:
    dog = oa.load("quadruped")
    words = words_of(cost(oa.dynamics.forward_dynamics, dog))
    assert {f"{k} {name}" for k, name in enumerate(dog.joint_names)} < words
    assert {"1 outward, 16 %", "2 inward, 78 %", "3 outward, 6 %"} < words
    program = oa.lower(oa.dynamics.forward_dynamics)
    assert any("O(N)" in word for word in words)
    assert "numbering: paper, tips first, base k = 5" in words_of(cost(program, numbering="paper"))


def test_many_bodies_draw_as_steps() -> None:
    assert "body" in words_of(cost("inv(H phi M phi' H') T", oa.chain(300)))


def test_what_is_no_formula_is_refused() -> None:
    with pytest.raises(InputError, match="numbering"):
        cost("phi' H' v", numbering="backwards")  # pyright: ignore[reportArgumentType]
