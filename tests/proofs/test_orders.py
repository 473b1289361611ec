"""Orders on exact samples: signs of pivots, in fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest

from operator_algebra.proofs.models import Domain, Shape
from operator_algebra.proofs.orders import is_order, is_positive, order_broken
from operator_algebra.proofs.rigid import Rows
from operator_algebra.proofs.samples import plan_of
from operator_algebra.proofs.statements import expressions
from tests.proofs.claims import laws, statements, twins


@pytest.mark.parametrize(
    ("rows", "semidefinite", "definite"),
    [
        ([], True, True),
        ([[2, 1], [1, 2]], True, True),
        ([[1, 1], [1, 1]], True, False),
        ([[0, 0], [0, 1]], True, False),
        ([[0, 1], [1, 0]], False, False),
        ([[1, 2], [2, 1]], False, False),
        ([[Fraction(1, 2), 0], [0, Fraction(-1, 9)]], False, False),
        ([[1, 1, 0], [1, 1, 0], [0, 0, -1]], False, False),
        ([[1, 1, 1], [1, 1, 0], [1, 0, 5]], False, False),
    ],
)
def test_signs_of_pivots(rows: Rows, semidefinite: bool, definite: bool) -> None:
    assert is_positive(rows, strictly=False) == semidefinite
    assert is_positive(rows, strictly=True) == definite


@pytest.mark.parametrize("law", [law for law in statements(laws()) if is_order(law)], ids=lambda law: law.name)
def test_a_law_is_broken_by_no_sample(law: object) -> None:
    claim = next(one for one in statements(laws()) if one is law)
    plan = plan_of(Domain.of(expressions(claim), ()), Shape(2, (1, 1, 1)), expressions(claim))
    assert not any(order_broken(claim, plan, sample) for sample in plan.draws((-1, 0, 0), 6))


@pytest.mark.parametrize("twin", [twin for twin in statements(twins()) if is_order(twin)], ids=lambda twin: twin.reads)
def test_a_twin_is_broken_by_some(twin: object) -> None:
    claim = next(one for one in statements(twins()) if one is twin)
    plan = plan_of(Domain.of(expressions(claim), ()), Shape(2, (1, 1, 1)), expressions(claim))
    assert any(order_broken(claim, plan, sample) for sample in plan.draws((-1, 0, 0), 6))
