"""The decision without search: generic matrices agree exactly if a claim is true on every forest."""

from __future__ import annotations

import pytest

from operator_algebra import symbols as s
from operator_algebra.expressions.build import define, fixpoint, inv, operator, root
from operator_algebra.expressions.nodes import Expr
from operator_algebra.identities.catalogue import law_named
from operator_algebra.identities.identity import Identity
from operator_algebra.operators.spaces import FORCE, MOTION, RATE, TORQUE, space
from operator_algebra.proofs.decide import bound, decide
from operator_algebra.proofs.fields import LARGE
from operator_algebra.proofs.refute import refute
from tests.proofs.claims import false_mutants, identities, laws, true_mutants, twins

I, H, M, P, D, E_phi, phi, psi, K = s.I, s.H, s.M, s.P, s.D, s.E_phi, s.phi, s.psi, s.K


def law(name: str) -> Identity:
    found = law_named(name)
    assert isinstance(found, Identity)
    return found


def test_every_law_and_every_equal_mutant_that_it_speaks_of_holds() -> None:
    told = [
        (claim, decision) for claim in [*identities(laws()), *true_mutants()] if (decision := decide(claim)) is not None
    ]
    assert [claim for claim, decision in told if not decision] == []
    assert len(told) >= 170


def test_every_twin_and_every_fifth_mutant_that_it_speaks_of_fails() -> None:
    told = [
        (claim, decision)
        for claim in [*identities(twins()), *false_mutants()[::5]]
        if (decision := decide(claim)) is not None
    ]
    assert [claim for claim, decision in told if decision] == []
    assert len(told) >= 250


@pytest.mark.slow
def test_every_mutant_that_it_speaks_of_fails() -> None:
    told = [(claim, decision) for claim in false_mutants() if (decision := decide(claim)) is not None]
    assert [claim for claim, decision in told if decision] == []
    assert len(told) >= 900


def test_the_record_says_how_large_and_modulo_what() -> None:
    decision = decide(law("factor inverse"))
    assert decision is not None
    assert (decision.spatial, decision.joint, decision.prime, decision.draws) == (8, 4, LARGE, 2)
    assert str(decision) == (
        "both sides agree in generic matrices of size 8 (joints 4) modulo 268435399, 2 draws; bound 68"
    )


@pytest.mark.parametrize(
    "name",
    ["cross product is skew", "costate covariance", "costate decomposition on chains", "shifted bracket"],
)
def test_what_generic_matrices_don_t_know_is_not_decided(name: str) -> None:
    assert decide(law(name)) is None


def test_two_recursions_with_one_driver_are_not_decided() -> None:
    assert decide(Identity("P and R", P, s.R)) is None


def test_domains_that_speak_of_joints_are_not_decided() -> None:
    for word in ("1-DOF", "revolute", "free base"):
        assert decide(Identity("in a domain", phi, psi, domain=(word,))) is None
        assert decide(Identity("anywhere", phi, psi)) is not None


def test_chains_are_all_that_is_needed() -> None:
    claim = Identity("on chains", phi, psi, domain=("serial",))
    decision = decide(claim)
    assert decision is not None
    assert not decision
    assert refute(claim) is not None


def test_what_is_defined_nowhere_is_not_decided() -> None:
    assert decide(Identity("nothing", inv(D - H @ P @ H.T) @ D, I)) is None


def test_what_is_defined_in_generic_matrices_alone_is_not_decided() -> None:
    """No shift of a tree has an inverse."""
    assert decide(Identity("back again", inv(E_phi) @ E_phi, I)) is None


def test_a_recursion_of_a_user_is_turned_round_too() -> None:
    J = operator("J", RATE >> TORQUE, structure="diagonal definite")

    def equation(X: Expr) -> Expr:
        return M + E_phi @ (X - X @ H.T @ inv(H @ X @ H.T + J) @ H @ X) @ E_phi.T

    mine = fixpoint("mine", MOTION >> FORCE, equation)
    U = I + H @ phi @ E_phi @ mine @ H.T @ inv(H @ mine @ H.T + J)
    true = Identity("own", H @ phi @ M @ phi.T @ H.T + J, U @ (H @ mine @ H.T + J) @ U.T)
    slip = Identity("own, J forgotten", H @ phi @ M @ phi.T @ H.T, U @ (H @ mine @ H.T + J) @ U.T)
    assert decide(true)
    assert refute(true) is None
    assert decide(slip) is not None
    assert not decide(slip)
    assert refute(slip) is not None


def test_under_a_root_the_square_is_chosen() -> None:
    m = (I + H @ phi @ K) @ root(D)
    assert decide(Identity("square root", m @ m.T, H @ phi @ M @ phi.T @ H.T))
    decision = decide(Identity("twice", m @ m.T, 2 * H @ phi @ M @ phi.T @ H.T))
    assert decision is not None
    assert not decision


# -- how large ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "size"),
    [
        (H @ E_phi, H @ E_phi, 2 * (1 + 2)),
        (phi, I + phi @ E_phi, 2 + (2 + 2)),
        (define("twice", E_phi @ E_phi), E_phi @ E_phi, 4 * 2),
        # M is P − E_φ P⁺ E_φ*, and P⁺ = P − P H* (H P H*)⁻¹ H P.
        (M, P - E_phi @ s.P_plus @ E_phi.T, 2 * (2 + 4 + (2 + 2 + 1 + (1 + 2 + 1) + 1 + 2))),
    ],
    ids=["letters", "inverses are free", "definitions are written out", "M is P and its recursion"],
)
def test_the_bound_counts_letters(left: Expr, right: Expr, size: int) -> None:
    assert bound(Identity("", left, right)) == 4 * (size // 2 + 1)


def test_no_bound_is_known_for_columns() -> None:
    assert bound(law("velocity")) is None


def test_too_small_matrices_believe_what_is_false() -> None:
    """Joints of size one commute: a bound is needed."""
    A, B = (operator(name, RATE >> RATE, structure="diagonal") for name in "AB")
    commuting = Identity("they commute", A @ B, B @ A)
    assert decide(commuting, joint=1)
    assert not decide(commuting)
    needed = bound(commuting)
    assert needed is not None
    assert not decide(commuting, joint=needed // 2)


@pytest.mark.parametrize("name", ["propagation exchange", "Riccati equation", "innovations factorization"])
def test_beyond_its_bound_a_law_holds(name: str) -> None:
    size = bound(law(name))
    assert size is not None
    few, enough = decide(law(name)), decide(law(name), joint=size // 2)
    assert few is not None
    assert enough is not None
    assert enough.holds
    assert (few.enough, enough.enough) == (False, True)


def test_a_user_s_space_may_be_smaller_than_that_of_joints() -> None:
    """Were it as large, what leads there would be invertible and nothing left of a projection."""
    held = operator("B", space("held_here", attached=False).dual >> TORQUE)
    mobility = inv(H @ phi @ M @ phi.T @ H.T)
    projected = held.T @ mobility - held.T @ mobility @ held @ inv(held.T @ mobility @ held) @ held.T @ mobility
    for claim, true in (
        (projected, True),
        (mobility - mobility @ held @ inv(held.T @ mobility @ held) @ held.T @ mobility, False),
    ):
        decision = decide(Identity("projected", claim, 0 * claim))
        assert decision is not None
        assert bool(decision) == true
