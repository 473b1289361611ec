"""Operations by body and by sweep: nothing is lost, and the picture names all of it."""

import pytest
from hypothesis import given, settings

import operator_algebra as oa
from operator_algebra.errors import InputError
from operator_algebra.lowering.lower import Lowerable
from operator_algebra.models.model import Model
from operator_algebra.symbols import H, phi, v
from operator_algebra.views.cost import cost, shares
from tests.strategies import mechanisms
from tests.views.figures import words_of

FORMULAS: list[Lowerable] = [
    oa.dynamics.forward_dynamics,
    oa.dynamics.mass_matrix,
    oa.logdet(oa.dynamics.mass_matrix),
    oa.symbols.P,
    {"V": phi.T @ H.T @ v, "C": oa.dynamics.inverse_dynamics},
]


@settings(max_examples=10)
@given(mechanisms(max_bodies=7))
def test_the_shares_add_up_to_the_cost(model: Model) -> None:
    for formula in FORMULAS:
        program = oa.lower(formula)
        whole, parts = program.cost(model), shares(program, model)
        assert [(share.direction, share.total) for share in parts] == list(whole.per_stage)
        assert tuple(map(sum, zip(*(share.flops for share in parts), strict=True))) == whole.per_body


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
