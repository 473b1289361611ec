"""Recursions turned round: which leaf drives them, and what stands under a root."""

from __future__ import annotations

from operator_algebra import symbols as s
from operator_algebra.expressions.build import fixpoint, inv, operator, root
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE
from operator_algebra.proofs.freed import Freed, pivots, recursions

J = operator("J", RATE >> TORQUE, structure="diagonal semidefinite")


def test_the_inertia_drives_the_riccati_equation() -> None:
    assert recursions([s.psi]) == (Freed(s.P, s.M),)  # pyright: ignore[reportArgumentType]
    assert recursions([s.phi]) == ()


def test_two_recursions_may_have_one_driver() -> None:
    found = recursions([s.P, s.R])
    assert [one.driver for one in found if one is not None] == [s.M, s.M]


def test_what_nothing_drives_alone_is_told() -> None:
    twice = fixpoint("twice", MOTION >> FORCE, lambda X: s.M + s.E_phi @ (X + X @ inv(s.M) @ X) @ s.E_phi.T)
    assert recursions([twice]) == (None,)
    assert recursions([s.Upsilon])[-1] is None


def test_under_the_root_of_D_stands_the_articulated_inertia() -> None:
    (pivot,) = pivots([s.m])
    assert (pivot.root, pivot.of.solution, pivot.outer) == (root(s.D), s.P, s.H)


def test_with_J_too() -> None:
    heavy = s.innovations(J)
    (pivot,) = pivots([root(heavy.D)])
    assert (pivot.of.solution, pivot.outer) == (heavy.P, s.H)


def test_other_roots_are_not_turned_round() -> None:
    assert pivots([root(s.M)]) == ()
    assert pivots([s.D]) == ()
    assert len(pivots([root(s.D) @ root(s.D).T, root(s.innovations(J).D)])) == 1, "one driver follows from one"
