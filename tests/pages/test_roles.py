"""What of the vocabulary a program computes is known by its equations, not by its names."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.expressions.build import diag, inv, scalar
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.lowering.lower import lower
from operator_algebra.pages.roles import Roles, meaning

MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T


def roles(e: Expr) -> dict[str, str]:
    """The role of each value by its name."""
    program = lower(e)
    return {program.steps[number].name: role for number, role in Roles(program).of.items()}


def test_elimination_brings_the_articulated_body_inertias() -> None:
    assert roles(inv(MASS) @ s.T) == {"P": "P", "P_plus": "P_plus", "D": "D", "G": "G"}


def test_the_diagonal_of_the_inverse_brings_the_costate() -> None:
    found = roles(diag(inv(MASS)))
    assert found["Upsilon"] == "Upsilon"
    assert found["Upsilon_plus"] == "Upsilon_plus"
    assert found["tau_bar"] == "tau_bar"
    assert found["x"] == "diagonal"


def test_bodies_locked_together() -> None:
    assert roles(diag(MASS)) == {"R": "R"}
    assert roles(MASS @ s.v) == {}


def test_a_multiple_of_an_operator_is_not_the_operator() -> None:
    h = scalar("h")
    program = lower({"own": s.G, "other": h * s.G, "twice": 2 * s.G})
    assert sorted(Roles(program).of.values()) == ["D", "G", "P", "P_plus"]


def test_every_role_has_words_and_a_law_of_the_catalogue() -> None:
    for role in ("P", "P_plus", "G", "tau_bar", "Upsilon", "Upsilon_plus", "R", "diagonal"):
        told = meaning(role)
        assert told is not None
        assert not told[1] or told[1] in catalogue()
    assert meaning("nothing") is None
