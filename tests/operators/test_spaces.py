"""Spaces come in dual pairs; the type of an adjoint maps the duals the other way round."""

import itertools
import pickle

import pytest

from operator_algebra.errors import InputError
from operator_algebra.operators.spaces import FORCE, MOTION, ONE, RATE, TORQUE, WHITE, Space, Type, space, white

CONTACT = space("contact")
LOOP = space("loop", attached=False)
ALL = (MOTION, FORCE, RATE, TORQUE, WHITE, ONE, CONTACT, CONTACT.dual, LOOP, white(FORCE), white(CONTACT))


@pytest.mark.parametrize("one", ALL, ids=repr)
def test_the_dual_of_the_dual_is_the_space(one: Space) -> None:
    assert one.dual.dual == one
    assert one.dual.sizes == one.sizes
    assert one.dual.attached == one.attached
    assert pickle.loads(pickle.dumps(one)) == one


def test_pairs() -> None:
    assert MOTION.dual == FORCE
    assert RATE.dual == TORQUE
    assert WHITE.dual == WHITE
    assert ONE.dual == ONE
    assert CONTACT.dual.name == "contact*"
    assert len(set(ALL)) == len(ALL)


@pytest.mark.parametrize(("one", "other"), list(itertools.product(ALL, ALL)), ids=repr)
def test_types(one: Space, other: Space) -> None:
    type_ = one >> other
    assert type_ == Type(one, other)
    assert other.dual >> one.dual == type_.T
    assert type_ == type_.T.T
    assert type_.square == (one == other)
    assert type_.same_sizes == type_.T.same_sizes
    assert type_.same_sizes or not type_.square


def test_white_spaces_are_self_dual_and_have_the_sizes_of_their_base() -> None:
    for base in ALL:
        assert white(base).dual == white(base)
        assert white(base).sizes == base.sizes
        assert white(base) == white(base.dual) == white(white(base))
    assert white(TORQUE) == WHITE
    assert white(ONE) == ONE


@pytest.mark.parametrize("name", ["", "motion", "force", "one", "any", "spatial", "contact*", "a\nb"])
def test_names_that_are_taken(name: str) -> None:
    with pytest.raises(InputError, match="cannot name a space"):
        space(name)
