"""Refutation: every false neighbour of a law is refuted by an exact model, no law in any reading."""

from __future__ import annotations

from collections import Counter
from time import process_time

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import define, inv, operator
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.identity import Identity, Law
from operator_algebra.operators.spaces import FORCE, RATE, TORQUE
from operator_algebra.proofs.counterexample import Counterexample
from operator_algebra.proofs.models import Domain
from operator_algebra.proofs.orders import is_positive
from operator_algebra.proofs.refute import refute
from operator_algebra.proofs.statements import expressions
from tests.often import some
from tests.proofs.claims import false_mutants, identities, laws, statements, true_mutants, twins
from tests.proofs.exact_models import meant

I, H, M, D, E_phi, phi, psi, K, inverse = s.I, s.H, s.M, s.D, s.E_phi, s.phi, s.psi, s.K, s.inv


def confirmed(found: Counterexample) -> bool:
    """Whether the meaning of both sides, in fractions, differs as the record says."""
    claim = found.claim
    assert isinstance(claim, Identity)
    left, right = (meant(found.tree, found.leaves, side) for side in (claim.lhs, claim.rhs))
    i, j = found.entry
    return left == found.left and right == found.right and left[i][j] != right[i][j]


@pytest.mark.parametrize("claim", some(identities(twins()), each=5), ids=lambda claim: claim.name)
def test_a_twin_is_refuted_and_the_meaning_of_formulas_confirms_it(claim: Identity) -> None:
    found = refute(claim)
    assert found is not None
    assert confirmed(found)


@pytest.mark.slow
def test_every_mutant_that_is_not_equal_is_refuted_and_every_17th_is_confirmed() -> None:
    sizes: Counter[int] = Counter()
    claims = false_mutants()
    for number, claim in enumerate(claims):
        found = refute(claim)
        assert found is not None, claim
        sizes[len(found.parent)] += 1
        assert number % 17 or confirmed(found), claim
    assert set(sizes) == {1, 2, 3, 4}, "four bodies are needed, and enough"
    assert len(claims) > 1000


def test_every_eightieth_mutant_is_refuted() -> None:
    assert [claim for claim in false_mutants()[::80] if refute(claim) is None] == []


@pytest.mark.parametrize("claim", statements(twins()), ids=lambda claim: claim.name)
def test_a_twin_of_a_statement_is_refuted(claim: Law) -> None:
    assert refute(claim) is not None


def physical(claim: Law) -> bool:
    """Whether a claim reads the coordinates of motions, so that matrices are large."""
    return Domain.of(expressions(claim), claim.domain).physical


def readings(*, about_coordinates: bool) -> list[Law]:
    """What must not be refuted."""
    return [claim for claim in [*laws(), *true_mutants()] if physical(claim) is about_coordinates]


def test_no_law_is_refuted_in_any_reading() -> None:
    told = readings(about_coordinates=False)
    assert [claim for claim in told if refute(claim, seconds=1.0) is not None] == []
    assert len(told) > 200


def test_of_laws_about_coordinates_every_tenth_is_not_refuted() -> None:
    told = readings(about_coordinates=True)[::10]
    assert [claim for claim in told if refute(claim, seconds=1.0) is not None] == []


@pytest.mark.slow
def test_no_law_about_coordinates_is_refuted_in_any_reading() -> None:
    told = readings(about_coordinates=True)
    assert [claim for claim in told if refute(claim, seconds=10.0) is not None] == []


# -- one by one --------------------------------------------------------------------------------------------------------


def test_a_claim_that_survives_two_bodies_is_refuted_with_three() -> None:
    """Whoever tries it on two bodies believes it."""
    U = I + H @ phi @ K
    found = refute(Identity("no inverse", U @ (I - H @ phi @ K), I))
    assert found is not None
    assert found.parent == (-1, 0, 1)
    assert found.describe().splitlines() == [
        "smallest counter-example: 3 bodies, parents [-1, 0, 1]",
        "E_φ(0, 1) = 1, E_φ(1, 2) = 1; H = 1; M = 1",
        "block (0, 2) is -1 on the left, 0 on the right; equal everywhere else",
    ]


@pytest.mark.parametrize("links", [4, 5, 9])
@pytest.mark.parametrize("shift", [E_phi, s.psi_tilde, s.phi_tilde.T], ids=str)
def test_a_claim_about_many_links_is_tried_on_a_chain_that_is_long_enough(shift: Expr, links: int) -> None:
    power = shift
    for _ in range(links - 1):
        power = power @ shift
    found = refute(Identity("too short", power, 0 * power))
    assert found is not None
    assert len(found.parent) == links + 1


def test_an_operator_of_a_user_with_a_misprint() -> None:
    gain = define("K_mine", E_phi @ M @ H.T @ inv(D))
    claim = Identity("own factorization", H @ phi @ M @ phi.T @ H.T, (I + H @ phi @ gain) @ D @ (I + H @ phi @ gain).T)
    found = refute(claim)
    assert found is not None
    assert confirmed(found)


def test_an_input_is_drawn_by_its_declared_structure() -> None:
    skew, fair = operator("A", FORCE.dual >> FORCE, structure="diagonal"), operator("A", RATE >> TORQUE)
    square = operator("A", FORCE.dual >> FORCE, structure="diagonal symmetric")
    assert refute(Identity("its own adjoint", skew, skew.T)) is not None
    assert refute(Identity("its own adjoint", fair, fair.T)) is not None
    assert refute(Identity("its own adjoint", square, square.T)) is None


def test_a_law_for_chains_is_not_refuted_by_a_tree() -> None:
    law = law_named("costate decomposition on chains")
    assert isinstance(law, Identity)
    assert refute(law) is None
    found = refute(Identity("everywhere", law.lhs, law.rhs))
    assert found is not None
    assert found.parent == (-1, 0, 0)


def test_a_word_that_no_model_knows_refutes_nothing() -> None:
    assert refute(Identity("on the moon", phi, psi, domain=("on the moon",))) is None


def test_under_a_root_an_inertia_follows_and_it_is_said_if_no_body_has_it() -> None:
    found = [one for claim in identities(twins()) if "root" in _text(claim) and (one := refute(claim)) is not None]
    assert found
    for one in found:
        assert one.positive == is_positive(one.leaves[M], strictly=True)
        assert ("no real body" in one.describe()) == (not one.positive)


def _text(claim: Identity) -> str:
    return "root" if {s.m, s.ell, s.nu, s.epsilon} & (claim.lhs.symbols() | claim.rhs.symbols()) else ""


def test_time_is_a_bound() -> None:
    law = law_named("released inertia is positive")
    start = process_time()
    assert refute(law, seconds=0.2) is None
    assert process_time() - start < 1.0
