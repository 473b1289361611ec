"""What statements say of exact samples: pairs that are equal for the law, and not for what is near to it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import inv, one
from operator_algebra.expressions.nodes import Expr
from operator_algebra.expressions.query import Combination, Query, block, dense, logdet, trace
from operator_algebra.identities.catalogue import catalogue
from operator_algebra.identities.identity import Identity, Law, Statement
from operator_algebra.operators.spaces import TORQUE
from operator_algebra.proofs.fields import Fractions
from operator_algebra.proofs.models import Domain, Shape
from operator_algebra.proofs.samples import plan_of
from operator_algebra.proofs.statements import RULES, expressions, pairs

TREE, SHAPE = (-1, 0, 0, 2), Shape(3, (1, 2, 1, 1))
MASS = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T


def holds(claim: Law) -> bool:
    """Whether all pairs of a claim are equal on samples of a branching tree."""
    plan = plan_of(Domain.of(expressions(claim), ()), SHAPE, expressions(claim))
    samples = plan.draws(TREE, 4)
    said = pairs(claim, samples, plan.values(Fractions(), samples))
    assert said
    assert any(bool((left.sound & right.sound).any()) for left, right in said)
    return all(bool((left.array == right.array)[left.sound & right.sound].all()) for left, right in said)


def entries(rule: str, lhs: Expr | Query | Combination, rhs: Expr | Query | Combination) -> Statement:
    return Statement("", "entries", rule, lhs, rhs, reads="")


def test_every_rule_of_the_catalogue_but_the_order_has_its_pairs() -> None:
    used = {law.rule for law in catalogue().values() if isinstance(law, Statement)}
    assert used - {"semidefinite"} <= set(RULES)


def test_an_equation_is_one_pair() -> None:
    assert holds(Identity("", s.phi @ (s.I - s.E_phi), s.I))
    assert not holds(Identity("", s.phi, s.I))


@pytest.mark.parametrize(
    ("rule", "lhs", "rhs", "wrong"),
    [
        ("series", s.psi, s.E_psi, s.E_phi),
        ("path", s.psi, s.psi, s.phi),
        ("common ancestor", s.Omega, s.psi.T @ s.Upsilon @ s.psi, s.phi.T @ s.Upsilon @ s.phi),
        ("roots", s.phi @ s.M, s.M @ s.phi.T, s.R),
        ("cholesky", s.m, MASS, s.D),
    ],
)
def test_entries(rule: str, lhs: Expr, rhs: Expr, wrong: Expr) -> None:
    assert holds(entries(rule, lhs, rhs))
    assert not holds(entries(rule, lhs, wrong))


def test_block_diagonal() -> None:
    assert holds(entries("block-diagonal", s.E_phi @ s.P_plus @ s.E_phi.T, s.P))
    assert not holds(entries("block-diagonal", s.phi @ s.P, s.P))


def test_a_factor_with_entries_above_its_diagonal_is_none() -> None:
    """ℳ⁻¹ = ℓ* ℓ, but ℓ* leads outward."""
    assert holds(Identity("", s.ell.T @ s.ell, inv(MASS)))
    assert not holds(entries("cholesky", s.ell.T, inv(MASS)))


def test_answers_are_added() -> None:
    unit = one(TORQUE >> TORQUE)
    freedoms = Combination(((Fraction(1), trace(unit)),), Fraction(0))
    assert holds(entries("query", trace(s.Omega @ s.M), freedoms))
    assert holds(entries("query", freedoms, Combination((), Fraction(5))))
    assert not holds(entries("query", freedoms, Combination((), Fraction(4))))
    assert holds(entries("query", Combination(((Fraction(2), trace(s.D)),)), trace(2 * s.D)))
    assert holds(entries("query", block(s.phi, 0, 1), block(s.E_phi, 0, 1)))
    assert not holds(entries("query", block(s.phi, 0, 3), block(s.E_phi, 0, 3)))
    assert holds(entries("query", dense(s.D), dense(s.D.T)))


def test_logarithms_of_determinants_are_products() -> None:
    assert holds(entries("query", logdet(MASS), logdet(s.D)))
    assert not holds(entries("query", logdet(MASS), logdet(s.H @ s.R @ s.H.T)))
    twice = Combination(((Fraction(2), logdet(s.D)), (Fraction(-1), logdet(MASS))))
    assert holds(entries("query", twice, logdet(s.D)))


@pytest.mark.parametrize(
    "half", [Combination(((Fraction(1, 2), logdet(s.D)),)), Combination(((Fraction(1), logdet(s.D)),), Fraction(1))]
)
def test_other_sums_of_logarithms_are_not_rational(half: Combination) -> None:
    claim = entries("query", half, logdet(MASS))
    plan = plan_of(Domain.of(expressions(claim), ()), SHAPE, expressions(claim))
    samples = plan.draws(TREE, 1)
    assert pairs(claim, samples, plan.values(Fractions(), samples)) is None


@pytest.mark.parametrize("rule", ["frame", "numbering"])
@pytest.mark.parametrize("e", [s.phi, s.H, s.P, s.G, s.Omega, MASS, s.R], ids=str)
def test_neither_axes_nor_order_matter(rule: str, e: Expr) -> None:
    assert holds(Statement("", "invariance", rule, e, e, reads=""))
    assert not holds(Statement("", "invariance", rule, e, 2 * e, reads=""))


def test_a_square_root_does_depend_on_the_axes_of_no_body() -> None:
    assert holds(Statement("", "invariance", "numbering", s.m, s.m, reads=""))
    assert not holds(Statement("", "invariance", "numbering", s.m, -s.m, reads=""))
