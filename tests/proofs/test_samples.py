"""Samples of a claim: drawn alike each time, evaluated together, and true to the definitions of their operators."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.nodes import Expr
from operator_algebra.proofs.fields import Fractions, Residues
from operator_algebra.proofs.models import Domain, Shape
from operator_algebra.proofs.samples import Plan, plan_of

SHAPE = Shape(2, (1, 2, 1))
PARENT = (-1, 0, 0)


def plan(*sides: Expr) -> Plan:
    return plan_of(Domain.of(sides, ()), SHAPE, sides)


def test_the_same_samples_each_time() -> None:
    one, other = plan(s.H @ s.M), plan(s.H @ s.M)
    assert one.draws(PARENT, 3) == other.draws(PARENT, 3)
    first, second, _ = one.draws(PARENT, 3)
    assert first.numbers != second.numbers
    assert len(first.numbers) == len(one.signs)


def test_operators_lie_on_the_tree() -> None:
    (sample,) = plan(s.E_phi @ s.M).draws(PARENT, 1)
    dense = plan(s.E_phi @ s.M).dense(sample)
    hop = dense[s.E_phi]
    assert [len(hop), len(hop[0])] == [6, 6]
    filled = {(i // 2, j // 2) for i in range(6) for j in range(6) if hop[i][j]}
    assert filled == {(0, 1), (0, 2)}
    assert dense[s.M] == [list(column) for column in zip(*dense[s.M], strict=True)]


@pytest.mark.parametrize("field", [Fractions(), Residues(2_147_483_629)], ids=["fractions", "residues"])
def test_a_recursion_is_solved_by_drawing_its_solution(field: Fractions | Residues) -> None:
    """P is free and M := P − E_φ P⁺ E_φ*, so that no pivot has to be inverted to know P."""
    claim = (s.M, s.P - s.E_phi @ s.P_plus @ s.E_phi.T)
    chosen = plan(*claim)
    values = chosen.values(field, chosen.draws(PARENT, 5))
    left, right = (values.value(e) for e in claim)
    fine = left.sound & right.sound
    assert fine.any()
    assert (field.settled(left.array - right.array)[fine] == 0).all()


def test_a_root_is_drawn_where_it_is_asked_for() -> None:
    chosen = plan(s.root(s.D) @ s.root(s.D).T, s.D)
    values = chosen.values(Fractions(), chosen.draws(PARENT, 5))
    left, right = values.value(s.root(s.D) @ s.root(s.D).T), values.value(s.D)
    fine = left.sound & right.sound
    assert fine.any()
    assert (left.array[fine] == right.array[fine]).all()
