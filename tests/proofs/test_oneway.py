"""Inverses of factors that go one way: written without an inverse, they are proved from both sides."""

from __future__ import annotations

import pytest

import operator_algebra as oa
from operator_algebra.expressions.nodes import Expr, Inverse
from operator_algebra.identities.identity import Identity
from operator_algebra.proofs.oneway import without_inverse
from operator_algebra.symbols import D, E_phi, G, H, I, K, M, P, W, inv, phi, psi

L = oa.define("L_any", E_phi @ oa.operator("L", oa.TORQUE >> oa.FORCE, structure="diagonal"))
FACTORS = {
    "the factor": I + H @ phi @ K,
    "its adjoint": (I + H @ phi @ K).T,
    "its brother": I + K @ H @ phi,
    "between forces": I + phi @ K @ H,
    "any gain": I - 2 * H @ phi @ L,
    "of the other propagation": I - H @ psi @ K,
    "with a pivot": D + H @ phi @ K @ D,
    "blocks alone": 2 * I + H @ phi @ G,
    "of two terms": I + H @ phi @ K + H @ phi @ L,
}


def inverse(e: Expr) -> Inverse:
    found = inv(e)
    assert isinstance(found, Inverse)
    return found


@pytest.mark.parametrize("e", FACTORS.values(), ids=list(FACTORS))
def test_it_is_the_inverse(e: Expr) -> None:
    found = without_inverse(inverse(e))
    assert found is not None
    assert oa.prove(Identity("inverse", inv(e), found))
    assert found.structure.flow == e.structure.flow


@pytest.mark.parametrize("e", FACTORS.values(), ids=list(FACTORS))
def test_what_is_inverted_still_is_blocks_or_a_propagation(e: Expr) -> None:
    found = without_inverse(inverse(e))
    assert found is not None
    model = oa.random_tree(4, seed=1)
    claim = Identity("inverse", inv(e), found)
    assert oa.check(claim, model, samples=1, progress=False).holds
    assert len(oa.lower(found @ oa.vector("x", found.type.domain)).sweeps) <= 2


def test_what_has_a_name_keeps_it() -> None:
    assert str(without_inverse(inverse(FACTORS["the factor"]))) == "I − H ψ K"
    assert str(without_inverse(inverse(FACTORS["its adjoint"]))) == "I − K* ψ* H*"


def test_a_propagation_is_the_inverse_of_its_shift() -> None:
    for resolvent, shift in ((phi, E_phi), (psi, oa.symbols.E_psi)):
        found = without_inverse(inverse(resolvent))
        assert found is not None
        assert oa.equal(found, I - shift)


@pytest.mark.parametrize(
    "e", [D, M, P, I - E_phi, I + H @ phi @ phi @ K, I + H @ phi @ K + H @ psi @ K, W @ (I + H @ phi @ K)]
)
def test_what_has_another_form_is_left_alone(e: Expr) -> None:
    found = inv(e)
    assert not isinstance(found, Inverse) or without_inverse(found) is None
