"""Words for names of the vocabulary, if they are those of the vocabulary."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.expressions.build import operator
from operator_algebra.expressions.nodes import Symbol
from operator_algebra.operators.spaces import MOTION, RATE, TORQUE, space
from operator_algebra.pages.meanings import noun, of_name, resolvent


def test_a_name_has_words_and_perhaps_a_law() -> None:
    assert isinstance(s.V, Symbol)
    assert of_name(s.V) == ("velocity of the body: its parent's and its joint's", "velocity")


def test_a_user_s_own_b_is_not_the_gyroscopic_force() -> None:
    own = operator("b", RATE >> TORQUE, structure="diagonal")
    assert isinstance(own, Symbol)
    assert of_name(own) is None


def test_what_vectors_are() -> None:
    assert noun(MOTION) == "motion"
    assert noun(TORQUE) == "joint force"
    assert noun(space("contact")) == "unknowns"


def test_the_resolvent_of_a_hop_has_its_name() -> None:
    assert isinstance(s.E_phi, Symbol)
    assert resolvent(s.E_phi) == s.phi
    own = operator("E", s.E_phi.type, structure="inward hop")
    assert isinstance(own, Symbol)
    assert str(resolvent(own)) == "(I − E)⁻¹"
